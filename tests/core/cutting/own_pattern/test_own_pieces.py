"""Bodies cut by an artist's own pattern: sound cells whatever the regions look like."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from core.breaking.own_cells import own_cells
from core.cutting.own_pattern.cut import cut_by_own, region_at, region_mesh
from core.cutting.units import units
from core.errors import CutError
from core.fragments.build import are_closed, build_fragments
from core.geometry.inside import winding_number
from core.geometry.mesh import bounds, volume
from core.pieces.patterns.method import PatternParams
from core.pieces.patterns.own import make_own_pattern, move_own_pattern, own_at_hit, own_extent
from core.pieces.patterns.placement import Placement, place_pattern, turn_about
from core.rigid.shapes.cell_parts import make_cell_parts
from core.types import Body, Cells, Impact, OwnPattern
from tests import shapes
from tests.core.cutting.closedness import assert_sound, mesh_moments
from tests.core.cutting.own_pattern.meshes import CUBE, interlocking, island, octants, pieces, surface

MIDDLE = np.array((0.01, 0.02, 0.03))
SKEW = turn_about(np.array((0.6, 0.8, 0.0)), 0.7)


def cells_of(pattern: OwnPattern, body: Body, turn: np.ndarray = SKEW) -> Cells:
    low, high = bounds(body.vertices)
    return cut_by_own(body, move_own_pattern(pattern, place_pattern(own_extent(pattern), MIDDLE, turn, low, high, 0.0)))


def assert_whole(body: Body, cells: Cells) -> None:
    """Sound cells, and everything that is made of them can be made."""
    assert_sound(body, cells)
    for cell in range(len(cells.volume)):
        found = mesh_moments(*surface(cells, cell))
        # Flat facets of the pattern are flat to 1e-6 of its size only: another fan has another volume by that much.
        assert abs(found[0] - cells.volume[cell]) <= 1e-5 * cells.volume.sum()
    lo, hi = cells.bond_cells.T
    assert np.all(lo != hi) and np.all(cells.bond_area > 0.0)
    assert np.allclose(np.linalg.norm(cells.bond_normal, axis=1), 1.0)
    count = int(cells.unit.max()) + 1
    fragments = build_fragments(cells, [np.array([k]) for k in range(count)], 1.0, body)
    assert are_closed(fragments).all()
    assert are_closed(build_fragments(cells, [np.arange(count)], 1.0, body)).all()
    assert abs(units(cells).volume.sum() - volume(body.vertices, body.triangles)) <= 1e-9 * cells.volume.sum()


def test_octants_give_the_octants_of_a_box() -> None:
    pattern = make_own_pattern(octants())
    assert pattern.notes == ()
    body = shapes.box((-0.3, -0.2, -0.25), (0.31, 0.34, 0.23))
    cells = cells_of(pattern, body, np.eye(3))
    assert_whole(body, cells)
    side = np.stack([body.vertices.min(axis=0) - MIDDLE, body.vertices.max(axis=0) - MIDDLE])
    for k, corner in enumerate(np.ndindex(2, 2, 2)):
        expected = abs(np.prod([side[c, axis] for axis, c in enumerate(corner)]))
        # manifold3d works to 1e-12 of the size
        assert cells.volume[cells.region == k] == pytest.approx([expected], rel=1e-10)
    assert len(cells.bond_area) == 12
    assert np.allclose(np.sort(np.abs(cells.bond_normal), axis=1), [0.0, 0.0, 1.0], atol=1e-12)


@pytest.mark.parametrize("body", [shapes.icosphere(2), shapes.torus(segments=24, rings=12)], ids=["sphere", "torus"])
@pytest.mark.parametrize("make", [interlocking, island, lambda: pieces(CUBE, 12, 1), lambda: pieces(CUBE, 12, 1, True)])
def test_any_regions_give_sound_cells(make, body: Body) -> None:
    pattern = make_own_pattern(make())
    assert_whole(body, cells_of(pattern, body))


def test_interlocking_regions_touch_in_planes_and_keep_their_shape() -> None:
    pattern = make_own_pattern(interlocking())
    low, high = np.full(3, -0.9), np.full(3, 0.9)
    body = shapes.box(low, high)
    cells = cut_by_own(body, move_own_pattern(pattern, Placement(np.zeros(3), np.eye(3), 1.0)))
    assert_whole(body, cells)
    # The block 0.9 x 1.8 x 1.8, the neck 0.4 x 0.6 x 0.6, the bar 0.3 x 1.2 x 0.6.
    hook = float(cells.volume[cells.region == 0].sum())
    assert hook == pytest.approx(0.9 * 1.8 * 1.8 + 0.4 * 0.6 * 0.6 + 0.3 * 1.2 * 0.6, rel=1e-9)
    lo = np.where(cells.region[cells.bond_cells[:, 0]] == 0, 1.0, -1.0)
    # The wall around a closed set: its vector areas sum to that of the plane that cuts the box in two.
    total = ((lo * cells.bond_area)[:, None] * cells.bond_normal).sum(axis=0)
    assert total == pytest.approx([1.8 * 1.8, 0.0, 0.0], abs=1e-9)


def test_shapes_of_pieces_that_interlock_do_not_overlap() -> None:
    pattern = make_own_pattern(interlocking())
    body = shapes.box(np.full(3, -0.9), np.full(3, 0.9))
    cells = cut_by_own(body, move_own_pattern(pattern, Placement(np.zeros(3), np.eye(3), 1.0)))
    made, part_cell = make_cell_parts(cells)
    geometry = made.geometry
    start, end = geometry.parts.vertex.T
    hulls = [ConvexHull(geometry.vertices[a:b]).volume for a, b in zip(start, end, strict=True)]
    assert set(part_cell.tolist()) == {0, 1}
    # Parts are hulls of flat-sided pieces here: what they hold in excess is within the shapes' tolerance.
    assert sum(hulls) == pytest.approx(cells.volume.sum(), rel=0.05)


def test_pieces_that_fall_apart_are_cells_of_their_own() -> None:
    pattern = make_own_pattern(interlocking())
    body = shapes.torus(segments=24, rings=12)
    cells = cells_of(pattern, body, np.eye(3))
    assert len(cells.volume) > len(np.unique(cells.region))


@pytest.mark.parametrize("turn", [np.eye(3), SKEW], ids=["straight", "skew"])
def test_a_region_that_comes_out_in_the_middle_of_a_triangle_is_cut_out_of_it(turn: np.ndarray) -> None:
    """Its outline in the skin is the outline of the hole in the neighbour's skin: the two must not be mistaken."""
    pattern = make_own_pattern(island())
    body = shapes.box((-0.9, -0.8, -0.02), (0.8, 0.9, 0.7))
    for centre in (np.array((0.3, -0.4, 0.0)), np.array((-0.35, 0.3, 0.05))):  # one in each triangle of the lower face
        cells = cut_by_own(body, move_own_pattern(pattern, Placement(centre, turn, 0.5)))
        assert_whole(body, cells)
        assert len(cells.volume) == 2 and np.any(cells.region[cells.outer_cell] == 0)


