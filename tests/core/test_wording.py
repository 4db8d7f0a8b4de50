"""Numbers in sentences, and the sentences that advise a number, at the edge of what numbers can be."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import wording
from core.config.breakable import IMPULSE, SPEED, STRONGEST, Breakable
from core.config.params import advised, declared
from core.config.repair import Repair
from core.config.surface import Surface
from core.pipeline import unbroken
from core.simulation.contact_fracture import advise_on_own_weight

#: All numbers there are, those that are none as well.
ANY = st.floats()
#: Sizes, shares and loads: no sign.
SIZE = st.floats(min_value=0.0)
EXTREME = (0.0, 5e-324, 1e-300, 1e-12, 0.04999, 0.99999, 1.0, 999.9, 1e5, 1e12, 1e300, math.inf, math.nan)

NUMBER = r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?(?:e-?\d+)?"


def value_of(text):
    """The first number that a sentence tells."""
    return float(re.search(NUMBER, text).group().replace(",", ""))


def is_plain(text):
    """Nothing in it that only programmers write."""
    return not re.search(r"\binf\b|\bnan\b|e\+|e-?0|-0\b(?!\.)|None|\{|\}", text)


@pytest.mark.parametrize("seconds", EXTREME)
def test_durations_are_written_as_people_say_them(seconds):
    assert is_plain(wording.duration(seconds))


@given(st.floats(5.0, 1e6))
def test_a_duration_is_right_to_five_seconds_a_minute_or_an_hour(seconds):
    said = wording.duration(seconds)
    unit = {"s": 1.0, "min": 60.0, "h": 3600.0}[said.split()[1]]
    told = value_of(said) * unit
    # Half of what it is rounded to; numbers have three digits.
    assert abs(told - seconds) <= max(2.5 if unit == 1.0 else 0.5 * unit, 0.005 * told) * (1.0 + 1e-12)
    assert unit == 1.0 or seconds >= 95.0, "seconds up to a hundred"


@given(ANY, st.integers(1, 6))
def test_a_number_is_written_as_people_write_it_and_to_its_digits(value, digits):
    said = wording.number(value, digits)
    assert is_plain(said)
    if abs(value) < 1e308:
        # Half a unit in the last of the digits, and what decimal to binary rounds.
        assert value_of(said) == pytest.approx(value, rel=0.5000001 * 10.0 ** (1 - digits), abs=0.0)


@given(SIZE, st.integers(1, 6))
def test_advised_numbers_are_enough(value, digits):
    if math.isfinite(value) and value < 1e300:
        said = value_of(wording.at_least(value, digits))
        assert value <= said <= value * (1.0 + 10.0 ** (1 - digits)) * (1.0 + 1e-15)


@pytest.mark.parametrize(
    ("value", "said"),
    [(12345.0, "12,300"), (0.00001234, "0.0000123"), (1e-9, "1e-9"), (2.5e13, "2.5e13"), (-3.0, "-3"), (100.0, "100")],
)
def test_numbers_read(value, said):
    assert wording.number(value) == said


@pytest.mark.parametrize(
    ("metres", "said"),
    [(0.062, "62 mm"), (0.3, "0.3 m"), (1.2e6, "1,200 km"), (4e-6, "4 µm"), (9e3, "9,000 m"), (0.0, "0 m")],
)
def test_lengths_read(metres, said):
    assert wording.length(metres) == said


@pytest.mark.parametrize("value", EXTREME)
@pytest.mark.parametrize("write", [wording.number, wording.percent, wording.length, lambda x: wording.length(-x)])
def test_no_number_spoils_a_sentence(write, value):
    assert is_plain(write(value))


@pytest.mark.parametrize("strength", (0.0, 1e-30, 0.3, 1.0, STRONGEST))
@pytest.mark.parametrize("utilisation", (0.0, 5e-324, 1e-12, 0.5, 0.999999, 1.0))
@pytest.mark.parametrize("units", (1, 2, 10_000))
def test_a_strength_that_is_advised_is_above_the_one_that_was_and_below_the_limit(strength, utilisation, units):
    said = unbroken(strength, utilisation, units)
    assert said.startswith("Nothing broke") and is_plain(said) and said.endswith(".")
    if "about" in said:
        # What cracks is load > limit, and the load is in proportion to the strength.
        assert 0.0 < strength < value_of(said) * (1.0 + 1e-12) or utilisation == 1.0
        assert value_of(said) * utilisation >= strength * (1.0 - 1e-12)
        assert value_of(said) <= 1.1 * STRONGEST


@pytest.mark.parametrize("felt", EXTREME)
@pytest.mark.parametrize("measure", (SPEED, IMPULSE))
def test_a_threshold_that_is_advised_can_be_set(measure, felt):
    said = advise_on_own_weight(measure, felt)
    assert is_plain(said)
    limit = next(field.param.limits[1] for field in declared(Breakable) if field.name == measure)
    if "threshold of" in said:
        assert 0.0 < felt < value_of(said) <= limit or felt < 0.01
    else:
        assert not 1.05 * felt <= limit


@pytest.mark.parametrize("value", EXTREME)
@pytest.mark.parametrize("kind", (Surface, Repair))
def test_no_setting_is_advised_beyond_its_limit(kind, value):
    high = next(field.param.limits[1] for field in declared(kind) if field.name == "resolution")
    said = advised(kind, "resolution", value)
    assert (said == "") == (not value <= high)
    assert said == "" or (is_plain(said) and value <= value_of(said) <= 1.1 * high)
