"""What is in the way of matter that deforms: ground, colliders and rigid pieces, asked for points and tetrahedra.

Of points their signed distance from the nearest surface is asked, of tetrahedra their overlap with what is there.

Each obstacle is a closed mesh that goes from pose to pose within a frame, or deforms. Between the two ends of a frame
places are on straight lines, and turns on the shortest way. What the matter does to rigid pieces is found by these: to
them it is kinematic, as they are to it.

Limitations: an obstacle that is open has no inside; points are always in front of it, and tetrahedra share nothing
with it. Of obstacles that overlap each other a tetrahedron has a pair with each.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..arithmetic.products import apply, norm
from ..arithmetic.small_matrices import rotation_matrices
from ..continuum.contract import NearestSurface, TetrahedronOverlaps, no_overlaps, no_surface
from ..geometry.barycentric import closest_weights
from ..geometry.bvh import Tree, build_tree
from ..geometry.inside import winding_number
from ..geometry.mesh import bounds, cross_rows, is_closed
from ..geometry.nearest import nearest_in
from ..geometry.tetrahedron_overlaps import overlap_with_mesh
from ..jit import njit_no_refs, sealed_floats
from ..types import Bools, Floats, Frozen, Ground, Ints

#: Distance below which a point lies on a surface, in which direction it lies then being round-off, in its size. Ten
#: thousand roundings.
_ON = 1e-12
#: Part of a tetrahedron below which what it shares is round-off. A million roundings: more is no more than its skin.
_SHARED = 1e-10


@dataclass(frozen=True, eq=False)
class ObstacleShape(Frozen):
    """A mesh in its own axes, ready to be asked."""

    vertices: Floats  #: (V,3) [m]
    triangles: Ints  #: (T,3)
    tree: Tree = field(init=False)
    reach: float = field(init=False)  #: of a ball about zero that holds it [m]

    def __post_init__(self) -> None:
        """Build the tree once."""
        object.__setattr__(self, "tree", build_tree(self.vertices, self.triangles))
        object.__setattr__(self, "reach", _reach(self.vertices))
        Frozen.__post_init__(self)

    @cached_property
    def is_closed(self) -> bool:
        """Whether it has an inside."""
        return is_closed(self.triangles)


@dataclass(frozen=True, eq=False, slots=True)
class Obstacle(Frozen):
    """Something in the way during one frame."""

    shape: ObstacleShape
    position: Floats  #: (2,3) of the zero of its axes at both ends of the frame [m]
    rotation: Floats  #: (2,4) unit quaternions of neighbouring signs
    end: Floats | None = None  #: (V,3) its vertices at the end of the frame, in its axes, where it deforms [m]

    @property
    def reach(self) -> float:
        """Radius of a ball about the zero of its axes that holds it all through the frame [m]."""
        return self.shape.reach if self.end is None else max(self.shape.reach, _reach(self.end))


@dataclass(frozen=True, eq=False, slots=True)
class FrameSurroundings(Frozen):
    """The `continuum.contract.Surroundings` of one frame: in coordinates whose zero is at `place` of the world."""

    gravity: Floats  #: (3,) [m/s^2]
    dt: float
    ground: Ground | None
    obstacles: tuple[Obstacle, ...]
    place: Floats  #: (3,) [m]
    ends: Floats = field(init=False)  #: (k,2,3) zero of the axes of each obstacle at both ends of the frame [m]
    reach: Floats = field(init=False)  #: (k,) of balls about these that hold them [m]

    def __post_init__(self) -> None:
        """Note once where obstacles are."""
        ends = [one.position for one in self.obstacles]
        object.__setattr__(self, "ends", np.stack(ends) if ends else np.zeros((0, 2, 3)))
        object.__setattr__(self, "reach", np.array([one.reach for one in self.obstacles], np.float64))
        Frozen.__post_init__(self)

    def find_nearest(self, points: Floats, share: float) -> NearestSurface:
        """The surface nearest to points (n,3), where everything is at a `share` 0..1 of the frame."""
        world = points + self.place
        found = no_surface(len(points))
        if self.ground is not None:
            found = _ground(world, self.ground)
        centre = self.ends[:, 0] + share * (self.ends[:, 1] - self.ends[:, 0])
        reached = np.zeros(len(centre), np.bool_)
        mark_reached(sealed_floats(world), sealed_floats(found.distance), sealed_floats(centre), self.reach, reached)
        for k in np.flatnonzero(reached).tolist():
            may = np.flatnonzero(norm(world - centre[k]) - self.reach[k] < found.distance)
            if len(may):
                found = _nearer(found, may, _to_obstacle(self.obstacles[k], world[may], share, self.dt))
        return found

    def find_overlaps(self, tetrahedra: Floats, share: float) -> TetrahedronOverlaps:
        """What tetrahedra (n,4,3) share with ground and obstacles, where everything is at a `share` of the frame."""
        world = tetrahedra + self.place
        middle = 0.25 * (world[:, 0] + world[:, 1] + world[:, 2] + world[:, 3])
        size = np.sqrt(np.square(world - middle[:, None]).sum(axis=2).max(axis=1, initial=0.0))
        some = [] if self.ground is None else [_ground_overlaps(world, self.ground)]
        for k, one in enumerate(self.obstacles):
            centre = self.ends[k, 0] + share * (self.ends[k, 1] - self.ends[k, 0])
            near = np.flatnonzero(norm(middle - centre) < self.reach[k] + size)
            if len(near) and one.shape.is_closed:
                some.append(_overlaps_with(one, world, near, share, self.dt))
        return _joined_overlaps(some, self.place)


def _reach(vertices: Floats) -> float:
    """Radius of a ball about zero that holds vertices (V,3), a little more, so that round-off leaves none outside."""
    return (1.0 + _ON) * float(norm(vertices).max(initial=0.0))


@njit_no_refs
def mark_reached(points: Floats, distance: Floats, centre: Floats, reach: Floats, reached: Bools) -> None:
    """Mark the balls (k,) that are nearer to some point (n,3) than its `distance` (n,)."""
    for k in range(len(reach)):
        for i in range(len(points)):
            dx, dy, dz = points[i, 0] - centre[k, 0], points[i, 1] - centre[k, 1], points[i, 2] - centre[k, 2]
            if np.sqrt(dx * dx + dy * dy + dz * dz) - reach[k] < distance[i]:
                reached[k] = True
                break


def _ground(points: Floats, ground: Ground) -> NearestSurface:
    up = np.tile(np.array([0.0, 0.0, 1.0]), (len(points), 1))
    return NearestSurface(points[:, 2] - ground.height, up, np.zeros((len(points), 3)))


def _nearer(a: NearestSurface, rows: Ints, b: NearestSurface) -> NearestSurface:
    """Of each point the surface with the smaller distance: what is inside of something is no farther from it.

    b: of some rows of `a`.
    """
    take = b.distance < a.distance[rows]
    mine = rows[take]
    distance, normal, velocity = a.distance.copy(), a.normal.copy(), a.velocity.copy()
    distance[mine], normal[mine], velocity[mine] = b.distance[take], b.normal[take], b.velocity[take]
    return NearestSurface(distance, normal, velocity)


def _to_obstacle(one: Obstacle, points: Floats, share: float, dt: float) -> NearestSurface:
    """Distance, normal and velocity of the nearest point of a mesh (its vertices moving on straight lines)."""
    shape = one.shape
    vertices, tree, R, zero = _at_share(one, share)
    local = apply(R.T, points - zero)
    at, triangle, away = nearest_in(tree, local)
    within = winding_number(vertices, shape.triangles, local) >= 1
    out = np.where(within[:, None], at - local, local - at)
    flat = away <= _ON * np.maximum(np.abs(at).max(axis=1), 1e-300)
    normal = np.where(flat[:, None], _face_normals(vertices, shape.triangles, triangle), out)
    normal = normal / np.maximum(norm(normal), 1e-300)[:, None]
    return NearestSurface(np.where(within, -away, away), apply(R, normal), _velocities(one, at, vertices, triangle, dt))


class _PlacedMesh(NamedTuple):
    """An obstacle within a frame."""

    vertices: Floats  #: (V,3) in its axes [m]
    tree: Tree
    R: Floats  #: (3,3) from its axes to the world's
    zero: Floats  #: (3,) of its axes [m]


def _at_share(one: Obstacle, share: float) -> _PlacedMesh:
    vertices, tree = one.shape.vertices, one.shape.tree
    if one.end is not None:
        vertices = vertices + share * (one.end - vertices)
        tree = build_tree(vertices, one.shape.triangles)
    q = one.rotation[0] + share * (one.rotation[1] - one.rotation[0])
    R = rotation_matrices(q[None] / norm(q))[0]
    return _PlacedMesh(vertices, tree, R, one.position[0] + share * (one.position[1] - one.position[0]))


def _ground_overlaps(tetrahedra: Floats, ground: Ground) -> TetrahedronOverlaps:
    """What tetrahedra have below the ground: it is as good as a triangle that no column leaves sideways."""
    rows = np.flatnonzero(tetrahedra[:, :, 2].min(axis=1, initial=np.inf) < ground.height)
    if len(rows) == 0:
        return no_overlaps()
    low, high = bounds(tetrahedra[rows].reshape(-1, 3))
    size = float((high - low).max())
    corner = np.array([[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]]) * size + low[:2]
    plane = np.column_stack([corner, np.full(3, ground.height)])
    return _shared(rows, tetrahedra[rows], build_tree(plane, np.arange(3)[None]))


def _overlaps_with(one: Obstacle, tetrahedra: Floats, rows: Ints, share: float, dt: float) -> TetrahedronOverlaps:
    _, tree, R, zero = _at_share(one, share)
    found = _shared(rows, apply(R.T, tetrahedra[rows] - zero), tree)
    centre = apply(R, found.centre) + zero
    velocity = _to_obstacle(one, centre, share, dt).velocity
    return TetrahedronOverlaps(found.tetrahedron, found.volume, centre, apply(R, found.area), velocity)


def _shared(rows: Ints, tetrahedra: Floats, tree: Tree) -> TetrahedronOverlaps:
    """What tetrahedra (n,4,3), in the axes of a closed mesh, share with it; they have the numbers `rows`."""
    shared, centre, area = overlap_with_mesh(tree, tetrahedra)
    a, b, c = (tetrahedra[:, k] - tetrahedra[:, 0] for k in range(1, 4))
    there = np.flatnonzero(shared > _SHARED * np.abs((a * cross_rows(b, c)).sum(axis=1) / 6.0))
    still = np.zeros((len(there), 3))
    return TetrahedronOverlaps(rows[there], shared[there], centre[there], area[there], still)


def _joined_overlaps(some: list[TetrahedronOverlaps], place: Floats) -> TetrahedronOverlaps:
    """Several in one, in the coordinates whose zero is at a `place` (3,)."""
    some = [no_overlaps(), *some]
    row, volume, centre, area, velocity = (
        np.concatenate([getattr(one, name) for one in some])
        for name in ("tetrahedron", "volume", "centre", "area", "velocity")
    )
    order = np.argsort(row, kind="stable")
    return TetrahedronOverlaps(row[order], volume[order], centre[order] - place, area[order], velocity[order])


def _face_normals(vertices: Floats, triangles: Ints, rows: Ints) -> Floats:
    a, b, c = (vertices[triangles[rows, k]] for k in range(3))
    return cross_rows(b - a, c - a)


def _velocities(one: Obstacle, at: Floats, vertices: Floats, triangle: Ints, dt: float) -> Floats:
    """(n,3) by how much points of the surface, given in its axes, go on within the frame, over its length."""
    start = end = at
    if one.end is not None:
        corner = one.shape.triangles[triangle]
        weight = closest_weights(vertices[corner], at)
        start = (weight[:, :, None] * one.shape.vertices[corner]).sum(axis=1)
        end = (weight[:, :, None] * one.end[corner]).sum(axis=1)
    R = rotation_matrices(one.rotation)
    return np.asarray((apply(R[1], end) + one.position[1] - apply(R[0], start) - one.position[0]) / dt)
