"""Tables of several bodies: whose triangles are whose."""

from dataclasses import replace

import numpy as np

from core.fragments.inner_uv import cap_normals
from core.fragments.joined import own_triangles
from core.fragments.piece_body import joined_bodies
from core.fragments.spread import against_source
from core.types import Made
from tests import shapes


def test_those_of_the_object_come_first():
    whole, piece = shapes.box(), shapes.box((0.0, 0.0, 0.0), (0.5, 1.0, 1.0))
    made = np.where(np.arange(12) < 10, int(Made.OWN), int(Made.BROKEN))
    for rows in (np.arange(12), np.arange(12)[::-1]):  # broken faces may come first or last
        broken = replace(piece, made=made[rows])
        assert own_triangles(joined_bodies([whole, broken, broken])) == 12
    assert own_triangles(whole) == own_triangles(joined_bodies([whole])) == 12
    assert own_triangles(joined_bodies([broken, broken])) == 24


def test_a_piece_of_a_cap_has_the_normal_of_the_cap():
    """A cap bent along its middle, of which a piece has one half."""
    made = np.full(12, int(Made.OWN))
    made[[0, 1, 4, 5]] = Made.CAP
    whole = replace(shapes.box(), made=made)
    piece = replace(shapes.box(), made=np.where(np.arange(12) < 2, int(Made.CAP), int(Made.BROKEN)))
    single, both = cap_normals(whole), cap_normals(joined_bodies([whole, piece]))
    assert not np.allclose(cap_normals(piece)[0], single[0], atol=0.1)
    assert np.array_equal(both[:12], single)
    assert np.array_equal(both[12:14], single[:2])


def test_a_sliver_looks_where_its_flat_face_looks():
    """Rounding may give a triangle without area either sign."""
    weight = np.tile(np.eye(3), (12, 1, 1))
    weight[1] = [[1.0, 0.0, 0.0], [0.5, 0.5 + 1e-16, 0.0], [0.25, 0.75, -1e-17]]
    body = replace(shapes.box(), weight=weight, polygon=np.array([0, 0, *range(2, 12)]))
    assert np.linalg.det(weight[1]) < 0.0
    assert not against_source(body).any()
