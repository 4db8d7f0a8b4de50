"""Islands: bodies that touched each other, directly or through others, in one frame."""

from ..jit import njit
from ..types import Bools, Ints
from .contact import Rows
from .moving import Moving


def mark(rows: Rows, carried: Bools, moving: Moving) -> None:
    """Unite the islands of bodies whose contacts `carried` (R,) an impulse, and mark those that touch the world."""
    unite(rows.body, carried, moving.root, moving.touched, moving.grounded)


@njit
def find(root: Ints, k: int) -> int:
    """The representative of the island of body k."""
    while root[k] != k:
        root[k] = root[root[k]]
        k = root[k]
    return k


@njit
def unite(body: Ints, carried: Bools, root: Ints, touched: Bools, grounded: Bools) -> None:
    """Union-find over rows with an impulse; the smaller body number represents an island."""
    for r in range(len(body)):
        if not carried[r]:
            continue
        a, b = body[r, 0], body[r, 1]
        touched[a] = True
        if b < 0:
            grounded[a] = True
            continue
        touched[b] = True
        a, b = find(root, a), find(root, b)
        root[max(a, b)] = min(a, b)
