"""Which nodes may touch: by cubes in a hash table, in an order that only positions and numbers of nodes decide.

Each cube is compared with itself and with 13 of its neighbours, so that every pair is seen once; cubes that hold nodes
of one component only are skipped where that is the same (Norton et al. 1991, "Collision").
"""

import numpy as np

from ...jit import device_no_refs, njit_no_refs
from ...types import Bools, Floats, Ints
from .lattice import SpringLattice
from .substeps import ShortInts

_EMPTY = -1  #: a free place of the table
_MIXED = -1  #: the tag of a cube with nodes of several components
#: (14,3) a cube itself, and those of its neighbours that come after it.
_AHEAD = np.array([(i, j, k) for i in (0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1) if (i, j, k) >= (0, 0, 0)])
_FIRST_PAIRS = 256  #: pairs for which there is room at first


def contact_reach(lattice: SpringLattice, pair: Ints, rest_length: Floats, bond: Ints | None = None) -> Floats:
    """How near the nodes of pairs (p,2) come before they repel each other (p,) [m].

    The sum of their radii, but no more than the distance at which either had its nearest neighbour, nor than the length
    at rest of a bond between the two: nothing that lies at rest repels, so a bond that breaks sets nothing free
    (docs/papers/norton1991.md, 4.2). `bond` (p,) is that between the two, -1 where there is none; else it is found.
    """
    first, second = lattice.radius[pair].T
    reach = 2.0 * np.minimum(first, second)  # never more than the sum
    if bond is None:
        bond = np.empty(len(pair), dtype=np.int64)
        find_bonds(lattice.half_start, lattice.half_bond, pair, bond)
    return np.where(bond >= 0, np.minimum(reach, rest_length[bond]), reach)


def find_contact_pairs(
    lattice: SpringLattice, position: Floats, label: Ints, within: Bools, margin: float, alone: bool = True
) -> Ints:
    """Pairs (p,2) of nodes closer than the sum of their radii and a margin [m], the lower one first, sorted by cubes.

    Of the nodes `within` (n,), those of different components; without `alone` those of one component as well, unless a
    bond joined them from the start.
    """
    node = np.flatnonzero(within & (lattice.radius > 0.0))
    if len(node) < 2 or (alone and (label[node] == label[node[0]]).all()):
        return np.zeros((0, 2), dtype=np.int64)
    edge = 2.0 * float(lattice.radius[node].max()) + margin
    place = position[node]
    cube = np.floor((place - place.min(axis=0)) / edge).astype(np.int64)
    start, member, corner, table = _fill_cubes(cube)
    node = node[member]  # those of a cube lie side by side
    tag = np.empty(len(start) - 1, dtype=np.int64)
    pair = np.empty((_FIRST_PAIRS + 4 * len(node), 2), dtype=np.int64)
    given = (start, corner, table, tag)
    own = (node, label[node], position[node], lattice.radius[node])
    count = collect_pairs(given, own, (lattice.half_start, lattice.half_bond), _AHEAD, margin, alone, pair)
    if count > len(pair):
        pair = np.empty((count, 2), dtype=np.int64)
        collect_pairs(given, own, (lattice.half_start, lattice.half_bond), _AHEAD, margin, alone, pair)
    return pair[:count]


