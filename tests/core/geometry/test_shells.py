"""Measures of shells against closed forms and against numpy, face by face."""

import numpy as np
import pytest

from core.geometry.mesh import edge_table, find_shells
from core.geometry.shells import measure_shells

from .solids import box, bumpy, joined, moved


def test_a_box_and_a_tetrahedron_inside_out():
    # The corner tetrahedron of edges a: volume a^3 / 6, area 3 a^2 / 2 + sqrt(3) a^2 / 2, inradius of its slanted
    # face a / sqrt(6), of the others a (1 - 1 / sqrt(2)), which is less.
    a = 0.6
    corner = np.concatenate([np.zeros((1, 3)), a * np.eye(3)]), np.array([[0, 1, 2], [0, 3, 1], [1, 3, 2], [0, 2, 3]])
    vertices, triangles = joined(box((0.0, 0.0, 0.0), (1.0, 2.0, 3.0)), moved(corner, (9.0, 0.0, 0.0)))
    found = measure_shells(vertices, triangles, find_shells(edge_table(triangles)))
    assert found.area == pytest.approx([22.0, (3.0 + np.sqrt(3.0)) / 2.0 * a**2], rel=1e-13)
    assert found.volume == pytest.approx([6.0, -(a**3) / 6.0], rel=1e-12)  # about the middle of the whole: 9 a^2 a eps
    assert found.radius[12:] == pytest.approx(a * np.where(np.arange(4) == 2, 6.0**-0.5, 1.0 - 0.5**0.5), rel=1e-13)
    assert found.best[1] == 12 + 2


def test_best_is_the_first_of_the_roundest_largest_faces_of_each_shell():
    vertices, triangles = joined(box(), bumpy(3, 1))
    triangles = triangles[np.random.default_rng(0).permutation(len(triangles))]  # shells mixed
    shell = find_shells(edge_table(triangles))
    found = measure_shells(vertices, triangles, shell)
    corner = vertices[triangles]
    length = np.linalg.norm(corner[:, [1, 2, 0]] - corner, axis=2)
    area = np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1) / 2.0
    assert found.radius == pytest.approx(2.0 * area / length.sum(axis=1), rel=1e-12)
    for s in range(2):
        assert found.best[s] == np.flatnonzero(shell == s)[np.argmax(found.radius[shell == s])]
        assert found.area[s] == pytest.approx(area[shell == s].sum(), rel=1e-12)


def test_a_point_has_no_radius_and_nothing_has_no_measures():
    found = measure_shells(np.ones((3, 3)), np.array([[0, 1, 2]]), np.zeros(1, dtype=np.int64))
    assert [found.area[0], found.volume[0], found.radius[0], found.best[0]] == [0.0, 0.0, 0.0, 0]
    none = np.empty((0, 3), dtype=np.int64)
    assert [len(value) for value in measure_shells(np.empty((0, 3)), none, none[:, 0])] == [0, 0, 0, 0]
