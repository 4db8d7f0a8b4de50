"""What two meshes of a pattern both cover: little of it goes to the larger one, much of it is refused."""

from collections.abc import Sequence

import manifold3d
import numpy as np
from scipy.spatial import ConvexHull, QhullError

from ....errors import InputError
from ....geometry.mesh import bounds, volume
from ....types import Floats, Ints
from ....wording import percent
from .solids import JigsawSolid, solid

#: Of the smaller one's volume: two meshes that have more in common were not meant to lie beside each other. Chosen by
#: eye: a smaller limit refuses what is a little too large, a larger one takes copies for neighbours.
_SMALL = 0.05


def without_overlaps(meshes: Sequence[JigsawSolid], near: float) -> list[JigsawSolid]:
    """The same meshes, of which no two overlap by more than the distance `near`: the larger one keeps what both cover.

    Of equal ones the first does. Raises InputError, which names both, where two have more than a small share in common.
    """
    result, made = list(meshes), [_manifold(mesh) for mesh in meshes]
    order = sorted(range(len(meshes)), key=lambda k: -volume(meshes[k].vertices, meshes[k].triangles))
    box = [bounds(mesh.vertices) for mesh in meshes]
    for rank, winner in enumerate(order):
        for loser in order[rank + 1 :]:
            low, high = np.maximum(box[winner][0], box[loser][0]), np.minimum(box[winner][1], box[loser][1])
            first, second = made[winner], made[loser]
            if np.any(high - low <= near) or first is None or second is None:
                continue
            common = first ^ second
            size = common.volume()
            if size <= 0.5 * near * common.surface_area():
                continue
            share = size / second.volume()
            if share > _SMALL:
                raise InputError(
                    f'"{meshes[winner].name}" and "{meshes[loser].name}" overlap: {percent(share)} of '
                    f'"{meshes[loser].name}" lies in both. Cut one of them with a Boolean modifier (Difference).'
                )
            made[loser] = second - first
            result[loser] = JigsawSolid(meshes[loser].name, *_arrays(made[loser]))
    return result


def _manifold(mesh: JigsawSolid) -> manifold3d.Manifold | None:
    """The mesh for Booleans; None where it touches itself along edges, which manifold3d does not take."""
    made = manifold3d.Manifold(manifold3d.Mesh64(np.array(mesh.vertices), mesh.triangles.astype(np.uint64)))
    return made if made.status() == manifold3d.Error.NoError else None


def _arrays(made: manifold3d.Manifold) -> tuple[Floats, Ints]:
    mesh = made.to_mesh64()
    vertices = np.array(mesh.vert_properties)[:, :3]
    return vertices, np.array(mesh.tri_verts).astype(np.int64)


def hull(meshes: Sequence[JigsawSolid]) -> JigsawSolid:
    """The convex hull of all meshes, facing outward. Raises InputError where all lie in a plane.

    By Qhull, which joins faces that are nearly flat: hulls of manifold3d may cut through themselves where many points
    lie in a plane up to rounding, as those of pieces do.
    """
    points = np.unique(np.concatenate([mesh.vertices for mesh in meshes]), axis=0)
    try:
        return solid("", points, ConvexHull(points).simplices.astype(np.int64))
    except QhullError as error:
        raise InputError("The meshes of the pattern are flat: give closed meshes that together fill a cube.") from error
