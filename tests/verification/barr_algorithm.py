"""Barr's Algorithms 1 and 2 as loops over cells: the oracle of the vectorised rule.

Two mistakes of the paper are put right: cells are joined across a link that does *not* crack (the printed test says
the opposite of section 5.5), and visited cells are skipped. It is iterative, because recursion dies near H = 1000.
"""

import numpy as np

from core.types import Units


def algorithm_1(units: Units, impact, U, L, members, printed=False) -> list[frozenset[int]]:
    """Barr's SHATTER-FRAGMENT with an iterative EXTRACT-SUBFRAGMENT; `printed` takes its inequality as it stands."""
    inside = set(members)
    neighbours: dict[int, list[int]] = {s: [] for s in members}
    for a, b in units.links.tolist():
        if a in inside and b in inside:  # neighbours in other fragments are pruned first
            neighbours[a].append(b)
            neighbours[b].append(a)
    X = {
        s: impact.strength / ((np.linalg.norm(units.site[s] - impact.point) / impact.radius) ** L + 1) for s in members
    }
    visited: set[int] = set()
    fragments = []
    for s0 in members:
        if s0 in visited:
            continue
        visited.add(s0)
        fragment, stack = set(), [s0]
        while stack:
            s = stack.pop()
            fragment.add(s)
            for n in neighbours[s]:
                cracked = abs(X[s] - X[n]) > U
                if n not in visited and cracked == printed:
                    visited.add(n)
                    stack.append(n)
        fragments.append(frozenset(fragment))
    return fragments
