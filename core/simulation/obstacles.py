"""What is in the way of matter that deforms: signed distances of points from ground, colliders and rigid pieces.

Each obstacle is a closed mesh that goes from pose to pose within a frame, or deforms. Between the two ends of a frame
places are on straight lines, and turns on the shortest way. What the matter does to rigid pieces is found by these: to
them it is kinematic, as they are to it.

Limitation: an obstacle that is open has no inside; points are always in front of it.
"""

from dataclasses import dataclass, field

import numpy as np

from ..arithmetic.products import apply, norm
from ..arithmetic.small_matrices import rotation_matrices
from ..continuum.contract import NearestSurface, no_surface
from ..geometry.barycentric import closest_weights
from ..geometry.bvh import Tree, build_tree
from ..geometry.inside import winding_number
from ..geometry.mesh import cross_rows
from ..geometry.nearest import nearest_in
from ..jit import njit_no_refs, sealed_floats
from ..types import Bools, Floats, Frozen, Ground, Ints

#: Distance below which a point lies on a surface, in which direction it lies then being round-off, in its size. Ten
#: thousand roundings.
_ON = 1e-12


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
    shape, tree = one.shape, one.shape.tree
    vertices = shape.vertices
    if one.end is not None:
        vertices = vertices + share * (one.end - vertices)
        tree = build_tree(vertices, shape.triangles)
    q = one.rotation[0] + share * (one.rotation[1] - one.rotation[0])
    R = rotation_matrices(q[None] / norm(q))[0]
    local = apply(R.T, points - (one.position[0] + share * (one.position[1] - one.position[0])))
    at, triangle, away = nearest_in(tree, local)
    within = winding_number(vertices, shape.triangles, local) >= 1
    out = np.where(within[:, None], at - local, local - at)
    flat = away <= _ON * np.maximum(np.abs(at).max(axis=1), 1e-300)
    normal = np.where(flat[:, None], _face_normals(vertices, shape.triangles, triangle), out)
    normal = normal / np.maximum(norm(normal), 1e-300)[:, None]
    return NearestSurface(np.where(within, -away, away), apply(R, normal), _velocities(one, at, vertices, triangle, dt))


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
