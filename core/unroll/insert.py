"""Vertices put into edges, in every face that has the edge, so that closed cells stay closed."""

from dataclasses import replace

import numpy as np

from ..arithmetic.products import dot
from ..geometry import packed
from ..types import Bools, Cells, Floats, Ints
from .shared_outline import Between


class _Edges:
    """Which vertices come between two others, whichever way the edge runs."""

    def __init__(self, between: Between, vertices: int) -> None:
        u, v = between.ends.T
        rank = np.arange(len(u))
        key = np.concatenate([u * vertices + v, v * vertices + u])
        order = np.lexsort((np.concatenate([rank, -rank]), key))
        self.vertices = vertices
        self.touched: Bools = np.zeros(vertices, np.bool_)
        self.touched[between.ends] = True
        self.key, count = np.unique(key, return_counts=True)
        self.start = packed.packed_starts(count)
        self.vertex = np.tile(between.vertex, 2)[order]

    def rows(self, first: Ints, second: Ints) -> tuple[Ints, Ints]:
        """Half-edges (n,) first -> second that get vertices, and their row among the edges."""
        found = np.flatnonzero(self.touched[first] & self.touched[second])
        wanted = first[found] * self.vertices + second[found]
        row = np.minimum(np.searchsorted(self.key, wanted), len(self.key) - 1)
        hit = self.key[row] == wanted
        return found[hit], row[hit]


def inserted(cells: Cells, between: Between) -> Cells:
    """The cells with vertices of theirs put into edges. Weights are interpolated along outer edges."""
    if not len(between.vertex):
        return cells
    edges = _Edges(between, len(cells.vertices))
    corner, vertex, outer_start = _put(edges, cells.outer_start, cells.outer_vertex)
    weight = _weights(cells, corner, vertex)
    outer_vertex = np.insert(cells.outer_vertex, corner + 1, vertex)
    outer_weight = np.insert(cells.outer_weight, corner + 1, weight, axis=0)
    corner, vertex, inner_start = _put(edges, cells.inner_start, cells.inner_vertex)
    return replace(
        cells,
        outer_start=outer_start,
        outer_vertex=outer_vertex,
        outer_weight=outer_weight,
        inner_start=inner_start,
        inner_vertex=np.insert(cells.inner_vertex, corner + 1, vertex),
    )


def _put(edges: _Edges, start: Ints, vertex: Ints) -> tuple[Ints, Ints, Ints]:
    """After which corners (n,) which vertices (n,) come, and the new bounds of the faces."""
    corner, row = edges.rows(vertex, vertex[packed.following(start)])
    count = edges.start[row + 1] - edges.start[row]
    new = edges.vertex[packed.ranges(edges.start[row], count)]
    after = np.repeat(corner, count)
    face = np.searchsorted(start, after, side="right") - 1
    length = np.diff(start) + np.bincount(face, minlength=len(start) - 1)
    return after, new, packed.packed_starts(length)


def _weights(cells: Cells, corner: Ints, vertex: Ints) -> Floats:
    """Barycentric coordinates (n,3) of vertices on the edges from outer corners (n,) to the next ones."""
    end = packed.following(cells.outer_start)[corner]
    first, second = (cells.vertices[cells.outer_vertex[i]] for i in (corner, end))
    along = second - first
    way = dot(cells.vertices[vertex] - first, along) / dot(along, along)
    way = np.clip(way, 0.0, 1.0)[:, None]
    mixed = (1.0 - way) * cells.outer_weight[corner] + way * cells.outer_weight[end]
    total = mixed.sum(axis=1, keepdims=True)
    weight: Floats = mixed / np.where(total > 0.0, total, 1.0)
    return weight
