"""What is known of pairs of nodes, for a moment: edges that are cut, faces around a node."""

from typing import NamedTuple

from ....jit import device_no_refs
from ....types import Ints

#: Columns of the rows: the node with the lower number, the other one, the next row with the same lower one, a value.
LOW, HIGH, NEXT, VALUE = range(4)


class PairTable(NamedTuple):
    """Pairs in lists by their lower nodes: around one node these have a few entries each."""

    first: Ints  # (N,) row of each node, or -1
    row: Ints  # (P,4)
    used: Ints  # (1,) rows


@device_no_refs
def find_pair(table: PairTable, a: int, b: int) -> int:
    """The row of a pair of nodes in either order, or -1."""
    low, high = min(a, b), max(a, b)
    row = int(table.first[low])
    while row >= 0 and table.row[row, HIGH] != high:
        row = table.row[row, NEXT]
    return row


@device_no_refs
def add_pair(table: PairTable, a: int, b: int, value: int) -> int:
    """A new row for a pair of nodes that has none."""
    low, high, row = min(a, b), max(a, b), int(table.used[0])
    table.row[row, LOW], table.row[row, HIGH], table.row[row, VALUE] = low, high, value
    table.row[row, NEXT] = table.first[low]
    table.first[low] = row
    table.used[0] = row + 1
    return row


@device_no_refs
def clear_pairs(table: PairTable) -> None:
    """Forget all pairs."""
    for row in range(table.used[0]):
        table.first[table.row[row, LOW]] = -1
    table.used[0] = 0
