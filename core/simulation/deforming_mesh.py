"""A mesh that deforms, frame by frame: the parts under its skin, and where they go within each frame."""

from itertools import pairwise

import numpy as np

from ..errors import InputError
from ..geometry.mesh import areas, diagonal
from ..geometry.nearest import nearest
from ..rigid.shapes.convex_parts import ConvexParts
from ..rigid.shapes.skin_parts import make_skin_parts, skin_of
from ..types import Floats, Mesh


class DeformingMesh:
    """The parts of a mesh that is given at each of S frames, as many at each frame as it has triangles at most.

    Where the triangles themselves change, as those of fluids do, each point of a frame goes to the nearest one of the
    next skin: that is how fast the surface moves along its normals; how matter slides in it is not known.
    """

    def __init__(self, meshes: tuple[Mesh, ...]) -> None:
        """Raises InputError for a mesh that has no surface at any frame."""
        if not any(len(one.triangles) and _has_surface(one) for one in meshes):
            name = meshes[0].name
            raise InputError(f"{name} has no area, so nothing can hit it: take it out of the colliders.")
        self._meshes = meshes
        self._count = max(len(one.triangles) for one in meshes)

    @property
    def last_moving(self) -> int:
        """The last frame in which the mesh is another one than in the frame before; 0 where there is none."""
        ways = enumerate(pairwise(self._meshes), start=1)
        return max((frame for frame, (one, other) in ways if not _is_same(one, other)), default=0)

    def way(self, frame: int) -> tuple[ConvexParts, Floats, Floats]:
        """The parts on the way to a frame, their places (2,T,3) and rotations (2,T,4) at both ends of it."""
        start, end = self.ends(frame)
        now = skin_of(start)
        then = skin_of(end) if frame > 0 else now
        still = now.flat | then.flat
        place = np.stack([now.middle, np.where(still[:, None], now.middle, then.middle)])
        turn = np.stack([now.rotation, np.where(still[:, None], now.rotation, then.rotation)])
        return make_skin_parts(start, now, self._count), self._filled(place), self._filled(turn)

    def ends(self, frame: int) -> tuple[Mesh, Mesh]:
        """The mesh of the frame before, and where its triangles are at a frame."""
        start, end = (self._meshes[min(at, len(self._meshes) - 1)] for at in (max(frame - 1, 0), frame))
        return start, follow_surface(start, end)

    def _filled(self, ends: Floats) -> Floats:
        """With a row for each part that stands by."""
        return np.concatenate([ends, np.repeat(ends[:, :1], self._count - ends.shape[1], axis=1)], axis=1)


class LiveSurface:
    """The surface of something that a continuum method moves: it is shown frame by frame, and nobody knows the next."""

    last_moving = 0

    def __init__(self) -> None:
        """Nothing is shown at first."""
        self.shown = 0  #: how often it was
        self._mesh: DeformingMesh | None = None

    def show(self, start: Mesh, end: Mesh) -> None:
        """From now on it is a mesh that becomes another one, of the same triangles, within the frame."""
        self._mesh = DeformingMesh((start, end)) if len(start.triangles) else None
        self.shown += 1

    def way(self, _frame: int) -> tuple[ConvexParts, Floats, Floats] | None:
        """As that of `DeformingMesh`; None while nothing is there."""
        return None if self._mesh is None else self._mesh.way(1)


def follow_surface(start: Mesh, end: Mesh) -> Mesh:
    """The triangles of a mesh with their points where they are when the mesh has become another one.

    Where the triangles themselves are others, each point goes to the nearest one of the other mesh.
    """
    same = len(end.vertices) == len(start.vertices)
    if same and (end.triangles is start.triangles or np.array_equal(end.triangles, start.triangles)):
        return Mesh(start.name, end.vertices, start.triangles)
    if len(end.triangles) == 0:
        return start
    return Mesh(start.name, nearest(end.vertices, end.triangles, start.vertices)[0], start.triangles)


def _is_same(one: Mesh, other: Mesh) -> bool:
    return np.array_equal(one.vertices, other.vertices) and np.array_equal(one.triangles, other.triangles)


def _has_surface(mesh: Mesh) -> bool:
    size = diagonal(mesh.vertices)
    return bool(areas(mesh.vertices, mesh.triangles).sum() > 1e-12 * size * size)
