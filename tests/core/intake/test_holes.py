"""Which shells are closed, with what, and which are sheets."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.geometry.mesh import area, edge_census, edge_table, is_closed, volume
from core.intake.holes import SHARE, holes
from core.intake.loops import border_loops
from core.intake.weld import exact_weld

from ..geometry.solids import box, bumpy, joined, moved, sphere, subdivided, torus

TURN = 48  # corners of round things


def ring(radius, height):
    angle = 2.0 * np.pi * np.arange(TURN) / TURN
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), 0.0 * angle + height], axis=1)


def turned_profile(profile):
    """Surface around the z axis of points (r, z), r = 0 only at the ends; outward where they rise at the outside."""
    vertices, triangles, first = [], [], []
    for r, z in profile:
        first.append(sum(map(len, vertices)))
        vertices.append(ring(r, z) if r > 0.0 else np.array([[0.0, 0.0, z]]))
    k, n = np.arange(TURN), (np.arange(TURN) + 1) % TURN
    for (r, _), (q, _), a, b in zip(profile, profile[1:], first, first[1:], strict=False):
        if r > 0.0:
            triangles.append(np.stack([a + k, a + n, b + (n if q > 0.0 else 0 * n)], axis=1))
        if q > 0.0:
            triangles.append(np.stack([(a + k if r > 0.0 else a + 0 * k), b + n, b + k], axis=1))
    return np.concatenate(vertices), np.concatenate(triangles)


def without(solid, gone):
    """The faces whose centre is not in the given region."""
    vertices, triangles = solid
    return vertices, triangles[~gone(vertices[triangles].mean(axis=1))]


def exact_winding(shell, points, own, *, solid):
    """Winding number of all shells but the own one, triangle by triangle (van Oosterom and Strackee 1983)."""
    vertices, triangles = solid
    result = np.empty(len(points))
    for i, p in enumerate(points):
        a, b, c = (vertices[triangles[shell != own[i]][:, k]] - p for k in range(3))
        x, y, z = (np.linalg.norm(v, axis=1) for v in (a, b, c))
        ab, bc, ca = ((u * v).sum(axis=1) for u, v in ((a, b), (b, c), (c, a)))
        result[i] = np.arctan2((a * np.cross(b, c)).sum(axis=1), x * y * z + ab * z + bc * x + ca * y).sum() / 2 / np.pi
    return result


def run(solid, mode="auto"):
    """The holes of a mesh; what must always hold is looked at here."""
    vertices, triangles = solid
    found = holes(vertices, triangles, mode, partial(exact_winding, solid=solid))
    assert len(found.caps) == len(found.cap_loop) == len(found.cap_neighbour)
    assert len(np.unique(found.cap_loop)) == found.flat + found.curved >= found.inside
    assert (np.diff(found.cap_loop) >= 0).all()
    assert len(found.sheet) == len(triangles)
    edges = edge_table(triangles)
    single = {tuple(e) for e in edges.ends[np.bincount(edges.of_half) == 1].tolist()}
    for loop in range(found.flat + found.curved):
        rows = found.cap_loop == loop
        border = edge_table(found.caps[rows])
        rim = {tuple(e) for e in border.ends[border.surplus != 0].tolist()}
        assert rows.sum() == len(rim) - 2
        near = triangles[found.cap_neighbour[rows][0]]
        assert (found.cap_neighbour[rows] == found.cap_neighbour[rows][0]).all()
        rim &= single
        longest = max(rim, key=lambda e: np.linalg.norm(vertices[e[0]] - vertices[e[1]]))
        of_near = [np.linalg.norm(vertices[a] - vertices[b]) for a, b in rim if {a, b} <= set(near.tolist())]
        assert max(of_near) == pytest.approx(np.linalg.norm(vertices[longest[0]] - vertices[longest[1]]), rel=1e-9)
    new = area(vertices, found.caps)
    assert found.share == pytest.approx(new / (new + area(vertices, triangles)) if new else 0.0, rel=1e-9)
    return found


def closed(solid, found):
    return np.concatenate([solid[1], found.caps])


CUP = [(0.0, 0.0), (1.0, 0.0), (1.0, 3.0)]  # no lid: caps are 1 / 8 of the whole
WALL = [(0.9, 0.0), (1.0, 0.0), (1.0, 3.0), (0.9, 3.0)]


def test_a_closed_mesh_has_nothing_to_close():
    for mode in ("auto", "close", "thicken"):
        found = run(joined(box(), torus()), mode)
        assert len(found.caps) == 0 and not found.sheet.any()
        assert found[4:] == (0, 0, 0, 0.0, 0)


@pytest.mark.parametrize("scale", [0.02, 200.0])
def test_a_cup_is_filled_or_a_vessel_as_the_artist_wants(scale):
    cup = moved(turned_profile(CUP), (0.1, 0.2, 0.0), seed=1, scale=scale)
    for mode in ("auto", "close"):
        found = run(cup, mode)
        assert (found.flat, found.curved, found.left) == (1, 0, 0) and not found.sheet.any()
        # A regular polygon of n corners has n / 2 sin(2 pi / n) for pi, and perimeter 2 n sin(pi / n) for 2 pi.
        disc, around = TURN / 2 * np.sin(2 * np.pi / TURN), 2 * TURN * np.sin(np.pi / TURN)
        assert found.share == pytest.approx(disc / (2 * disc + 3 * around), rel=1e-9)
        assert is_closed(closed(cup, found))
        assert volume(cup[0], closed(cup, found)) == pytest.approx(3 * disc * scale**3, rel=1e-9)
    found = run(cup, "thicken")
    assert len(found.caps) == 0 and found.sheet.all() and found.left == 1


def test_a_wall_without_its_bottom_gets_one():
    # A ring as wide as the wall is missing: two loops, each closed by a disc. What the artist lost is between them.
    found = run(turned_profile(WALL), "close")
    assert found.flat == 2 and found.left == 0


@pytest.mark.parametrize(("height", "sheet"), [(5.0, True), (6.5, False)])
def test_a_tube_is_closed_where_its_ends_are_a_small_part(height, sheet):
    # Two discs beside 2 pi r h: the share is 1 / (1 + h), 0.15 at h = 5.67.
    tube = turned_profile([(1.0, 0.0), (1.0, height)])
    found = run(tube)
    assert found.sheet.all() == sheet and found.sheet.any() == sheet
    assert found.flat == (0 if sheet else 2)
    assert run(tube, "close").flat == 2
    assert (run(tube, "close").share > SHARE) == sheet


@pytest.mark.parametrize("mode", ["auto", "close"])
def test_what_would_enclose_nothing_is_a_sheet(mode):
    plane = (
        np.array([[x, y, 0.0] for x in range(4) for y in range(4)]),
        np.array([t for i in (0, 1, 2, 4, 5, 6, 8, 9, 10) for t in ((i, i + 4, i + 5), (i, i + 5, i + 1))]),
    )
    found = run(moved(plane, seed=2), mode)
    assert found.sheet.all() and len(found.caps) == 0 and found.left == 1
    assert run(moebius(), mode).sheet.all()


def moebius(count=60):
    angle = 2.0 * np.pi * np.arange(count) / count
    out = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    arm = np.cos(angle / 2)[:, None] * out + np.sin(angle / 2)[:, None] * [0.0, 0.0, 1.0]
    vertices = np.stack([out - 0.3 * arm, out + 0.3 * arm], axis=1).reshape(-1, 3)
    a = 2 * np.arange(count)
    b, c, d = a + 1, (a + 2) % (2 * count), (a + 3) % (2 * count)
    c[-1], d[-1] = 1, 0
    return vertices, np.concatenate([np.stack([a, c, d], axis=1), np.stack([a, d, b], axis=1)])


def test_a_ball_with_two_large_holes_is_closed_by_curved_caps():
    ball = without(bumpy(4, 3), lambda c: np.abs(c[:, 2]) > 0.93)
    found = run(ball)
    assert (found.flat, found.curved, found.left) == (0, 2, 0)
    assert edge_census(edge_table(closed(ball, found))) == (0, 0, 0)
    assert volume(ball[0], closed(ball, found)) > 0.8 * volume(*bumpy(4, 3))


def head():
    """A ball and two open cups that reach into it, one at each side; and a third one that stands free."""
    cup = turned_profile([(0.3, 0.0), (0.3, 0.2), (0.0, 0.3)])  # the cap would be 1 / 3
    return joined(sphere(3), moved(cup, (0.0, 0.0, 0.6)), moved(cup, (0.3, 0.0, 0.5)), moved(cup, (3.0, 0.0, 0.6)))


def test_holes_that_other_shells_hide_are_closed():
    solid = head()
    found = run(solid)
    assert (found.flat, found.curved, found.inside, found.left) == (2, 0, 2, 1)
    free = solid[0][solid[1]].mean(axis=1)[:, 0] > 2.0
    assert np.array_equal(found.sheet, free)
    assert (
        edge_census(edge_table(closed(solid, found)[~np.concatenate([free, np.zeros(len(found.caps), bool)])]))[0] == 0
    )
    assert holes(*solid, "auto").flat == 0  # nobody says what is hidden


def test_a_lid_in_its_pot_is_not_hidden_by_it():
    # Its border lies in the plane of the opening, where the winding number is 1/2.
    pot = turned_profile([(0.0, 0.0), (1.0, 0.0), (1.2, 1.0), (1.0, 4.0)])
    lid = turned_profile([(0.9, 4.0), (0.0, 4.4)])
    found = run(joined(pot, lid))
    assert found.flat == 1 and found.left == 1 and found.sheet.sum() == len(lid[1])


def test_faces_turned_at_random_change_only_the_direction_of_caps():
    ball = without(sphere(3), lambda c: c[:, 2] > 0.8)
    flip = np.random.default_rng(0).random(len(ball[1])) < 0.45
    mixed = ball[0], np.where(flip[:, None], ball[1][:, ::-1], ball[1])
    straight, found = run(ball), run(mixed)
    assert found.flat + found.curved == 1
    assert edge_census(edge_table(closed(mixed, found)))[0] == 0
    assert {frozenset(t) for t in found.caps.tolist()} == {frozenset(t) for t in straight.caps.tolist()}
    inverse = ball[0], ball[1][:, ::-1]
    assert is_closed(closed(inverse, run(inverse)))


def test_a_sail_is_no_hole_and_forbids_no_other():
    vertices, triangles = subdivided(*subdivided(*box((-1, -1, -1), (1, 1, 1))))
    side = next(t for t in triangles.tolist() if vertices[t][:, 2].min() == 1.0)
    sail = np.array([[side[0], side[1], len(vertices)]])
    keep = np.ones(len(triangles), bool)
    keep[np.flatnonzero(vertices[triangles][:, :, 2].max(axis=1) == -1.0)[:3]] = False
    solid = np.concatenate([vertices, [[0.0, 0.0, 3.0]]]), np.concatenate([triangles[keep], sail])
    loops = border_loops(solid[1])
    assert len(loops.chains) == 1 and loops.shell[-1] == loops.chains[0]
    found = run(solid)
    assert found.flat >= 1 and found.left == 1 and not found.sheet.any()
    assert edge_census(edge_table(closed(solid, found)))[0] == 2  # of the sail


def chambers():
    """Two cubes of side 2 with a common wall, or with a common edge."""
    a, b = subdivided(*subdivided(*box())), subdivided(*subdivided(*box((1.0, -1.0, -1.0), (3.0, 1.0, 1.0))))
    wall = (b[0][b[1]][:, :, 0] == 1.0).all(axis=1)
    walled = joined(a, (b[0], b[1][~wall]))
    edged = joined(a, moved(a, (2.0, 2.0, 0.0)))
    return {"wall": walled, "edge": edged}


@pytest.mark.parametrize("name", ["wall", "edge"])
@pytest.mark.parametrize("count", [1, 2])
def test_faces_missing_where_solids_touch_are_put_back(name, count):
    vertices, triangles = chambers()[name]
    triangles = exact_weld(vertices, triangles).map[triangles]
    whole = edge_table(triangles)
    crowded = np.zeros(len(whole.ends), bool)
    crowded[np.bincount(whole.of_half) > 2] = True
    flat_wall = (vertices[triangles][:, :, 0] == 1.0).all(axis=1) & (name == "wall")
    beside = np.flatnonzero(crowded[whole.of_half].reshape(-1, 3).any(axis=1) & ~flat_wall)
    assert len(beside) >= 16
    for gone in beside[::3]:
        # With `count` 2 its neighbour over a plain edge, too.
        side = int(np.argmin(crowded[whole.of_half[3 * gone : 3 * gone + 3]]))
        pair = np.flatnonzero(whole.of_half == whole.of_half[3 * gone + side]) // 3
        missing = [gone] if count == 1 else pair.tolist()
        if len(set(missing) & set(beside.tolist())) > 1:
            continue  # what both had at the wall is a fold: nothing tells where
        found = run((vertices, np.delete(triangles, missing, axis=0)))
        assert len(found.caps) == len(missing) and found.left == 0 and not found.sheet.any()
        both = edge_table(np.concatenate([np.delete(triangles, missing, axis=0), found.caps]))
        assert edge_census(both)[0] == 0 and edge_census(both)[2] == edge_census(whole)[2]
        assert area(vertices, found.caps) == pytest.approx(area(vertices, triangles[missing]), rel=1e-12)


def test_holes_that_touch_are_holes_each():
    # Around a vertex with 8 faces, the 1st and 2nd are missing, and the 5th: two holes that share this vertex.
    vertices, triangles = subdivided(*subdivided(*sphere(1)))
    vertex = np.flatnonzero(np.bincount(triangles.reshape(-1)) == 6)[0]
    around = np.flatnonzero((triangles == vertex).any(axis=1))
    ordered = [around[0]]
    while len(ordered) < len(around):
        last = set(triangles[ordered[-1]].tolist())
        ordered.append(next(t for t in around if t not in ordered and len(last & set(triangles[t].tolist())) == 2))
    solid = vertices, np.delete(triangles, [ordered[0], ordered[1], ordered[4]], axis=0)
    loops = border_loops(solid[1])
    assert sorted(np.diff(loops.start).tolist()) == [3, 4]
    found = run(solid)
    assert found.flat + found.curved == 2 and is_closed(closed(solid, found))
    missing = {frozenset(t) for t in triangles[[ordered[4]]].tolist()}
    assert missing <= {frozenset(t) for t in found.caps.tolist()}


def test_a_cap_does_not_double_an_edge_that_is_there():
    # Two faces and the two across the other diagonal: of the four-sided hole, one diagonal is an edge already.
    vertices = np.array([[0, 0, 0], [2, 0, 0], [2, 2, 0.0], [0, 2, 0], [1, 1, -1], [1, 1, 0.5]])
    solid = vertices, np.array([[1, 0, 4], [2, 1, 4], [3, 2, 4], [0, 3, 4], [0, 2, 5], [2, 0, 5]])
    # The last two are a card on the diagonal 0-2, which is an edge with two faces of another shell.
    found = holes(*solid, "close")
    edges = [frozenset(e) for e in edge_table(found.caps).ends.tolist()]
    assert frozenset({0, 2}) not in edges and frozenset({1, 3}) in edges


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from([0.004, 0.02, 0.1]))
def test_a_ball_that_lost_faces_is_closed_again(seed, part):
    rng = np.random.default_rng(seed)
    vertices, triangles = sphere(3)
    kept = triangles[rng.random(len(triangles)) > part]
    loops = border_loops(kept)
    sizes = np.bincount(loops.shell)
    solid = vertices, kept[loops.shell == np.argmax(sizes)]  # no islands in the holes
    found = run(solid, "close")
    assert found.left == 0 and not found.sheet.any()
    assert is_closed(closed(solid, found))
    # All corners lie on the sphere, so no cap leaves its hull; a hole of single faces gets them back.
    whole = volume(vertices, triangles)
    assert (1.0 - 4.0 * part) * whole < volume(vertices, closed(solid, found)) <= whole * (1.0 + 1e-12)


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_any_faces_at_all_give_loops_of_border_edges_that_are_simple(seed):
    rng = np.random.default_rng(seed)
    triangles = rng.permuted(np.tile(np.arange(9), (rng.integers(1, 30), 1)), axis=1)[:, :3]
    loops = border_loops(triangles)
    single = {frozenset(e) for e in loops.edges.ends[loops.uses == 1].tolist()}
    others = {frozenset(e) for e in loops.edges.ends[loops.uses > 1].tolist()}
    seen = []
    for loop in range(len(loops.of_shell)):
        vertex = loops.vertex[loops.start[loop] : loops.start[loop + 1]].tolist()
        half = loops.half[loops.start[loop] : loops.start[loop + 1]]
        assert len(set(vertex)) == len(vertex) >= 3
        real = half[half >= 0]
        assert len(real) > 0 and (loops.shell[real // 3] == loops.of_shell[loop]).all()
        assert loops.whole[loop] == (len(real) == len(half))
        for i, h in enumerate(half.tolist()):
            side = frozenset((vertex[i], vertex[(i + 1) % len(vertex)]))
            if h < 0:  # an edge with more faces
                assert side in others
                continue
            assert side == {triangles[h // 3, h % 3], triangles[h // 3, (h % 3 + 1) % 3]} and side in single
            seen.append(side)
    assert len(set(seen)) == len(seen)
    # What is on no loop has an open end: at every vertex of a shell, the loops use an even number of border edges.
    assert (len(loops.chains) == 0) == (len(seen) == len(single))
    for mode in ("auto", "close", "thicken"):
        run((rng.normal(size=(9, 3)), triangles), mode)


def test_nothing_is_no_trouble():
    found = holes(np.empty((0, 3)), np.empty((0, 3), np.int64), "auto")
    assert len(found.caps) == len(found.sheet) == found.left == 0
