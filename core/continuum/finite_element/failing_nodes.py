"""Which nodes fail now, the worst first.

Reference: O'Brien, Hodgins 1999, section 4.2 (a node fails where v+ is above the toughness). The paper gives no order:
here it is that of v+ over what the node bears, and of nodes that are alike the one with the lower number comes first.
"""

from dataclasses import dataclass, field

import numpy as np

from ...arithmetic.draws import normal as normal_numbers
from ...types import Floats, Frozen, Ints
from .cut_mesh import CutMesh
from .separation_tensor import rate_nodes, split_stresses

STREAM = 911  #: of the random direction


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
    """The nodes whose rating is above `most`, where they are now and as they move."""
    split_stresses(mesh.rows, mesh.element_count)
    rating, normal = rate(mesh, np.arange(mesh.node_count), law)
    failing = np.flatnonzero(rating > most)
    order = failing[np.argsort(-rating[failing], kind="stable")]
    return FailingNodes(order, rating[order], normal[order])


def rate(mesh: CutMesh, node: Ints, law: FailureLaw) -> tuple[Floats, Floats]:
    """Ratings (k,) of some nodes and their normals (k,3), by the stresses that were found last."""
    rating, normal = np.zeros(len(node)), np.zeros((len(node), 3))
    rate_nodes(mesh.rows, node, law.by_stress, law.direction, rating, normal)
    return rating, normal
