"""Measures against closed forms, exact rational sums and brute force."""

from fractions import Fraction

import numpy as np
import pytest

from core.geometry import mesh
from core.geometry.mesh import invert_3x3, map_vectors

from .solids import box, bumpy, joined, moved, soup, sphere, torus


def exact_moments(vertices, triangles):
    """Six times the volume and 24 times the first moment, by rational arithmetic about the world's origin."""
    total, first = Fraction(0), [Fraction(0)] * 3
    for t in triangles:
        a, b, c = ([Fraction(x) for x in vertices[i]] for i in t)
        cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]]
        det = sum(a[i] * cross[i] for i in range(3))
        total += det
        first = [first[i] + det * (a[i] + b[i] + c[i]) for i in range(3)]
    return total, first


@pytest.mark.parametrize("shift", [(0.0, 0.0, 0.0), (1000.0, -2000.0, 500.0)])
def test_volume_and_centroid_equal_the_exact_rational_sums(shift):
    for vertices, triangles in (sphere(2), bumpy(2, seed=4), moved(box(), seed=1)):
        vertices = vertices + np.array(shift)
        total, first = exact_moments(vertices, triangles)
        volume, centroid, _ = mesh.mass_properties(vertices, triangles)
        # Coordinates of 2,000 are taken exactly; what is left is round-off of the local sum.
        assert volume == pytest.approx(float(total / 6), rel=1e-13)
        assert mesh.volume(vertices, triangles) == volume
        exact = np.array([float(f / (4 * total)) for f in first])
        assert np.abs(centroid - exact).max() <= 1e-12 + 4e-16 * np.abs(shift).max()


def test_the_second_moment_of_a_box_is_that_of_the_textbook():
    vertices, triangles = box((1.0, 2.0, 3.0), (3.0, 6.0, 11.0))
    volume, centroid, moment = mesh.mass_properties(vertices, triangles)
    assert volume == pytest.approx(64.0, rel=1e-15)
    assert centroid == pytest.approx([2.0, 4.0, 7.0], rel=1e-15)
    # integral of x^2 over a box of side s about its centre: V s^2 / 12
    assert moment == pytest.approx(np.diag(64.0 * np.array([4.0, 16.0, 64.0]) / 12.0), abs=1e-11)


def test_the_second_moment_turns_with_the_body():
    vertices, triangles = bumpy(3, seed=2)
    _, _, moment = mesh.mass_properties(vertices, triangles)
    turned, _ = moved((vertices, triangles), shift=(5.0, 6.0, 7.0), seed=3)
    _, _, moment_turned = mesh.mass_properties(turned, triangles)
    values = np.linalg.eigvalsh(moment_turned)
    assert np.linalg.eigvalsh(moment) == pytest.approx(values, rel=1e-12)


def test_round_solids_approach_their_closed_forms_with_the_square_of_the_step():
    def error(n):
        vertices, triangles = torus(1.0, 0.4, 2 * n, n)
        return 1.0 - mesh.volume(vertices, triangles) / (2.0 * np.pi**2 * 0.4**2)

    # An n-gon misses pi r^2 by 2 pi^2 / 3 n^2 of it (half of the angle per side around the ring: a quarter).
    assert error(24) == pytest.approx((2.0 / 3.0 + 1.0 / 6.0) * np.pi**2 / 24**2, rel=0.2)
    assert error(24) / error(48) == pytest.approx(4.0, rel=0.02)
    vertices, triangles = sphere(5)
    assert mesh.area(vertices, triangles) == pytest.approx(4.0 * np.pi, rel=2e-3)


def test_size_and_area_of_a_box():
    vertices, triangles = box((0.0, 0.0, 0.0), (1.0, 2.0, 2.0))
    assert mesh.diagonal(vertices) == 3.0
    assert mesh.area(vertices, triangles) == pytest.approx(16.0, rel=1e-15)


