import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.breaking import impact_factor as impact_factor_module
from core.breaking.impact_factor import METHOD, ImpactFactorParams, impact_factor, impact_factor_loads
from core.config.params import from_mapping
from core.cutting.whole import whole_cells
from core.errors import InputError
from core.strength.bonded import bonded
from core.types import Units
from tests import shapes
from tests.struck import struck
from tests.unit_graphs import cube, hit, line, random_graph, square, units_of


def run(units, impact, params=None, *, members=None, strength=None, seed=0):
    blow = struck(units, impact, members=members, strength=strength, seed=seed)
    return impact_factor_loads(blow, params or ImpactFactorParams())


def test_factor_at_the_hit_is_the_full_force_and_at_the_reference_length_half_of_it():
    # X(0) = F, X(d_ref) = F/2 for every L > 0.
    for L in (0.5, 1.0, 2.0, 4.0):
        assert impact_factor(np.array([0.0, 0.3]), 7.0, L, 0.3).tolist() == [7.0, 3.5]


def test_gradient_is_steepest_where_the_page_says():
    # docs/papers/barr2016.md, section 2: r* = ((L-1)/(L+1))^(1/L).
    # L = 1.5: .341995, 2: .577350, 3: .793701, 4: .880112
    r = np.linspace(0.0, 2.0, 200_001)
    for L, expected in ((1.5, 0.341995), (2.0, 0.577350), (3.0, 0.793701), (4.0, 0.880112)):
        steepest = r[np.argmax(-np.gradient(impact_factor(r, 1.0, L, 1.0), r))]
        assert abs(steepest - expected) < 2e-5  # two steps of r


@pytest.mark.filterwarnings("error")
def test_far_away_nothing_arrives():
    assert impact_factor(np.array([1e30]), 1.0, 20.0, 1e-6).tolist() == [0.0]


@given(
    st.lists(st.floats(0.0, 1e6), min_size=2, max_size=20),
    st.floats(0.0, 1e3),
    st.floats(0.0, 20.0),
    st.floats(1e-3, 1e3),
)
def test_factor_falls_with_distance_and_stays_between_zero_and_force(distances, F, L, d_ref):
    X = impact_factor(np.sort(distances), F, L, d_ref)
    assert np.all((X >= 0.0) & (F >= X))
    assert np.all(np.diff(X) <= 0.0)


def test_limit_is_durability_times_strength():
    strength = np.array([1.0, 0.5, 0.0, 2.0, np.inf])
    assert run(line(), hit(), ImpactFactorParams(durability=0.3), strength=strength).limit.tolist() == [
        0.3,
        0.15,
        0.0,
        0.6,
        np.inf,
    ]
    # A link that nothing can crack stays so in a material without durability.
    assert run(line(), hit(), ImpactFactorParams(durability=0.0), strength=strength).limit[-1] == np.inf


def test_load_is_linear_in_force():
    # Only F/U matters; a power of two scales without rounding.
    once, eight = (run(square(50), hit((0.3, 0.6, 0.0), F, 0.1)).load for F in (1.0, 8.0))
    assert np.array_equal(8.0 * once, eight)


def test_same_object_at_any_size_has_the_same_loads():
    small = square(60)
    large = units_of(128.0 * small.site, small.links, small.volume)
    assert np.array_equal(
        run(small, hit((0.25, 0.5, 0.0), 1.0, 0.125)).load, run(large, hit((32.0, 64.0, 0.0), 1.0, 16.0)).load
    )


def test_plain_python_kernel_gives_the_same_bits(monkeypatch):
    members = np.arange(20, 60)
    compiled = run(square(80), hit((0.5, 0.5, 0.0), 1.0, 0.1), members=members).load
    kernel = impact_factor_module._differences
    monkeypatch.setattr(impact_factor_module, "_differences", getattr(kernel, "py_func", kernel))
    assert np.array_equal(run(square(80), hit((0.5, 0.5, 0.0), 1.0, 0.1), members=members).load, compiled)


def test_centre_is_a_choice():
    units = line()
    moved = Units(
        **{name: getattr(units, name) for name in Units.__slots__ if name != "centroid"},
        centroid=units.site + np.array([0.05, 0.0, 0.0]),
    )
    at_site, at_centroid = (
        run(moved, hit(), ImpactFactorParams(centre=centre)).load for centre in ("site", "centroid")
    )
    assert np.array_equal(at_site, run(units, hit()).load)
    assert np.allclose(at_centroid, run(units, hit((-0.05, 0.0, 0.0))).load, rtol=1e-14)


