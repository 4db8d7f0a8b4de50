"""What the tests of the lattices share: turned bodies, and cuts of a method with given parameters."""

import numpy as np

from core.cutting.retry import cut_with_retry
from core.pieces import PARTITIONS
from core.types import Body, Cells, Floats, Partition


def rotation(angle: float, axis: Floats = (0.0, 0.0, 1.0)) -> Floats:
    """Matrix (3,3) of a rotation about an axis: Rodrigues' formula."""
    x, y, z = np.asarray(axis, np.float64) / np.linalg.norm(axis)
    k = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    return np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * (k @ k)


def turned(body: Body, matrix: Floats) -> Body:
    return Body(body.vertices @ matrix.T, body.triangles, body.source)


def partition(method: str, body: Body, seed: int = 1, attempt: int = 0, **params: object) -> Partition:
    chosen = PARTITIONS[method]
    return chosen.run(body, (), chosen.params(**params), seed, attempt)


def cells_of(method: str, body: Body, seed: int = 1, **params: object) -> Cells:
    return cut_with_retry(body, lambda attempt: partition(method, body, seed, attempt, **params))[0]