def test_an_empty_mesh_has_measures_of_zero():
    nothing, none = np.empty((0, 3)), np.empty((0, 3), dtype=np.int64)
    assert mesh.volume(nothing, none) == mesh.area(nothing, none) == mesh.diagonal(nothing) == 0.0
    assert mesh.mass_properties(nothing, none)[0] == 0.0
    assert mesh.unbalanced_edges(mesh.edge_table(none)).shape == (0, 2)
    assert not mesh.is_closed(none)
    assert mesh.find_shells(mesh.edge_table(none)).shape == (0,)
    assert mesh.edge_census(mesh.edge_table(none)) == (0, 0, 0)
    with pytest.raises(IndexError, match="outside of 0"):
        mesh.edge_table(np.array([[0, 1, -1]]))


def brute_unbalanced(triangles):
    count = {}
    for t in triangles:
        for a, b in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0])):
            if a != b:
                count[a, b] = count.get((a, b), 0) + 1
                count[b, a] = count.get((b, a), 0) - 1
    return sorted(edge for edge, surplus in count.items() for _ in range(max(surplus, 0)))


def test_unbalanced_edges_equal_a_brute_force_count():
    rng = np.random.default_rng(0)
    for _ in range(20):
        triangles = rng.integers(0, 9, (rng.integers(1, 40), 3))
        edges = mesh.unbalanced_edges(mesh.edge_table(triangles))
        assert sorted(map(tuple, edges.tolist())) == brute_unbalanced(triangles.tolist())
        assert [tuple(sorted(e)) for e in edges.tolist()] == sorted(tuple(sorted(e)) for e in edges.tolist())


def test_a_hole_a_turned_face_and_a_third_face_are_counted_apart():
    vertices, triangles = sphere(2)
    assert mesh.is_closed(triangles)
    assert mesh.edge_census(mesh.edge_table(triangles)) == (0, 0, 0)
    assert mesh.edge_census(mesh.edge_table(triangles[1:])) == (3, 0, 0)
    turned = triangles.copy()
    turned[5] = turned[5, ::-1]
    assert mesh.edge_census(mesh.edge_table(turned)) == (0, 3, 0)
    assert len(mesh.unbalanced_edges(mesh.edge_table(turned))) == 6
    finned = np.concatenate([triangles, [[triangles[0, 0], triangles[0, 1], len(vertices)]]])
    assert mesh.edge_census(mesh.edge_table(finned)) == (2, 0, 1)


def test_the_hub_of_a_large_fan():
    n = 5000
    ring = np.arange(n)
    fan = np.stack([np.full(n, n), ring, (ring + 1) % n], axis=1)
    triangles = np.concatenate([fan, np.stack([np.full(n, n + 1), (ring + 1) % n, ring], axis=1)])
    assert mesh.is_closed(triangles)
    assert mesh.find_shells(mesh.edge_table(triangles)).max() == 0


def test_shells_are_joined_by_edges_not_by_vertices():
    _, triangles = joined(box(), moved(sphere(2), (5.0, 0.0, 0.0)))
    label = mesh.find_shells(mesh.edge_table(triangles))
    assert label[:12].tolist() == [0] * 12
    assert (label[12:] == 1).all()
    first, second = box()[1], box()[1] + 7  # the last vertex of one is the first of the other
    assert mesh.find_shells(mesh.edge_table(np.concatenate([first, second]))).max() == 1
    assert mesh.find_shells(mesh.edge_table(soup(*box())[1])).tolist() == list(range(12))


def test_inverse_and_mapped_undo_each_other():
    rng = np.random.default_rng(0)
    matrix, vectors = rng.normal(size=(3, 3)), rng.normal(size=(50, 3))
    np.testing.assert_allclose(invert_3x3(matrix), np.linalg.inv(matrix), rtol=1e-12)
    np.testing.assert_allclose(map_vectors(vectors, matrix), vectors @ matrix.T, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(map_vectors(map_vectors(vectors, matrix), invert_3x3(matrix)), vectors, rtol=1e-11)
