"""Which nodes may touch: the same pairs as by looking at all of them, in an order that is always the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.continuum.spring_lattice.contact_pairs import contact_reach, find_contact_pairs
from core.continuum.spring_lattice.contacts import possible_pairs
from core.continuum.spring_lattice.state import LatticeLaws, LatticeState
from tests.spring_lattices import resting, slab, springs


def loose_pairs(count, rng, density=2.0):
    """Bonds of two nodes each, thrown into a box: (lattice, positions, labels)."""
    place = rng.uniform(0.0, (count / density) ** (1 / 3), (count // 2, 1, 3))
    position = (place + rng.uniform(-0.3, 0.3, (count // 2, 2, 3))).reshape(-1, 3)
    pairs = np.arange(2 * (count // 2)).reshape(-1, 2)
    return springs(position, pairs), position, np.repeat(np.arange(count // 2), 2)


def by_brute_force(lattice, position, label, margin, alone=True):
    """All pairs nearer than the sum of their radii and the margin."""
    distance = np.linalg.norm(position[:, None] - position[None], axis=2)
    near = distance < lattice.radius[:, None] + lattice.radius + margin
    near &= np.triu(np.ones(near.shape, bool), 1) & (lattice.radius[:, None] > 0) & (lattice.radius > 0)
    if alone:
        near &= label[:, None] != label
    else:
        near[lattice.bond_node[:, 0], lattice.bond_node[:, 1]] = False
    return {tuple(pair) for pair in np.argwhere(near).tolist()}


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 60), st.integers(0, 1 << 30), st.sampled_from([0.0, 0.2]), st.booleans(), st.floats(-1e6, 1e6))
def test_the_hash_finds_the_pairs_of_brute_force(count, seed, margin, alone, shift):
    lattice, position, label = loose_pairs(count, np.random.default_rng(seed))
    position = position + shift
    everyone = np.ones(len(position), np.bool_)
    found = find_contact_pairs(lattice, position, label, everyone, margin, alone)
    assert len({tuple(pair) for pair in found.tolist()}) == len(found)
    assert {tuple(pair) for pair in found.tolist()} == by_brute_force(lattice, position, label, margin, alone)
    np.testing.assert_array_equal(found, find_contact_pairs(lattice, position, label, everyone, margin, alone))


def test_candidates_grow_in_proportion_to_the_nodes():
    # NL: at one density a node has as many neighbours however many nodes there are, but for those at the border, whose
    # share falls as n^-1/3. What is compared is bounded by what cubes hold; this counts what is found.
    each = []
    for count in (2000, 4000, 8000, 16000):
        lattice, position, label = loose_pairs(count, np.random.default_rng(5))
        found = find_contact_pairs(lattice, position, label, np.ones(count, np.bool_), 0.1)
        each.append(len(found) / count)
    slope = np.polyfit(np.log([2000, 4000, 8000, 16000]), np.log(np.array(each) * [2000, 4000, 8000, 16000]), 1)[0]
    assert 1.0 < slope < 1.1


def test_nothing_in_a_lattice_at_rest_repels():
    # Every pair lies at its nearest neighbour's distance at least, whatever it is a pair of. 1e-15: round-off of h.
    lattice = slab((3, 3, 3), (1.0, 2.0, 3.0))
    n = len(lattice.mass)
    pair = np.stack(np.triu_indices(n, 1), axis=1)
    side = lattice.rest_position[pair[:, 1]] - lattice.rest_position[pair[:, 0]]
    assert (contact_reach(lattice, pair, lattice.rest_length) <= np.linalg.norm(side, axis=1) + 1e-15).all()


@pytest.mark.parametrize("self_contact", [False, True])
@pytest.mark.parametrize("parted", [False, True])
def test_no_pair_repels_twice(self_contact, parted):
    # A broken bond repels by itself while its ends are in one component, by the rule of components afterwards.
    lattice = slab((2, 1, 1))
    start = resting(lattice)
    broken = np.zeros(len(lattice.rest_length), np.bool_)
    broken[3] = True
    label = np.arange(len(lattice.mass)) if parted else start.label
    state = LatticeState(start.position, start.velocity, start.rest_length, broken, start.cell_broken, label)
    everyone = np.ones(len(lattice.mass), np.bool_)
    pair, reach = possible_pairs(lattice, state, LatticeLaws(self_contact=self_contact), everyone, 1.0)
    np.testing.assert_array_equal(reach, contact_reach(lattice, pair, state.rest_length))
    names = [tuple(row) for row in pair.tolist()]
    assert len(names) == len(set(names))
    assert tuple(lattice.bond_node[3].tolist()) in names
    assert parted or all(tuple(row) not in names for row in lattice.bond_node[~broken].tolist())
