"""Halves of prisms that are broken independently and sewn: areas, closedness and units."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cutting.cut import cut
from core.diagram_store import to_bytes
from core.errors import CutError
from core.pieces.voronoi_complex import voronoi_complex
from core.unroll.sew import sewn, traced, unsewn
from tests.core.cutting.closedness import assert_sound, voronoi

from .seams import X_AXIS, assert_flat_bonds, assert_sewn, halves, quartered, side_by_side

X = np.array([1.0, 0.0, 0.0])
SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
#: cross-sections with area: convex, concave, with a hole, with a core in the hole, two apart
SECTIONS = {
    "square": ([SQUARE], 1.0),
    "corner": ([np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.3], [0.4, 0.3], [0.4, 1.0], [0.0, 1.0]])], 0.58),
    "ring": ([SQUARE, SQUARE[::-1] * 0.6 + 0.2], 0.64),
    "core": ([SQUARE, SQUARE[::-1] * 0.6 + 0.2, SQUARE * 0.2 + 0.35], 0.68),
    "apart": ([SQUARE * 0.4, SQUARE * [0.4, 0.7] + [0.6, 0.1]], 0.44),
}


def test_two_cells_over_two_that_lie_across():
    """Each half cut in two, across each other: four bonds of known area."""
    body, left, right = halves([SQUARE])
    by_y = voronoi_complex(np.array([[0.25, 0.0, 0.5], [0.25, 0.6, 0.5]]), np.zeros(3), np.ones(3))
    by_z = voronoi_complex(np.array([[0.75, 0.5, 0.1], [0.75, 0.5, 0.7]]), np.zeros(3), np.ones(3))
    before = side_by_side((left, by_y), (right, by_z))
    after = sewn(before, X_AXIS)
    assert_sewn(body, before, after)
    assert_sound(body, after)
    assert len(after.bond_cells) == 2 + 4
    # planes y = 0.3 and z = 0.4
    assert sorted(after.bond_area[2:]) == pytest.approx([0.12, 0.18, 0.28, 0.42], rel=1e-12)
    assert (after.bond_strength == 1.0).all()
    # Each half's cells have the same neighbours in the same order of area, so only the largest two are mutual.
    assert len(np.unique(after.unit)) == 3
    assert_flat_bonds(before, after, X_AXIS)


@pytest.mark.parametrize("name", SECTIONS)
@settings(max_examples=12)
@given(seed=st.integers(0, 2**31), few=st.integers(1, 12), many=st.integers(1, 60))
def test_everything_fits_whatever_the_cracks(name, seed, few, many):
    rings, area = SECTIONS[name]
    body, left, right = halves(rings)
    before = side_by_side((left, voronoi(body, few + 1, seed)), (right, voronoi(body, many + 1, seed + 1)))
    after = sewn(before, X_AXIS)
    assert_sewn(body, before, after, seed)
    assert_sound(body, after)
    assert assert_flat_bonds(before, after, X_AXIS)[0] == pytest.approx(area, rel=1e-12)
    assert_units(before, after)


@pytest.mark.parametrize("name", SECTIONS)
def test_refined_sides_are_sewn_too(name):
    """Their faces are many triangles a cell, and some of the points on the outline are there twice."""
    rings, area = SECTIONS[name]
    body, left, right = halves(rings)
    left, right = quartered(left), quartered(quartered(right))
    before = side_by_side((left, voronoi(body, 10, 1)), (right, voronoi(body, 20, 2)))
    after = sewn(before, X_AXIS)
    assert_sewn(body, before, after)
    assert_sound(body, after)
    assert assert_flat_bonds(before, after, X_AXIS)[0] == pytest.approx(area, rel=1e-12)
    assert len(after.bond_cells) - len(before.bond_cells) < 100  # bonds between cells, not between triangles


def assert_units(before, after):
    """Cells over the plane are one unit exactly where each has no larger partner than the other."""
    new = slice(len(before.bond_cells), None)
    shared: dict[tuple[int, int], float] = {}
    for (a, b), area in zip(after.bond_cells[new].tolist(), after.bond_area[new], strict=True):
        shared[a, b] = shared.get((a, b), 0.0) + area
    most = {c: max(area for pair, area in shared.items() if c in pair) for pair in shared for c in pair}
    joined = [pair for pair, area in shared.items() if area == most[pair[0]] == most[pair[1]]]
    assert all(after.unit[a] == after.unit[b] for a, b in joined)
    # Each pair of units that is joined makes one less, if it is not joined by others already.
    links = {tuple(sorted((int(before.unit[a]), int(before.unit[b])))) for a, b in joined}
    assert after.unit.max() + 1 >= before.unit.max() + 1 - len(links)


def test_bonds_have_the_area_of_what_the_polygons_share():
    """Against convex polygons clipped by each other."""
    body, left, right = halves([SQUARE])
    before = side_by_side((left, voronoi(body, 25, 3)), (right, voronoi(body, 40, 4)))
    after = sewn(before, X_AXIS)
    first, second = (sections(part, voronoi(body, n, seed)) for part, n, seed in ((left, 25, 3), (right, 40, 4)))
    expected = {
        (a, b): area for a, p in first.items() for b, q in second.items() if (area := area_of_both(p, q)) > 1e-9
    }
    new = slice(len(before.bond_cells), None)
    cells = len(cut(left, voronoi(body, 25, 3)).volume)
    found = {
        (a, b - cells): area
        for (a, b), area in zip(after.bond_cells[new].tolist(), after.bond_area[new], strict=True)
        if area > 1e-9
    }
    assert found.keys() == expected.keys()
    for pair, area in expected.items():
        assert abs(found[pair] - area) < 1e-13


def sections(part, partition):
    """The convex polygon (n,2) in which each cell of a part meets the plane x = 0.5."""
    cells = traced(cut(part, partition), part)
    corners = {}
    for face in np.flatnonzero(cells.outer_triangle < 0):
        at = cells.outer_vertex[cells.outer_start[face] : cells.outer_start[face + 1]]
        corners.setdefault(int(cells.outer_cell[face]), []).append(cells.vertices[at, 1:])
    return {cell: around(np.concatenate(points)) for cell, points in corners.items()}


def around(points):
    """The corners of a convex polygon in order, counter-clockwise."""
    arm = points - points.mean(axis=0)
    return points[np.argsort(np.arctan2(arm[:, 1], arm[:, 0]))]


def area_of_both(p, q):
    """Sutherland and Hodgman 1974, then the shoelace formula."""
    for a, b in zip(q, np.roll(q, -1, axis=0), strict=True):
        if np.linalg.norm(b - a) < 1e-12:
            continue
        side = [(b - a)[0] * (x - a)[1] - (b - a)[1] * (x - a)[0] for x in p]
        clipped = []
        for i in range(len(p)):
            j = (i + 1) % len(p)
            if side[i] >= 0.0:
                clipped.append(p[i])
            if side[i] * side[j] < 0.0:
                clipped.append(p[i] + side[i] / (side[i] - side[j]) * (p[j] - p[i]))
        p = np.array(clipped)
        if len(p) < 3:
            return 0.0
    x, y = (p - p[0]).T
    return 0.5 * float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())


def test_equal_cracks_on_both_sides_are_one_crack():
    """Sites that differ in x only: edges of one side lie on those of the other but for round-off."""
    body, left, right = halves(SECTIONS["ring"][0])
    sites = np.random.default_rng(5).uniform(0.0, 1.0, (9, 3)) * [0.0, 1.0, 1.0]
    parts = [voronoi_complex(sites + x * X, np.zeros(3), np.ones(3)) for x in (0.25, 0.75)]
    before = side_by_side((left, parts[0]), (right, parts[1]))
    after = sewn(before, X_AXIS)
    assert_sewn(body, before, after)
    new = after.bond_cells[len(before.bond_cells) :]
    assert (new[:, 1] - new[:, 0] == len(before.volume) // 2).all()
    assert len(new) == len(before.volume) // 2 == after.unit.max() + 1


def test_cells_of_the_plug_join_their_neighbours():
    body, left, right = halves([SQUARE])
    before = side_by_side((left, voronoi(body, 6, 1)), (right, voronoi(body, 30, 2)))
    plug = np.arange(len(before.volume)) >= len(cut(left, voronoi(body, 6, 1)).volume)
    after = sewn(before, X_AXIS, plug)
    assert_sewn(body, before, after)
    others = np.unique(before.unit[~plug])
    assert after.unit.max() + 1 == len(others)
    assert set(after.unit[plug]) <= set(after.unit[~plug])
    # A cell of the plug that only touches the other side joins the one with which it shares most.
    alone = [c for c in np.flatnonzero(plug) if not plug[partners(after, c)].any()]
    for cell in alone:
        assert after.unit[cell] == after.unit[max(partners(after, cell), key=lambda c: shared(after, c, cell))]


def partners(cells, cell):
    pairs = cells.bond_cells[(cells.bond_cells == cell).any(axis=1)]
    return np.unique(pairs[pairs != cell])


def shared(cells, a, b):
    return cells.bond_area[(np.sort(cells.bond_cells, axis=1) == sorted((a, b))).all(axis=1)].sum()


def test_two_runs_give_the_same_bits():
    body, left, right = halves(SECTIONS["core"][0])
    runs = [sewn(side_by_side((left, voronoi(body, 12, 1)), (right, voronoi(body, 30, 2))), X_AXIS) for _ in range(2)]
    assert to_bytes(runs[0]) == to_bytes(runs[1])


def test_what_has_no_new_faces_stays_as_it_is():
    body, left, _ = halves([SQUARE])
    before = side_by_side((left, voronoi(body, 12, 1)))
    before = replace(before, outer_triangle=np.where(before.outer_triangle < 0, 0, before.outer_triangle))
    assert to_bytes(sewn(before, X_AXIS)) == to_bytes(before)


def test_sides_that_do_not_fit_are_refused():
    body, left, right = halves([SQUARE])
    cells = [traced(cut(part, voronoi(body, 12, 1)), part) for part in (left, right)]
    for faulty in (
        replace(cells[1], vertices=cells[1].vertices + 1e-6 * np.eye(3)[1]),
        replace(cells[1], vertices=cells[1].vertices * [1.0, 1.0, 1.001]),
    ):
        with pytest.raises(CutError):
            sewn(unsewn([cells[0], faulty]), X_AXIS)
    for one in cells:
        with pytest.raises(CutError):
            sewn(one, X_AXIS)


def test_a_crack_that_ends_on_a_crack_is_refused():
    """Where round-off decides, nothing is returned: the middle of one side's crack is a corner of the other's."""
    _, left, right = halves([SQUARE])
    low, high = np.zeros(3), np.ones(3)
    one = voronoi_complex(np.array([[0.25, 0.25, 0.5], [0.25, 0.75, 0.5]]), low, high)
    # Three cells around the corner (0.5, 0.5), on the crack y = 0.5.
    turn = np.pi * np.array([0.2, 0.9, 1.6])
    ring = np.column_stack([np.full(3, 0.75), 0.5 + 0.3 * np.cos(turn), 0.5 + 0.3 * np.sin(turn)])
    with pytest.raises(CutError):
        sewn(side_by_side((left, one), (right, voronoi_complex(ring, low, high))), X_AXIS)
