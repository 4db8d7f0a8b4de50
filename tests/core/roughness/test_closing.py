"""Edges that nothing meets: none on cuts, exactly the edges of what is taken away, brute force on random faces."""

import dataclasses
from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cutting.cut import cut
from core.geometry import packed
from core.roughness.closing import count_unbalanced_edges
from core.types import Cells
from tests import shapes
from tests.core.cutting.built import blocks
from tests.core.cutting.closedness import cell_edges, voronoi


def counted(cells: Cells) -> int:
    edges, cell = cell_edges(cells)
    way: Counter[tuple[int, int, int]] = Counter()
    for (a, b), c in zip(edges.tolist(), cell.tolist(), strict=True):
        way[c, min(a, b), max(a, b)] += 1 if a < b else -1
    return sum(map(abs, way.values()))


def test_cuts_are_closed() -> None:
    for body in (shapes.torus(), shapes.hollow_box(), shapes.with_coincident_vertices(shapes.bumpy_sphere(3))):
        assert count_unbalanced_edges(cut(body, voronoi(body, 60, 1))) == 0
    assert count_unbalanced_edges(blocks((2, 2, 2))[1]) == 0


def test_a_cell_may_touch_itself_along_an_edge() -> None:
    # Two cubes that meet in an edge only, as one cell: four faces around that edge.
    cells = blocks((2, 2, 1))[1]
    number = np.array([0, 1, 2, 0])
    cells = dataclasses.replace(cells, outer_cell=number[cells.outer_cell], bond_cells=number[cells.bond_cells])
    assert count_unbalanced_edges(cells) == 0


def test_edges_of_a_face_that_is_missing_turned_or_in_another_cell_are_counted() -> None:
    body = shapes.torus()
    c = cut(body, voronoi(body, 40, 2))
    size = np.diff(c.outer_start)
    kept = np.arange(len(size)) != 7
    less = dataclasses.replace(
        c,
        outer_start=packed.packed_starts(size[kept]),
        outer_vertex=c.outer_vertex[np.repeat(kept, size)],
        outer_triangle=c.outer_triangle[kept],
        outer_cell=c.outer_cell[kept],
    )
    assert count_unbalanced_edges(less) == size[7]
    turned = c.outer_vertex.copy()
    turned[c.outer_start[7] : c.outer_start[8]] = turned[c.outer_start[7] : c.outer_start[8]][::-1]
    assert count_unbalanced_edges(dataclasses.replace(c, outer_vertex=turned)) == 2 * size[7]
    other = c.outer_cell.copy()
    other[7] = (other[7] + 1) % len(c.volume)
    assert count_unbalanced_edges(dataclasses.replace(c, outer_cell=other)) == 2 * size[7]
    # A facet is a face of two cells.
    inner = c.inner_vertex.copy()
    inner[c.inner_start[3] : c.inner_start[4]] = inner[c.inner_start[3] : c.inner_start[4]][::-1]
    assert count_unbalanced_edges(dataclasses.replace(c, inner_vertex=inner)) == 4 * np.diff(c.inner_start)[3]


@settings(max_examples=200)
@given(seed=st.integers(0, 10**6), faces=st.integers(0, 12), vertices=st.integers(3, 8))
def test_random_faces_agree_with_brute_force(seed: int, faces: int, vertices: int) -> None:
    rng = np.random.default_rng(seed)

    def polygons(n: int) -> tuple[np.ndarray, np.ndarray]:
        rings = [rng.permutation(vertices)[: rng.integers(3, vertices + 1)] for _ in range(n)]
        return packed.packed_starts(np.array([len(r) for r in rings], np.int64)), np.concatenate(
            [np.zeros(0, np.int64), *rings]
        )

    cells = blocks((2, 1, 1))[1]
    (outer_start, outer_vertex), (inner_start, inner_vertex) = polygons(faces), polygons(faces // 2)
    cells = dataclasses.replace(
        cells,
        vertices=np.zeros((vertices, 3)),
        outer_start=outer_start,
        outer_vertex=outer_vertex,
        outer_triangle=np.zeros(faces, np.int64),
        outer_weight=np.zeros((len(outer_vertex), 3)),
        outer_cell=rng.integers(0, 2, faces),
        inner_start=inner_start,
        inner_vertex=inner_vertex,
        inner_bond=np.zeros(faces // 2, np.int64),
    )
    assert count_unbalanced_edges(cells) == counted(cells)
