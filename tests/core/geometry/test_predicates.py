"""The signs of the orientation predicates against rational arithmetic, where doubles alone fail."""

from fractions import Fraction

import numpy as np
import pytest

from core.geometry.predicates import orient2d, orient3d


def exact(*points):
    """Sign of the determinant of all points but the last, relative to the last."""
    rows = [[Fraction(x) - Fraction(o) for x, o in zip(p, points[-1], strict=True)] for p in points[:-1]]
    if len(rows) == 2:
        det = rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
    else:
        (a, b, c), (d, e, f), (g, h, i) = rows
        det = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)
    return (det > 0) - (det < 0)


def nearly_dependent(rng, count):
    """Points of one line (2D) or plane (3D) to round-off, some of them exactly, at mixed magnitudes."""
    size = count - 1
    basis = rng.normal(size=(size - 1, size)) * 10.0 ** rng.integers(-3, 4)
    points = rng.normal(size=(count, size - 1)) @ basis + rng.normal(size=size) * 10.0 ** rng.integers(-3, 4)
    if rng.integers(3) == 0:
        points[-1] = points[0]
    if rng.integers(3) == 0:
        points = np.rint(points * 8.0) / 8.0
    return points


@pytest.mark.parametrize("count", [3, 4])
def test_signs_are_exact(count):
    rng = np.random.default_rng(count)
    predicate = orient2d if count == 3 else orient3d
    signs, naive_wrong = [], 0
    for _ in range(1500):
        points = nearly_dependent(rng, count)
        sign = int(np.sign(predicate(*points.ravel())))
        assert sign == exact(*points)
        signs.append(sign)
        naive_wrong += sign != np.sign(np.linalg.det(points[:-1] - points[-1]))
    assert min(signs.count(s) for s in (-1, 0, 1)) > 50
    assert naive_wrong > 50  # the cases are hard enough to tell the predicates from a plain determinant


def test_orientation_of_the_axes():
    assert orient2d(0.0, 0.0, 1.0, 0.0, 0.0, 1.0) > 0.0
    # d below the plane of a, b, c that run counter-clockwise seen from above
    assert orient3d(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.2, 0.2, -1.0) > 0.0
