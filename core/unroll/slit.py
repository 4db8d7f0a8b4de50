"""A body made ready to be unrolled about an axis: the matter near the axis taken out, the rest slit along a half-plane.

Where space is bent by a cylinder chart, matter across the half-plane opposite to angle 0 has no flat image, and near
the axis the chart is singular. So the body is cut by a prism around the axis and by half-planes through its corners,
and what lies outside of the prism is joined again but for one half-plane, the seam. `sew.py` undoes both after other
cuts.

The flat faces that are new come in pairs that cover the same polygons: faces 2p and 2p + 1 are the two sides of plane
p. Plane 0 is the seam, its face 0 the bank at the smallest angle and face 1 that at the largest; plane 1 + i is side i
of the prism, whose first face belongs to the strip and whose second to the plug. Vertices on the outlines of both have
the same bits.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..arithmetic.angles import arctan2
from ..arithmetic.products import apply, dot, norm
from ..cutting.retry import cut_with_retry
from ..errors import InputError
from ..fragments import surface
from ..fragments.triangulate import triangulated
from ..geometry import packed
from ..types import Body, Cells, Floats, Fragments, Frozen, Ints
from .prism import SIDES, Prism, prism_partition

SEAM = 0  #: the plane of the seam


@dataclass(frozen=True, eq=False, slots=True)
class Slit(Frozen):
    """A body in two parts. Their `source` is a triangle of the slit body, or `new_face(k)` on new face k.

    Their `weight` is that of the corners in the source, 0 on new faces. A part without matter is None.
    """

    strip: Body | None  #: what lies outside of the prism, slit along the seam
    plug: Body | None  #: what lies in the prism
    #: (V,) of the strip's vertices about the axis, counted from `away`: lowest on bank 0, 2 pi more on bank 1 [rad].
    angle: Floats
    plane: Floats  #: (P,4) unit normal, out of the first face of each pair, and offset [m]


def new_face(k: int) -> int:
    """The source of triangles on new face k, and back."""
    return -1 - k


def slit(body: Body, axis_point: Floats, axis: Floats, away: Floats, core: float) -> Slit:
    """Slit a body of one part along the half-plane from the axis towards `away`.

    axis_point (3,) [m]; axis (3,) and away (3,) not parallel; core: distance of the prism's sides from the axis [m].
    The seam is turned away from columns of vertices, by up to 0.1.
    Raises InputError for directions that make no plane, CutError where the body cannot be cut.
    """
    axes = _axes(np.asarray(axis, np.float64), np.asarray(away, np.float64))
    if not core > 0.0:
        raise InputError("The core around the axis needs a size.")
    made: dict[int, Prism] = {}

    def build(attempt: int) -> Prism:
        made[attempt] = prism_partition(body.vertices, axis_point, axes, core, attempt)
        return made[attempt]

    cells, _ = cut_with_retry(body, lambda attempt: build(attempt).partition)
    prism = made[max(made)]
    triangles = len(body.triangles)
    in_plug = cells.region == SIDES
    parts = _parts(_opened(cells, triangles), triangles, [np.flatnonzero(~in_plug), np.flatnonzero(in_plug)])
    strip, plug = parts
    angle = np.zeros(0) if strip is None else _angles(strip, prism, axis_point)
    return Slit(strip, plug, angle, prism.plane)


def _axes(axis: Floats, away: Floats) -> Floats:
    """Right-handed rows: `away` made square to the axis, across both, along the axis."""
    across = np.cross(axis, away)
    size = float(norm(across))
    if not size > 1e-9 * float(norm(axis) * norm(away)):
        raise InputError("The seam needs a direction across the axis.")
    along, across = axis / norm(axis), across / size
    return np.stack([np.cross(across, along), across, along])


def _planes(cells: Cells) -> Ints:
    """The plane (B,) of each bond that stays open, -1 for those between neighbouring wedges."""
    lo, hi = cells.region[cells.bond_cells.reshape(-1, 2)].T
    return np.where(hi == SIDES, 1 + lo, np.where((lo == 0) & (hi == SIDES - 1), SEAM, -1))


def _opened(cells: Cells, triangles: int) -> Cells:
    """The cells with outer faces in the place of the bonds that stay open: made-up triangles behind the body's."""
    plane = _planes(cells)[cells.inner_bond]
    length, kept = np.diff(cells.inner_start), plane < 0
    opened = np.flatnonzero(~kept)
    at = packed.ranges(cells.inner_start[opened], length[opened])
    lo = cells.inner_vertex[at]
    # Seen from the other side the corners run backwards.
    back = np.arange(len(at))
    start = packed.packed_starts(length[opened])
    back = np.repeat(start[:-1] + start[1:] - 1, length[opened]) - back
    bond = cells.bond_cells[cells.inner_bond[opened]]
    number = triangles + 2 * plane[opened]
    return replace(
        cells,
        outer_start=packed.packed_starts(np.concatenate([np.diff(cells.outer_start), length[opened], length[opened]])),
        outer_vertex=np.concatenate([cells.outer_vertex, lo, lo[back]]),
        outer_weight=np.concatenate([cells.outer_weight, np.zeros((2 * len(lo), 3))]),
        outer_triangle=np.concatenate([cells.outer_triangle, number, number + 1]),
        outer_cell=np.concatenate([cells.outer_cell, bond[:, 0], bond[:, 1]]),
        inner_start=packed.packed_starts(length[kept]),
        inner_vertex=cells.inner_vertex[np.repeat(kept, length)],
        inner_bond=cells.inner_bond[kept],
    )


