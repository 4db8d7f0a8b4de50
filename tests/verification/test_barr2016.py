"""Barr 2016, "An Efficient Algorithm for Brittle Fracture Simulation": vectors and scenes of its breaking rule.

The oracle is the paper's own algorithm, put right, in barr_algorithm.py.
Vectors and scenes (V1, RG, ...) are those of docs/papers/barr2016.md.
"""

import itertools

import numpy as np
import pytest

from core.breaking.impact_factor import ImpactFactorParams, impact_factor, impact_factor_loads
from core.geometry.graph import components
from core.types import Ints, Units
from tests.struck import struck
from tests.unit_graphs import cube, hit, line, random_graph, ring, square, units_of, voronoi_links
from tests.verification.barr_algorithm import algorithm_1

CENTRE = (0.5, 0.5, 0.0)


def shatter(units: Units, impact, U, L, members=None, **options) -> list[frozenset[int]]:
    """Fragments (sets of units) of one hit, in order of their first member."""
    blow = struck(units, impact, members=members)
    members = blow.members
    result = impact_factor_loads(blow, ImpactFactorParams(durability=U, locality=L, **options))
    labels = components(len(units.volume), units.links, ~result.cracked, members)
    return [frozenset(members[labels == label].tolist()) for label in range(labels.max() + 1)]


def area(units: Units, fragment) -> float:
    return float(units.volume[sorted(fragment)].sum() / units.volume.sum())


def largest(units: Units, fragments) -> float:
    return max(area(units, fragment) for fragment in fragments)


@pytest.fixture(scope="module")
def glass_square() -> Units:
    return square(1000)


# ---- vectors --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("L", "X"),
    [
        (1.0, [9.090909091, 7.692307692, 6.666666667, 5.882352941, 5.263157895, 4.761904762]),
        (2.0, [9.900990099, 9.174311927, 8.0, 6.711409396, 5.524861878, 4.524886878]),
        (0.5, [7.597469266, 6.461106321, 5.857864376, 5.444665782, 5.131670195, 4.880884817]),
    ],
)
def test_v1_factors_on_a_line(L, X):
    # X_i = F/(d_i^L + 1), F = 10, d_i = .1 + .2 i; nine decimals are printed.
    assert np.allclose(impact_factor(line().site[:, 0], 10.0, L, 1.0), X, rtol=0, atol=6e-10)


@pytest.mark.parametrize(
    ("L", "differences"),
    [
        (1.0, [1.398601, 1.025641, 0.784314, 0.619195, 0.501253]),
        (2.0, [0.726678, 1.174312, 1.288591, 1.186548, 0.999975]),
    ],
)
def test_v1_loads_on_a_line(L, differences):
    result = impact_factor_loads(struck(line(), hit(strength=10.0)), ImpactFactorParams(locality=L))
    assert np.allclose(result.load, differences, rtol=0, atol=6e-7)


@pytest.mark.parametrize(
    ("L", "U", "expected"),
    [
        (1.0, 0.7, [{0}, {1}, {2}, {3, 4, 5}]),
        (1.0, 1.5, [{0, 1, 2, 3, 4, 5}]),
        (1.0, 0.4, [{0}, {1}, {2}, {3}, {4}, {5}]),
        (2.0, 1.1, [{0, 1}, {2}, {3}, {4, 5}]),  # for L > 1 a plug at the hit survives
    ],
)
def test_v1_fragments_of_a_line(L, U, expected):
    assert shatter(line(), hit(strength=10.0), U, L) == expected


def test_v1_the_printed_inequality_joins_across_cracks():
    printed = algorithm_1(line(), hit(strength=10.0), 0.7, 1.0, range(6), printed=True)
    assert printed == [{0, 1, 2, 3}, {4}, {5}]


def test_v2_factors_in_a_cube():
    d = np.unique(np.linalg.norm(cube().site, axis=1).round(12))
    assert np.allclose(d, [0.433012702, 0.829156198, 1.089724736, 1.299038106], rtol=0, atol=6e-10)
    for L, X in (
        (1.0, [6.978305207, 5.467001677, 4.785319247, 4.349645173]),
        (2.0, [8.421052632, 5.925925926, 4.571428571, 3.720930233]),
    ):
        assert np.allclose(impact_factor(d, 10.0, L, 1.0), X, rtol=0, atol=6e-10)


@pytest.mark.parametrize(("U", "sizes"), [(1.6, [8]), (1.0, [1, 7]), (0.5, [1, 1, 1, 1, 4]), (0.4, [1] * 8)])
def test_v2_fragments_of_a_cube(U, sizes):
    assert sorted(len(fragment) for fragment in shatter(cube(), hit(strength=10.0), U, 1.0)) == sizes


