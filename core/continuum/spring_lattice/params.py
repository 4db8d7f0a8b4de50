"""What an artist chooses of a lattice of springs."""

from dataclasses import dataclass

from ...config.params import Choice, param

ALTERNATING, BOTH, SPACE = "single", "both", "space"
SPRINGS = (
    Choice(1, ALTERNATING, "One a Face", "A diagonal on each face of a cell: stiff all around, and the fastest"),
    Choice(2, BOTH, "Two a Face", "Both diagonals on each face: alike on both sides, and slower by a third"),
    Choice(3, SPACE, "Through the Cell", "Diagonals through each cell: it wobbles in ways that nothing resists"),
)
SYMPLECTIC, PAPER = "symplectic", "paper"
STEPS = (
    Choice(1, SYMPLECTIC, "Steady", "Energy does not drift"),
    Choice(
        2, PAPER, "As in the Paper", "Euler's steps: shorter ones, so that little damping keeps energy from growing"
    ),
)
TORN, WEAKEST_CELL = "torn", "weakest"
BREAKS = (
    Choice(1, TORN, "All Around", "All cells around a spring that tears break with it: wide cracks, and crumbs"),
    Choice(
        2, WEAKEST_CELL, "Weakest Cell", "Only the most stretched cell around a spring that tears breaks: thin cracks"
    ),
)
CALM, AT_ONCE, STAYS_SOFT = "calm", "once", "never"
RELEASES = (
    Choice(1, CALM, "When Calm", "Pieces go on as rigid bodies once they hardly swing any more"),
    Choice(
        2,
        AT_ONCE,
        "At Once",
        "Pieces go on as rigid bodies in the frame in which they break off; what is left of the whole, once it is calm",
    ),
    Choice(3, STAYS_SOFT, "Never", "Pieces stay soft"),
)
AS_CELLS, SMOOTH_BORDERS, ROUGH_BORDERS = "cells", "smooth", "rough"
BORDERS = (
    Choice(1, SMOOTH_BORDERS, "Smooth", "Broken outlines are smooth curves through the cells that broke"),
    Choice(2, AS_CELLS, "As Cells", "Broken faces are those of cells: stairs, which tell how fine they are"),
    Choice(
        3,
        ROUGH_BORDERS,
        "Rough",
        "Smooth outlines, and broken faces with bumps as Detail, Roughness and Bump Size say. Meshes added as "
        "lattices stay smooth",
    ),
)