def _parts(cells: Cells, triangles: int, members: list[Ints]) -> list[Body | None]:
    """The surface of each set of cells in triangles; None for a set without cells."""
    made = surface.gather(cells, packed.packed_starts(np.array([len(m) for m in members])), np.concatenate(members))
    count = len(members)
    none, vectors = np.zeros(count), np.zeros((count, 3))
    fields = {name: getattr(made, name) for name in surface.FragmentSurface.__slots__}
    mesh = triangulated(Fragments(**fields, mass=none, volume=none, centre=vectors, inertia=np.zeros((count, 3, 3))))
    source = np.where(mesh.face_triangle < triangles, mesh.face_triangle, new_face(0) + triangles - mesh.face_triangle)
    corner = mesh.corner_vertex.reshape(-1, 3)
    weight = mesh.corner_weight.reshape(-1, 3, 3)
    parts: list[Body | None] = []
    for k in range(count):
        rows = slice(int(mesh.face_start[k]), int(mesh.face_start[k + 1]))
        vertices = mesh.vertices[mesh.vertex_start[k] : mesh.vertex_start[k + 1]]
        parts.append(Body(vertices, corner[rows], source[rows], weight[rows]) if len(members[k]) else None)
    return parts


def _angles(strip: Body, prism: Prism, axis_point: Floats) -> Floats:
    """Angle (V,) of each vertex about the axis, between the two banks."""
    about = apply(prism.axes[:2], strip.vertices - prism.centre)
    away, across = dot(about, prism.seam), about[:, 1] * prism.seam[0] - about[:, 0] * prism.seam[1]
    near = arctan2(across, away) % (2.0 * np.pi)
    # Round-off would put vertices of a bank on either side of it.
    for k in range(2):
        bank = np.unique(strip.triangles[strip.source == new_face(2 * SEAM + k)])
        near[bank] = near[bank] - 2.0 * np.pi * np.round(near[bank] / (2.0 * np.pi) - k)
    about = apply(prism.axes[:2], strip.vertices - axis_point)
    exact = arctan2(about[:, 1], about[:, 0])
    exact += 2.0 * np.pi * np.round((near - exact) / (2.0 * np.pi))
    return np.asarray(exact)
