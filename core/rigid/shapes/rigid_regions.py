"""Which parts of a mesh keep their form while it moves: these are kinematic as a whole, and only the others deform."""

from typing import NamedTuple

import numpy as np

from ...geometry.mesh import cross_rows, diagonal, edge_table, find_shells
from ...types import Bools, Floats, Ints, Mesh
from ..pose import make_sign_continuous, quaternions_of

# Distance of points from where a rigid motion would lead them that counts as none, in diagonals; chosen: two hundred
# roundings of float32, through modifiers and a matrix.
_SAME = 2e-5
# Least height of the triangle that tells the turn, in diagonals; chosen: the turn is then known to some 2e-5 / 1e-3, a
# degree.
ALIGNED = 1e-3


class RigidRegion(NamedTuple):
    """A part of a mesh that keeps its form, and where it goes."""

    mesh: Mesh  #: in its axes at the first frame, from one of its vertices [m]
    position: Floats  #: (S,3) of that vertex [m]
    rotation: Floats  #: (S,4) unit quaternion, sign-continuous


def find_rigid_regions(meshes: tuple[Mesh, ...]) -> tuple[list[RigidRegion], tuple[Mesh, ...]]:
    """The parts of a mesh, given at each frame, that keep their form, and what is left of each frame.

    The whole mesh is one part where all of it does. Nothing is left then.
    """
    first = meshes[0]
    if any(one.triangles is not first.triangles or len(one.vertices) != len(first.vertices) for one in meshes):
        return [], meshes
    everything = np.ones(len(first.triangles), np.bool_)
    whole = _rigid(meshes, everything)
    if whole is not None:
        return [whole], ()
    label = find_shells(edge_table(first.triangles))
    found, soft = [], np.zeros(len(label), np.bool_)
    for shell in range(int(label.max()) + 1 if label.any() else 0):
        part = _rigid(meshes, label == shell)
        if part is None:
            soft |= label == shell
        else:
            found.append(part)
    if not found:
        return [], meshes
    if not soft.any():
        return found, ()
    triangles = first.triangles[soft]
    return found, tuple(Mesh(one.name, one.vertices, triangles) for one in meshes)


def _rigid(meshes: tuple[Mesh, ...], which: Bools) -> RigidRegion | None:
    """Some triangles as a part that is kinematic; None where they change their form or are no wider than a line."""
    used, corner = np.unique(meshes[0].triangles[which], return_inverse=True)
    at = meshes[0].vertices[used]
    size = diagonal(at)
    if not np.isfinite(at).all() or size == 0.0:
        return None
    corners = _widest(at, size)
    if corners is None:
        return None
    axes = _axes(at[corners])
    seen = _along(axes, at - at[corners[0]])
    turns, places = [], []
    for one in meshes:
        now = one.vertices[used]
        if not np.isfinite(now).all() or not _is_wide(now[corners], size):
            return None
        turn = _axes(now[corners])
        kinematic = now[corners[0]] + (seen[:, None] * turn.T[None]).sum(axis=2)
        if np.abs(kinematic - now).max() > _SAME * size:
            return None
        turns.append(turn)
        places.append(now[corners[0]])
    # From the axes at the first frame to those at each other one: T_s T_0^T.
    rotation = (np.array(turns)[:, :, :, None] * axes[None, :, None, :]).sum(axis=1)
    mesh = Mesh(meshes[0].name, at - at[corners[0]], corner.reshape(-1, 3))
    return RigidRegion(mesh, np.array(places), make_sign_continuous(quaternions_of(rotation)[:, None])[:, 0])


def _widest(at: Floats, size: float) -> Ints | None:
    """Three points far from each other; None where all lie in a line."""
    first = 0
    second = int(np.argmax(np.square(at - at[first]).sum(axis=1)))
    third = int(np.argmax(np.square(cross_rows(at - at[first], (at[second] - at[first])[None])).sum(axis=1)))
    rows = np.array([first, second, third])
    return rows if _is_wide(at[rows], size) else None


def _is_wide(corner: Floats, size: float) -> bool:
    u, v = corner[1:2] - corner[0], corner[2:] - corner[0]
    return bool(np.square(cross_rows(u, v)).sum() > np.square(ALIGNED * size) * np.square(u).sum() > 0.0)


def _axes(corner: Floats) -> Floats:
    """Three unit vectors (3,3), as rows, that a triangle (3,3) carries along."""
    u, v = corner[1:2] - corner[0], corner[2:] - corner[0]
    x, z = u, cross_rows(u, v)
    x, z = x / np.sqrt(np.square(x).sum()), z / np.sqrt(np.square(z).sum())
    return np.concatenate([x, cross_rows(z, x), z])


def _along(axes: Floats, vectors: Floats) -> Floats:
    return np.stack([(vectors * axes[k]).sum(axis=1) for k in range(3)], axis=1)
