"""Rough cuts: where the rim lies, what is measured, what is refused, how often faces pierce each other."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.config.surface import Surface
from core.cutting.booleans import cut_by_booleans, move_partition
from core.cutting.cut import cut
from core.diagram import grain_of
from core.errors import CutError
from core.geometry import packed
from core.geometry.mesh import volume
from core.roughness.bend import bent, flattened, rough
from core.roughness.piercing import pierced_places
from core.roughness.rough import Folded, Grain, rough_cut
from tests import shapes
from tests.bench.bench_warp import body_of, pattern
from tests.core.cutting.closedness import mesh_moments, open_cells, voronoi

BOX = shapes.box((0.0, 0.0, 0.0), (2.0, 2.0, 2.0))
AMPLITUDE, WAVELENGTH = 0.02, 0.5
BEND, GRAIN = grain_of(Surface(octaves=2), AMPLITUDE, WAVELENGTH, 4)


@pytest.fixture(scope="module")
def cells():
    return rough_cut(BOX, voronoi(BOX, 20), BEND, GRAIN)


def rim(cells) -> np.ndarray:
    """Vertices that inner faces and outer ones have, but for the body's own."""
    made = np.unique(cells.outer_vertex[(cells.outer_weight < 1.0).all(axis=1)])
    return np.intersect1d(made, cells.inner_vertex)


def test_cells_are_closed_and_fill_the_body(cells):
    assert open_cells(cells) == 0
    assert cells.volume.sum() == pytest.approx(8.0, rel=1e-13)
    assert (cells.volume > 0.0).all()


def test_the_rim_lies_on_the_warped_facets(cells):
    # The flat place of each point of the rim has the same distance from the sites on both sides of its facet: it lies
    # in its plane. Newton's method leaves an error of the square of its last step, which is 0.03 tolerances at most.
    sites = voronoi(BOX, 20).site
    place = flattened(BEND, cells.vertices)
    corners = np.isin(cells.inner_vertex, rim(cells))
    bond = np.repeat(cells.inner_bond, 3)[corners]
    u = place[cells.inner_vertex[corners]]
    lo, hi = (sites[cells.region[cells.bond_cells[bond, k]]] for k in (0, 1))
    away = ((u - lo) ** 2).sum(axis=1) - ((u - hi) ** 2).sum(axis=1)
    away /= 2.0 * np.linalg.norm(hi - lo, axis=1)
    assert np.quantile(np.abs(away), 0.99) < 1e-3 * GRAIN.tolerance
    assert np.abs(away).max() < 4.0 * GRAIN.tolerance


def test_inner_points_are_bent_points_of_their_facets(cells):
    inner = np.setdiff1d(cells.inner_vertex, cells.outer_vertex)
    sites = voronoi(BOX, 20).site
    place = flattened(BEND, cells.vertices[inner])
    np.testing.assert_allclose(bent(BEND, place), cells.vertices[inner], atol=1e-9)
    # A point of a facet has two nearest sites that are equally far.
    gap = np.sort(np.linalg.norm(place[:, None] - sites[None], axis=2), axis=1)
    np.testing.assert_allclose(gap[:, 0], gap[:, 1], atol=1e-7)


def test_cells_are_measured_as_they_are(cells):
    for cell in range(len(cells.volume)):
        faces = [
            cells.outer_vertex[cells.outer_start[f] : cells.outer_start[f + 1]]
            for f in np.flatnonzero(cells.outer_cell == cell)
        ]
        # Outer faces are planar and may be concave: a fan has the right sums of signed volumes.
        fans = [np.stack([np.full(len(f) - 2, f[0]), f[1:-1], f[2:]], axis=1) for f in faces]
        triangles = cells.inner_vertex.reshape(-1, 3)
        lo, hi = (cells.bond_cells[cells.inner_bond, k] == cell for k in (0, 1))
        whole = np.concatenate([*fans, triangles[lo], triangles[hi][:, ::-1]])
        size, centroid, second = mesh_moments(cells.vertices, whole)
        assert cells.volume[cell] == pytest.approx(size, rel=1e-11)
        np.testing.assert_allclose(cells.centroid[cell], centroid, atol=1e-11)
        np.testing.assert_allclose(cells.second_moment[cell], second, atol=1e-11)