@dataclass(frozen=True, slots=True)
class SpringLatticeParams:
    """How stiff, strong and finely divided a body of springs is."""

    # Defaults are those of presets/brittle/gelatine.toml where it has them, else by eye.
    youngs_modulus: float = param(
        0.05,
        "Modulus",
        "Young's modulus, how stiff it is: gelatine has 0.01 to 0.1, rubber 1 to 10, ceramics 50,000 and more",
        unit="MPa",
        limits=(1e-6, 1e6),
        soft=(0.001, 100000.0),
    )
    failure_strain: float = param(
        0.0,
        "Tears At",
        "Stretch at which springs tear, relative to their length; what is pressed does not tear. Never: it holds",
        unit="1",
        limits=(0.0, 100.0),
        soft=(0.0, 2.0),
        zero="Never",
        instead=0.5,
    )
    damping: float = param(
        0.08,
        "Damping",
        "How soon it stops swinging; 1 does not swing back at all",
        unit="1",
        limits=(0.0, 1.0),
        soft=(0.0, 0.5),
    )
    keeps_volume: float = param(
        1.0,
        "Keeps Volume",
        "How much it bulges where it is pressed, besides what springs do: rubber and jelly have 1 and more, cork 0",
        unit="1",
        limits=(0.0, 20.0),
        soft=(0.0, 4.0),
    )
    yield_strain: float = param(
        0.0,
        "Stays Bent At",
        "Stretch beyond which it stays as it was bent. Never: it springs back",
        unit="1",
        limits=(0.0, 10.0),
        soft=(0.0, 0.5),
        zero="Never",
        instead=0.05,
    )
    flow_time: float = param(
        0.0,
        "Flow Time",
        "How long it takes until most of what is bent too far stays so; 0 is at once",
        unit="s",
        limits=(0.0, 1000.0),
        soft=(0.0, 2.0),
    )
    model_size: float = param(
        0.0,
        "As Large As",
        "It moves as a thing of this size would, seen through a magnifying glass: large soft things do not lie flat. "
        "It Is: as large as it is",
        unit="m",
        limits=(0.0, 1e6),
        soft=(0.0, 10.0),
        zero="It Is",
        instead=0.2,
    )
    gravity_scale: float = param(
        1.0,
        "Gravity",
        "How strongly gravity pulls while it is soft, relative to the scene's; keyframed, it hiccups",
        unit="1",
        limits=(-100.0, 100.0),
        soft=(0.0, 5.0),
        over_time=True,
    )
    stiffness_scale: float = param(
        1.0,
        "Firmness",
        "How stiff it is at present, relative to its stiffness; keyframed down and up again, it sags and jumps",
        unit="1",
        limits=(1e-4, 10.0),
        soft=(0.01, 1.0),
        over_time=True,
    )
    steering: float = param(
        0.0,
        "Steering",
        "How fast it is led to its goal, which carries its weight meanwhile; 0 lets it fall. May be keyframed",
        unit="1/s",
        limits=(0.0, 1000.0),
        soft=(0.0, 20.0),
        over_time=True,
    )
    goal: tuple[float, float, float] = param(
        (0.0, 0.0, 0.0),
        "Goal",
        "Where its middle is led to, from where it begins, along the axes of the world",
        unit="m",
        limits=(-1e6, 1e6),
        soft=(-10.0, 10.0),
    )
    settles: float = param(
        0.0,
        "Settles Below",
        "Speed below which it is slowed, so that it comes to rest sooner. Never: it swings as long as it would",
        unit="m/s",
        limits=(0.0, 100.0),
        soft=(0.0, 1.0),
        zero="Never",
        instead=0.1,
    )
    nodes: int = param(
        0,
        "Nodes",
        "About how many nodes the springs join: more bend and break more finely, and take longer. Auto: some thousand",
        limits=(0, 1_000_000),
        soft=(0, 50_000),
        zero="Auto",
        instead=8000,
    )
    springs: str = param(ALTERNATING, "Diagonals", "Which springs stiffen a cell", choices=SPRINGS)
    breaks: str = param(WEAKEST_CELL, "Cracks", "What breaks where a spring tears", choices=BREAKS)
    variation: float = param(
        0.2,
        "Variation",
        "By how much the strength of springs differs at random, relative to the mean",
        unit="1",
        limits=(0.0, 0.99),
    )
    defects: float = param(
        0.0,
        "Flaws",
        "Part of the springs that are flawed, and bear a third",
        unit="1",
        limits=(0.0, 1.0),
        soft=(0.0, 0.1),
    )
    even_toughness: bool = param(
        False,
        "Alike at Any Fineness",
        "Finer springs bear more strain, so that a crack costs as much as in coarse ones",
    )
    borders: str = param(SMOOTH_BORDERS, "Outlines", "What broken outlines look like", choices=BORDERS)
    release: str = param(CALM, "Let Go", "When pieces become rigid bodies", choices=RELEASES)
    self_contact: bool = param(False, "Touches Itself", "Folds of one piece do not pass through each other")
    rigid_below: float = param(
        0.0,
        "Rigid Below",
        "It is rigid until something hits it faster than this: so long it falls, lies and follows its animation like a "
        "stone, which takes no time. Soft: it is soft from the start",
        unit="m/s",
        limits=(0.0, 1e4),
        soft=(0.0, 5.0),
        zero="Soft",
        instead=0.5,
    )
    most_substeps: int = param(
        3000,
        "Most Substeps",
        "Most steps that a frame may take: what needs more is made softer, and bears as much more strain that the same "
        "blows break it. As Needed: nothing is made softer",
        limits=(0, 1_000_000),
        soft=(0, 10_000),
        zero="As Needed",
        instead=3000,
    )
    steps: str = param(SYMPLECTIC, "Stepping", "How nodes are moved", choices=STEPS)
