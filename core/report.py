"""What was done, in numbers and plain words."""

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

Yielded = TypeVar("Yielded")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that had to be done to a mesh before it could be cut."""

    name: str  #: the permission of `repair.Repair` that it took, without its "allow_"; or "remesh"
    text: str  #: one sentence
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Report:
    """The account of one Shatter."""

    asked: int  #: pieces that the settings ask for
    pattern: int  #: pieces that the pattern has, if all of it breaks
    pieces: int  #: fragments that live at the end
    volume_before: float  #: [m^3] where the mesh as given has a winding number of 1/2 or more
    volume_in: float  #: [m^3] of the body that was cut
    volume_out: float  #: [m^3] of the fragments that live at the end
    closed_pieces: int
    quality: (
        str  #: how finely broken faces were made, see `config.surface.QUALITY`; "" where there are none, or flat ones
    )
    area_exact: float  #: share of the body's surface that lies exactly where the mesh has it
    area_new: float  #: share of the body's surface that was made: caps of holes, rims of sheets
    area_lost: float  #: share of the mesh's surface that is no longer there: dropped, doubled, or inside the body
    steps: tuple[Step, ...]  #: what was done to the mesh
    repaired: tuple[str, ...]  #: the sentences of the steps, and what the cutter had to do
    #: Why the pattern has another number of pieces than were asked for; into what a continuum method has divided it.
    counted: tuple[str, ...]
    warnings: tuple[str, ...]
    advice: tuple[str, ...]  #: what the artist could do to make it better
    seed: int
    seconds: dict[str, float]  #: wall-clock seconds of work in each stage


class Stopwatch:
    """Seconds of each named stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of a block to the stage `name`."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def timed(self, name: str, job: Generator[Yielded, None, Result]) -> Generator[Yielded, None, Result]:
        """The same job; its work counts as the stage `name`, what its driver does between two steps does not."""
        while True:
            with self.stage(name):
                try:
                    step = next(job)
                except StopIteration as stop:
                    return stop.value  # type: ignore[no-any-return]
            yield step


def differences(asked: int, pattern: int, split: int, crumbs: int) -> tuple[str, ...]:
    """Why a pattern has not as many pieces as were asked for: sentences, none where the numbers agree.

    split: cells beyond the first of each region; crumbs: cells that joined a neighbour. What these leave unexplained
    is the layout's: it grows whole rays, courses or clumps, and comes near to a number only.
    """
    if pattern == asked:
        return ()
    rest = pattern - asked - split + crumbs
    reasons = []
    if split:
        reasons.append(f"{split} more where the shape of the object parts a piece in two or more.")
    if crumbs:
        reasons.append(f"{crumbs} fewer: too thin, or mere scraps at the surface: they stay with their neighbours.")
    if rest:
        reasons.append(
            f"{abs(rest)} {'more' if rest > 0 else 'fewer'} because this layout comes only near to a number."
        )
    return (f"The pattern has {pattern} pieces for {asked} asked.", *reasons)
