"""Errors whose messages are written for artists: what is wrong, and what to do about it."""

from collections.abc import Iterable


class BrittleError(Exception):
    """Base of every error that an artist may see; its text is one clear sentence or two."""


class InputError(BrittleError):
    """The mesh, impact or setting that was given cannot be used as it is."""


class MeshError(InputError):
    """The mesh cannot be used as it is, because of certain triangles of it."""

    def __init__(self, sentence: str, rows: Iterable[int] = ()) -> None:
        super().__init__(sentence)
        self.rows = tuple(int(row) for row in rows)  #: of the Mesh's triangle table; empty where none stands out


class CutError(BrittleError):
    """The cutter's self-checks failed for every retry: nothing is returned rather than a wrong cut."""


class Cancelled(BrittleError):
    """The artist stopped the work; nothing was changed."""
