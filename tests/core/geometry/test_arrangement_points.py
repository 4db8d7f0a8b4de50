"""Heights of points that are never rounded, held against rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from core.geometry.arrangement.points import UNKNOWN_SIGN, determinant_2x2, height, height_of, sign, sort_along
from core.jit import sealed_floats, sealed_ints

VERTICES = np.random.default_rng(1).normal(size=(40, 3))
#: The same nearly in one plane, to a part in 1e12.
FLAT = VERTICES * [1.0, 1.0, 1e-12] + [0.3, 0.2, 0.1]
TRIANGLES = np.array([np.random.default_rng(k).choice(40, 3, replace=False) for k in range(30)])


def exact_height(vertices, t, p):
    """Six times the signed volume of the tetrahedron on a triangle."""
    a, b, c, x = ([Fraction(float(u)) for u in vertices[v]] for v in (*TRIANGLES[t], p))
    (ux, uy, uz), (vx, vy, vz), (wx, wy, wz) = ([q - r for q, r in zip(y, a, strict=True)] for y in (b, c, x))
    return wx * (uy * vz - uz * vy) + wy * (uz * vx - ux * vz) + wz * (ux * vy - uy * vx)


def off(value, expected):
    """How far a value is from the truth, and how far it says that it may be."""
    return abs(Fraction(value[0]) + Fraction(value[1]) - expected), Fraction(value[2])


@pytest.mark.parametrize("vertices", [VERTICES, FLAT], ids=["anywhere", "flat"])
def test_heights_are_as_good_as_they_say(vertices):
    for t in range(len(TRIANGLES)):
        for p in range(12):
            value, expected = height(vertices, TRIANGLES, t, p), exact_height(vertices, t, p)
            error, bound = off(value, expected)
            assert error <= bound
            if p in TRIANGLES[t]:
                assert sign(value) == 0
            else:
                assert sign(value) == (1 if expected > 0 else -1)


def test_heights_of_crossing_points_are_determinants_of_heights():
    rng = np.random.default_rng(2)
    pierce = np.array([(*rng.choice(40, 2, replace=False), rng.integers(30)) for _ in range(40)])
    for row, (p, q, m) in enumerate(pierce):
        for t in range(0, 30, 3):
            (mp, mq), (tp, tq) = ([exact_height(FLAT, k, x) for x in (p, q)] for k in (m, t))
            value = height_of(FLAT, TRIANGLES, pierce, 40 + row, t)
            error, bound = off(value, mp * tq - mq * tp)
            assert error <= bound
            assert sign(value) in (UNKNOWN_SIGN, 0, 1 if mp * tq > mq * tp else -1)


def test_a_sign_within_the_error_is_unknown():
    one = (1.0, 0.0, 2.0**-90)
    assert sign(determinant_2x2(one, one, one, one)) == UNKNOWN_SIGN
    assert sign(determinant_2x2(one, one, one, (1.0 + 2.0**-40, 0.0, 0.0))) == 1
    assert sign((0.0, 0.0, 0.0)) == 0


def test_planes_are_sorted_along_a_line():
    # Horizontal triangles at given heights, and a vertical line through all of them; two are 1e-15 apart.
    z = np.array([0.7, 0.3, 0.3 + 1e-15, 0.9, 0.1])
    corner = np.array([[-1.0, -1.0], [2.0, -1.0], [-1.0, 2.0]])
    plane = np.concatenate([np.column_stack([corner, np.full(3, x)]) for x in z])
    vertices = np.concatenate([plane, [[0.0, 0.0, 0.0], [0.01, 0.02, 1.0]]])
    triangles = np.arange(15).reshape(5, 3)
    triangles[::2] = triangles[::2, ::-1]  # either side may be the front
    v, t, no_points = sealed_floats(vertices), sealed_ints(triangles), np.empty((0, 3), np.int64)
    order, unsure = np.arange(5), np.zeros(1, dtype=bool)
    sort_along(v, t, no_points, np.array([[15, 16]]), np.array([0, 5]), np.arange(5), order, unsure)
    assert order.tolist() == [4, 1, 2, 0, 3]
    assert not unsure.any()