def test_little_roughness_changes_little():
    # To first order areas change by the slope of the field squared, and volumes by the field times the area.
    flat = cut(BOX, voronoi(BOX, 20))
    bend, grain = grain_of(Surface(octaves=1), 1e-4, 0.5, 4)
    almost = rough_cut(BOX, voronoi(BOX, 20), bend, grain)
    assert (almost.region == flat.region).all()
    np.testing.assert_allclose(almost.volume, flat.volume, atol=1e-3)
    large = flat.bond_area > 1e-2
    pairs = {tuple(pair): row for row, pair in enumerate(almost.bond_cells.tolist())}
    row = np.array([pairs[tuple(pair)] for pair in flat.bond_cells[large].tolist()])
    np.testing.assert_allclose(almost.bond_area[row], flat.bond_area[large], atol=1e-3)
    assert (np.einsum("bi,bi->b", almost.bond_normal[row], flat.bond_normal[large]) > 0.99).all()


def test_outer_faces_are_whole(cells):
    # One face for each triangle of the body in each cell, but for holes: a box of 12 triangles has few of them.
    pairs = np.unique(np.stack([cells.outer_triangle, cells.outer_cell]), axis=1)
    assert pairs.shape[1] == len(cells.outer_triangle)


def test_equal_bits_from_run_to_run(cells):
    again = rough_cut(BOX, voronoi(BOX, 20), BEND, GRAIN)
    for field in fields(cells):
        np.testing.assert_array_equal(getattr(again, field.name), getattr(cells, field.name))


def test_what_the_flat_cut_measures_is_not_read(cells):
    again = rough_cut(BOX, voronoi(BOX, 20), BEND, GRAIN, cut)
    for field in fields(cells):
        np.testing.assert_array_equal(getattr(again, field.name), getattr(cells, field.name))


def test_a_body_that_is_open_is_refused_by_its_own_edges():
    body = shapes.open_box()
    with pytest.raises(CutError, match=r"not closed \(3 edges\)"):
        rough_cut(body, voronoi(body, 20), BEND, GRAIN)


def test_cells_inside_of_the_body_are_measured_about_a_corner_of_their_own():
    # 10 km away coordinates keep 1e-12 m, 1e-10 of the volume of these cells; sums about the origin would keep 1e-4 m3.
    pattern, by = voronoi(BOX, 150), np.array([1e4, 1e4, 1e4])
    here = rough_cut(BOX, pattern, rough(0.0, 1.0, 0, 0), GRAIN)
    there = shapes.body(BOX.vertices + by, BOX.triangles)
    away = rough_cut(there, move_partition(pattern, by), rough(0.0, 1.0, 0, 0), GRAIN)
    inside = np.setdiff1d(np.arange(len(here.volume)), here.outer_cell)
    assert len(inside) > 0
    large = here.volume > 1e-3
    np.testing.assert_allclose(away.volume[large], here.volume[large], rtol=1e-8)
    np.testing.assert_allclose(away.second_moment[large], here.second_moment[large], atol=1e-10)


def test_the_second_method_cuts_in_bent_space_too(cells):
    small = shapes.box()
    bend, grain = grain_of(Surface(octaves=1), 0.02, 0.5, 1)
    one, other = (rough_cut(small, voronoi(small, 4), bend, grain, method) for method in (cut, cut_by_booleans))
    assert len(one.outer_vertex) == len(other.outer_vertex)
    # Loops begin at other corners, so the points inside of facets are others: volumes are equal to the sagitta of the
    # warped facets between them, K h^2 / 8 = 37 a (h / lambda)^2 / 8, times the area of the facets.
    sagitta = 37.0 * 0.02 * (grain.spacing / 0.5) ** 2 / 8.0
    np.testing.assert_allclose(np.sort(one.volume), np.sort(other.volume), atol=sagitta * one.bond_area.sum())


