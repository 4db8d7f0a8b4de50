"""The parts of a collider that deforms: one under each triangle of its skin, as the mesh is at one frame.

Nothing but the triangles of a deforming mesh keeps its form, more or less, from frame to frame. Under each lies a
frustum, as deep as half of what is solid below it, whose top is the triangle. It is a kinematic body of its own, moved
by the triangle: so the surface, and how fast it moves along its normals, are those of the mesh everywhere. Within a
frame a triangle is rigid; how it stretches in its plane is seen at the next frame, and what slides on it feels the
velocity of its middle.

Sides between two triangles and bottoms inside a solid are inner faces (adjacent to the part itself): nothing catches
on them. Two of them meet half-way between their triangles: so they lean inwards under ridges, where each part answers
for the directions on its side, and outwards in grooves, which they fill. Under a ridge as sharp as a right angle or
sharper, where they would leave nothing, they lie in the face beyond, and are as free as that is. A mesh that does not
enclose a solid has bottoms BACK of its diagonal below, as sheets have in `collider_parts`.
"""

from dataclasses import dataclass

import numpy as np

from ...arithmetic.products import norm
from ...geometry.bvh import build_tree
from ...geometry.mesh import MeshEdges, cross_rows, diagonal, edge_table, edge_uses, find_shells, paired_half_edges
from ...geometry.shells import measure_shells
from ...geometry.winding_crossings import find_first_hits
from ...record_arrays import zero_records
from ...types import Bools, Floats, Frozen, Mesh
from ..pose import quaternions_of
from ..records import FACE_RECORD, PART
from .collider_parts import BACK
from .convex_parts import ConvexParts

_DEEP = 0.1  # depth of the parts of solids at most, in diagonals of the mesh; by eye: deeper catches faster things
# Of what is solid below a triangle that its part takes; a little less than half: the other half is the other side's.
_HALF = 0.45
_LEAST = 0.2  # size of a bottom relative to its triangle: parts under sharp ridges are no deeper; by eye
_SHARP = 0.02  # cosine between the normals of two triangles that meet at a right angle, and a little more; 88.9 degrees
FLARE = 2.0  # by how much of their depth sides lean outwards in grooves at most; by eye
_FLAT = 1e-12  # area of a triangle that counts as none, in squares of the diagonal; ten thousand roundings
_NEARLY = 0.8  # share of the way to its corners at which it is looked for what is solid below a triangle; by eye
JUST = 1e-6  # below its triangle where it is looked for what is solid, in diagonals; chosen, well above round-off

#: A frustum: corners of its faces (top, bottom, three sides), and its edges with the face that runs along each, and
#: the one that runs back. Corner k + 3 is below corner k.
LOOPS = ((0, 1, 2), (3, 5, 4), (1, 0, 3, 4), (2, 1, 4, 5), (0, 2, 5, 3))
_EDGES = np.array([
    (0, 1, 0, 2), (1, 2, 0, 3), (0, 2, 4, 0), (3, 4, 2, 1), (4, 5, 3, 1), (3, 5, 1, 4),
    (0, 3, 2, 4), (1, 4, 3, 2), (2, 5, 4, 3),
])  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class TriangleSkin(Frozen):
    """What T triangles of a mesh are at one frame; those without area take no part."""

    corners: (
        Floats  #: (T,3,3) seen from the middle of each, in its own axes: along the first side, in its plane, up [m]
    )
    middle: Floats  #: (T,3) [m]
    rotation: Floats  #: (T,4) unit quaternion of these axes
    normal: Floats  #: (T,3) unit
    flat: Bools  #: (T,)


