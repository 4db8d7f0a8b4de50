"""One object as several continua: pieces that have become rigid are divided anew when something hits them again."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ..continuum.contract import ContinuumPiece, ContinuumRun, DrawnPieces, ReleasedPiece, Surroundings
from ..stepwise import map_steps, overall_share
from ..types import Floats
from ..wording import count
from .turned_run import TurnedRun


class ChainedRuns:
    """The `continuum.contract.ContinuumRun` of several; its pieces are numbered in the order in which they are seen."""

    def __init__(self, first: ContinuumRun) -> None:
        self._runs: list[ContinuumRun] = [first]
        self._parents = [(-1, 0)]  # piece that each run goes on with, and the stored frame at which it begins
        self._own: list[tuple[int, int]] = []  # run of each piece, and its number there
        self._number: dict[tuple[int, int], int] = {}
        self._pieces: list[ContinuumPiece] = []

    def add(self, run: TurnedRun, parent: int) -> None:
        """Go on with a piece, by number, as a further continuum."""
        self._runs.append(run)
        self._parents.append((parent, run.begin.frame))

    @property
    def pieces(self) -> Sequence[ContinuumPiece]:
        """All that there ever were."""
        for number, run in enumerate(self._runs):
            known = sum(own == number for own, _ in self._own)
            for local, one in enumerate(run.pieces[known:], start=known):
                parent, birth = self._parents[number]
                if one.parent >= 0:
                    parent, birth = self._number[number, one.parent], one.birth
                self._number[number, local] = len(self._pieces)
                self._own.append((number, local))
                self._pieces.append(replace(one, parent=parent, birth=birth))
        return self._pieces

    @property
    def notes(self) -> Sequence[str]:
        """For the report: those of the whole, and how many pieces were divided anew."""
        again = count(len(self._runs) - 1, "piece")
        told = f"{again} that had become rigid bent again, as something hit them; outlines are those of cells."
        return (*self._runs[0].notes, told)

    def advance(self, frame: int, around: Surroundings) -> Generator[float, None, tuple[ReleasedPiece, ...]]:
        """Go on to a stored frame."""
        left: list[ReleasedPiece] = []
        for number in range(len(self._runs)):
            steps = self._advance(number, frame, around)
            left += yield from map_steps(steps, partial(overall_share, number, len(self._runs)))
        return tuple(left)

    def advance_last(self, frame: int, around: Surroundings) -> Generator[float, None, tuple[ReleasedPiece, ...]]:
        """Let the one that was added last go on to a stored frame."""
        return (yield from self._advance(len(self._runs) - 1, frame, around))

    def deform(self, piece: int, points: Floats, frame: int) -> Floats:
        """Where points (n,3) of a piece are at a stored frame, from that on at which its continuum began."""
        number, local = self._own[piece]
        return self._runs[number].deform(local, points, frame)

    def energy(self) -> Floats:
        """(2,) kinetic energy, and that of place and strain [J]."""
        return np.asarray(sum((run.energy() for run in self._runs), np.zeros(2)))

    def is_calm(self) -> bool:
        """Whether nothing will change any more by itself."""
        return all(run.is_calm() for run in self._runs)

    def draw(self) -> DrawnPieces | None:
        """As their cells are: what broke on was divided anew along these, and matter would not be there just once."""
        return None

    def _advance(
        self, number: int, frame: int, around: Surroundings
    ) -> Generator[float, None, tuple[ReleasedPiece, ...]]:
        left = yield from self._runs[number].advance(frame, around)
        assert len(self.pieces)  # they are numbered now
        return tuple(replace(one, piece=self._number[number, one.piece]) for one in left)
