"""Random scenes in which something breaks: forty always, ten thousand by `make fuzz`."""

import pytest

from tests.fuzz_scenes.case import BAD, OK, run_case

CASES, CHUNKS = 40, 4


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_nothing_changes_but_what_breaks(chunk):
    found = [run_case(0, number) for number in range(chunk, CASES, CHUNKS)]
    bad = [f"{o.kind} {o.text}\n{o.replay()}" for o in found if o.kind in BAD]
    assert not bad, "\n".join(bad)
    assert sum(o.kind == OK for o in found) > 0.6 * len(found), "or nothing is tested"
