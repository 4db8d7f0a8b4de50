"""The generated patterns by the names under which artists know them."""

from collections.abc import Callable
from functools import lru_cache

from ...config.params import Choice
from .brick import brick
from .concentric import concentric
from .mixed import mixed
from .pattern import Pattern
from .radial import radial
from .splinter import splinter
from .uniform import make_uniform_pattern

#: The kind that is not generated: an artist's own meshes, see own.py.
OWN = "own"
KINDS = (
    Choice(1, "radial", "Radial", "Rays from the hit and broken rings between them, through the whole sheet: glass"),
    Choice(2, "concentric", "Concentric", "Rings around the hit that close all the way, cut by a few rays"),
    Choice(3, "mixed", "Mixed", "Crushed at the hit, then ragged shards of mixed sizes, some of them large: plaster"),
    Choice(4, "brick", "Brick", "Whole bricks in running bond, with mortar between them"),
    Choice(5, "splinter", "Splinter", "Long slivers along the blow, thin at the hit"),
    Choice(6, "uniform", "Uniform", "Pieces of about one size everywhere"),
    Choice(7, OWN, "Own Meshes", "Closed meshes of your own, or the pieces of an earlier break, in a collection"),
)
GENERATORS: dict[str, Callable[[int, int], Pattern]] = {
    "radial": radial,
    "concentric": concentric,
    "mixed": mixed,
    "brick": brick,
    "splinter": splinter,
    "uniform": make_uniform_pattern,
}


@lru_cache(maxsize=8)
def generated(kind: str, count: int, seed: int) -> Pattern:
    """The pattern of a kind with about `count` pieces of a typical body: the same for every body and every hit."""
    return GENERATORS[kind](count, seed)
