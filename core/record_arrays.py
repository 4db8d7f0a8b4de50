"""Arrays of records: all that a kernel needs of one thing lies side by side in memory, under names.

In a kernel a record is `bodies[k]`, a field of it `bodies[k].mass`, or an array that can be read and written; a field
of all records is `bodies["mass"]`. Without numba the same code runs on numpy's records. What a kernel counts goes into
an array of one record.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: An array of records; numpy cannot type its fields.
Records: TypeAlias = Any
#: One record of such an array.
Record: TypeAlias = Any


def record_type(**fields: Any) -> np.dtype[Any]:
    """The type of a record with these fields, each a kind, or a kind and a shape: `("f8", 3)`.

    Raises ValueError for a name that numpy's own records have.
    """
    taken = [name for name in fields if hasattr(np.void, name)]
    if taken:
        raise ValueError(f"numpy's records have attributes of the names {taken}")
    kinds = [(name, *kind) if isinstance(kind, tuple) else (name, kind) for name, kind in fields.items()]
    return np.dtype((np.record, kinds))


class RecordArray(np.ndarray[Any, Any]):
    """An array with fields as attributes, as `np.recarray`, which looks for a field at each access to any attribute.

    numba asks an array of a class of its own for one that is none whenever a kernel is called, see `plain_view`.
    """

    def __getattr__(self, name: str) -> NDArray[Any]:
        """A field; called for names that no array has."""
        if name not in (self.dtype.names or ()):
            raise AttributeError(name)
        return super().__getitem__(name).view(np.ndarray)

    def __setattr__(self, name: str, value: Any) -> None:
        """Fill a field."""
        if name in (self.dtype.names or ()):
            self[name] = value
        else:
            super().__setattr__(name, value)


def zero_records(kind: np.dtype[Any], count: int) -> Records:
    """Zeroed records."""
    return np.zeros(count, kind).view(RecordArray)


def plain_view(records: Records) -> Records:
    """The records as a plain array without attributes: what kernels that are called often take the fastest."""
    return records.view(np.ndarray)


def read_only_view(records: Records) -> Records:
    """A read-only view: every kernel then compiles for one kind of array only."""
    view = records.view(RecordArray)
    view.setflags(write=False)
    return view


def take_records(records: Records, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Records:
    """A copy of some of the records. Copied as numbers, which numpy does ten times faster than field by field."""
    numbers = as_words(records)[rows]
    return numbers.view(records.dtype).reshape(len(numbers)).view(RecordArray)


def as_words(records: Records) -> NDArray[np.int64]:
    """The records as rows of 8-byte words, without a copy."""
    return np.ascontiguousarray(records).view(np.int64).reshape(len(records), records.dtype.itemsize // 8)


def join_records(several: list[Records]) -> Records:
    """All records, in order; those of a single array as they are. Copied as numbers, as in `take_records`."""
    if len(several) == 1:
        return several[0]
    numbers = np.concatenate([as_words(some) for some in several])
    return numbers.view(several[0].dtype).reshape(len(numbers)).view(RecordArray)


def lengthened(table: NDArray[Any], used: int, length: int) -> NDArray[Any]:
    """A table with the first `used` rows of another and room for `length`; records are copied as bytes, as they are."""
    longer, kept = np.empty((length, *table.shape[1:]), table.dtype), table[:used]
    if table.dtype.names:
        longer[:used].view(np.uint8)[:] = kept.view(np.uint8)
    else:
        longer[:used] = kept
    return longer
