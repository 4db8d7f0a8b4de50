"""Where and when an object may break, and where it is anchored: what artists paint and place."""

import numpy as np

from ..arithmetic.products import apply, dot
from ..geometry.barycentric import closest_weights
from ..geometry.nearest import nearest
from ..types import Body, Bools, Cells, Floats, Influence, Made
from .origin import Origin
from .paint import corner_values, skin_places

#: A face is anchored from this mean weight on. Half: as weights are rounded.
ANCHORED = 0.5


def is_within_influence(influence: Influence, point: Floats, time: float) -> bool:
    """Whether a hit at a `point` (3,) of the world at some `time` [s] may break the object."""
    if not influence.start <= time <= influence.end:
        return False
    return bool(are_within_spheres(influence.spheres, point[None])[0])


def are_within_spheres(spheres: Floats, points: Floats) -> Bools:
    """(n,) which points (n,3) lie in some of the spheres (k,4), centres and radii; all where there are none."""
    result = np.full(len(points), len(spheres) == 0)
    for sphere in spheres:
        away = points - sphere[:3]
        result |= np.sqrt(dot(away, away)) <= sphere[3]
    return result


def toughness_at(influence: Influence, body: Body, point: Floats) -> float:
    """Factor of the threshold at the place of a body's surface nearest to a point (3,) of its coordinates.

    Broken faces have none of the artist's paint: 1.
    """
    if len(influence.toughness) == 0:
        return 1.0
    at, row, _ = nearest(body.vertices, body.triangles, point[None])
    if len(body.made) and body.made[row[0]] == Made.BROKEN:
        return 1.0
    weight = closest_weights(body.vertices[body.triangles[row]], at)
    if len(body.weight):
        weight = apply(np.swapaxes(body.weight[row], 1, 2), weight)
    values = influence.toughness[body.source[row[0]]]
    return float(np.sum(weight[0] * values)) if np.isfinite(values).all() else float("inf")


def toughness_along(influence: Influence, origin: Origin, points: Floats) -> Floats:
    """Factors (n,) of the threshold at the places of the artist's own skin nearest to points (n,3) inside of a body."""
    if len(influence.toughness) == 0:
        return np.ones(len(points))
    rows, weight = skin_places(origin.body, origin.own_skin, points)
    source = influence.toughness[origin.body.source[rows]]
    endless = np.isinf(source).any(axis=1)
    finite = np.where(np.isinf(influence.toughness), 0.0, influence.toughness)
    return np.where(endless, np.inf, dot(weight, corner_values(finite, origin.body, rows)))


def anchored_cells(influence: Influence, body: Body, cells: Cells) -> Bools:
    """(C,) cells that have a face which the artist anchors."""
    result = np.zeros(len(cells.volume), np.bool_)
    if len(influence.anchored) == 0:
        return result
    mean = np.zeros(len(body.triangles))
    own = np.flatnonzero(body.made != Made.BROKEN) if len(body.made) else np.arange(len(body.triangles))
    mean[own] = corner_values(influence.anchored, body, own).mean(axis=1)
    anchored = mean[cells.outer_triangle] >= ANCHORED
    result[cells.outer_cell[anchored]] = True
    return result
