"""What an artist chooses of the lattice, and what follows of it for an impact."""

from dataclasses import dataclass

import numpy as np

from ...config.params import Axes, Choice, param
from ...types import Ints
from .crack import CrackOptions
from .grains import Joints, pairs_of_equal
from .growth import CURVE, GROWTHS, growth_of
from .schedule import steps_of

WELDED, BRACED, DUAL = "welded", "braced", "dual"
WORST, _ALL = "worst", "all"
#: What is overloaded by at least this share of the worst breaks with it, where the worst comes first. By eye, with a
#: bowl that has to shatter where it is dropped; 0.8, as in our look study, was tried before.
_SHARE = 0.5
#: How far a crack is thought to change the forces: so many ties, over those that a grain has. See `crack.CrackOptions`.
#: By eye: 20 and 40 were tried; with more it takes more solutions, with less more breaks at once.
_NEAR = 32.0
#: Force of a placed impact of strength 1 over that which first cracks the bare material. By eye:
#: docs/papers/smith2001.md, 4.16; the paper has no numbers.
NOMINAL = 16.0
#: Milliseconds in a second.
MS = 1e3

LATTICES = (
    Choice(1, WELDED, "Welded", "Faces hold all over, against tension, shear and bending: for pieces of every kind"),
    Choice(2, BRACED, "Braced", "Bars between pieces that share a face or an edge: for tetrahedra"),
    Choice(3, DUAL, "As in the Paper", "Bars through the faces alone: fast and loose, cracks stay near the hit"),
)
_PIECE, CELL = "piece", "cell"
_BODIES = (
    Choice(1, _PIECE, "Pieces", "Each piece is one body: fast"),
    Choice(2, CELL, "Cells", "Each of the small cells that many layouts make large pieces of: slower, finer cracks"),
)
ORDERS = (
    Choice(1, WORST, "Worst First", "What is overloaded most breaks, then the forces are found anew: few, long cracks"),
    Choice(2, _ALL, "All at Once", "All that is overloaded breaks together, as in the paper: quick, more crumbs"),
)
STIFFNESSES = (
    Choice(1, "area", "By Area", "Large faces take more of the force, as in real matter"),
    Choice(2, "even", "Even", "All faces take the same share, as in the paper"),
)
RELATIVE = "relative"
FORCES = (
    Choice(1, RELATIVE, "Relative", "A force of 1 is sixteen times what first cracks the bare material, at every size"),
    Choice(2, "speed", "By Speed", "As the speed of the hit makes it within Duration, as that of contacts"),
)
ADJOINING = (
    Choice(1, "edge", "Shared Edge", "A crack weakens the faces that share an edge with it"),
    Choice(2, "piece", "Same Pieces", "A crack weakens the other faces of the two pieces that it parts"),
)


@dataclass(frozen=True, slots=True)
class ConstraintLatticeParams:
    """How the forces are found, what breaks first, and how cracks grow. The material has the strength."""

    # Defaults: 8 is the paper's (S9), 20 steps lie within its 10 to 50 (S11). All others are by eye.
    growth: str = param("moderate", "Crack Growth", "How much a crack weakens what lies beside it", choices=GROWTHS)
    growth_curve: str = param(
        "0 0.001, 45 1, 90 0.001",
        "Growth Curve",
        'How strong a place stays beside a crack, by the angle between the two: points "degrees factor"',
        needs=("growth", (CURVE,)),
        curve=Axes("Angle between the cracks, 0° to 90°", "Strength that stays, as a factor", (0.0, 90.0)),
    )
    force: str = param("relative", "Load", "How hard impacts hit that you place", choices=FORCES)
    width: float = param(
        2.0,
        "Load Width",
        "How far the force of a hit spreads, in radii of the hit: 1 is the contact alone, more is what is dropped and "
        "stopped all over",
        unit="1",
        limits=(0.1, 100.0),
        soft=(0.5, 10.0),
    )
    duration: float = param(
        0.1,
        "Duration",
        "How long the hit takes: the shorter, the larger the force of the same blow",
        unit="ms",
        limits=(1e-4, 1e4),
        soft=(0.05, 10.0),
    )
    schedule: str = param(
        "0 0, 0.5 1, 1 0",
        "Schedule",
        'How the force rises and falls in the course of the hit: points "time force"',
        curve=Axes("Time, of the whole hit", "Force, of its peak"),
    )
    steps: int = param(
        20, "Steps", "In how many steps the force grows: more changes little", limits=(1, 500), soft=(10, 50)
    )
    order: str = param("worst", "Order", "What breaks first", choices=ORDERS)
    settle: bool = param(True, "Settle", "Find the forces anew within a step until nothing breaks any more")
    compression: float = param(
        8.0,
        "Under Pressure",
        "How many times stronger the matter is under pressure than under tension",
        unit="1",
        limits=(1.0, 1e6),
        soft=(1.0, 20.0),
    )
    bodies: str = param("piece", "Bodies", "What the forces act between", choices=_BODIES)
    vote: float = param(
        0.5,
        "Interface Vote",
        "Share of the face between two pieces that has to fail for them to part; what fails of others heals. 1 is all "
        "of it",
        unit="1",
        limits=(0.01, 1.0),
        needs=("bodies", (CELL,)),
    )
    lattice: str = param("welded", "Lattice", "What holds the pieces together", choices=LATTICES)
    stiffness: str = param("area", "Stiffness", "How neighbouring faces share a force", choices=STIFFNESSES)
    adjoining: str = param("edge", "Weakens", "What lies beside a crack", choices=ADJOINING)
    dust: float = param(
        0.0,
        "Dust",
        "Single pieces below this share of the object's volume are left out when they come off; the report says how "
        "much that is. Kept leaves nothing out",
        zero="Kept",
        instead=0.0005,
        unit="1",
        limits=(0.0, 0.1),
        soft=(0.0, 0.001),
    )
    tolerance: float = param(
        1e-3,
        "Tolerance",
        "Accuracy of the forces: 0.01 for a preview, 0.001 for the result",
        unit="1",
        limits=(1e-10, 0.1),
        soft=(1e-4, 1e-2),
    )
    most_solutions: int = param(
        1000,
        "Most Solutions",
        "After finding the forces so often cracks stop, and the report says so",
        limits=(1, 100_000),
        soft=(50, 2000),
    )


def crack_options(params: ConstraintLatticeParams, joints: Joints, strength: float = 0.0) -> CrackOptions:
    """How an impact runs; `strength` is that of placed impacts, 0 for contacts.

    Raises InputError for a schedule or curve that cannot be read.
    """
    steps = steps_of(params.schedule, params.steps)
    beside = 2.0 * len(joints.pair) / max(len(np.unique(joints.pair)), 1)
    return CrackOptions(
        steps=steps,
        dt=params.duration / MS / len(steps),
        growth=growth_of(params.growth, params.growth_curve),
        compression=params.compression,
        worst_share=_SHARE if params.order == WORST else 0.0,
        near=max(1, round(_NEAR / max(beside, 1.0))),
        settle=params.settle,
        relative=NOMINAL * strength if params.force == RELATIVE else 0.0,
        vote=params.vote,
        adjoining=_beside_pieces(joints) if params.adjoining == "piece" else None,
        tolerance=params.tolerance,
        most_solutions=params.most_solutions,
    )


def _beside_pieces(joints: Joints) -> Ints:
    """(n,2) pairs of joints that have a grain in common."""
    joint = np.repeat(np.arange(len(joints.pair)), 2)
    return pairs_of_equal(joints.pair.ravel(), joint, len(joints.pair))
