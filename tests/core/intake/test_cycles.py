"""Meshes made closed cycles: which double faces count, which faces are turned, what is capped."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from core.geometry.mesh import areas, edge_table
from core.geometry.orientation import orient
from core.intake.clean import balanced
from core.intake.cycles import agreeing_faces, capped, counted_doubles

from ..geometry.solids import box, sphere, torus

#: Triangles of few points, so that many are there several times and edges have many faces.
CROWDS = hnp.arrays(np.int64, st.tuples(st.integers(1, 24), st.just(3)), elements=st.integers(0, 6)).map(
    lambda t: t[(t[:, 0] != t[:, 1]) & (t[:, 1] != t[:, 2]) & (t[:, 2] != t[:, 0])]
)


def open_edges(triangles):
    return int(np.abs(edge_table(triangles).surplus).sum())


@given(CROWDS)
def test_double_faces_never_leave_more_edges_open_than_there_were(triangles):
    keep = counted_doubles(triangles)
    assert open_edges(triangles[keep]) <= open_edges(triangles)
    assert len(np.unique(np.sort(triangles[keep], axis=1), axis=0)) == len(
        np.unique(np.sort(triangles, axis=1), axis=0)
    )


@given(CROWDS, st.randoms(use_true_random=False))
def test_caps_close_every_edge(triangles, random):
    if len(triangles) == 0:
        return
    points = np.array([[random.random() for _ in range(3)] for _ in range(7)])
    found = capped(points, triangles, edge_table(triangles))
    assert balanced(edge_table(np.concatenate([triangles, found.caps])))
    assert (found.part[found.neighbour] <= found.part.max()).all()
    assert ((found.share >= 0.0) & (found.share < 1.0 + 1e-12)).all()


def test_a_copy_goes_and_a_common_base_counts_twice():
    triangles = sphere(2)[1]
    assert counted_doubles(np.concatenate([triangles, triangles[:9]])).sum() == len(triangles)
    # Two tetrahedra on one base: twice the base closes both.
    two = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 2, 1], [0, 1, 4], [1, 2, 4], [2, 0, 4]])
    assert counted_doubles(two).all()


def test_of_two_opposite_faces_the_one_stays_that_closes_the_rest():
    vertices, triangles = sphere(2)
    both = np.concatenate([triangles, triangles[3:4, ::-1]])
    left = both[counted_doubles(both)]
    assert balanced(edge_table(np.concatenate([left, capped(vertices, left, edge_table(left)).caps])))
    assert areas(vertices, left).sum() == pytest.approx(areas(vertices, triangles).sum(), rel=1e-12)


def test_turned_faces_are_found_and_one_sided_ones_left_alone():
    vertices, triangles = torus(1.0, 0.4, 16, 8)
    turned = triangles.copy()
    turned[[3, 40, 41]] = turned[[3, 40, 41]][:, ::-1]
    assert np.flatnonzero(agreeing_faces(vertices, turned, edge_table(turned))).tolist() == [3, 40, 41]
    strip = np.array([[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4], [4, 5, 1], [5, 0, 1]])  # a Moebius strip
    assert not agreeing_faces(np.eye(6, 3) + np.eye(6, 3, -3) * 2.0, strip, edge_table(strip)).any()


def test_neighbours_agree_or_are_in_conflict():
    found = orient(5, np.array([[0, 1], [1, 2], [3, 4], [4, 3]]), np.array([True, True, False, True]))
    assert found.turned.tolist()[:3] == [False, True, False]
    assert found.conflict.tolist() == [False, False, False, False, True]
    with pytest.raises(IndexError):
        orient(2, np.array([[0, 2]]), np.array([True]))


def test_a_hole_is_capped_by_what_was_there():
    vertices, triangles = box()
    left = triangles[2:]
    found = capped(vertices, left, edge_table(left))
    assert areas(vertices, found.caps).sum() == pytest.approx(4.0, rel=1e-12)
    assert found.share.tolist() == pytest.approx([4.0 / 24.0])
