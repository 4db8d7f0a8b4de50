"""Plain random sites: every place is as likely as any other. Even piece counts everywhere, uneven sizes."""

import numpy as np

from ...types import Floats
from .scatter import scatter
from .shape import Shape


def draw_uniform_sites(shape: Shape, count: int, rng: np.random.Generator) -> Floats:
    """`count` random sites (count,3) inside the body."""
    return scatter(shape, count, shape.layered(count), rng)
