"""Which nodes fail now, the worst first.

Reference: O'Brien, Hodgins 1999, section 4.2 (a node fails where v+ is above the toughness). The paper gives no order:
here it is that of v+ over what the node bears, and of nodes that are alike the one with the lower number comes first.
"""

from dataclasses import dataclass, field

import numpy as np

from ...arithmetic.draws import normal as normal_numbers
from ...types import Floats, Frozen, Ints
from .cut_mesh import CutMesh
from .separation_tensor import rate_nodes, screen_nodes, split_stresses

STREAM = 911  #: of the random direction

#: Part of the stress that a node bears which some element at it must have. Measured: v+/A_n was 1.4 times the largest
#: among some 10,000 nodes of boxes under noise, waves and while they flew apart, and 0.7 times that at 99 of 100.
SCREEN = 0.5


def drawn_direction(seed: int) -> Floats:
    """A unit vector (3,) in any direction, which decides where all directions are alike."""
    drawn = normal_numbers(np.random.default_rng([seed, STREAM]), 3)
    square = drawn[0] * drawn[0] + drawn[1] * drawn[1] + drawn[2] * drawn[2]
    return np.asarray(drawn / np.sqrt(square))


@dataclass(frozen=True, eq=False, slots=True)
class FailureLaw(Frozen):
    """How nodes are held against their toughness."""

    by_stress: bool = True  #: toughness is a stress [Pa], the same for all meshes; else a force [N], as in the paper
    direction: Floats = field(default_factory=lambda: drawn_direction(0))  #: (3,) see `drawn_direction`


@dataclass(frozen=True, eq=False, slots=True)
class FailingNodes(Frozen):
    """Nodes that fail, the worst first."""

    node: Ints  #: (k,)
    rating: Floats  #: (k,) v+ over what each bears, above 1 [1]
    normal: Floats  #: (k,3) unit, across the plane along which each fails, in the world


def find_failing_nodes(mesh: CutMesh, law: FailureLaw, most: float = 1.0) -> FailingNodes:
    """The nodes whose rating is above `most`, where they are now and as they move.

    By stress, only nodes are rated at which some element has `SCREEN` of the stress that they bear.
    """
    node = _stressed_nodes(mesh, SCREEN * most) if law.by_stress and most > 0.0 else np.arange(mesh.node_count)
    near = np.zeros(mesh.node_count, np.bool_)
    near[node] = True
    split_stresses(mesh.rows, np.flatnonzero(near[mesh.element_node].any(axis=1)))
    rating, normal = rate(mesh, node, law)
    failing = np.flatnonzero(rating > most)
    order = failing[np.argsort(-rating[failing], kind="stable")]
    return FailingNodes(node[order], rating[order], normal[order])


def _stressed_nodes(mesh: CutMesh, share: float) -> Ints:
    """The nodes (k,), ascending, at which some element has a share of the stress that they bear."""
    peak, toughness = np.zeros(mesh.node_count), np.full(mesh.node_count, np.inf)
    screen_nodes(mesh.rows, peak, toughness)
    return np.flatnonzero(peak >= share * toughness)


def rate(mesh: CutMesh, node: Ints, law: FailureLaw) -> tuple[Floats, Floats]:
    """Ratings (k,) of some nodes and their normals (k,3), by the stresses that were split last at them."""
    rating, normal = np.zeros(len(node)), np.zeros((len(node), 3))
    rate_nodes(mesh.rows, node, law.by_stress, law.direction, rating, normal)
    return rating, normal
