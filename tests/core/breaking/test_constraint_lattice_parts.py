"""Grains and joints of a fragment against closed forms; schedules, growth and lines that an artist types."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.breaking.constraint_lattice.grains import grains_of, joints_of
from core.breaking.constraint_lattice.growth import CURVE, GROWTHS, NO_GROWTH, growth_of
from core.breaking.constraint_lattice.schedule import steps_of
from core.config.surface import Surface
from core.cutting.cut import cut
from core.cutting.units import units as units_of
from core.diagram import grain_of
from core.errors import InputError
from core.polyline import parsed
from core.roughness.rough import Grain, rough_cut
from tests import shapes
from tests.core.cutting.closedness import voronoi
from tests.verification.lattices import boxes, meshed, plank, told

SIZE = np.array([1.0, 0.7, 0.4])


def parts_of(cells, by_cell=False, **how):
    fragment = told(cells, **how)
    grains = grains_of(fragment, by_cell)
    return grains, joints_of(fragment, grains)


def merged(cells, unit, crumb=None):
    """The same cells in other units."""
    crumb = np.zeros(len(unit), np.bool_) if crumb is None else np.asarray(crumb)
    return replace(cells, unit=np.asarray(unit), crumb=crumb)


def rectangle(size, axis):
    """Second moments about the middle of a side of a box: A diag(u^2, v^2)/12, and 0 across."""
    square = np.where(np.arange(3) == axis, 0.0, size**2 / 12.0)
    return size.prod() / size[axis] * np.diag(square)


@pytest.mark.parametrize("offset", [0.0, 1000.0])
def test_faces_of_blocks(offset):
    # A body a thousand times its size away loses 1e-13 of its place, so 1e-12 of the arms in a moment.
    _, joints = parts_of(boxes((3, 2, 2), SIZE, offset))
    assert len(joints.pair) == 2 * 4 + 2 * 3 * 2
    for k, (a, b) in enumerate(joints.pair):
        places = np.array([np.unravel_index(i, (3, 2, 2)) for i in (a, b)])
        (axis,) = np.flatnonzero(places[0] != places[1])
        assert joints.area[k] == pytest.approx(SIZE.prod() / SIZE[axis], rel=1e-14)
        np.testing.assert_allclose(joints.normal[k], np.eye(3)[axis], atol=1e-15)
        np.testing.assert_allclose(joints.middle[k], (places.mean(axis=0) + 0.5) * SIZE + offset, rtol=1e-14)
        np.testing.assert_allclose(joints.spread[k], rectangle(SIZE, axis), atol=1e-13 * max(1.0, offset))


def test_spread_of_a_triangle():
    # A right triangle with legs 1: integrals of x^2, y^2 and xy about the centroid are 1/36, 1/36 and -1/72.
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.2, 0.3, 1), (0.3, 0.2, -1)]
    _, joints = parts_of(meshed(points, [(0, 1, 2, 3), (0, 1, 2, 4)]))
    expected = np.array([[1 / 36, -1 / 72, 0], [-1 / 72, 1 / 36, 0], [0, 0, 0]])
    np.testing.assert_allclose(joints.spread, [expected], atol=1e-16)
    np.testing.assert_allclose(joints.middle, [(1 / 3, 1 / 3, 0)], atol=1e-16)


def test_mass_centre_and_second_moment_of_blocks_that_are_one_piece():
    # 2 x 1 x 2 blocks of two densities: against one box of each half by the theorem of Steiner.
    cells = merged(boxes((2, 1, 2), SIZE), [0, 0, 0, 0])
    fragment = told(cells, density=1000.0)
    density = np.array([1.0, 1.0, 3.0, 3.0])
    fragment = replace(fragment, strengths=replace(fragment.strengths, density=density))
    grains = grains_of(fragment, False)
    m = 1000.0 * SIZE.prod() * density
    np.testing.assert_allclose(grains.mass, [m.sum()], rtol=1e-15)
    centre = (m[:, None] * cells.centroid).sum(axis=0) / m.sum()
    np.testing.assert_allclose(grains.centre, [centre], rtol=1e-15)
    arm = cells.centroid - centre
    second = (m[:, None, None] * (np.diag(SIZE**2 / 12.0) + arm[:, :, None] * arm[:, None, :])).sum(axis=0) / m.sum()
    np.testing.assert_allclose(grains.second, [second], atol=1e-15)


def test_a_joint_is_all_that_two_pieces_share():
    # A wall of 2 x 2 blocks on one of 2 x 2: a square of twice the size, and its strength is the mean by area.
    cells = merged(boxes((2, 2, 2), SIZE), [0, 1, 0, 1, 0, 1, 0, 1])
    strength = 1.0 + np.arange(len(cells.bond_area))
    _, joints = parts_of(cells, bond=strength, prestress=-strength)
    assert joints.pair.tolist() == [[0, 1]]
    np.testing.assert_allclose(joints.area, [4 * SIZE[0] * SIZE[1]], rtol=1e-14)
    np.testing.assert_allclose(joints.middle, [SIZE], rtol=1e-14)
    whole = np.array([2 * SIZE[0], 2 * SIZE[1], SIZE[2]])
    np.testing.assert_allclose(joints.spread, [rectangle(whole, 2)], atol=1e-14)
    shared = cells.unit[cells.bond_cells[:, 0]] != cells.unit[cells.bond_cells[:, 1]]
    assert shared.sum() == 4
    np.testing.assert_allclose(joints.strength, [(strength * cells.bond_area)[shared].sum()], rtol=1e-14)
    np.testing.assert_allclose(joints.prestress, -joints.strength, rtol=1e-14)


def test_normals_of_a_corner_are_their_mean_and_of_a_ring_that_of_one():
    # A block in an L of three: normals x and z. In the ring of eight around it all normals cancel.
    corner = merged(boxes((2, 1, 2)), [0, 1, 1, 1])
    _, joints = parts_of(corner)
    np.testing.assert_allclose(joints.normal, [(0.5**0.5, 0, 0.5**0.5)], rtol=1e-14)
    unit = np.ones(9, np.int64)
    unit[4] = 0
    _, joints = parts_of(merged(boxes((3, 1, 3)), unit))
    assert np.sort(np.abs(joints.normal[0])).tolist() == [0.0, 0.0, 1.0]


def test_pieces_are_grains_or_all_their_cells_are():
    cells = merged(boxes((4, 1, 1)), [0, 0, 1, 1])
    grains, joints = parts_of(cells)
    assert (len(grains.mass), joints.pair.tolist(), joints.link.tolist()) == (2, [[0, 1]], [0])
    grains, joints = parts_of(cells, by_cell=True)
    assert joints.pair.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert joints.link.tolist() == [-1, 0, -1] and np.isinf(joints.strength).tolist() == [True, False, True]
    assert grains.unit.tolist() == [0, 0, 1, 1]


def test_crumbs_belong_to_the_cells_they_stick_to():
    # Cells 0, 1 and 4 of a row are crumbs: 0-1-2 and 3-4 are grains; nothing is lost.
    cells = merged(boxes((6, 1, 1)), [0, 0, 0, 1, 1, 1], np.isin(np.arange(6), [0, 1, 4]))
    grains, joints = parts_of(cells, by_cell=True, density=1.0)
    assert grains.of_cell.tolist() == [0, 0, 0, 1, 1, 1]
    assert grains.mass.tolist() == [3.0, 3.0] and joints.pair.tolist() == [[0, 1]]


def test_only_the_fragment_counts():
    # The middle of a row of five.
    grains, joints = parts_of(boxes((5, 1, 1)), members=[1, 2, 3], anchored=np.arange(5) == 2)
    assert grains.of_cell.tolist() == [-1, 0, 1, 2, -1]
    assert grains.unit.tolist() == [1, 2, 3] and grains.anchored.tolist() == [False, True, False]
    assert joints.pair.tolist() == [[0, 1], [1, 2]] and joints.link.tolist() == [1, 2]
    np.testing.assert_allclose(grains.centre[:, 0], (1.5, 2.5, 3.5), rtol=1e-15)


def test_pieces_in_two_are_two_grains():
    # A unit whose cells are nowhere bonded is not one body of a lattice.
    cells = merged(boxes((3, 1, 1)), [0, 1, 0])
    grains, joints = parts_of(cells)
    assert grains.unit.tolist() == [0, 1, 0] and joints.pair.tolist() == [[0, 1], [1, 2]]
    assert joints.link.tolist() == [0, 0]


def around_by_hand(cells, joints, grains):
    """Pairs of joints with two vertices in common that are neighbours in both outlines."""
    edges = {}
    for face in range(len(cells.inner_bond)):
        ends = np.sort(grains.of_cell[cells.bond_cells[cells.inner_bond[face]]])
        joint = np.flatnonzero((joints.pair == ends).all(axis=1))
        ring = cells.inner_vertex[cells.inner_start[face] : cells.inner_start[face + 1]]
        for a, b in zip(ring, np.roll(ring, -1), strict=True):
            edges.setdefault((min(a, b), max(a, b)), set()).update(joint.tolist())
    return sorted({(a, b) for row in edges.values() for a in row for b in row if a < b})


@functools.cache
def rough_cells():
    body = shapes.box((0.0, 0.0, 0.0), (2.0, 2.0, 2.0))
    bend, grain = grain_of(Surface(octaves=2), 0.02, 0.5, 4)
    assert isinstance(grain, Grain)
    return rough_cut(body, voronoi(body, 12), bend, grain)


@pytest.mark.parametrize("name", ["blocks", "tetrahedra", "pieces", "rough"])
def test_joints_around_an_edge(name):
    cells = {
        "blocks": lambda: boxes((3, 3, 3)),
        "tetrahedra": lambda: plank((4, 3, 3)),
        "pieces": lambda: merged(boxes((4, 3, 2)), np.arange(24) // 3),
        "rough": rough_cells,
    }[name]()
    grains, joints = parts_of(cells)
    assert len(joints.around) > len(joints.pair) / 2
    assert joints.around.tolist() == [list(pair) for pair in around_by_hand(cells, joints, grains)]


def test_rough_faces_adjoin_as_the_flat_ones_do():
    body = shapes.box((0.0, 0.0, 0.0), (2.0, 2.0, 2.0))
    flat = parts_of(cut(body, voronoi(body, 12)))[1]
    rough = parts_of(rough_cells())[1]
    for joints in (flat, rough):
        assert len(joints.pair) > 20
    same = {tuple(pair) for pair in flat.pair.tolist()} & {tuple(pair) for pair in rough.pair.tolist()}
    assert len(same) > 0.9 * len(flat.pair)  # a facet of the size of the roughness may come or go

    def beside(joints):
        names = [tuple(pair) for pair in joints.pair.tolist()]
        return {(names[a], names[b]) for a, b in joints.around if names[a] in same and names[b] in same}

    assert len(beside(flat) & beside(rough)) > 0.9 * len(beside(flat) | beside(rough))


def test_braces_go_across_edges_that_all_four_sides_of_have_faces():
    # Around the one edge inside of 2 x 2 blocks: numbers 0..3, faces 01, 02, 13, 23.
    _, joints = parts_of(boxes((2, 1, 2)))
    assert joints.pair.tolist() == [[0, 1], [0, 2], [1, 3], [2, 3]]
    assert joints.across.tolist() == [[0, 3], [1, 2]]


def test_braces_in_a_grid_are_the_diagonals_of_its_squares():
    _, joints = parts_of(boxes((3, 3, 3)))
    place = np.array(list(np.ndindex(3, 3, 3)))
    step = np.abs(place[:, None] - place[None])
    wanted = np.argwhere(np.triu((np.sort(step, axis=2) == (0, 1, 1)).all(axis=2)))
    assert joints.across.tolist() == wanted.tolist()


def test_schedule_of_a_triangle():
    assert steps_of("0 0, 0.5 1, 1 0", 4).tolist() == [0.5, 1.0, 0.5, 0.0]
    assert steps_of("0 0, 1 3", 3) == pytest.approx([1 / 3, 2 / 3, 1.0], rel=1e-15)
    assert steps_of("2 5, 4 5", 2).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 10, 50])
@pytest.mark.parametrize("peak", [0.0, 0.1, 1 / 3, 0.999, 1.0])
def test_no_number_of_steps_misses_the_peak(count, peak):
    text = f"0 0, {peak} 7, 1 0" if 0.0 < peak < 1.0 else ("0 7, 1 0" if peak == 0.0 else "0 0, 1 7")
    steps = steps_of(text, count)
    assert len(steps) == count and steps.max() == 1.0 and steps.min() >= 0.0
    assert abs((np.argmax(steps) + 1) / count - peak) <= 1 / count + 1e-12


@given(st.lists(st.tuples(st.floats(0.01, 10), st.floats(0, 100)), min_size=2, max_size=6), st.integers(1, 60))
def test_schedules_have_no_unit(points, count):
    # Neither a later start nor other units of time and force change the steps.
    time = np.cumsum([dt for dt, _ in points])
    force = np.array([f for _, f in points]) + 0.1

    def text(t, f):
        return ", ".join(f"{a!r} {b!r}" for a, b in zip(t.tolist(), f.tolist(), strict=True))

    steps = steps_of(text(time, force), count)
    assert steps.max() == 1.0 and (steps > 0.0).all()
    # Times at which two steps lie on both sides of the peak may round either way; powers of two do not round.
    np.testing.assert_allclose(steps_of(text(8.0 * time, 0.25 * force), count), steps, rtol=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "0 0, a 1",
        "0 0 0, 1 1 1",
        "0 0, 1",
        "0 nan, 1 1",
        "0 0, inf 1",
        "0 0; 1 1",
        "1 0, 0 1",
        ",",
        "0 0, 1 1,",
    ],
)
def test_lines_that_cannot_be_read_are_named_in_one_sentence(text):
    with pytest.raises(InputError) as error:
        parsed(text, "Schedule")
    told_as = str(error.value)
    assert told_as.startswith("Schedule") and told_as.endswith(".") and told_as.count(". ") == 0


@pytest.mark.parametrize("text", ["0 0, 1 0", "0 -1, 1 1", "0 1, 0 1", "1 1"])
def test_schedules_that_never_push_are_refused(text):
    with pytest.raises(InputError, match="Schedule"):
        steps_of(text, 10)


def test_lines_are_straight_between_their_points_and_level_outside():
    line = parsed(" 0 1,2 3 , 4 -1", "Line")
    assert line(np.array([-1.0, 0, 1, 2, 3, 4, 9])).tolist() == [1, 1, 2, 3, 1, -1, -1]


#: Least and largest factor of each function (docs/papers/smith2001.md, 4.5, equation 4).
BOUNDS = {"moderate": (0.5, 1.0), "moderate_printed": (0.0, 2.0), "strong": (0.001, 1.0)}


@pytest.mark.parametrize("choice", BOUNDS)
@given(theta=st.floats(-20.0, 20.0))
def test_growth_is_bounded_and_looks_at_lines(choice, theta):
    # Lines have no direction: theta, -theta and pi - theta are the same; cos of 20 is off by 1e-15.
    g, (low, high) = growth_of(choice, ""), BOUNDS[choice]
    value, back, other = g(np.array([theta, -theta, np.pi - theta]))
    assert low - 1e-12 <= value <= high + 1e-12
    assert value == pytest.approx(back, abs=1e-12) and value == pytest.approx(other, abs=1e-12)


@given(st.floats(0.0, np.pi / 2))
def test_strong_growth_treats_faces_in_line_and_across_alike(theta):
    g = growth_of("strong", "")
    assert g(np.array([theta]))[0] == pytest.approx(g(np.array([np.pi / 2 - theta]))[0], abs=1e-12)


def test_every_growth_can_be_chosen_and_none_is_none():
    for choice in GROWTHS:
        g = growth_of(choice.id, "0 0.001, 45 1, 90 0.001")
        assert (g is None) == (choice.id == NO_GROWTH)
        if g is not None:
            assert (g(np.linspace(0.0, np.pi / 2, 91)) >= -1e-15).all()


def test_a_curve_of_the_artists_is_in_degrees_and_never_below_zero():
    g = growth_of(CURVE, "0 -1, 90 1")
    np.testing.assert_allclose(g(np.radians([0.0, 45.0, 67.5, 90.0])), [0.0, 0.0, 0.5, 1.0], atol=1e-15)
    with pytest.raises(InputError, match="Growth Curve"):
        growth_of(CURVE, "steep")


def test_units_of_blocks_are_what_links_are_made_of():
    # A link of two pieces at two places is one joint of each pair of grains.
    cells = boxes((2, 2, 1))
    fragment = told(cells)
    joints = joints_of(fragment, grains_of(fragment, False))
    assert joints.link.tolist() == list(range(len(units_of(cells).links)))