def skin_of(mesh: Mesh) -> TriangleSkin:
    """The triangles of a mesh in the world (its turn is not applied)."""
    corner = mesh.vertices[mesh.triangles]
    size = diagonal(mesh.vertices)
    up = cross_rows(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    area = _length(up)
    flat = ~(area > _FLAT * size * size)
    # What has no area stands by as a tiny triangle, so that all parts have a volume and a number.
    tiny = 1e-6 * max(size, 1e-9) * np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    corner = np.where(flat[:, None, None], corner[:, :1] + tiny, corner)
    middle = (corner[:, 0] + corner[:, 1] + corner[:, 2]) / 3.0
    along = corner[:, 1] - corner[:, 0]
    x = along / _length(along)[:, None]
    z = cross_rows(along, corner[:, 2] - corner[:, 0])
    z = z / _length(z)[:, None]
    axes = np.stack([x, cross_rows(z, x), z], axis=1)
    away = corner - middle[:, None]
    own = np.stack([(away * axes[:, None, k]).sum(axis=2) for k in range(3)], axis=2)
    own[:, :, 2] = 0.0
    return TriangleSkin(own, middle, quaternions_of(axes.transpose(0, 2, 1)), z, flat)


def make_skin_parts(mesh: Mesh, skin: TriangleSkin, count: int) -> ConvexParts:
    """The parts of a skin, `count` of them: those behind the last triangle, and under flat ones, cannot be touched."""
    edges = edge_table(mesh.triangles)
    inner = (edge_uses(edges) == 2) & (edges.surplus == 0)
    inner = inner[edges.of_half].reshape(-1, 3)
    label = find_shells(edges)
    measured = measure_shells(mesh.vertices, mesh.triangles, label)
    solid = np.ones(len(measured.area), np.bool_)
    solid[label[~inner.all(axis=1)]] = False
    solid &= measured.volume > 0.0
    below = solid[label]
    size = diagonal(mesh.vertices)
    depth = np.full(len(mesh.triangles), BACK * size)
    depth[below] = np.minimum(_DEEP * size, _HALF * _solid_below(mesh, skin, below, _DEEP / _HALF * size))
    lean, sharp = _leaning(mesh, skin, edges)
    bottom, depth = _bottoms(skin, lean, np.maximum(depth, 1e-6 * size))
    free = np.ones((count, 5), np.bool_)
    free[: len(below), 1], free[: len(below), 2:] = ~below, ~inner | sharp
    free[: len(below)][skin.flat], free[len(below) :] = False, False
    points = np.concatenate([skin.corners, bottom], axis=1)
    return _frusta(np.concatenate([points, np.repeat(points[:1], count - len(points), axis=0)]), free)


def _solid_below(mesh: Mesh, skin: TriangleSkin, which: Bools, most: float) -> Floats:
    """How far it is (n,) from some triangles straight down to where the solid ends, or `most` [m].

    Looked for from the middle and near the corners: the least of the four.
    """
    if not which.any():
        return np.zeros(0)
    tree = build_tree(mesh.vertices, mesh.triangles)
    middle, down = skin.middle[which], -skin.normal[which]
    corner = mesh.vertices[mesh.triangles[which]]
    share = np.ones(len(middle))
    for to in (middle, *(corner[:, k] for k in range(3))):
        start = middle + _NEARLY * (to - middle) + JUST * diagonal(mesh.vertices) * down
        share = np.minimum(share, find_first_hits(tree, start, start + most * down))
    return np.asarray(most * share)


def _leaning(mesh: Mesh, skin: TriangleSkin, edges: MeshEdges) -> tuple[Floats, Bools]:
    """(T,3) how far the side under each side of a triangle leans inwards, per depth; below zero: outwards.

    And (T,3) which sides lie in the face beyond a ridge as sharp as a right angle or sharper, not half-way to it.
    """
    half = np.arange(len(edges.of_half))
    other = half.copy()
    pairs = paired_half_edges(edges)
    pairs = pairs[edges.surplus[edges.of_half[pairs[:, 0]]] == 0]
    other[pairs[:, 0]], other[pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
    n, m = np.repeat(skin.normal, 3, axis=0), skin.normal[other // 3]
    begin, end = mesh.triangles.reshape(-1), mesh.triangles[:, [1, 2, 0]].reshape(-1)
    along = mesh.vertices[end] - mesh.vertices[begin]
    along = along / np.maximum(_length(along), 1e-300)[:, None]
    cosine, sine = (n * m).sum(axis=1), (cross_rows(n, m) * along).sum(axis=1)
    still = (other == half) | skin.flat[half // 3] | skin.flat[other // 3]
    sharp = (cosine < _SHARP) & (sine > 0.0) & ~still
    beyond = np.maximum(-cosine, 0.0) / np.maximum(sine, 1e-3)
    half_way = np.maximum(sine / np.maximum(1.0 + cosine, 1e-3), -FLARE)
    lean = np.where(still, 0.0, np.where(sharp, beyond, half_way))
    return lean.reshape(-1, 3), sharp.reshape(-1, 3)


def _bottoms(skin: TriangleSkin, lean: Floats, depth: Floats) -> tuple[Floats, Floats]:
    """Bottoms (T,3,3) of frusta in the axes of their triangles, none turned over, and how deep they are (T,)."""
    c = skin.corners
    side = c[:, [1, 2, 0]] - c
    double = (side[:, 0, 0] * -side[:, 2, 1]) - (side[:, 0, 1] * -side[:, 2, 0])
    height = double[:, None] / _length(side)  # of the corner opposite to each side, over it
    shrinks = (lean / height).sum(axis=1)
    depth = np.where(shrinks > 0.0, np.minimum(depth, (1.0 - _LEAST) / np.maximum(shrinks, 1e-300)), depth)
    share = depth[:, None] * lean / height  # of each side's opposite corner, in the bottom's corners on that side
    # Barycentric: side k runs from corner k to the next one, and its opposite corner is the one before.
    bottom = np.empty_like(c)
    for k in range(3):
        after, before = (k + 1) % 3, (k + 2) % 3
        b, a = share[:, k, None], share[:, before, None]  # sides that meet in corner k: k, and the one before
        bottom[:, k] = (1.0 - a - b) * c[:, k] + b * c[:, before] + a * c[:, after]
    bottom[:, :, 2] = -depth[:, None]
    return bottom, depth


def _frusta(points: Floats, free: Bools) -> ConvexParts:
    """Parts of six corners (P,6,3) each; faces (P,5) that are not free are adjacent to their own part."""
    count = len(points)
    parts, faces = zero_records(PART, count), zero_records(FACE_RECORD, 5 * count)
    number = np.arange(count)
    for name, each in (("vertex", 6), ("face", 5), ("edge", 9)):
        parts[name][:, 0], parts[name][:, 1] = each * number, each * (number + 1)
    middle = points.sum(axis=1) / 6.0
    parts.centre, parts.radius = middle, _length(points - middle[:, None]).max(axis=1)
    first = 0
    for f, loop in enumerate(LOOPS):
        a, b, c = (points[:, loop[k]] for k in range(3))
        normal = cross_rows(b - a, c - a)
        normal = normal / np.maximum(_length(normal), 1e-300)[:, None]
        some = faces[f::5]
        some.normal, some.offset = normal, (normal[:, None] * points[:, list(loop)]).sum(axis=2).max(axis=1)
        some.loop = np.stack([18 * number + first, 18 * number + first + len(loop)], axis=1)
        some.adjacent = np.where(free[:, f], -1, number)
        first += len(loop)
    loops = np.concatenate([np.array(loop) for loop in LOOPS])
    return ConvexParts(parts, points.reshape(-1, 3), faces, np.tile(loops, count), np.tile(_EDGES, (count, 1)))


def _length(vectors: Floats) -> Floats:
    return np.asarray(norm(vectors))
