"""Random settings within their limits: a few always, five hundred by `make fuzz`."""

import pytest

from tests.fuzz_settings.case import OK, run_case
from tests.series import replay

CASES, CHUNKS = 24, 3


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_any_settings_end_well_or_in_a_sentence(chunk):
    found = [run_case(0, number) for number in range(chunk, CASES, CHUNKS)]
    bad = [f"{o.kind} {o.text}\n{replay('fuzz_settings', o.seed, o.number)}" for o in found if o.is_bad()]
    assert not bad, "\n".join(bad)
    assert any(o.kind == OK for o in found), "or nothing is tested"
