"""When an object breaks that moves by itself: the values that an artist chooses for it."""

from dataclasses import dataclass

from .params import Choice, param

SPEED, IMPULSE = "speed", "impulse"
AUTO, CRACKS, ANEW = "auto", "cracks", "anew"

#: Most that the strength of an impact can be. Chosen: beyond all use, and far from overflow.
STRONGEST = 1e9

MEASURES = (
    Choice(1, SPEED, "Speed", "How fast two things close in on each other: the same for small and large objects"),
    Choice(2, IMPULSE, "Impulse", "Mass times change of velocity, as in the paper: heavy things break more"),
)

AGAIN = (
    Choice(1, AUTO, "Auto", "Patterns that spread from a hit are laid anew around each; others break along old cracks"),
    Choice(2, CRACKS, "Old Cracks", "Pieces come apart along the cracks of the first pattern only"),
    Choice(3, ANEW, "New Cracks", "Each piece that is hit hard enough gets a pattern of its own"),
)


@dataclass(frozen=True, slots=True)
class Breakable:
    """What it takes to break an object, and its pieces, by what they run into."""

    # Defaults are by eye; a fall of half a metre makes 3 m/s.
    breaks: bool = param(
        False, "Breaks on Contact", "Stay whole until something hits hard enough, then break around that point"
    )
    measure: str = param(SPEED, "Measure", "What is compared with the threshold", choices=MEASURES)
    speed: float = param(
        3.0,
        "Threshold",
        "Change of relative speed in a contact from which on it breaks; a fall of half a metre makes 3 m/s",
        unit="m/s",
        limits=(0.0, 1e4),
        soft=(0.1, 50.0),
        needs=("measure", (SPEED,)),
    )
    impulse: float = param(
        10.0,
        "Threshold",
        "Impulse of a contact in one frame from which on it breaks",
        unit="N s",
        limits=(0.0, 1e9),
        soft=(0.01, 1000.0),
        needs=("measure", (IMPULSE,)),
    )
    strength: float = param(
        0.1,
        "Force",
        "Force of a blow just at the threshold, as that of an impact: 0.1 breaks what is around it, 1 most of the "
        "object. Harder blows are stronger in proportion",
        unit="1",
        limits=(0.0, 1e6),
        soft=(0.0, 10.0),
    )
    radius: float = param(
        0.0,
        "Radius",
        "Reach of a blow; Auto takes a tenth of the size of what is hit",
        zero="Auto",
        instead=lambda size: 0.1 * size,
        unit="m",
        limits=(0.0, 1e6),
        soft=(0.0, 10.0),
    )
    lightest: float = param(
        0.001,
        "Least Mass",
        "What is lighter than this share of the mass that it hits counts less, so that crumbs break no wall",
        unit="1",
        limits=(0.0, 1.0),
    )
    generations: int = param(
        2,
        "Generations",
        "How many times in a row matter may be cut anew: 1 for the object alone, 2 for its pieces as well. "
        "What is still anchored is no piece",
        limits=(1, 20),
        soft=(1, 5),
    )
    smallest: float = param(
        0.005,
        "Smallest",
        "Pieces below this share of the object's volume break no further. Each that breaks is cut anew, so close to 0 "
        "it takes long",
        unit="1",
        limits=(0.0, 1.0),
        soft=(0.0, 0.1),
    )
    cooldown: float = param(
        0.1, "Cooldown", "Time for which a new piece cannot break", unit="s", limits=(0.0, 1e3), soft=(0.0, 1.0)
    )
    again: str = param(AUTO, "Pieces Break", "Along which cracks pieces break again", choices=AGAIN)
    stands: bool = param(
        False,
        "Stands Fast",
        "What touches the ground is anchored there until it breaks off; what has lost its support falls",
    )

    @property
    def limit(self) -> float:
        """The threshold [m/s or N s]."""
        return self.speed if self.measure == SPEED else self.impulse