def test_a_body_in_one_cell_stays_as_it_is():
    ball = shapes.icosphere(2)
    cells = rough_cut(ball, voronoi(shapes.box((-9.0,) * 3, (9.0,) * 3), 1), BEND, GRAIN)
    assert len(cells.volume) == 1 and len(cells.bond_cells) == 0
    assert cells.volume[0] == pytest.approx(volume(ball.vertices, ball.triangles), rel=1e-13)
    np.testing.assert_array_equal(np.sort(cells.outer_triangle), np.arange(len(ball.triangles)))


def test_space_that_folds_is_refused():
    bend = rough(0.1, 0.5, 3, 2)  # 0.2 of the wavelength
    with pytest.raises(Exception, match="rough") as caught:
        rough_cut(BOX, voronoi(BOX, 20), bend, Grain(0.02, 0.1))
    assert isinstance(caught.value, Folded) or "too rough" in str(caught.value)


@pytest.mark.parametrize(("name", "wavelength"), [("box 2 m", 0.2), ("wall 4 x 3 x 0.2 m", 0.05)])
def test_faces_hardly_pierce_each_other(name, wavelength):
    # Cases that a prototype of bent space was measured with; here at most one edge for 50,000 triangles.
    body = body_of(name)
    bend, grain = grain_of(Surface(octaves=2), 0.04 * wavelength, wavelength, 0)
    cells = rough_cut(body, pattern(body, 100), bend, grain)
    assert pierced_places(cells) <= len(cells.inner_bond) / 50_000


@settings(max_examples=15)
@given(
    seed=st.integers(0, 10_000),
    count=st.integers(2, 40),
    octaves=st.integers(1, 3),
    share=st.just(0.0) | st.floats(1e-3, 0.04),
)
def test_whatever_is_cut_is_closed_and_whole(seed, count, octaves, share):
    body = shapes.torus(1.0, 0.4, 20, 12)
    bend, grain = grain_of(Surface(octaves=octaves), share * 0.4, 0.4, seed) if share else (rough(0, 1, 0, 0), GRAIN)
    cells = rough_cut(body, voronoi(body, count, seed), bend, grain)
    assert open_cells(cells) == 0
    assert cells.volume.sum() == pytest.approx(volume(body.vertices, body.triangles), rel=1e-11)


def test_previews_are_coarse_and_whole():
    bend, grain = grain_of(Surface(octaves=3, quality="preview"), AMPLITUDE, WAVELENGTH, 4)
    cells = rough_cut(BOX, voronoi(BOX, 20), bend, grain)
    fine, close = grain_of(Surface(octaves=3), AMPLITUDE, WAVELENGTH, 4)
    assert len(cells.inner_bond) < 0.2 * len(rough_cut(BOX, voronoi(BOX, 20), fine, close).inner_bond)
    assert open_cells(cells) == 0 and cells.volume.sum() == pytest.approx(8.0, rel=1e-13)
    # Most of the rim lies where the warped facets meet the skin, although nothing was refined.
    place = flattened(bend, cells.vertices[rim(cells)])
    sites = voronoi(BOX, 20).site
    gap = np.sort(np.linalg.norm(place[:, None] - sites[None], axis=2), axis=1)
    assert np.quantile(gap[:, 1] - gap[:, 0], 0.9) < 0.1 * AMPLITUDE


def test_points_on_the_rim_are_in_all_faces_there():
    bend, grain = grain_of(Surface(octaves=1), AMPLITUDE, WAVELENGTH, 4)
    few = rough_cut(BOX, voronoi(BOX, 20), bend, grain)
    many = rough_cut(BOX, voronoi(BOX, 20), bend, grain._replace(rim=0.1 * WAVELENGTH))
    assert len(rim(many)) > 1.2 * len(rim(few))
    assert open_cells(many) == 0
    outer = np.stack([many.outer_vertex, many.outer_vertex[packed.following(many.outer_start)]], axis=1)
    inner = np.concatenate([many.inner_vertex.reshape(-1, 3)[:, [k, (k + 1) % 3]] for k in range(3)])
    shared = np.isin(*(np.sort(edges, axis=1) @ (len(many.vertices), 1) for edges in (outer, inner)))
    a, b = (flattened(bend, many.vertices[outer[shared, k]]) for k in (0, 1))
    assert (
        np.linalg.norm(a - b, axis=1).max() < 0.15 * WAVELENGTH
    )  # set right, points have moved along the rim a little
