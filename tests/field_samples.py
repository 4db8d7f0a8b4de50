"""Bonds made by hand, without cells: what fields of strength are asked about."""

import numpy as np

from core.strength.fields import Sample


def bonds(points, step=(0.0, 0.0, 0.1), extent=(0.6, 0.6, 0.5), **more) -> Sample:
    """Bonds at `points (n,3)`, between cells half of `step` away on either side, of a box with the diagonal 1 or so."""
    points = np.asarray(points, np.float64).reshape(-1, 3)
    step = np.broadcast_to(np.asarray(step, np.float64), points.shape)
    count = len(points)
    given = {
        "points": points,
        "ends": np.stack([points - 0.5 * step, points + 0.5 * step], axis=1),
        "normal": step / np.linalg.norm(step, axis=1, keepdims=True),
        "area": np.ones(count),
        "volume": np.ones(count),
        "extent": np.asarray(extent, np.float64),
        "depth": np.ones(count),
        "inward": np.tile([0.0, 0.0, 1.0], (count, 1)),
        "painted": {("group", ""): np.full(count, 0.5)},
    }
    return Sample(**(given | more))


def column(heights) -> np.ndarray:
    """Points (n,3) on the z axis."""
    return np.pad(np.asarray(heights, np.float64)[:, None], ((0, 0), (2, 0)))
