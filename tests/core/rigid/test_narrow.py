"""The narrow phase against independent geometry: Minkowski differences and least distances."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls
from scipy.spatial import ConvexHull

from core.rigid.records import EDGE_PAIR
from tests.core.rigid.parts import CUBE, bodies_of, pairs_of, parts_of, random_turns, touched, voronoi_cells

# Parts have a size of 1 m here; a few hundred roundings of 1e-16 m each.
ROUND_OFF = 1e-13
SLOP = 1e-6
STILL = np.eye(3)


def difference(a, b):
    """The planes (n,4) of a - b: faces and pairs of edges of a and b, with their distances at the origin."""
    return ConvexHull((a[:, None] - b[None]).reshape(-1, 3)).equations


def distance(planes):
    """From the origin to a convex polytope: least distance programming by NNLS (Lawson and Hanson 1974, chapter 23)."""
    if planes[:, 3].max() <= 0:
        return 0.0
    E = np.vstack([-planes[:, :3].T, planes[:, 3]])
    u, _ = nnls(E, np.array([0.0, 0, 0, 1]))
    r = E @ u - [0, 0, 0, 1]
    return np.linalg.norm(r[:3] / r[3])


def near_pairs(count, seed, closest=-0.05, farthest=0.05):
    """Random parts in pairs, b moved so far away from a that the separating planes are from `closest` to `farthest`."""
    rng = np.random.default_rng(seed)
    clouds = [rng.normal(size=(rng.integers(4, 16), 3)) * rng.uniform(0.2, 0.5, 3) for _ in range(2 * count)]
    turns, origins = random_turns(2 * count, rng), np.zeros((2 * count, 3))
    for k in range(count):
        a, b = clouds[2 * k] @ turns[2 * k].T, clouds[2 * k + 1] @ turns[2 * k + 1].T
        # Along a random direction until the best plane of a - b is so far away: each plane's distance grows linearly.
        planes = difference(a, b)
        away = rng.normal(size=3)
        away /= np.linalg.norm(away)
        rate = planes[:, :3] @ away
        wanted = rng.uniform(closest, farthest)
        ahead = rate > 1e-9
        origins[2 * k + 1] = away * ((wanted - planes[ahead, 3]) / rate[ahead]).min()
    return parts_of(*clouds), bodies_of(turns, origins)


def corners(shapes, bodies, k):
    part = shapes.parts[k]
    first, last = part["vertex"]
    return shapes.vertices[first:last] @ bodies[k].turn.T + bodies[k].origin


def ends(count):
    return np.arange(2 * count).reshape(-1, 2)


def test_gaps_are_distances_of_the_minkowski_difference():
    count, margin = 400, 0.1
    shapes, bodies = near_pairs(count, 1)
    pairs = touched(shapes, bodies, pairs_of(ends(count)), margin, SLOP)
    kinds = np.zeros(4, int)
    for k, pair in enumerate(pairs):
        planes = difference(corners(shapes, bodies, 2 * k), corners(shapes, bodies, 2 * k + 1))
        best, least = planes[:, 3].max(), distance(planes)
        gaps = pair.gap[: pair.count]
        if best < 0:
            # Overlap: the least push apart. Faces are favoured by 0.2 slops, of the other part and over edges.
            assert pair.count > 0
            assert abs(gaps.min() - best) < 0.4 * SLOP + ROUND_OFF
        elif pair.count and pair.axis[0] == EDGE_PAIR:
            # These edges are nearest, or corners of them: then the axis still separates, by less than the distance.
            assert abs(gaps[0] - best) < ROUND_OFF
        elif pair.count:
            # Points of the two parts at that distance; faces are favoured.
            assert gaps.min() > min(least, best) - 0.4 * SLOP
            assert gaps.min() > least - ROUND_OFF or gaps.min() < 0
        if 0 < best < margin and best > least - 1e-12:
            # Face and corner or two edges are nearest.
            assert pair.count > 0
            assert abs(gaps.min() - best) < 0.4 * SLOP + ROUND_OFF
        if pair.count:
            kinds[pair.axis[0]] += 1
            along = np.einsum("ni,i->n", pair.point[: pair.count, 0] - pair.point[: pair.count, 1], pair.normal)
            assert np.abs(along - gaps).max() < ROUND_OFF
            assert abs(np.linalg.norm(pair.normal) - 1) < ROUND_OFF
            assert gaps.max() <= margin
    assert kinds[1:].min() > 20, kinds


def test_points_lie_on_both_parts():
    count = 200
    shapes, bodies = near_pairs(count, 2)
    pairs = touched(shapes, bodies, pairs_of(ends(count)), 0.05, SLOP)
    for k, pair in enumerate(pairs):
        for side in (0, 1):
            planes = ConvexHull(corners(shapes, bodies, 2 * k + side)).equations
            # The prism of a face is wider by 1e-3 slops; an overlapping point that is alone may lie beside the face.
            height = planes[:, :3] @ pair.point[: pair.count, side].T + planes[:, 3:]
            if pair.count > 1:
                assert height.max() < 1e-3 * SLOP + 1e-8


def test_far_parts_do_not_touch():
    count, margin = 300, 0.02
    shapes, bodies = near_pairs(count, 3, 0.021, 0.5)
    pairs = pairs_of(ends(count))
    touched(shapes, bodies, pairs, margin, SLOP)
    assert (pairs.count == 0).all()
    assert (pairs.axis[:, 0] > 0).sum() > count / 2


def same(one, other, scale=1.0, turn=STILL, shift=0.0, swap=False, tolerance=1e-10):
    assert one.count == other.count
    n = one.count
    assert np.abs(one.normal @ turn.T * (-1 if swap else 1) - other.normal).max() < tolerance
    order, others = np.argsort(one.gap[:n]), np.argsort(other.gap[:n])
    assert np.abs(one.gap[order] * scale - other.gap[others]).max(initial=0) < tolerance * scale
    points = one.point[:n, ::-1] if swap else one.point[:n]
    moved = (points @ turn.T * scale + shift).reshape(n, 1, 6)
    apart = np.abs(moved - other.point[:n].reshape(1, n, 6)).max(2)
    assert n == 0 or apart.min(1).max() < tolerance * scale


def test_swapping_the_two_swaps_the_contact():
    count = 200
    shapes, bodies = near_pairs(count, 4)
    one = touched(shapes, bodies, pairs_of(ends(count)), 0.05, SLOP)
    other = touched(shapes, bodies, pairs_of(ends(count)[:, ::-1]), 0.05, SLOP)
    for k in range(count):
        same(one[k], other[k], swap=True)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.floats(-3, 3), st.floats(0, 100))
def test_moving_and_scaling_both_parts_moves_and_scales_the_contact(seed, power, far):
    rng = np.random.default_rng(seed)
    scale, turn, shift = 10.0**power, random_turns(1, rng)[0], rng.normal(size=3) * far * 10.0**power
    shapes, bodies = near_pairs(6, seed)
    moved = parts_of(*(scale * shapes.vertices[slice(*part["vertex"])] for part in shapes.parts))
    poses = bodies_of(turn @ bodies.turn, bodies.origin @ turn.T * scale + shift)
    one = touched(shapes, bodies, pairs_of(ends(6)), 0.05, SLOP)
    other = touched(moved, poses, pairs_of(ends(6)), 0.05 * scale, SLOP * scale)
    for k in range(6):
        # A shift by 100 sizes costs two digits, and an intersection of nearly parallel lines some more.
        same(one[k], other[k], scale, turn, shift, tolerance=1e-8)


def test_the_cached_axis_changes_nothing():
    count = 300
    shapes, bodies = near_pairs(count, 5)
    fresh = touched(shapes, bodies, pairs_of(ends(count)), 0.05, SLOP)
    axes = fresh.axis.copy()
    nudged = bodies_of(bodies.turn, bodies.origin + np.random.default_rng(0).normal(size=bodies.origin.shape) * 0.03)
    cached = touched(shapes, nudged, fresh.copy(), 0.05, SLOP)
    again = touched(shapes, nudged, pairs_of(ends(count)), 0.05, SLOP)
    assert (cached.count == 0).sum() > 30
    for k in range(count):
        n = again.count[k]
        assert cached.count[k] == n
        assert cached.point[k, :n].tobytes() == again.point[k, :n].tobytes()
        assert cached.gap[k, :n].tobytes() == again.gap[k, :n].tobytes()
        if n:
            assert cached.normal[k].tobytes() == again.normal[k].tobytes()
    assert (axes[:, 0] == EDGE_PAIR).any()


def test_plain_python_does_the_same():
    """A digest of contacts, with and without numba."""
    code = (
        "import hashlib, numpy as np\n"
        "from tests.core.rigid.test_narrow import near_pairs, ends, SLOP\n"
        "from tests.core.rigid.parts import touched, pairs_of\n"
        "p = touched(*near_pairs(12, 6), pairs_of(ends(12)), 0.05, SLOP)\n"
        "assert p.count.sum() > 10\n"
        "print(p.count.tolist(), p.axis.tolist(), [float('%.9g' % x) for x in np.nan_to_num(p.point.sum((0, 1, 2)))])\n"
    )
    root = Path(__file__).parents[3]
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"NUMBA_DISABLE_JIT": flag, "PYTHONPATH": str(root)},
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for flag in "01"
    ]
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("kind", ["face", "edge", "corner"])
def test_cubes_side_by_side_do_not_overlap(kind):
    shift = {"face": (1, 0, 0), "edge": (1, 1, 0), "corner": (1, 1, 1)}[kind]
    shapes = parts_of(CUBE, CUBE + shift)
    for turn in random_turns(20, np.random.default_rng(7)):
        pair = touched(shapes, bodies_of([turn] * 2, np.ones((2, 3))), pairs_of([[0, 1]]), 1e-3, SLOP)[0]
        assert pair.gap[: pair.count].min(initial=0) >= -1e-12
        if kind == "face":
            assert pair.count == 4
            assert np.abs(pair.normal + turn[:, 0]).max() < 1e-14


def test_snug_cells_meet_in_their_facet_without_overlap():
    cells = voronoi_cells(60, 1)
    shapes = parts_of(*cells)
    known = [{tuple(v) for v in cell} for cell in cells]
    facets = [(i, j) for i in range(60) for j in range(i) if len(known[i] & known[j]) >= 3]
    assert len(facets) > 200
    turn = random_turns(1, np.random.default_rng(1))[0]
    origin = np.array([1.0, 2.0, 3.0])
    pairs = touched(shapes, bodies_of([turn] * 60, [origin] * 60), pairs_of(facets), 1e-5, 1e-5)
    for (i, j), pair in zip(facets, pairs, strict=True):
        assert pair.axis[0] != EDGE_PAIR
        facet = np.array(sorted(known[i] & known[j])) @ turn.T + origin
        n = pair.count
        # Some ten roundings at the size of the cut, 2 m.
        assert np.abs(pair.gap[:n]).max() < 2 * 1e-14
        flat = np.linalg.svd(facet - facet.mean(0))[2][2]
        assert abs(abs(flat @ pair.normal) - 1) < 1e-9
        apart = np.linalg.norm(pair.point[:n, 0, None] - facet, axis=2).min(1)
        assert apart.max() < 1e-7
        assert n == min(len(facet), 8)
