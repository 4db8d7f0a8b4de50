"""What an artist chooses of a body of elements."""

from dataclasses import dataclass

from ...config.params import Choice, param

WHEN_CALM, STAYS_ELASTIC = "calm", "never"
_RELEASES = (
    Choice(1, WHEN_CALM, "When Calm", "Pieces go on as rigid bodies once they hardly swing any more"),
    Choice(2, STAYS_ELASTIC, "Never", "Everything stays elastic"),
)
STEADY_STEPS, PAPER_STEPS, SECOND_ORDER_STEPS = "symplectic", "forward", "taylor"
_STEPS = (
    Choice(1, STEADY_STEPS, "Steady", "Symplectic Euler: energy does not drift"),
    Choice(2, PAPER_STEPS, "As in the Paper", "Forward Euler: gains energy unless damped"),
    Choice(3, SECOND_ORDER_STEPS, "To the Second Order", "As the paper's, with the acceleration in the way"),
)


@dataclass(frozen=True, slots=True)
class FiniteElementParams:
    """How stiff, damped and finely divided a body of elements is."""

    # Defaults are those of presets/brittle/standard_glass_elements.toml where it has them, else by eye.
    youngs_modulus: float = param(
        70000.0,
        "Modulus",
        "Young's modulus, how stiff it is: glass has 70,000, ceramics up to 300,000, plaster 2,000, wood 10,000",
        unit="MPa",
        limits=(1e-4, 1e7),
        soft=(0.1, 300000.0),
    )
    poisson_ratio: float = param(
        0.22,
        "Poisson's Ratio",
        "How much it becomes thinner where it is pulled: cork 0, glass and ceramics 0.2, metals 0.3, rubber nearly 0.5",
        unit="1",
        limits=(-0.9, 0.49),
        soft=(0.0, 0.45),
    )
    damping: float = param(
        0.02,
        "Damping",
        "How soon it stops ringing, as a part of what stops it at once",
        unit="1",
        limits=(0.0, 1.0),
        soft=(0.0, 0.2),
    )
    variation: float = param(
        0.1,
        "Variation",
        "By how much its strength differs from place to place at random, relative to the mean",
        unit="1",
        limits=(0.0, 0.99),
    )
    elements: int = param(
        0,
        "Elements",
        "About how many elements it is divided into: more crack more finely, and take longer. Auto: some thousand",
        limits=(0, 1_000_000),
        soft=(0, 50_000),
        zero="Auto",
        instead=5000,
    )
    rigid_below: float = param(
        1.0,
        "Rigid Below",
        "Speed of contacts that leave it rigid, which saves nearly all of the time. 0: it is elastic from the start",
        unit="m/s",
        limits=(0.0, 1000.0),
        soft=(0.0, 10.0),
    )
    release: str = param(WHEN_CALM, "Let Go", "When pieces become rigid bodies", choices=_RELEASES)
    planes: int = param(
        1, "Cracks at a Node", "Most cracks that begin at one place at once", limits=(1, 8), soft=(1, 4)
    )
    most_substeps: int = param(
        3000,
        "Most Substeps",
        "Most steps that a frame may take: what needs more is made softer, and bears as much less stress that the same "
        "blows break it. As Needed: nothing is made softer",
        limits=(0, 1_000_000),
        soft=(0, 10_000),
        zero="As Needed",
        instead=3000,
    )
    steps: str = param(STEADY_STEPS, "Stepping", "How nodes are moved", choices=_STEPS)
