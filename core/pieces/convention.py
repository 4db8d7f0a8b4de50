"""What all kinds of pieces agree on, and settings that mean the same in several of them."""

from typing import Any, Protocol

from ..config.params import DeclaredParams, param

#: Relative jitter, in diagonals of the body, that keeps degenerate coincidences away; 1e-7 never failed on a prototype.
#: It is far below what one sees; docs/decisions.md, Cutting, has the failures at smaller ones.
JITTER = 1e-6
#: Radius of a hit that leaves it open, in diagonals of the body (Barr 2016; docs/papers/barr2016.md, 4.3).
AUTOMATIC_RADIUS = 0.1


class PieceParams(DeclaredParams, Protocol):
    """What the params of every kind of pieces tell."""

    @property
    def count(self) -> int:
        """How many pieces are asked for."""

    @property
    def placed_by_impact(self) -> bool:
        """Whether the pieces depend on where the object is hit."""


def grading(default: float, doc: str) -> Any:
    """The declaration of `grading`, for kinds of pieces with a layout "graded"."""
    return param(default, "Grading", doc, unit="1", limits=(0.0, 6.0), soft=(0.0, 4.0), needs=("layout", ("graded",)))
