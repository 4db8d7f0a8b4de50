"""Who came from whom: the fragments of all objects by number, in the order in which they came to be."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..types import Ints


@dataclass(slots=True)
class FragmentRecord:
    """One fragment: units of a model that hold together from its birth until its death."""

    obj: int
    model: int  #: of all models of the run
    units: Ints
    parent: int  #: number of the fragment that it broke from, -1 for the first ones
    whole: int  #: number of the first one that it comes from
    birth: int  #: stored frame
    seen: int  #: stored frame from which it is seen: its birth, or the one before it, see `FragmentBreak.form`
    generation: int  #: how many times what it comes from was cut anew
    death: int = -1  #: stored frame from which it no longer exists; -1 while it lives


class FragmentTree:
    """All fragments that there ever were."""

    def __init__(self) -> None:
        self._all: list[FragmentRecord] = []
        self._objects = np.zeros(0, np.int64)  # of the first ones, as far as somebody asked

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, number: int) -> FragmentRecord:
        return self._all[number]

    def first(self, obj: int, model: int, pieces: Sequence[Ints], frame: int = 0) -> Ints:
        """Enter the fragments with which an object begins at a stored frame; returns their numbers."""
        begin = len(self._all)
        self._all += [
            FragmentRecord(obj, model, units, -1, begin + k, frame, frame, 0) for k, units in enumerate(pieces)
        ]
        return np.arange(begin, len(self._all))

    def succeed(self, number: int, model: int, pieces: Sequence[Ints], frame: int, seen: int | None = None) -> Ints:
        """Let a fragment die and enter its pieces, `seen` from their birth on unless said; returns their numbers."""
        begin, old = len(self._all), self._all[number]
        old.death = frame
        generation = old.generation + int(model != old.model)
        first = frame if seen is None else seen
        self._all += [
            FragmentRecord(old.obj, model, units, number, old.whole, frame, first, generation) for units in pieces
        ]
        return np.arange(begin, len(self._all))

    def remains(self, number: int) -> None:
        """Let a fragment be the rest of what it comes from: its matter counts as cut no oftener."""
        record = self._all[number]
        if record.parent >= 0:
            record.generation = self._all[record.parent].generation

    def of_object(self, obj: int) -> list[int]:
        """The numbers of all fragments of an object, ascending."""
        return [int(number) for number in np.flatnonzero(self.objects() == obj)]

    def objects(self) -> Ints:
        """The object of each fragment that there ever was."""
        fresh = [record.obj for record in self._all[len(self._objects) :]]
        if fresh:
            self._objects = np.append(self._objects, np.array(fresh, np.int64))
        return self._objects
