"""How long a Shatter was expected to take and how long it took, for the next one that is expected."""

from dataclasses import dataclass, field

from ..core.diagram import ShatterDiagram
from ..core.expected import Expected, MachinePace
from ..core.results import Shattered

#: Stages of the report that are over, or as good as over, where a cut is looked at.
BEFORE = ("intake", "cut")


@dataclass(slots=True)
class _Known:
    pace: MachinePace = field(default_factory=MachinePace)
    diagram: ShatterDiagram | None = None  #: of which something was expected last
    seconds: float = 0.0  #: of what the report tells the time of


_known = _Known()


def foretell(diagram: ShatterDiagram, expected: Expected) -> float:
    """Seconds that a Shatter with this cut will take on this machine."""
    _known.diagram, _known.seconds = diagram, expected.moving
    return on_this_machine(expected.seconds)


def on_this_machine(seconds: float) -> float:
    """Seconds that work takes here which takes so many on the machine that was measured."""
    return _known.pace.factor * seconds


def learn(shattered: Shattered) -> None:
    """See how long it took, where that was foretold."""
    if shattered.diagram is not None and shattered.diagram is _known.diagram:
        took = sum(span for stage, span in shattered.report.seconds.items() if stage not in BEFORE)
        _known.pace.learn(took, _known.seconds)
        _known.diagram = None
