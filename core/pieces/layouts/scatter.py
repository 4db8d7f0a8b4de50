"""Random points in a body, evenly by volume, or evenly on its middle surface where cells form one layer.

Thin curved bodies fill so little of any box that rejection would never end; there, points of the skin are pushed
inwards by what the wall allows.
"""

import numpy as np

from ...arithmetic.draws import exponential
from ...geometry.inside import inside
from ...geometry.mesh import map_vectors
from ...types import Body, Floats
from .shape import Shape, measure_skin

#: Batches of rejection before the skin is used instead; bodies that fill 1/50 of their box need about 3. Chosen by
#: time: 24 do for bodies that fill a four-hundredth of it.
BATCHES = 24
#: Depths at which a wall is probed, as shares of the deepest one. Ten, then four bisections, tell a wall to 2/10/16 of
#: the mean: about 1/80.
_PROBES = 10
#: Halvings of the interval in which a wall ends; see `walls`.
BISECTIONS = 4


def scatter(shape: Shape, count: int, layered: bool, rng: np.random.Generator) -> Floats:
    """`count` random points (count,3) in the body; with `layered` on its middle surface."""
    if layered and shape.kind == "shell":
        return under_skin(shape, count, rng, middle=True)
    found = _rejection(shape, count, layered, rng)
    if len(found) < count:
        found = np.concatenate((found, under_skin(shape, count - len(found), rng, middle=layered)))
    return found


def _rejection(shape: Shape, count: int, layered: bool, rng: np.random.Generator) -> Floats:
    """Up to `count` points of the oriented box, or of a plate's middle plane, that lie inside."""
    batch = 4 * count + 64
    size = shape.extent * np.array((1.0, 1.0, 0.0 if layered else 1.0))
    found: list[Floats] = []
    total = 0
    for _ in range(BATCHES):
        points = shape.centre + map_vectors(rng.uniform(-0.5, 0.5, (batch, 3)) * size, shape.axes.T)
        points = points[inside(shape.body, points)]
        found.append(points)
        total += len(points)
        if total >= count:
            break
    return np.concatenate(found)[:count]


def under_skin(shape: Shape, count: int, rng: np.random.Generator, middle: bool) -> Floats:
    """`count` points under random points of the skin: half-way through the wall, or anywhere down to there.

    Limitation: evenly by volume only where the wall is evenly thick.
    """
    points, inward = on_skin(shape.body, count, rng)
    share = 0.5 if middle else 0.5 * rng.random(count)
    return np.asarray(points + (share * walls(shape, points, inward))[:, None] * inward)


def on_skin(body: Body, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Random points of the skin (n,3), evenly by area, and the unit inward normals (n,3) there."""
    area, normal = measure_skin(body)
    triangle = np.searchsorted(np.cumsum(area), rng.random(count) * area.sum(), side="right")
    triangle = np.minimum(triangle, len(area) - 1)
    weight = exponential(rng, 1.0, (count, 3))
    weight /= weight.sum(axis=1)[:, None]
    corner = body.vertices[body.triangles[triangle]]
    points = weight[:, :1] * corner[:, 0] + weight[:, 1:2] * corner[:, 1] + weight[:, 2:] * corner[:, 2]
    return points, -normal[triangle]


def walls(shape: Shape, points: Floats, inward: Floats) -> Floats:
    """Thickness (n,) of the wall under points of the skin, to about 1/80 of the mean wall, at most twice the mean."""
    step = 2.0 * shape.thickness / _PROBES
    depth = step * (np.arange(_PROBES) + 0.5)
    probes = points[:, None, :] + depth[None, :, None] * inward[:, None, :]
    within = inside(shape.body, probes.reshape(-1, 3)).reshape(len(points), _PROBES)
    run = np.cumprod(within, axis=1).sum(axis=1)
    low, high = step * np.maximum(run - 0.5, 0.0), step * np.minimum(run + 0.5, _PROBES)
    for _ in range(BISECTIONS):
        wall = 0.5 * (low + high)
        within = inside(shape.body, points + wall[:, None] * inward)
        low, high = np.where(within, wall, low), np.where(within, high, wall)
    return np.asarray(0.5 * (low + high))