def _fill_cubes(cube: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Points of each cube: bounds (q+1,), points (m,), corners of cubes (q,3), and the hash table of them."""
    table = np.full(1 << (2 * len(cube)).bit_length(), _EMPTY, dtype=np.int64)
    corner, home = np.empty_like(cube), np.empty(len(cube), dtype=np.int64)
    count = hash_cubes(cube, table, corner, home)
    start = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(home, minlength=count), out=start[1:])
    member = np.empty(len(cube), dtype=np.int64)
    sort_into_cubes(home, start[:-1].copy(), member)
    return start, member, corner[:count], table


@device_no_refs
def _slot(table: Ints, corner: Ints, x: int, y: int, z: int) -> int:
    """Where a cube stands in the hash table, or where it would."""
    mask = len(table) - 1
    slot = (x * 73856093 ^ y * 19349663 ^ z * 83492791) & mask
    while table[slot] != _EMPTY:
        q = table[slot]
        if corner[q, 0] == x and corner[q, 1] == y and corner[q, 2] == z:
            break
        slot = (slot + 1) & mask
    return slot


@njit_no_refs
def hash_cubes(cube: Ints, table: Ints, corner: Ints, home: Ints) -> int:
    """Number the cubes of points (m,3) in the order of their first points; returns how many there are."""
    count = 0
    for i in range(len(cube)):
        slot = _slot(table, corner, cube[i, 0], cube[i, 1], cube[i, 2])
        if table[slot] == _EMPTY:
            table[slot] = count
            corner[count, 0], corner[count, 1], corner[count, 2] = cube[i, 0], cube[i, 1], cube[i, 2]
            count += 1
        home[i] = table[slot]
    return count


@njit_no_refs
def sort_into_cubes(home: Ints, end: Ints, member: Ints) -> None:
    """Points of each cube side by side, ascending; `end` begins as their starts."""
    for i in range(len(home)):
        member[end[home[i]]] = i
        end[home[i]] += 1


@njit_no_refs
def collect_pairs(
    cubes: tuple[Ints, Ints, Ints, Ints],
    points: tuple[Ints, Ints, Floats, Floats],
    bonds: tuple[Ints, ShortInts],
    ahead: Ints,
    margin: float,
    alone: bool,
    pair: Ints,
) -> int:
    """Fill `pair` as far as there is room, and return how many pairs there are."""
    start, corner, table, tag = cubes
    node, label, place, radius = points
    _tag_cubes(start, label, tag)
    count = 0
    for q in range(len(tag)):
        for step in range(len(ahead)):
            other = table[
                _slot(table, corner, corner[q, 0] + ahead[step, 0], corner[q, 1] + ahead[step, 1],
                      corner[q, 2] + ahead[step, 2])
            ]  # fmt: skip
            if other == _EMPTY or (alone and tag[q] != _MIXED and tag[q] == tag[other]):
                continue
            for a in range(start[q], start[q + 1]):
                for b in range(a + 1 if other == q else start[other], start[other + 1]):
                    same = label[a] == label[b]
                    if (same and alone) or not _is_near(place, radius, a, b, margin):
                        continue
                    low, high = min(node[a], node[b]), max(node[a], node[b])
                    if same and _bond_between(bonds[0], bonds[1], low, high) >= 0:
                        continue
                    if count < len(pair):
                        pair[count, 0], pair[count, 1] = low, high
                    count += 1
    return count


@njit_no_refs
def find_bonds(half_start: Ints, half_bond: ShortInts, pair: Ints, bond: Ints) -> None:
    """The bond (p,) between the nodes of each pair (p,2); -1 where there is none."""
    for k in range(len(pair)):
        bond[k] = _bond_between(half_start, half_bond, pair[k, 0], pair[k, 1])


@device_no_refs
def _bond_between(half_start: Ints, half_bond: ShortInts, a: int, b: int) -> int:
    for h in range(half_start[a], half_start[a + 1]):
        if half_bond[h, 0] == b:
            return int(half_bond[h, 1])
    return -1


@device_no_refs
def _tag_cubes(start: Ints, label: Ints, tag: Ints) -> None:
    """The component of the nodes of each cube, if it is one."""
    for q in range(len(tag)):
        tag[q] = label[start[q]]
        for s in range(start[q] + 1, start[q + 1]):
            if label[s] != tag[q]:
                tag[q] = _MIXED


@device_no_refs
def _is_near(place: Floats, radius: Floats, a: int, b: int, margin: float) -> bool:
    dx, dy, dz = place[b, 0] - place[a, 0], place[b, 1] - place[a, 1], place[b, 2] - place[a, 2]
    reach = radius[a] + radius[b] + margin
    return bool(dx * dx + dy * dy + dz * dz < reach * reach)
