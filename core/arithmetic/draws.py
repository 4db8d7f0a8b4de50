"""Random numbers of other laws than the uniform one, from uniform numbers of a generator.

numpy's own are for the greater part fast because they ask the C library for a logarithm only in the rare case, and have
its bits then. Its `random`, `uniform`, `integers`, `permutation`, `shuffle` and `choice` are the same everywhere.
"""

from typing import Any

import numpy as np

from .elementary import cos, log

Size = int | tuple[int, ...] | None


def exponential(rng: np.random.Generator, scale: Any = 1.0, size: Size = None) -> Any:
    """Exponential numbers of mean `scale`; a single one where no size is given."""
    return -scale * log(1.0 - rng.random(size))


def normal(rng: np.random.Generator, size: Size = None) -> Any:
    """Normal numbers of mean 0 and variance 1 (Box and Muller 1958); a single one where no size is given."""
    radius, turn = np.sqrt(2.0 * exponential(rng, 1.0, size)), rng.random(size)
    return radius * cos(2.0 * np.pi * turn)


def dirichlet_even(rng: np.random.Generator, count: int) -> Any:
    """Shares (count,) of a whole, each as likely as any other: Dirichlet's law with all parameters 1."""
    part = exponential(rng, 1.0, count)
    return part / part.sum()
