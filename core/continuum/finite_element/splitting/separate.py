"""All nodes that fail in a step are split, the worst first."""

from dataclasses import dataclass

import numpy as np

from ....types import Floats, Ints
from ..cut_mesh import CutMesh
from ..failing_nodes import FailingNodes, FailureLaw, rate
from .split_node import NodeSplit, SplitOutcome, split_node
from .workspace import SplittingRules


@dataclass(slots=True)
class Separation:
    """What was done to the failing nodes of a step, or of many."""

    splits: int = 0
    along_faces: int = 0  #: of them, those without a cut, which would have left too small elements
    whole: int = 0  #: nodes with all elements on one side of their plane
    waiting: int = 0  #: nodes at elements that were cut in the same step
    lost_energy: float = 0.0  #: kinetic [J]

    def note(self, split: NodeSplit) -> None:
        """Count one node."""
        self.splits += split.outcome in (SplitOutcome.SPLIT, SplitOutcome.ALONG_FACES)
        self.along_faces += split.outcome == SplitOutcome.ALONG_FACES
        self.whole += split.outcome == SplitOutcome.WHOLE
        self.lost_energy += split.lost_energy


def split_failing_nodes(
    mesh: CutMesh, failing: FailingNodes, law: FailureLaw, rules: SplittingRules, done: Separation | None = None
) -> Separation:
    """Split each failing node, and what it became again, up to `rules.planes` times while it fails.

    Forces on nodes of elements that were cut in this step are not those of the mesh as it is: they wait for the next
    one, unless `rules.touched_too`; then they are rated anew. Counts are added to `done`.
    """
    done = Separation() if done is None else done
    touched = mesh.rows.nodes.touched
    touched[:] = False
    for node, normal in zip(failing.node.tolist(), failing.normal, strict=True):
        if not mesh.rows.nodes.touched[node]:
            _split_along_planes(mesh, node, normal, law, rules, done)
        elif rules.touched_too:
            again = _worst(mesh, np.array([node]), law)
            if again is not None:
                _split_along_planes(mesh, *again, law, rules, done)
        else:
            done.waiting += 1
    return done


def _split_along_planes(
    mesh: CutMesh, node: int, normal: Floats, law: FailureLaw, rules: SplittingRules, done: Separation
) -> None:
    for plane in range(rules.planes):
        split = split_node(mesh, node, normal, rules)
        done.note(split)
        if split.outcome == SplitOutcome.WHOLE or plane == rules.planes - 1:
            return
        copies = np.arange(split.first_copy, split.first_copy + split.node_copies)
        worst = _worst(mesh, np.append(copies, node), law)
        if worst is None:
            return
        node, normal = worst


def _worst(mesh: CutMesh, node: Ints, law: FailureLaw) -> tuple[int, Floats] | None:
    """The node that fails most of some, with its normal, if any does."""
    rating, normal = rate(mesh, np.sort(node), law)
    worst = int(rating.argmax())
    return (int(np.sort(node)[worst]), normal[worst]) if rating[worst] > 1.0 else None
