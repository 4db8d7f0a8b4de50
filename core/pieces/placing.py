"""Sites in a body: from its own space to that of the layouts and back, with or without a grain."""

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from ..arithmetic.products import apply, norm, outer
from ..geometry.mesh import bounds, diagonal, invert_3x3, map_vectors
from ..types import Body, Floats, Impact, Ints
from .convention import AUTOMATIC_RADIUS
from .layouts.shape import Shape, measure

#: Sites of a layer stray from it by this share of the wall, so that cuts are not perfectly square to it. By eye; the
#: look study had 0.2 mm in a pane of 6 mm.
TILT = 0.02

#: (shape, hits) in the space of the layouts -> sites (R,3) there, group (R,) or None.
Layout = Callable[[Shape, Sequence[Impact]], tuple[Floats, Ints | None]]


def grain_metric(grain: Sequence[float] | Floats, stretch: float) -> Floats | None:
    """Matrix (3,3) that shortens lengths along the grain by `stretch`: I - (1 - 1/s) g g^T; None where it is I."""
    g = np.asarray(grain, dtype=np.float64)
    length = float(norm(g))
    if stretch == 1.0 or length == 0.0:
        return None
    return np.asarray(np.eye(3) - (1.0 - 1.0 / stretch) * outer(g, g) / (length * length))


def placed(body: Body, impacts: Sequence[Impact], metric: Floats | None, layout: Layout) -> tuple[Floats, Ints | None]:
    """Sites (R,3) [m] and the group (R,) of cells that stay together, None where each cell is on its own.

    The layout works on the body in the space of `metric` (3,3), scaled to a diagonal of 1. Without a hit the pattern is
    laid around the middle of the body.
    """
    A = np.eye(3) if metric is None else metric
    there = map_vectors(body.vertices, A)
    low, high = bounds(there)
    origin, scale = 0.5 * (low + high), float(norm(high - low))
    shape = measure(Body((there - origin) / scale, body.triangles, body.source))
    size = diagonal(body.vertices)
    hits = [
        dataclasses.replace(
            impact,
            point=(apply(A, impact.point) - origin) / scale,
            radius=impact.radius / size if impact.radius > 0.0 else AUTOMATIC_RADIUS,
        )
        for impact in impacts
    ] or [Impact(shape.centre, np.array((0.0, 0.0, -1.0)), 1.0, 0.0, AUTOMATIC_RADIUS, 0.0)]
    sites, group = layout(shape, hits)
    back = map_vectors(sites * scale + origin, invert_3x3(A))
    return np.ascontiguousarray(back), group


def strayed(shape: Shape, sites: Floats, layered: bool, rng: np.random.Generator) -> Floats:
    """Sites of a layer, moved by a little out of it; others as they are."""
    if not layered:
        return sites
    stray = TILT * shape.thickness * rng.uniform(-1.0, 1.0, sites.shape)
    return np.asarray(sites + stray)
