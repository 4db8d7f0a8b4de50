"""Faces between edges in planes: triangles fill each, holes are left out, borders that are equal are cut alike."""

import numpy as np

from core.pieces.patterns.jigsaw.planar import PlaneNodes, triangulate_faces

SQUARE = [(0, 1), (1, 2), (2, 3), (3, 0)]


def square(size):
    return np.array([(-size, -size), (size, -size), (size, size), (-size, size)], np.float64)


def areas(nodes, faces):
    corner = nodes.place[faces.triangle]
    (ux, uy), (vx, vy) = (corner[:, k].T - corner[:, 0].T for k in (1, 2))
    return 0.5 * (ux * vy - uy * vx)


def nodes_of(*places):
    """Each place (n,2) in a plane of its own, all with the nodes 0, 1, ..."""
    return PlaneNodes(
        np.repeat(np.arange(len(places)), [len(place) for place in places]),
        np.concatenate([np.arange(len(place)) for place in places]),
        np.concatenate(places),
    )


def test_a_square_with_an_island_is_a_frame_and_the_island():
    nodes = nodes_of(np.concatenate([square(3.0), square(1.0)]))
    faces = triangulate_faces(nodes, np.array(SQUARE + [(4 + a, 4 + b) for a, b in SQUARE]))
    area = areas(nodes, faces)
    assert (area > 0.0).all()
    assert sorted(np.bincount(faces.face, area).tolist()) == [4.0, 32.0]
    frame = int(np.bincount(faces.face, area).argmax())
    assert np.bincount(faces.face)[frame] == 8, "8 corners and a hole: 8 + 2 - 2 triangles"
    assert np.abs(faces.inner[frame]).max() > 1.0 > np.abs(faces.inner[1 - frame]).max()


def test_edges_that_end_in_nothing_and_edges_that_are_there_twice_change_nothing():
    nodes = nodes_of(np.concatenate([square(1.0), [(0.0, 0.0), (0.2, 0.1)]]))
    plain = triangulate_faces(nodes, np.array(SQUARE))
    spurred = triangulate_faces(nodes, np.array([*SQUARE, (2, 1), (0, 4), (4, 5)]))
    assert np.array_equal(plain.triangle, spurred.triangle)


def test_equal_borders_have_equal_triangles_from_both_sides():
    rng = np.random.default_rng(4)
    angle = np.sort(rng.uniform(0.0, 2.0 * np.pi, 40))
    place = rng.uniform(0.5, 1.5, 40)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    seen = np.array([1.0, -1.0]) * place + 1e-7 * rng.normal(size=place.shape)
    nodes = nodes_of(place, seen)
    ring = np.stack([np.arange(40), np.roll(np.arange(40), -1)], axis=1)
    faces = triangulate_faces(nodes, np.concatenate([ring, ring + 40]))
    assert faces.plane.tolist() == [0, 1]
    one, other = (np.sort(nodes.node[faces.triangle[faces.face == k]], axis=1) for k in (0, 1))
    assert np.array_equal(one, other) and len(one) == 38
    for k in (0, 1):
        assert areas(nodes, faces)[faces.face == k].sum() > 0.0


def test_no_edges_have_no_faces():
    faces = triangulate_faces(nodes_of(square(1.0)), np.empty((0, 2), np.int64))
    assert len(faces.plane) == len(faces.triangle) == 0
