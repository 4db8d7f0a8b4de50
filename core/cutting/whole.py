"""A body that is not cut: one cell for each of its parts."""

import numpy as np

from ..geometry.mesh import mass_properties
from ..geometry.packed import packed_starts
from ..types import Body, Cells
from .parts import part_starts


def whole_cells(body: Body) -> Cells:
    """The body as cells without a bond: one for each part, a unit of its own."""
    first = part_starts(body)
    count, rows = len(first) - 1, len(body.triangles)
    measured = [mass_properties(body.vertices, body.triangles[first[k] : first[k + 1]]) for k in range(count)]
    centre = np.array([centroid for _, centroid, _ in measured])
    none, cell = np.zeros(0, np.int64), np.repeat(np.arange(count), np.diff(first))
    return Cells(
        vertices=body.vertices,
        outer_start=3 * np.arange(rows + 1),
        outer_vertex=body.triangles.reshape(-1),
        outer_weight=np.tile(np.eye(3), (rows, 1)),
        outer_triangle=np.arange(rows),
        outer_cell=cell,
        inner_start=packed_starts(none),
        inner_vertex=none,
        inner_bond=none,
        bond_cells=np.zeros((0, 2), np.int64),
        bond_area=np.zeros(0),
        bond_normal=np.zeros((0, 3)),
        bond_centroid=np.zeros((0, 3)),
        bond_strength=np.zeros(0),
        volume=np.array([volume for volume, _, _ in measured]),
        centroid=centre,
        second_moment=np.array([second for _, _, second in measured]),
        region=np.arange(count),
        site=centre,
        unit=np.arange(count),
        crumb=np.zeros(count, np.bool_),
    )
