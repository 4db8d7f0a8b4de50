"""Random scenes in which something breaks: forty always, ten thousand by `make fuzz`."""

import pytest

from tests.fuzz_scenes.case import OK, run_case
from tests.series import replay

CASES, CHUNKS = 40, 4


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_nothing_changes_but_what_breaks(chunk):
    found = [run_case(0, number) for number in range(chunk, CASES, CHUNKS)]
    bad = [f"{o.kind} {o.text}\n{replay('fuzz_scenes', o.seed, o.number)}" for o in found if o.is_bad()]
    assert not bad, "\n".join(bad)
    assert sum(o.kind == OK for o in found) > 0.6 * len(found), "or nothing is tested"
