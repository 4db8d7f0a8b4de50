"""What was wrong with a mesh and what was done, step by step, in plain words and in numbers."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..config.params import declared
from ..config.repair import Repair
from ..errors import MeshError
from ..report import Step
from ..types import Body
from ..wording import count

LABELS = {field.name.removeprefix("allow_"): field.param.label for field in declared(Repair)}


@dataclass(frozen=True, eq=False, slots=True)
class RepairResult:
    """A body that can be cut, and the account of how it came to be."""

    body: Body
    steps: tuple[Step, ...]
    volume_before: float  #: [m^3] where the mesh as given has a winding number of 1/2 or more
    volume_after: float  #: [m^3] of the body
    exact: float  #: share of the body's area that lies in its source triangle
    new: float  #: share of the body's area that is made: caps and rims
    lost: float  #: share of the mesh's area that is no longer there: dropped, doubled, or inside the body
    advice: tuple[str, ...]  #: what would make it better, one sentence each
    warnings: tuple[str, ...] = ()  #: what has become of much of the volume or of the surface

    @property
    def repaired(self) -> tuple[str, ...]:
        """The sentences of the steps."""
        return tuple(step.text for step in self.steps)


#: The area of all sheets [m^2] -> how thick they have to be at least [m].
SheetThickness: TypeAlias = Callable[[float], float]


class Log:
    """Collects the steps for one mesh; a step that is not allowed becomes a refusal."""

    def __init__(
        self, name: str, repair: Repair, thin: bool = False, sheet_thickness: SheetThickness | None = None
    ) -> None:
        self.name = name
        self.repair = repair
        self.thin = thin  #: the material makes walls of open meshes
        self.sheet_thickness = sheet_thickness  #: what sheets need at least where nobody says how thick they are
        self.steps: list[Step] = []
        self.advice: list[str] = []

    @property
    def open(self) -> Literal["auto", "close", "thicken"]:
        """What becomes of open meshes, as the artist has chosen it or as the material wants it."""
        return "thicken" if self.thin and self.repair.open == "auto" else self.repair.open

    def did(
        self,
        step: str,
        text: str,
        problem: str,
        remedy: str,
        rows: Iterable[int] | Callable[[], Iterable[int]] = (),
        **counts: int,
    ) -> None:
        """Note a step that was needed.

        text: what was done, a sentence. problem, remedy: as in '"Vase" <problem>: allow <label>, or <remedy>.', which
        is raised as MeshError with `rows` (or what they return) where the artist has forbidden the step.
        """
        if not getattr(self.repair, f"allow_{step}", True):
            raise self.refusal(
                f"{problem}: allow {LABELS[step]} under Mesh, or {remedy}.", rows() if callable(rows) else rows
            )
        self.steps.append(Step(step, text, {name: int(count) for name, count in counts.items()}))

    def turned(self, number: int, rows: Iterable[int], text: str = "") -> None:
        """Note that a number of faces faced the wrong way; `text` where "5 faces turned." would not say enough."""
        faces = count(number, "face")
        self.did(
            "turn",
            text or f"{faces} turned.",
            f"has {faces} turned the wrong way",
            "use Mesh > Normals > Recalculate Outside",
            rows,
            turned=number,
        )

    def branch(self) -> "Log":
        """A log that goes on from here, for a way that is only tried."""
        tried = Log(self.name, self.repair, self.thin, self.sheet_thickness)
        tried.steps, tried.advice = [*self.steps], [*self.advice]
        return tried

    def follow(self, tried: "Log") -> None:
        """The way that was tried is taken."""
        self.steps, self.advice = tried.steps, tried.advice

    def refusal(self, sentence: str, rows: Iterable[int] = ()) -> MeshError:
        """The error '"<name>" <sentence>'."""
        return MeshError(f'"{self.name}" {sentence}', rows)
