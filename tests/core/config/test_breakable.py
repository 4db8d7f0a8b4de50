"""The artist's values for things that break on contact."""

from dataclasses import replace

import pytest

from core.config.breakable import IMPULSE, SPEED, Breakable
from core.config.params import check_params, declared
from core.errors import InputError


def test_the_limit_is_that_of_the_measure():
    chosen = Breakable(speed=4.0, impulse=70.0)
    assert replace(chosen, measure=SPEED).limit == 4.0
    assert replace(chosen, measure=IMPULSE).limit == 70.0


def test_nothing_breaks_unless_it_is_asked_to():
    assert not Breakable().breaks


def test_the_defaults_pass_their_own_declarations():
    check_params(Breakable())
    assert {field.name for field in declared(Breakable)} == set(Breakable.__dataclass_fields__)


@pytest.mark.parametrize(
    "wrong", [{"speed": -1.0}, {"generations": 0}, {"smallest": 1.5}, {"measure": "force"}, {"cooldown": float("nan")}]
)
def test_values_that_make_no_sense_are_refused(wrong):
    with pytest.raises(InputError):
        check_params(Breakable(**wrong))
