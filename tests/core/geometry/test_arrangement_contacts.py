"""Crossing and touching pairs, held against the common part of two triangles in exact rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from core.geometry.arrangement.contacts import find_triangle_contacts

from .solids import box, bumpy, moved, subdivided


def subtract(a, b):
    return tuple(x - y for x, y in zip(a, b, strict=True))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def clipped(polygon, point, normal):
    """The part of a convex polygon on the closed side of a plane to which its normal points (Sutherland, Hodgman)."""
    result = []
    for k, q in enumerate(polygon):
        p = polygon[k - 1]
        over_p, over_q = dot(subtract(p, point), normal), dot(subtract(q, point), normal)
        if over_p * over_q < 0:
            share = over_p / (over_p - over_q)
            result.append(tuple(a + share * (b - a) for a, b in zip(p, q, strict=True)))
        if over_q >= 0:
            result.append(q)
    return result


def common(one, other):
    """The corners of what two triangles have in common, exactly."""
    normal = cross(subtract(one[1], one[0]), subtract(one[2], one[0]))
    part = clipped(clipped(other, one[0], normal), one[0], tuple(-x for x in normal))
    for k in range(3):
        side = subtract(one[(k + 1) % 3], one[k])
        part = clipped(part, one[k], cross(normal, side)) if part else part
    return set(part)


def strictly_crosses(one, other, points, shared):
    """Whether no corner lies on the other's plane, and the common part ends where a side of one is inside the other."""
    for a, b in ((one, other), (other, one)):
        normal = cross(subtract(a[1], a[0]), subtract(a[2], a[0]))
        if any(dot(subtract(p, a[0]), normal) == 0 for p in b if p not in shared):
            return False
    return len(points) == 2 and all(p in shared or on_sides(one, p) + on_sides(other, p) == 1 for p in points)


def on_sides(triangle, p):
    count = 0
    for k in range(3):
        a, b = triangle[k], triangle[(k + 1) % 3]
        count += cross(subtract(b, a), subtract(p, a)) == (0, 0, 0)
    return count


def soup(seed, span, shared):
    """Random triangles on a small lattice, of which many share vertices, touch, or lie in one plane."""
    rng = np.random.default_rng([seed, span, shared])
    vertices = np.unique(rng.integers(0, span, (24 if shared else 200, 3)), axis=0).astype(float)
    triangles = np.array([rng.choice(len(vertices), 3, replace=False) for _ in range(32)])
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    area = np.abs(np.cross(b - a, c - a)).sum(axis=1)
    triangles = triangles[area > 0.0]
    return vertices, triangles[np.unique(np.sort(triangles, axis=1), axis=0, return_index=True)[1]]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("span", "shared"), [(3, True), (5, True), (40, True), (4, False), (9, False), (30, False)])
def test_pairs_on_a_lattice_agree_with_exact_arithmetic(seed, span, shared):
    vertices, triangles = soup(seed, span, shared)
    points = [[tuple(Fraction(x) for x in vertices[v]) for v in t] for t in triangles]
    crossing, touching = [], []
    for j in range(len(triangles)):
        for i in range(j):
            same = set(points[i]) & set(points[j])
            part = common(points[i], points[j])
            if len(part - same) == 0:
                continue
            more = strictly_crosses(points[i], points[j], part, same)
            (crossing if more and len(same) < 2 else touching).append((i, j))
    found = find_triangle_contacts(vertices, triangles)
    assert list(map(tuple, found.pairs.tolist())) == sorted(crossing)
    assert list(map(tuple, found.touching.tolist())) == sorted(touching)
    assert len(crossing) + len(touching) > 5


@pytest.mark.parametrize("seed", range(3))
def test_segments_run_along_the_cross_product_of_the_normals(seed):
    rng = np.random.default_rng(seed)
    vertices = rng.normal(size=(30, 3))
    triangles = np.array([rng.choice(30, 3, replace=False) for _ in range(60)])
    found = find_triangle_contacts(vertices, triangles)
    assert len(found.pairs) > 50 and len(found.touching) == 0
    corner = vertices[triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    for (i, j), ends in zip(found.pairs, found.ends, strict=True):
        at = []
        for half, through in ends:
            if half < 0:
                assert through in triangles[i] and through in triangles[j]
                at.append(vertices[through])
                continue
            assert {half // 3, through} == {i, j}
            p, q = vertices[triangles[half // 3, half % 3]], vertices[triangles[half // 3, (half + 1) % 3]]
            over_p, over_q = ((x - corner[through, 0]) @ normal[through] for x in (p, q))
            at.append(p + over_p / (over_p - over_q) * (q - p))
        assert (at[1] - at[0]) @ np.cross(normal[i], normal[j]) > 0.0


@pytest.mark.parametrize("name", ["cube", "turned cube", "bumpy"])
def test_surfaces_that_do_not_cross_have_no_contacts(name):
    fine = subdivided(*subdivided(*subdivided(*box())))
    mesh = {"cube": fine, "turned cube": moved(fine, seed=2), "bumpy": bumpy(4)}[name]
    found = find_triangle_contacts(*mesh)
    assert len(found.pairs) == 0 and len(found.touching) == 0
