"""Pieces: partitions of space into convex regions, each a module with a METHOD, under a number that files store."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ..config.registry import Registry
from ..types import Body, Impact, Partition
from . import bricks, cubes, radial, slices, tetrahedra, voronoi, wood
from .patterns import method as pattern

#: (body, impacts, params, seed, attempt) -> Partition. The pattern follows `seed` alone; `attempt` changes only the
#: relative jitter of 1e-6 that keeps degenerate coincidences away.
Build: TypeAlias = Callable[[Body, Sequence[Impact], Any, int, int], Partition]

PARTITIONS: Registry[Build] = Registry(
    "kind of pieces",
    {
        1: voronoi.METHOD,
        2: tetrahedra.METHOD,
        3: cubes.METHOD,
        4: bricks.METHOD,
        5: radial.METHOD,
        6: slices.METHOD,
        7: wood.METHOD,
        8: pattern.METHOD,
    },
)
