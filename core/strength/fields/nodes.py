"""Strong nodes: balls that stay whole (Smith, Witkin, Baraff 2001, section 2.1), scattered or placed."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ...config.params import Choice, param
from ...config.registry import Method
from ...types import Floats
from .contract import STRENGTH, Field, Sample, smooth

#: Names this module's stream of random numbers beside the seed.
STREAM = 704

SCATTERED, PLACED = "scattered", "placed"
PLACES = (
    Choice(1, SCATTERED, "Scattered", "Balls at random places all over the object"),
    Choice(2, PLACED, "Placed", "One ball at a place of your choice"),
)


@dataclass(frozen=True, slots=True)
class NodesParams:
    """Where the balls are, how large and how strong."""

    # Defaults are by eye.
    place: str = param(SCATTERED, "Place", "Where the balls are", choices=PLACES)
    distance: float = param(
        0.3,
        "Distance",
        "Mean distance of neighbouring balls relative to the object's diagonal",
        unit="1",
        limits=(0.04, 2.0),
        soft=(0.05, 1.0),
        needs=("place", (SCATTERED,)),
    )
    seed: int = param(
        0,
        "Seed",
        "Another seed, other places; the pieces stay as they are",
        limits=(0, 2**31 - 1),
        needs=("place", (SCATTERED,)),
    )
    at: tuple[float, float, float] = param(
        (0.5, 0.5, 0.5),
        "At",
        "Middle of the ball as shares of the object's box along its own axes: 0.5 is the middle, 1 the top",
        unit="1",
        limits=(-10.0, 10.0),
        soft=(0.0, 1.0),
        needs=("place", (PLACED,)),
    )
    radius: float = param(
        0.12,
        "Radius",
        "Radius of the balls relative to the object's diagonal",
        unit="1",
        limits=(0.0, 2.0),
        soft=(0.01, 0.5),
    )
    edge: float = param(
        0.2,
        "Edge",
        "Share of the radius over which the strength falls off to what is outside; 0 is sharp",
        unit="1",
        limits=(0.0, 1.0),
    )
    factor: float = param(
        100.0, "Inside", "Factor of the strength inside", unit="1", limits=(0.0, 1e6), soft=(0.0, 1000.0)
    )


def values(sample: Sample, params: NodesParams) -> Floats:
    """(n,) factors of the strength: `factor` inside of the balls, 1 outside."""
    if params.radius == 0.0 or len(sample.points) == 0:
        return np.ones(len(sample.points))
    if params.place == PLACED:
        away = np.sqrt(np.square(sample.points - (np.array(params.at) - 0.5) * sample.extent).sum(axis=1))
    else:
        away = _away(scatter_balls(params), sample.points, params.radius)
    inside = 1.0 - away / params.radius  # 1 in the middle, 0 on the border
    share = smooth(inside / params.edge) if params.edge > 0.0 else np.where(inside >= 0.0, 1.0, 0.0)
    return np.asarray(1.0 + (params.factor - 1.0) * share)


def _away(middles: Floats, points: Floats, reach: float) -> Floats:
    """Distance (n,) of points (n,3) from the nearest of some middles (m,3); infinite beyond the reach."""
    low, high = points.min(axis=0) - reach, points.max(axis=0) + reach
    near = middles[((middles >= low) & (middles <= high)).all(axis=1)]
    if len(near) == 0:
        return np.full(len(points), np.inf)
    return np.asarray(cKDTree(near).query(points, distance_upper_bound=reach)[0])


def scatter_balls(params: NodesParams) -> Floats:
    """Middles (m,3) of scattered balls in diagonals: one at random in each cube of a grid, wherever the object is.

    The grid is that of the largest box that has the diagonal 1, whatever the shape of the object: its corner would hang
    on the last digits of a length.
    """
    side = int(np.ceil(1.0 / params.distance)) + 2
    grid = np.stack(np.meshgrid(*[np.arange(side, dtype=np.float64)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    rng = np.random.default_rng([params.seed, STREAM])
    return np.asarray((grid - 0.5 * side + rng.random((len(grid), 3))) * params.distance)


METHOD: Method[Field] = Method(
    id="nodes",
    label="Strong Nodes",
    doc="Balls inside of which the object stays whole",
    reference="Smith, Witkin, Baraff 2001, section 2.1",
    params=NodesParams,
    run=Field(STRENGTH, values),
)