def test_jitter_scales_each_factor_within_its_bounds():
    units, a = random_graph(np.random.default_rng(1), 200, 2000), 0.3
    # With L = 0 every unit has X = F/2, so all that is left is jitter: |X_i - X_j| = F/2 a |u_i - u_j|, |u| < 1.
    load = run(units, hit(strength=2.0), ImpactFactorParams(locality=0.0, jitter=a)).load
    assert run(units, hit(strength=2.0), ImpactFactorParams(locality=0.0)).load.max() == 0.0
    assert load.max() < 2.0 * a
    # The mean of |u_i - u_j| is 2/3; 200 draws leave about 2 % of spread.
    assert abs(load.mean() / a - 2.0 / 3.0) < 0.06


def test_jitter_belongs_to_the_unit_not_to_the_fragment():
    units, params = square(80), ImpactFactorParams(jitter=0.5)
    whole = run(units, hit((0.5, 0.5, 0.0), 1.0, 0.1), params, seed=4)
    members = np.arange(0, 80, 2)[::-1]
    part = run(units, hit((0.5, 0.5, 0.0), 1.0, 0.1), params, members=members, seed=4)
    inside = np.isin(units.links, members).all(axis=1)
    assert inside.any()
    assert np.array_equal(part.load[inside], whole.load[inside])


def test_jitter_follows_the_seed():
    units, params = square(80), ImpactFactorParams(jitter=0.5)
    one, same, other = (run(units, hit(), params, seed=seed).load for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("count", [250, 1000, 4000])
def test_scaled_durability_follows_the_spacing(count):
    rng, params = np.random.default_rng(5), ImpactFactorParams(durability=0.01, scale_with_resolution=True)
    box = rng.uniform(0.0, 1.0, (count, 3))
    # U_eff = U h/h_ref with h = (V/H)^(1/3) in a solid, (A/H)^(1/2) in a pane, length/H in a rod, h_ref at H = 1000.
    for size, dimension in (((1.0, 1.0, 1.0), 3), ((1.0, 1.0, 1e-3), 2), ((1.0, 1e-6, 1e-6), 1)):
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        units = units_of((box * size) @ turn, [(0, 1)], np.full(count, np.prod(size) / count))
        limit = run(units, hit(), params).limit[0]
        assert np.isclose(limit, 0.01 * (1000 / count) ** (1 / dimension), rtol=1e-12)


def test_scaled_durability_keeps_the_reach_of_cracks():
    # docs/papers/barr2016.md, 4.6: the gradient of X times the spacing decides; the reach is the 95 % quantile of the
    # distance of cracked links.
    def reach(count, scaled):
        params, reaches = ImpactFactorParams(durability=0.02, scale_with_resolution=scaled), []
        for seed in range(3):
            units = square(count, seed)
            result = run(units, hit((0.5, 0.5, 0.0), 1.0, 0.1), params)
            reaches.append(
                np.quantile(np.linalg.norm(units.centroid_link[result.cracked] - [0.5, 0.5, 0.0], axis=1), 0.95)
            )
        return np.mean(reaches)

    # Eight times the cells. What is left with scaling (.342 against .299) is the scatter of the spacing of random
    # sites, which reaches further where cells are large; without scaling .373 against .253.
    assert 1.0 <= reach(500, True) / reach(4000, True) < 1.2
    assert reach(500, False) / reach(4000, False) > 1.4


def test_of_several_impacts_the_largest_difference_counts():
    units, params = square(80), ImpactFactorParams(jitter=0.5)
    hits = tuple(
        hit(point, F, 0.1) for point, F in (((0.2, 0.2, 0.0), 1.0), ((0.7, 0.4, 0.0), 2.0), ((0.5, 0.9, 0.0), 0.5))
    )
    alone = np.array([run(units, one, params, seed=4).load for one in hits])
    assert set(alone.argmax(axis=0).tolist()) == {0, 1, 2}
    assert np.array_equal(run(units, hits, params, seed=4).load, alone.max(axis=0))


def test_hit_without_reach_is_refused():
    for hits in (hit(radius=0.0), (hit(), hit(radius=0.0))):
        with pytest.raises(InputError, match="radius"):
            run(cube(), hits)


def test_declared_limits_refuse_nonsense():
    for wrong in ({"durability": -1.0}, {"locality": -0.1}, {"jitter": 1.5}, {"centre": "corner"}):
        with pytest.raises(InputError):
            from_mapping(METHOD.params, wrong)


def test_unit_strength_is_one_on_every_link():
    assert bonded(whole_cells(shapes.box()), cube()).link.tolist() == [1.0] * 12