def test_a_body_beyond_the_pattern_is_refused() -> None:
    pattern = make_own_pattern(octants())
    with pytest.raises(CutError, match="reaches out"):
        cut_by_own(CUBE, move_own_pattern(pattern, Placement(np.zeros(3), np.eye(3), 0.01)))


@settings(max_examples=8)
@example(1973, 0.5)  # the hook comes out in the middle of a triangle
@given(st.integers(0, 10_000), st.floats(0.0, 3.0))
def test_wherever_it_is_hit_the_pattern_encloses_the_body(seed: int, size: float) -> None:
    pattern = PATTERN
    body = shapes.icosphere(1)
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=3)
    hit = Impact(rng.uniform(-1.0, 1.0, 3), direction / np.linalg.norm(direction), 1.0, 1.0, 0.3, 0.0)
    params = PatternParams(size=size)
    place = own_at_hit(body, [hit], params, pattern, seed, 0)
    rim = place.triangles[place.sides[:, 1] < 0]
    assert np.all(winding_number(place.vertices, rim, body.vertices) == 1)
    cells, _ = own_cells(body, [hit], params, pattern, seed)
    assert_sound(body, cells)
    again, _ = own_cells(body, [hit], params, pattern, seed)
    assert np.array_equal(cells.vertices, again.vertices) and np.array_equal(cells.bond_area, again.bond_area)


PATTERN = make_own_pattern(interlocking())


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_every_point_lies_in_one_region(seed: int) -> None:
    points = np.random.default_rng(seed).uniform(-8.0, 8.0, (20, 3))
    wound = [winding_number(*region_mesh(PATTERN, k), points) for k in range(2)]
    assert np.array_equal(np.sum(wound, axis=0), np.ones(20))
    assert [region_at(PATTERN, p) for p in points] == np.argmax(wound, axis=0).tolist()
