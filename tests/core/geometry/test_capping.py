"""Caps: their border is the loop, flat ones have the loop's area, curved ones the least that brute force finds."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.geometry.capping import LARGEST_LOOP, SMALL, caps

NONE = np.empty((0, 2), np.int64)


def cap(points):
    return caps(points, np.array([0, len(points)]), NONE).triangles


def area(points, triangles):
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)


def assert_closes(triangles, count):
    """n - 2 triangles; each directed side of the loop once, each other side as often as its opposite."""
    assert len(triangles) == count - 2
    sides = [tuple(side) for t in triangles.tolist() for side in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0]))]
    loop = [(i, (i + 1) % count) for i in range(count)]
    assert sorted(sides + [(b, a) for a, b in loop]) == sorted([(b, a) for a, b in sides] + loop)


def turned(points, seed=3):
    """The same loop, turned and moved anywhere."""
    axes = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return points @ axes.T + [3.0, -1.0, 2.0]


def flat(points):
    points = np.asarray(points, float)
    return np.concatenate([points, np.zeros((len(points), 1))], axis=1)


def subdivided(points, times):
    """More points on each side: collinear ones."""
    step = np.arange(times)[None, :, None] / times
    ahead = np.roll(points, -1, axis=0)
    return (points[:, None] + step * (ahead - points)[:, None]).reshape(-1, points.shape[1])


def curved(count, height):
    angle = 2.0 * np.pi * np.arange(count) / count
    radius = 1.0 + 0.3 * np.sin(3.0 * angle)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), height * np.sin(2.0 * angle)], axis=1)


L_SHAPE = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 3], [0, 3]], float)  # 2 x 1 and 1 x 2
COMB = np.array([[0, 0], [7, 0], [7, 3], [6, 3], [6, 1], [5, 1], [5, 3], [4, 3], [4, 1], [3, 1], [3, 3], [2, 3], [2, 1],
                 [1, 1], [1, 3], [0, 3]], float)  # fmt: skip


@pytest.mark.parametrize("times", [1, 2, 5, 6, 50])  # 6 to 300 points: both methods
@pytest.mark.parametrize(("shape", "size"), [(L_SHAPE, 4.0), (COMB, 15.0)], ids=["L", "comb"])
def test_a_flat_loop_gets_its_own_area_whether_convex_or_not(shape, size, times):
    points = turned(flat(subdivided(shape, times)))
    triangles = cap(points)
    assert_closes(triangles, len(points))
    assert area(points, triangles).sum() == pytest.approx(size, rel=1e-12)
    normal = np.cross(*(points[triangles[:, k]] - points[triangles[:, 0]] for k in (1, 2)))
    assert (normal @ normal.sum(axis=0) > -1e-12).all()  # none is folded back


@pytest.mark.parametrize("times", [2, 5])
def test_points_on_a_side_make_no_triangles_without_area_where_that_can_be_helped(times):
    points = turned(flat(subdivided(L_SHAPE, times)))
    assert area(points, cap(points)).min() > 1e-3


@pytest.mark.parametrize("count", [3, 4, 5, SMALL, SMALL + 1, 100, LARGEST_LOOP, LARGEST_LOOP + 1, 700])
@pytest.mark.parametrize("height", [0.0, 1e-5, 0.4])
def test_a_loop_of_any_size_is_closed_as_it_runs(count, height):
    points = curved(count, height)
    triangles = cap(points)
    assert_closes(triangles, count)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    assert np.cross(b - a, c - a)[:, 2].sum() > 0.0


def least(points):
    """The least area of any triangulation, by trying them all."""

    @cache
    def between(i, j):
        if j - i < 2:
            return 0.0
        return min(
            between(i, k) + between(k, j) + float(area(points, np.array([[i, k, j]]))[0]) for k in range(i + 1, j)
        )

    return between(0, len(points) - 1)


@given(st.integers(3, 12), st.integers(0, 10**6))
def test_small_loops_get_the_least_area(count, seed):
    points = np.random.default_rng(seed).normal(size=(count, 3))
    triangles = cap(points)
    assert_closes(triangles, count)
    # What equal areas are decided by: 1e-9 of the squared sides of each triangle, far below 100 here.
    assert area(points, triangles).sum() <= least(points) + 1e-7 * count


def test_many_loops_are_what_each_is_alone():
    loops = [curved(3, 0.1), turned(flat(L_SHAPE)), curved(SMALL + 8, 0.0), curved(50, 0.3), curved(4, 0.4)]
    start = np.cumsum([0, *map(len, loops)])
    found = caps(np.concatenate(loops), start, NONE)
    assert found.flat.tolist() == [True, True, True, False, True]
    for i, points in enumerate(loops):
        assert np.array_equal(found.triangles[found.loop == i], cap(points) + start[i])


def test_barred_points_are_not_joined_where_it_can_be_helped():
    square = flat([[0, 0], [1, 0], [1, 1], [0, 1]])
    start = np.array([0, 4])

    def across(barred):
        sides = {frozenset(pair) for t in caps(square, start, np.array(barred)).triangles.tolist() for pair in
                 (t[:2], t[1:], t[::2])}  # fmt: skip
        return frozenset({0, 2}) in sides

    assert across([[0, 2]]) is False and across([[2, 0]]) is False
    assert across([[1, 3]]) is True and across([[3, 1]]) is True
    assert_closes(caps(square, start, np.array([[0, 2], [1, 3]])).triangles, 4)
    big = curved(60, 0.0)
    first = {tuple(sorted(p)) for t in cap(big).tolist() for p in (t[:2], t[1:], t[::2])}
    chord = next([a, b] for a, b in sorted(first) if 1 < b - a < 59)
    again = caps(big, np.array([0, 60]), np.array([chord])).triangles
    assert_closes(again, 60)
    assert not [t for t in again.tolist() if set(chord) <= set(t)]


@given(st.integers(SMALL + 1, 80), st.integers(1, 3), st.integers(0, 10**6))
def test_a_loop_that_crosses_itself_is_closed_all_the_same(count, times, seed):
    rng = np.random.default_rng(seed)
    points = flat(rng.integers(0, 9, (count, 2)))  # points and sides in one place as well
    assert_closes(cap(turned(subdivided(points, times))), times * count)
    assert_closes(cap(rng.normal(size=(LARGEST_LOOP + count, 3))), LARGEST_LOOP + count)


@pytest.mark.parametrize(
    "points", [np.zeros((40, 3)), flat(np.arange(80.0).repeat(2).reshape(-1, 2))], ids=["point", "line"]
)
def test_loops_without_area_are_closed_too(points):
    assert_closes(cap(points), len(points))


def test_what_is_no_loop_is_refused():
    with pytest.raises(ValueError, match="three"):
        cap(np.zeros((2, 3)))
    with pytest.raises(IndexError):
        caps(np.zeros((4, 3)), np.array([0, 4]), np.array([[0, 4]]))
    with pytest.raises(IndexError):
        caps(np.zeros((4, 3)), np.array([0, 5]), NONE)
    none = caps(np.empty((0, 3)), np.array([0]), NONE)
    assert none.triangles.shape == (0, 3) and len(none.flat) == 0


def test_of_many_large_loops_the_shortest_get_the_least_area_until_the_work_is_done(monkeypatch):
    length = np.array([60, 48, 60, 60])
    loops = [curved(n, 0.8) for n in length]
    points, start = np.concatenate(loops), np.concatenate([[0], np.cumsum(length)])
    best = [area(loop, cap(loop)).sum() for loop in loops]
    monkeypatch.setattr("core.geometry.capping.WORK", 48**3 + 2 * 60**3)
    found = caps(points, start, NONE)
    new = np.bincount(found.loop, area(points, found.triangles))
    assert new[:3] == pytest.approx(best[:3]), "the 48 points, then two of 60"
    assert new[3] > 1.001 * best[3]
    for k, loop in enumerate(loops):
        assert_closes(found.triangles[found.loop == k] - start[k], len(loop))
