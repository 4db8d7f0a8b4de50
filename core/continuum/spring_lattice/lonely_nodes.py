"""Nodes without springs: what they weigh and carry goes to the matter around them.

A node that lost its last spring stands for an eighth of each of the broken cells around it. Shards among these share
its mass and momentum; where there are none, it is caught by the corners of the cells that carry the broken ones. Both
momenta are kept to round-off: the velocities of all nodes that hang on what catches it are changed as by a blow on a
rigid body.
"""

from typing import NamedTuple

import numpy as np

from ...arithmetic.products import multiply, outer
from ...arithmetic.small_matrices import pseudo_inverse_symmetric
from ...geometry.mesh import cross_rows
from ...geometry.sums import summed
from ...types import Bools, Floats, Ints
from .lattice import sums_at
from .parting import SHARD


class Shares(NamedTuple):
    """Which lonely nodes go where: k shares."""

    node: Ints  #: (k,)
    cell: Ints  #: (k,) row of the cell that gets it
    share: Floats  #: (k,) of the node; those of each node sum to 1


def share_nodes(lonely: Bools, corner: Ints, carrier: Ints, volume: Floats) -> Shares:
    """Divide lonely nodes (n,) among the broken cells around them by their volumes (m,), shards first.

    corner: (m,8) nodes of the hexahedron of each broken cell; carrier: (m,) of each, see `parting`.
    """
    cell, k = np.nonzero(lonely[corner])
    node, shard = corner[cell, k], carrier[cell] == SHARD
    has_shard = np.zeros(len(lonely), np.bool_)
    has_shard[node[shard]] = True
    counted = shard | ~has_shard[node]
    node, cell = node[counted], cell[counted]
    around = sums_at(node, volume[cell], len(lonely))
    return Shares(node, cell, volume[cell] / around[node])


class NodeMotion(NamedTuple):
    """Masses, places and velocities of nodes."""

    mass: Floats  #: (n,) [kg]
    position: Floats  #: (n,3) [m]
    velocity: Floats  #: (n,3) [m/s]


def catch_nodes(nodes: NodeMotion, shares: Shares, catcher: Ints, label: Ints, turning: Floats) -> NodeMotion:
    """The nodes after some have been caught: catcher (k,8) nodes get equal parts of each share.

    label: (n,) component of each node; lonely ones have none other in theirs. Those that are caught keep nothing.
    turning: (L,3) angular momentum that components get besides [kg m^2/s].
    """
    if len(shares.node) == 0 and not turning.any():
        return nodes
    count = int(label.max()) + 1
    caught = shares.share * nodes.mass[shares.node]
    p = caught[:, None] * nodes.velocity[shares.node]
    target = label[catcher[:, 0]]
    mass = nodes.mass.copy()
    mass[shares.node] = 0.0
    before = _momenta(mass, nodes, label, count)
    mass = mass + sums_at(catcher.ravel(), np.repeat(caught / 8.0, 8), len(mass))
    arrived = summed(cross_rows(nodes.position[shares.node], p), target, count) + turning
    wanted = before + np.concatenate([summed(p, target, count), arrived], axis=1)
    hit = turning.any(axis=1)
    hit[target] = True
    missing = wanted - _momenta(mass, nodes, label, count)
    velocity = nodes.velocity.copy()
    velocity[shares.node] = 0.0
    member = hit[label] & (mass > 0.0)
    velocity[member] += _as_rigid(mass, nodes.position, label, missing)[member]
    return NodeMotion(mass, nodes.position, velocity)


def _momenta(mass: Floats, nodes: NodeMotion, label: Ints, count: int) -> Floats:
    """(L,6) momentum and angular momentum about the origin of each component."""
    p = mass[:, None] * nodes.velocity
    return summed(np.concatenate([p, cross_rows(nodes.position, p)], axis=1), label, count)


def _as_rigid(mass: Floats, position: Floats, label: Ints, given: Floats) -> Floats:
    """(n,3) change of velocity of each node where components, as rigid bodies, get momenta (L,6)."""
    count = len(given)
    total = sums_at(label, mass, count)
    safe = np.where(total > 0.0, total, 1.0)
    centre = summed(mass[:, None] * position, label, count) / safe[:, None]
    arm = position - centre[label]
    spread = summed((mass[:, None, None] * outer(arm, arm)).reshape(-1, 9), label, count).reshape(-1, 3, 3)
    inertia = np.trace(spread, axis1=1, axis2=2)[:, None, None] * np.eye(3) - spread
    turning = given[:, 3:] - cross_rows(centre, given[:, :3])
    spin = np.zeros((count, 3))
    for k in np.flatnonzero(given.any(axis=1)):
        spin[k] = multiply(pseudo_inverse_symmetric(inertia[k]), turning[k, :, None])[:, 0]
    return np.asarray((given[:, :3] / safe[:, None])[label] + cross_rows(spin[label], arm))
