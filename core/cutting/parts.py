"""Bodies of several parts, which may overlap and are cut one by one: taken apart, and their cells put together."""

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..geometry import packed
from ..types import Body, Cells, Ints
from .crumbs import region_sites


def split_parts(body: Body) -> list[Body]:
    """The parts of a body, each as a body of its own with the vertices that it uses, in the order of the body's."""
    if len(body.part) == 0:
        return [body]
    first = part_starts(body)
    if len(first) == 2:
        return [body]
    return [_rows(body, begin, end) for begin, end in pairwise(first)]


def part_starts(body: Body) -> Ints:
    """(P+1,) first triangle of each part."""
    if len(body.part) == 0:
        return np.array([0, len(body.triangles)])
    return np.concatenate([[0], np.flatnonzero(np.diff(body.part)) + 1, [len(body.part)]]).astype(np.int64)


def _rows(body: Body, begin: int, end: int) -> Body:
    used, corner = np.unique(body.triangles[begin:end], return_inverse=True)
    return Body(body.vertices[used], corner.reshape(-1, 3).astype(np.int64), body.source[begin:end])


def together(body: Body, parts: list[Cells]) -> Cells:
    """The cells of all parts of a body as one diagram. No bond joins two parts.

    A region that has cells in several parts fell into several cells: their sites are their centroids.
    """
    if len(parts) == 1:
        return parts[0]
    cells = side_by_side(parts, part_starts(body))
    return replace(cells, site=region_sites(cells.site, cells.region, cells.centroid))


def side_by_side(parts: Sequence[Cells], first_triangle: Ints) -> Cells:
    """The cells of all parts in one table; `first_triangle (P,)` is added to the outer triangles of each part."""
    points = packed.packed_starts(np.array([len(part.vertices) for part in parts]))
    cells = packed.packed_starts(np.array([len(part.volume) for part in parts]))
    first = {
        "outer_vertex": points,
        "inner_vertex": points,
        "outer_cell": cells,
        "bond_cells": cells,
        "inner_bond": packed.packed_starts(np.array([len(part.bond_cells) for part in parts])),
        "unit": packed.packed_starts(np.array([int(part.unit.max()) + 1 for part in parts])),
        "outer_triangle": first_triangle,
    }
    tables: dict[str, Any] = {}
    for field in fields(Cells):
        some = [getattr(part, field.name) for part in parts]
        if field.name in ("outer_start", "inner_start"):
            tables[field.name] = packed.packed_starts(np.concatenate([np.diff(start) for start in some]))
        elif field.name in first:
            tables[field.name] = np.concatenate([table + first[field.name][k] for k, table in enumerate(some)])
        else:
            tables[field.name] = np.concatenate(some)
    return Cells(**tables)
