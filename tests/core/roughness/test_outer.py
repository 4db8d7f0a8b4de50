"""Outer faces of a refined body joined again: what the cut of the body before it was refined has, but for the rims."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cutting.cut import cut
from core.fragments.build import are_closed, build_fragments
from core.geometry import packed
from core.pieces.voronoi_complex import voronoi_complex
from core.roughness.outer import joined_outer
from core.types import Body, Cells, Floats
from tests import shapes
from tests.core.cutting.built import signed_volume, surface_faults
from tests.core.cutting.closedness import assert_sound, cell_triangles, mesh_moments, open_cells, voronoi
from tests.core.roughness.subdivided import halved

BODIES = {
    "box": (shapes.box(), 4),
    "plate": (shapes.plate(50.0), 4),
    "torus": (shapes.torus(segments=8, rings=6), 3),
    "hollow": (shapes.hollow_box(), 3),
    "glass": (shapes.wine_glass(8), 2),
    "bumpy": (shapes.bumpy_sphere(2), 2),
    "coincident": (shapes.with_coincident_vertices(shapes.bumpy_sphere(2)), 2),
}
OUTER = ("outer_start", "outer_vertex", "outer_weight", "outer_triangle", "outer_cell")


def joined(body: Body, times: int, count: int, seed: int = 0) -> tuple[Cells, Cells]:
    """The cells of the refined body, and those with outer faces in the triangles of the body."""
    fine, source, weight = halved(body, times)
    cells = cut(fine, voronoi(body, count, seed))
    return cells, joined_outer(cells, source, weight)


def covered(body: Body, c: Cells) -> dict[tuple[int, int], float]:
    """Signed area that the outer faces in each region cover in each triangle, relative to the triangle.

    Cells of one region may be numbered otherwise in a body with other vertices.
    """
    area: dict[tuple[int, int], float] = {}
    for f, key in enumerate(zip(c.region[c.outer_cell].tolist(), c.outer_triangle.tolist(), strict=True)):
        w = c.outer_weight[c.outer_start[f] : c.outer_start[f + 1], :2]
        u, v = w[1:-1] - w[0], w[2:] - w[0]
        area[key] = area.get(key, 0.0) + float((u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]).sum())
    return area


def test_faces_cells_and_vertices_of_a_convex_body_are_those_of_its_own_cut() -> None:
    body = BODIES["box"][0]
    for count in (1, 2, 12, 150):
        fine, coarse = joined(body, 4, count, seed=count)[1], cut(body, voronoi(body, count, seed=count))
        assert len(fine.outer_triangle) == len(coarse.outer_triangle)
        assert sorted(covered(body, fine)) == sorted(covered(body, coarse))
        # Inner faces keep the points where they cross the edges of the refinement; nothing else stays of it.
        assert set(map(tuple, coarse.vertices[np.unique(coarse.outer_vertex)].round(9))) <= set(
            map(tuple, fine.vertices[np.unique(fine.outer_vertex)].round(9))
        )
        rim = np.isin(fine.outer_vertex, fine.inner_vertex)
        assert np.all(fine.outer_weight[~rim].max(axis=1) == 1.0)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("count", [1, 3, 60])
def test_cells_stay_closed_and_cover_what_they_covered(name: str, count: int) -> None:
    body, times = BODIES[name]
    before, after = joined(body, times, count, seed=count)
    assert_sound(body, after)
    coarse = covered(body, cut(body, voronoi(body, count, seed=count)))
    fine = covered(body, after)
    assert max(abs(fine.get(key, 0.0) - coarse.get(key, 0.0)) for key in fine | coarse) < 1e-13
    for cell in range(0, len(after.volume), 7):
        volume = mesh_moments(after.vertices, cell_triangles(after, cell))[0]
        assert abs(volume - before.volume[cell]) < 1e-12  # round-off of sums over thousands of faces
    assert np.array_equal(
        np.unique(np.concatenate([after.outer_vertex, after.inner_vertex])), np.arange(len(after.vertices))
    )
    assert np.array_equal(before.vertices[before.inner_vertex], after.vertices[after.inner_vertex])
    for field in dataclasses.fields(Cells):
        if field.name not in (*OUTER, "vertices", "inner_vertex"):
            assert np.array_equal(getattr(before, field.name), getattr(after, field.name))


@pytest.mark.parametrize("name", BODIES)
def test_weights_give_the_positions_and_are_exact_at_the_vertices_of_the_body(name: str) -> None:
    body, times = BODIES[name]
    c = joined(body, times, 40, seed=2)[1]
    corners = body.vertices[body.triangles[c.outer_triangle[packed.owners(c.outer_start)]]]
    found = np.einsum("nk,nki->ni", c.outer_weight, corners)
    place = c.vertices[c.outer_vertex]
    # Round-off of positions of this size: they are means of means in the refined body.
    assert np.abs(found - place).max() < 1e-15 * max(1.0, 4.0 * np.abs(body.vertices).max())
    assert c.outer_weight.min() >= 0.0
    assert np.abs(c.outer_weight.sum(axis=1) - 1.0).max() <= 4e-16
    own = c.outer_weight.max(axis=1) == 1.0
    assert np.array_equal(found[own], place[own])
    triangle = c.outer_triangle[packed.owners(c.outer_start)][own]
    vertex = body.triangles[triangle, np.argmax(c.outer_weight[own], axis=1)]
    assert np.array_equal(np.unique(vertex), np.unique(body.triangles))  # each of them is still there
    assert np.array_equal(place[own], body.vertices[vertex])


def loops(c: Cells) -> list[list[int]]:
    bounds = zip(c.outer_start[:-1].tolist(), c.outer_start[1:].tolist(), strict=True)
    return [c.outer_vertex[a:b].tolist() for a, b in bounds]


def drilled() -> Body:
    """A box with one large face, in which a small cell shows as an island."""
    return shapes.body([[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def test_a_face_around_an_island_is_a_few_simple_loops() -> None:
    body = drilled()
    fine, source, weight = halved(body, 5)
    # The region of one site is a small prism through the slanted side; the matter around it is one unit of many cells.
    middle = np.full(3, 3.0)
    ring = [[1, -1, 0], [-1, 1, 0], [1, 1, -2], [-1, -1, 2]]
    sites = np.concatenate(
        [middle[None], middle + 1.5 * np.array(ring) / np.sqrt([[2], [2], [6], [6]]), [[0.1, 0.2, 0.3]]]
    )
    cells = cut(fine, voronoi_complex(sites, np.zeros(3), np.full(3, 9.0)))
    merged = as_one(cells, np.flatnonzero(cells.region != 0))
    after = joined_outer(merged, source, weight)
    assert open_cells(after) == 0
    assert all(len(set(loop)) == len(loop) >= 3 for loop in loops(after))
    slanted = np.flatnonzero(after.outer_triangle == 3)
    around = slanted[after.outer_cell[slanted] != after.outer_cell[slanted].min()]
    assert len(slanted) - len(around) == 1
    assert 2 <= len(around) <= 4  # no single loop has a hole
    assert np.allclose(sum(covered(body, after).values()), 4.0, rtol=0, atol=1e-12)


def as_one(c: Cells, some: np.ndarray) -> Cells:
    """The cells with some of them made one, the last, without the bonds between them: not convex any more."""
    number = np.full(len(c.volume), -1)
    others = np.setdiff1d(np.arange(len(c.volume)), some)
    number[others], number[some] = np.arange(len(others)), len(others)
    kept = np.diff(number[c.bond_cells], axis=1)[:, 0] != 0
    faces = kept[c.inner_bond]
    size = np.diff(c.inner_start)
    first = np.append(others, some[0])
    by_cell = ("volume", "centroid", "second_moment", "region", "site", "unit", "crumb")
    by_bond = ("bond_area", "bond_normal", "bond_centroid", "bond_strength")
    return dataclasses.replace(
        c,
        outer_cell=number[c.outer_cell],
        inner_start=packed.packed_starts(size[faces]),
        inner_vertex=c.inner_vertex[np.repeat(faces, size)],
        inner_bond=(np.cumsum(kept) - 1)[c.inner_bond[faces]],
        bond_cells=number[c.bond_cells[kept]],
        **{name: getattr(c, name)[kept] for name in by_bond},
        **{name: getattr(c, name)[first] for name in by_cell},
    )


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    count=st.integers(2, 60),
    labels=st.integers(1, 6),
    name=st.sampled_from(sorted(BODIES)),
)
def test_fragments_of_joined_cells_are_closed_surfaces(seed: int, count: int, labels: int, name: str) -> None:
    body, _ = BODIES[name]
    cells = joined(body, 2, count, seed)[1]
    assert open_cells(cells) == 0
    assert all(len(set(loop)) == len(loop) >= 3 for loop in loops(cells))
    pairs = np.stack([cells.outer_cell, cells.outer_triangle], axis=1)
    if name in ("box", "plate"):
        assert len(np.unique(pairs, axis=0)) == len(pairs)
    label = np.random.default_rng(seed).integers(0, labels, int(cells.unit.max()) + 1)
    members = [np.flatnonzero(label == k) for k in range(labels) if np.any(label == k)]
    fragments = build_fragments(cells, members, 1.0, body)
    assert are_closed(fragments).all()
    for k in range(len(members)):
        assert surface_faults(fragments, k) == []
        assert signed_volume(fragments, k) == pytest.approx(float(fragments.volume[k]), rel=1e-10)


@pytest.mark.parametrize("name", BODIES)
def test_faces_come_by_cell_and_no_edge_of_a_cell_runs_twice_the_same_way(name: str) -> None:
    body, times = BODIES[name]
    before, after = joined(body, times, 40, seed=3)
    assert np.all(np.diff(after.outer_cell) >= 0)
    size = np.diff(after.outer_start)
    edges = [
        np.repeat(after.outer_cell, size),
        after.outer_vertex,
        after.outer_vertex[packed.following(after.outer_start)],
    ]
    assert len(np.unique(np.stack(edges, axis=1), axis=0)) == len(after.outer_vertex)
    # What inner faces use stays, at the same place.
    assert np.array_equal(after.vertices[after.inner_vertex], before.vertices[before.inner_vertex])
    used = np.intersect1d(before.inner_vertex, before.outer_vertex)
    kept = np.intersect1d(after.inner_vertex, after.outer_vertex)
    assert np.array_equal(after.vertices[kept], before.vertices[used])


@pytest.mark.parametrize("name", ["box", "torus"])
def test_edges_of_the_body_may_be_bent(name: str) -> None:
    # What is straight in the artist's body is not straight where it was cut: only coordinates in the triangles count.
    body, times = BODIES[name]
    fine, source, weight = halved(body, times)
    cells = cut(bent(fine), voronoi(body, 30, 5))
    after = joined_outer(cells, source, weight)
    assert open_cells(after) == 0
    rim = np.isin(after.outer_vertex, after.inner_vertex)
    assert np.all(after.outer_weight[~rim].max(axis=1) == 1.0)
    for key, area in covered(body, after).items():
        assert -1e-15 < area < 1.0 + 1e-13, key
    total = np.zeros(len(body.triangles))
    for (_, triangle), area in covered(body, after).items():
        total[triangle] += area
    assert np.allclose(total, 1.0, rtol=0, atol=1e-13)


def bent(body: Body) -> Body:
    x, y, z = body.vertices.T
    wave: Floats = 0.05 * np.stack([np.sin(3 * y + z), np.sin(4 * z + 1), np.sin(3 * x - y)], axis=1)
    return dataclasses.replace(body, vertices=body.vertices + wave)


def test_nothing_is_nothing_and_two_runs_are_equal_to_the_bit() -> None:
    body, times = BODIES["torus"]
    a, b = (joined(body, times, 30)[1] for _ in range(2))
    for field in dataclasses.fields(Cells):
        assert getattr(a, field.name).tobytes() == getattr(b, field.name).tobytes()
    again = joined_outer(a, np.arange(len(body.triangles)), np.tile(np.eye(3), (len(body.triangles), 1, 1)))
    assert sorted(map(len, loops(again))) == sorted(map(len, loops(a)))
    assert np.array_equal(again.outer_triangle, a.outer_triangle)