def test_v3_a_chain_of_whole_links_keeps_a_cracked_one_together():
    holds = np.array([False, True, True, True])  # only a-b has cracked
    assert components(4, ring().links, holds, np.arange(4)).tolist() == [0, 0, 0, 0]
    # By a hit: X falls along b -> a only where a alone is far; with U between the two differences a-b cracks, and
    # the way over c and d, in smaller steps, holds.
    units = units_of([(3.0, 0, 0), (0, 0, 0), (1.0, 0, 0), (2.0, 0, 0)], ring().links)
    result = impact_factor_loads(struck(units, hit(strength=1.0)), ImpactFactorParams(0.6, 1.0))
    assert result.cracked.tolist() == [True, False, False, False]  # .75; .5, .167, .083
    assert shatter(units, hit(strength=1.0), 0.6, 1.0) == [{0, 1, 2, 3}]


@pytest.mark.parametrize(
    ("dimension", "count", "links"),
    [(2, 10, 17), (2, 100, 264), (2, 1000, 2890), (3, 10, 30), (3, 100, 521), (3, 1000, 6658)],
)
def test_v4_the_reference_diagrams_have_the_links_of_the_page(dimension, count, links):
    # The graphs of the scenes below; fresh default_rng(42) for each.
    assert len(voronoi_links(np.random.default_rng(42).uniform(0.0, 1.0, (count, dimension)))) == links


# ---- the algorithm --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(100))
def test_fragments_equal_the_corrected_algorithm_on_random_graphs(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 80))
    units = random_graph(rng, count, int(rng.integers(0, 3 * count)))
    members = rng.permutation(count)[: rng.integers(1, count + 1)]
    impact = hit(rng.uniform(0.0, 1.0, 3), rng.uniform(0.1, 10.0), rng.uniform(0.05, 1.0))
    L = rng.uniform(0.3, 5.0)
    # A durability at a quantile of the loads, so that about that share of the links cracks.
    spread = impact_factor_loads(struck(units, impact, members=members), ImpactFactorParams(locality=L)).load
    U = float(np.quantile(spread, rng.uniform(0.0, 1.0))) * (1 + 1e-9) if len(spread) else 0.0
    assert shatter(units, impact, U, L, members) == algorithm_1(units, impact, U, L, members.tolist())


def test_printed_inequality_is_not_what_the_text_says():
    # H = 1000, F = 1, L = 1, U = .01, d_ref = 1, hit in the middle: the text leaves one big piece and some dozens of
    # small ones; the printed test puts the two ends of cracks into one fragment.
    counts = []
    for seed in range(5):
        units, impact = square(1000, seed), hit(CENTRE, 1.0, 1.0)
        right = shatter(units, impact, 0.01, 1.0)
        printed = algorithm_1(units, impact, 0.01, 1.0, range(1000), printed=True)
        assert set(right) != set(printed)
        counts.append(len(right))
        assert largest(units, right) > 0.4
        X = impact_factor(np.linalg.norm(units.site - impact.point, axis=1), 1.0, 1.0, 1.0)
        label = np.empty(1000, dtype=np.int64)
        for k, fragment in enumerate(printed):
            label[sorted(fragment)] = k
        a, b = units.links.T
        cracked = np.abs(X[a] - X[b]) > 0.01
        assert np.all(label[a[cracked]] == label[b[cracked]])  # every crack lies inside a fragment
    assert min(counts) >= 20 and max(counts) <= 60  # resolution 4.1: 28 to 45 on other seeds


def test_ro_order_of_cells_links_and_members_does_not_matter(glass_square):
    units, impact = glass_square, hit((0.3, 0.4, 0.0), 1.0, 0.1)
    expected = set(shatter(units, impact, 0.01, 2.0))
    assert len(expected) > 50
    rng = np.random.default_rng(8)
    for _ in range(5):
        new = rng.permutation(1000)  # old unit -> new unit
        old = np.argsort(new)
        links = new[units.links][rng.permutation(len(units.links))]
        renamed = units_of(units.site[old], links, units.volume[old])
        found = shatter(renamed, impact, 0.01, 2.0, rng.permutation(1000))
        assert {frozenset(old[sorted(fragment)].tolist()) for fragment in found} == expected


def test_rz_extremes_of_durability(glass_square):
    impact = hit(CENTRE, 1.0, 0.1)
    assert len(shatter(glass_square, impact, np.inf, 2.0)) == 1
    assert len(shatter(glass_square, impact, -1.0, 2.0)) == 1000
    apart = units_of(np.eye(3), [(0, 1)])
    assert shatter(apart, impact, np.inf, 2.0) == [{0, 1}, {2}]


def refines(fine, coarse) -> bool:
    return all(any(small <= large for large in coarse) for small in fine)


@pytest.mark.parametrize("L", [0.5, 2.0, 4.0])
def test_rm_crack_sets_are_nested_in_force_and_durability(glass_square, L):
    F = [shatter(glass_square, hit((0.4, 0.5, 0.0), F, 0.1), 0.01, L) for F in (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)]
    U = [shatter(glass_square, hit((0.4, 0.5, 0.0), 1.0, 0.1), U, L) for U in (0.04, 0.02, 0.01, 0.005, 0.0025)]
    for harder in (F, U):
        assert all(refines(later, earlier) for earlier, later in itertools.pairwise(harder))
        assert len(harder[-1]) > len(harder[0])


