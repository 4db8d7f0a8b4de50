"""Records that kernels, and Python without numba, read and write by name."""

import numba
import numpy as np
import pytest

from core.record_arrays import lengthened, record_type, take_records, zero_records

THING = record_type(count="i8", at=("f8", 3), near="f8")


def _move(things, k, far):
    thing = things[k]
    thing.count += 2
    thing.at[1] = far
    thing.near = 0.5 * thing.at[1]


@pytest.mark.parametrize("run", [numba.njit(_move), _move], ids=["compiled", "plain"])
def test_a_record_is_a_view_of_its_array(run):
    things = np.zeros(3, THING)
    run(things, 1, 6.0)
    assert things["count"].tolist() == [0, 2, 0]
    assert things["at"].tolist() == [[0, 0, 0], [0, 6, 0], [0, 0, 0]]
    assert things["near"].tolist() == [0, 3, 0]


@pytest.mark.parametrize("name", ["item", "size", "flat", "copy"])
def test_names_that_would_hide_a_field_without_numba_are_refused(name):
    with pytest.raises(ValueError, match=name):
        record_type(**{name: "i8"})


def test_taken_records_are_copies_with_fields():
    things = zero_records(THING, 3)
    things.count[:] = (1, 2, 3)
    taken = take_records(things, np.array([2, 0]))
    taken.count[0] = 9
    assert taken.count.tolist() == [9, 1]
    assert things.count.tolist() == [1, 2, 3]


@pytest.mark.parametrize("kind", [THING, np.dtype("f8")], ids=["records", "numbers"])
def test_a_longer_table_keeps_what_is_used(kind):
    table = np.arange(25, dtype=np.int64).view(kind).copy()
    longer = lengthened(table, 2, 50)
    assert len(longer) == 50
    assert longer[:2].tobytes() == table[:2].tobytes()
