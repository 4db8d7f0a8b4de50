"""Halving of longest sides: bounded angles whatever is asked for, and ties that are broken alike in a turned body."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from core.geometry.mesh import count_open_edges, edge_table
from core.roughness.bisection import Bisection
from core.types import Body, Floats, Ints
from tests import shapes

SKINNY = np.array([1.0, 0.2, 0.02])


def smallest_angles(vertices: Floats, triangles: Ints) -> Floats:
    corner = vertices[triangles]
    angles = []
    for k in range(3):
        a, b = (corner[:, (k + m) % 3] - corner[:, k] for m in (1, 2))
        angles.append(np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), np.einsum("ti,ti->t", a, b)))
    return np.min(angles, axis=0)


@settings(max_examples=100)
@given(seed=st.integers(0, 2**32 - 1), rounds=st.integers(1, 6), skinny=st.booleans())
def test_angles_stay_above_half_of_the_smallest(seed: int, rounds: int, skinny: bool) -> None:
    rng = np.random.default_rng(seed)
    vertices = rng.normal(size=(4, 3)) * (SKINNY if skinny else 1.0)
    triangles = np.array([[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]])
    mesh = Bisection(vertices, triangles)
    for _ in range(rounds):
        some = rng.choice(mesh.triangles, rng.integers(1, mesh.triangles + 1), replace=False)
        mesh.halve(some.astype(np.int32))
    made = mesh.result()
    assert count_open_edges(edge_table(made.triangles, mesh.points)) == 0
    before = smallest_angles(vertices, triangles)[made.source]
    # Sides whose squared lengths differ by less than single precision count as equally long.
    assert (smallest_angles(mesh.vertices[made.vertex], made.triangles) / before).min() >= 0.5 * (1 - 1e-6)


def test_what_is_asked_for_is_halved_and_reported() -> None:
    body = shapes.icosphere(2)
    mesh = Bisection(body.vertices, body.triangles)
    before = mesh.triangles
    asked = np.array([5, 77, 300], np.int32)
    ends, changed = mesh.halve(asked)
    assert set(asked) < set(changed)
    assert np.array_equal(np.sort(changed)[-(mesh.triangles - before) :], np.arange(before, mesh.triangles))
    assert np.array_equal(mesh.vertices[mesh.points - len(ends) : mesh.points], body.vertices[ends].mean(axis=1))
    made = mesh.result()
    source = made.source
    assert np.array_equal(np.flatnonzero(np.bincount(source) > 1), np.sort(changed[changed < before]))
    untouched = np.bincount(source)[source] == 1
    assert np.array_equal(made.triangles[untouched], body.triangles[source[untouched]])


def rounds_of_all(body: Body, vertices: Floats) -> Ints:
    mesh = Bisection(vertices, body.triangles)
    for _ in range(7):
        mesh.halve(np.arange(mesh.triangles, dtype=np.int32))
    return mesh.result().triangles


def test_a_turned_body_is_halved_alike() -> None:
    # Sides of equal length abound in both, and their lengths differ in the last place once they are turned.
    for body in (shapes.box(), shapes.icosphere(1)):
        expected = rounds_of_all(body, body.vertices)
        for turn in Rotation.random(5, random_state=1):
            assert np.array_equal(rounds_of_all(body, turn.apply(np.array(body.vertices))), expected)