def test_only_force_over_durability_matters(glass_square):
    one = shatter(glass_square, hit(CENTRE, 1.0, 0.1), 0.0078125, 2.0)
    assert one == shatter(glass_square, hit(CENTRE, 64.0, 0.1), 0.5, 2.0)


def test_rr_a_second_hit_splits_only_what_it_strikes(glass_square):
    units = glass_square
    first = shatter(units, hit(CENTRE, 1.0, 0.1), 0.01, 2.0)
    struck = max(first, key=len)
    point = units.site[sorted(struck)[0]]
    second = shatter(units, hit(point, 1.0, 0.1), 0.01, 2.0, sorted(struck))
    assert len(second) > 1
    assert frozenset().union(*second) == struck  # cells are preserved
    assert sum(map(len, second)) == len(struck)
    assert shatter(units, hit(point, 0.0, 0.1), 0.01, 2.0, sorted(struck)) == [struck]
    # Three generations, each a refinement of the one before.
    whole, generation = [frozenset(range(1000))], [frozenset(range(1000))]
    for x in (0.2, 0.5, 0.8):
        before = generation
        nearest = int(np.argmin(np.linalg.norm(units.site - [x, 0.5, 0.0], axis=1)))
        hurt = next(fragment for fragment in generation if nearest in fragment)
        pieces = shatter(units, hit((x, 0.5, 0.0), 1.0, 0.1), 0.01, 2.0, sorted(hurt))
        generation = [fragment for fragment in before if fragment != hurt] + pieces
        assert refines(generation, before) and refines(generation, whole)
        assert sorted(unit for fragment in generation for unit in fragment) == list(range(1000))
    assert len(generation) > len(first)


# ---- materials (Fig. 3) ---------------------------------------------------------------------------------------------


def crack_distance(units: Units, fragments, point) -> float:
    """Median distance from the hit of the links that part two fragments."""
    label: Ints = np.empty(len(units.volume), dtype=np.int64)
    for k, fragment in enumerate(fragments):
        label[sorted(fragment)] = k
    parted = label[units.links[:, 0]] != label[units.links[:, 1]]
    return float(np.median(np.linalg.norm(units.centroid_link[parted] - point, axis=1)))


@pytest.mark.parametrize("seed", [42, 1, 2])
def test_rg_standard_glass_cracks_around_the_hit_and_keeps_a_big_piece(seed):
    # H = 1000, d_ref = .1, U = .01, L = 2 at F/U = 100 and 200 (docs/papers/barr2016.md, 4.10: largest .78 and .58).
    units = square(1000, seed)
    for F in (1.0, 2.0):
        fragments = shatter(units, hit(CENTRE, F, 0.1), 0.01, 2.0)
        assert largest(units, fragments) >= 0.4
        assert len(fragments) > 80
        assert crack_distance(units, fragments, CENTRE) < 0.3


@pytest.mark.parametrize("seed", [42, 1, 2])
def test_rg_tempered_glass_resists_and_then_shatters_as_a_whole(seed):
    # H = 1000, d_ref = .1, U = .05, L = .5: whole at F/U = 50, in crumbs at 400 (ratio 8 <= 10; resolution 4.10: .97
    # and .03).
    units = square(1000, seed)
    assert largest(units, shatter(units, hit(CENTRE, 2.5, 0.1), 0.05, 0.5)) >= 0.95
    assert largest(units, shatter(units, hit(CENTRE, 20.0, 0.1), 0.05, 0.5)) <= 0.05


def test_rg_clay_crumbles_where_it_is_hit(glass_square):
    # L = 4, U = .02 at F/U = 100 (resolution 4.10: largest .87).
    fragments = shatter(glass_square, hit(CENTRE, 2.0, 0.1), 0.02, 4.0)
    assert largest(glass_square, fragments) >= 0.8
    assert len(fragments) > 50
    assert crack_distance(glass_square, fragments, CENTRE) < 0.2


def test_locality_acts_backwards_when_the_reference_length_is_the_object(glass_square):
    # Resolution 4.4: F/U = 100; the fragment that holds the struck cell has 554, 750, 953 cells with d_ref = 1 and
    # 2, 8, 12 with d_ref = .1 (L = 2, 3, 4); the random sites decide the last digits.
    struck = int(np.argmin(np.linalg.norm(glass_square.site - CENTRE, axis=1)))

    def plug(d_ref):
        return [
            len(next(f for f in shatter(glass_square, hit(CENTRE, 1.0, d_ref), 0.01, L) if struck in f))
            for L in (2.0, 3.0, 4.0)
        ]

    assert np.allclose(plug(1.0), [554, 750, 953], rtol=0.05)
    assert max(plug(0.1)) <= 20
