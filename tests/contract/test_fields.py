"""What every kind of field promises, over the whole registry FIELDS."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.breaking import RULES
from core.config.material import Material
from core.config.params import check_params, declared
from core.errors import InputError
from core.pieces import PARTITIONS
from core.settings import Settings
from core.strength.choice import FieldChoice, check_fields, fields_from, tables_of
from core.strength.fields import FIELDS
from core.strength.fields.contract import DENSITY, PRESTRESS, STRENGTH
from tests.field_samples import bonds

KINDS = [method.id for method in FIELDS]
kind = pytest.mark.parametrize("kind", KINDS)
RNG = np.random.default_rng(5)
SAMPLE = bonds(
    RNG.uniform(-0.5, 0.5, (300, 3)),
    step=RNG.normal(0.0, 0.03, (300, 3)),
    area=RNG.exponential(1.0, 300),
    volume=RNG.exponential(1.0, 300),
    depth=RNG.uniform(0.0, 1.0, 300),
    painted={("group", ""): RNG.uniform(0.0, 1.0, 300)},
)


def values_within(item):
    """Any value of a declaration within its limits, its ends included."""
    low, high = item.param.limits
    if item.param.choices:
        return st.sampled_from([choice.id for choice in item.param.choices])
    if isinstance(item.default, bool):
        return st.booleans()
    if isinstance(item.default, str):
        return st.just("")
    if isinstance(item.default, int):
        return st.integers(low, high)
    number = st.one_of(st.floats(low, high, allow_nan=False), st.sampled_from([float(low), float(high)]))
    return st.tuples(number, number, number) if isinstance(item.default, tuple) else number


@st.composite
def choices(draw):
    method = FIELDS[draw(st.sampled_from(KINDS))]
    params = method.params(**{item.name: draw(values_within(item)) for item in declared(method.params)})
    return FieldChoice(method.id, params, draw(st.booleans()))


@kind
def test_every_value_has_limits_and_says_what_it_does(kind):
    for item in declared(FIELDS[kind].params):
        assert item.param.label and item.param.doc and not item.param.doc.endswith(".")
        if not isinstance(item.default, str | bool):
            assert None not in item.param.limits + item.param.soft, item.name
    assert FIELDS[kind].run.acts in (STRENGTH, DENSITY, PRESTRESS)


@given(choices())
def test_whatever_is_allowed_gives_finite_values(choice):
    check_params(choice.params)
    values = FIELDS[choice.kind].run.values(replace(SAMPLE, painted=_with(choice)), choice.params)
    assert values.shape == (300,) and values.dtype == np.float64 and np.isfinite(values).all()
    acts = FIELDS[choice.kind].run.acts
    if acts == STRENGTH:
        assert (values >= 0.0).all()
    if acts == DENSITY:
        assert (values > 0.0).all(), "matter has a mass"


def _with(choice):
    painted = SAMPLE.painted["group", ""]
    return {(source, ""): painted for source in ("group", "image", "attribute")} if choice.kind == "painted" else {}


@kind
def test_a_field_is_a_pure_function_of_each_place(kind):
    run, params = FIELDS[kind].run, FIELDS[kind].params()
    whole = run.values(SAMPLE, params)
    assert np.array_equal(whole, run.values(SAMPLE, params))
    some = np.array([7, 3, 250])
    picked = {
        name: getattr(SAMPLE, name)[some] for name in ("points", "ends", "normal", "area", "volume", "depth", "inward")
    }
    part = replace(SAMPLE, **picked, painted={key: values[some] for key, values in SAMPLE.painted.items()})
    np.testing.assert_allclose(run.values(part, params), whole[some], rtol=1e-13)
    none = np.zeros(0, np.int64)
    empty = {name: getattr(SAMPLE, name)[none] for name in picked}
    nothing = replace(SAMPLE, **empty, painted={key: values[none] for key, values in SAMPLE.painted.items()})
    assert run.values(nothing, params).shape == (0,)


@kind
def test_a_field_says_something_as_it_comes(kind):
    values = FIELDS[kind].run.values(SAMPLE, FIELDS[kind].params())
    assert np.ptp(values) > 0.1 * np.abs(values).max()


@kind
def test_random_fields_have_a_seed_of_their_own(kind):
    names = {item.name for item in declared(FIELDS[kind].params)}
    if "seed" not in names:
        assert kind not in ("noise", "turbulence", "veins", "nodes", "density")
        return
    run, params = FIELDS[kind].run, FIELDS[kind].params()
    assert not np.array_equal(run.values(SAMPLE, params), run.values(SAMPLE, replace(params, seed=1)))


@given(st.lists(choices(), max_size=4))
def test_plain_data_and_back_is_the_same_stack(stack):
    assert fields_from(tables_of(stack)) == tuple(stack)


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({"kind": "noise"}, ("list of tables",)),
        ([3], ("Field 1", "table")),
        ([{"low": 1.0}], ("Field 1", "no kind", "bands")),
        ([{"kind": "noise"}, {"kind": "magic"}], ("Field 2", '"magic"', "noise")),
        ([{"kind": ["noise"]}], ("Field 1",)),
        ([{"kind": "noise", "low": -1.0}], ("Field 1 (Noise), low", "at least 0.0")),
        ([{"kind": "noise", "low": float("nan")}], ("Field 1 (Noise), low", "finite")),
        ([{"kind": "noise", "low": "weak"}], ("Field 1 (Noise), low",)),
        ([{"kind": "bands", "axis": "w"}], ("Field 1 (Bands), axis", '"w"')),
        ([{"kind": "noise", "method": "x"}], ("Field 1 (Noise), method",)),
        ([{"kind": "noise", "on": 1}], ("Field 1 (Noise), on", "true or false")),
        ([{"kind": "painted", "name": 3}], ("Field 1 (Painted), name",)),
    ],
)
def test_wrong_data_is_refused_with_the_number_and_the_key(tables, words):
    with pytest.raises(InputError) as caught:
        fields_from(tables)
    for word in words:
        assert word in str(caught.value)


def settings(*fields) -> Settings:
    pieces, rule = PARTITIONS["voronoi"].params(), RULES["impact_factor"].params()
    return Settings(1, "voronoi", pieces, "impact_factor", rule, Material(), fields=fields)


def test_settings_hold_fields_against_their_declarations():
    noise, bands = (FieldChoice(name, FIELDS[name].params()) for name in ("noise", "bands"))
    settings(noise, bands).check()
    with pytest.raises(InputError, match=r"^Field 2 \(Noise\): Weakest is -1\.0; it must be at least 0\.0\.$"):
        settings(bands, replace(noise, params=replace(noise.params, low=-1.0))).check()
    with pytest.raises(InputError, match=r"^Field 1: There is no field"):
        settings(replace(noise, kind="magic")).check()
    with pytest.raises(InputError, match=r"^Field 1 \(Bands\) has the settings of another kind"):
        check_fields([replace(noise, kind="bands")])
