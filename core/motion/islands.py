"""Islands: bodies that touched each other, directly or through others, in one frame."""

from ..jit import inner
from ..types import Bools, Ints
from .contact import Rows
from .moving import Moving


@inner
def find(root: Ints, k: int) -> int:
    """The representative of the island of body k."""
    while root[k] != k:
        root[k] = root[root[k]]
        k = root[k]
    return k


@inner
def mark(rows: Rows, carried: Bools, moving: Moving) -> None:
    """Unite the islands of bodies whose contacts `carried` (R,) an impulse, and mark those that touch the world.

    The smallest body number represents an island.
    """
    for r in range(len(rows.body)):
        if not carried[r]:
            continue
        a, b = rows.body[r, 0], rows.body[r, 1]
        moving.touched[a] = True
        if b < 0:
            moving.grounded[a] = True
            continue
        moving.touched[b] = True
        a, b = find(moving.root, a), find(moving.root, b)
        moving.root[max(a, b)] = min(a, b)
