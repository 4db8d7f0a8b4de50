"""Contacts that may act until nodes have gone a certain way: planes in the way of nodes, and pairs of nodes."""

import math
from dataclasses import dataclass

import numpy as np

from ...arithmetic.products import dot, norm, sum_rows
from ...record_arrays import Records, plain_view, zero_records
from ...types import Bools, Floats, Ints
from ..contract import Surroundings
from .breaking import exposed_nodes
from .contact_pairs import contact_reach, find_contact_pairs
from .lattice import SpringLattice, bond_lengths
from .state import ContactLaw, LatticeLaws, LatticeState
from .substeps import NODE_PAIR, NodePairs

_SHARE_OF_WAY = 0.9  # to the nearest surface, of what is far from all: looked for again before it is there


@dataclass(frozen=True, eq=False, slots=True)
class ContactWindow:
    """What the kernel of substeps needs of contacts, see `substeps`."""

    surfaces: tuple[Ints, Floats]  #: nodes (s,), planes (s,11)
    pairs: NodePairs
    surface_speed: float  #: of the fastest [m/s]
    mean_velocity: Floats  #: (3,) of the whole [m/s]
    most_way: float  #: that nodes and surfaces may go together until it ends [m]
    most_way_aside: float  #: that nodes may go beside the whole [m]


def open_contact_window(
    lattice: SpringLattice, state: LatticeState, laws: LatticeLaws, around: Surroundings, share: float
) -> ContactWindow:
    """The contacts that may act soon after a share 0..1 of the frame."""
    margin = contact_margin(lattice)
    exposed = exposed_nodes(lattice, state.cell_broken)
    node, plane, speed, way = near_planes(lattice, state, laws.surface, around, share, exposed, margin)
    pair, reach = possible_pairs(lattice, state, laws, exposed, margin)
    mean = sum_rows(lattice.mass, state.velocity) / lattice.mass.sum()
    # A single component touches nothing but what is broken in it, or itself where that is asked for.
    lonely = not (laws.self_contact or state.broken.any() or state.label.any())
    aside = math.inf if lonely else 0.5 * margin
    pairs = NodePairs(pair, _pair_contacts(lattice, laws, pair, reach))
    return ContactWindow((node, plane), pairs, speed, mean, way, aside)


def contact_margin(lattice: SpringLattice) -> float:
    """How much farther than they reach contacts are looked for [m]: the radius of the largest node."""
    return float(lattice.radius.max(initial=0.0))


def near_planes(
    lattice: SpringLattice, state: LatticeState, law: ContactLaw, around: Surroundings, share: float, exposed: Bools,
    margin: float,
) -> tuple[Ints, Floats, float, float]:  # fmt: skip
    """Nodes (s,) that surfaces may reach, these as planes (s,11), see `plane_contacts`, and for how long.

    That is the speed of the fastest surface [m/s], as one that is far away may come near sooner than nodes go anywhere,
    and the way that nodes and surfaces may go together [m].
    """
    node = np.flatnonzero(exposed)
    found = around.find_nearest(np.ascontiguousarray(state.position[node]), share)
    there, near = np.isfinite(found.distance), found.distance < margin
    speed = float(norm(found.velocity[there]).max(initial=0.0))
    way = 0.5 * margin if near.any() else _SHARE_OF_WAY * float(found.distance.min(initial=math.inf))
    node, normal, velocity = node[near], found.normal[near], found.velocity[near]
    offset = dot(normal, state.position[node]) - found.distance[near]
    stiffness, damping = surface_springs(lattice, law)
    law_rows = [stiffness[node], damping[node], np.full(len(node), law.friction), lattice.mass[node]]
    return node, np.column_stack([normal, offset, velocity, *law_rows]), speed, way


def surface_springs(lattice: SpringLattice, law: ContactLaw) -> tuple[Floats, Floats]:
    """Stiffness [N/m] and damping [N s/m] (n,) with which surfaces push nodes; infinite and 0 for hard ones."""
    if math.isinf(law.stiffness):
        return np.full(len(lattice.mass), math.inf), np.zeros(len(lattice.mass))
    stiffness = law.stiffness * lattice.contact_stiffness
    return stiffness, 2.0 * law.damping_ratio * np.sqrt(stiffness * lattice.mass)


def possible_pairs(
    lattice: SpringLattice, state: LatticeState, laws: LatticeLaws, exposed: Bools, margin: float
) -> tuple[Ints, Floats]:
    """Pairs (p,2) of nodes that may repel each other, and how near they come before they do (p,) [m].

    These are nodes of different components, and the ends of a broken bond while they are in one component: never both.
    """
    found = find_contact_pairs(lattice, state.position, state.label, exposed, margin, not laws.self_contact)
    first, second = lattice.bond_node.T
    own = np.flatnonzero(state.broken & (state.label[first] == state.label[second]))
    ends = lattice.bond_node[own]
    reach = contact_reach(lattice, ends, state.rest_length, own)
    near = bond_lengths(state.position, ends) < reach + margin
    pair = np.ascontiguousarray(np.concatenate([found, ends[near]]))
    return pair, np.concatenate([contact_reach(lattice, found, state.rest_length), reach[near]])


def pair_stiffness(lattice: SpringLattice, laws: LatticeLaws, pair: Ints) -> Floats:
    """Stiffness (p,) with which the nodes of pairs push each other: that of the softer one [N/m]."""
    first, second = lattice.contact_stiffness[pair].T
    return np.asarray(laws.nodes.stiffness * laws.stiffness_scale * np.minimum(first, second))


def _pair_contacts(lattice: SpringLattice, laws: LatticeLaws, pair: Ints, reach: Floats) -> Records:
    """How the nodes of pairs (p,) push each other, as NODE_PAIR."""
    stiffness = pair_stiffness(lattice, laws, pair)
    first, second = lattice.mass[pair].T
    mass = first * second / (first + second)
    damping = 2.0 * laws.nodes.damping_ratio * np.sqrt(stiffness * mass)
    contact = plain_view(zero_records(NODE_PAIR, len(pair)))
    contact["reach"] = reach
    contact["law"] = np.column_stack([stiffness, damping, np.full(len(pair), laws.nodes.friction), mass])
    return contact
