"""Pieces as bodies of their own."""

import numpy as np
import pytest

from core.cells.cut import cut
from core.cells.piece_body import joined_bodies, piece_body
from core.cells.units import units
from core.geometry.mesh import bounds, volume
from core.pieces.voronoi_complex import voronoi_complex
from core.types import Made
from tests import shapes


def cells_of(body, count, seed=2):
    low, high = bounds(body.vertices)
    return cut(body, voronoi_complex(np.random.default_rng(seed).uniform(low, high, (count, 3)), low, high))


@pytest.fixture(scope="module", params=["box", "sphere", "torus"])
def broken(request):
    body = {"box": shapes.box(), "sphere": shapes.icosphere(2), "torus": shapes.torus(segments=16, rings=8)}[
        request.param
    ]
    return body, cells_of(body, 8)


def is_closed(body):
    """Each directed edge has its reverse."""
    edges = np.concatenate([body.triangles[:, [i, (i + 1) % 3]] for i in range(3)])
    there, back = (np.sort(e[:, 0] * (1 << 32) + e[:, 1]) for e in (edges, edges[:, ::-1]))
    return np.array_equal(there, back)


def test_pieces_are_closed_and_fill_the_body(broken):
    body, cells = broken
    graph = units(cells)
    pieces = [piece_body(cells, np.array([u]), body)[0] for u in range(len(graph.volume))]
    assert all(is_closed(piece) for piece in pieces)
    measured = np.array([volume(piece.vertices, piece.triangles) for piece in pieces])
    np.testing.assert_allclose(measured, graph.volume, rtol=1e-9)
    assert measured.sum() == pytest.approx(volume(body.vertices, body.triangles), rel=1e-9)


def test_skin_knows_the_mesh_and_broken_faces_say_so(broken):
    body, cells = broken
    piece, bond, _ = piece_body(cells, np.arange(3), body)
    skin = piece.made != Made.BROKEN
    assert skin.any() and (~skin).any()
    np.testing.assert_array_equal(bond < 0, skin)
    inner = cells.bond_cells[bond[~skin]]
    own = np.isin(cells.unit[inner], np.arange(3))
    assert (own.sum(axis=1) == 1).all(), "broken faces lie between the piece and what is no part of it"
    # Weights in the triangles of the mesh give the corners back.
    mesh = body.vertices[body.triangles[piece.source[skin]]]
    at = np.einsum("tci,tix->tcx", piece.weight[skin], mesh)
    np.testing.assert_allclose(at, piece.vertices[piece.triangles[skin]], atol=1e-9)


def test_a_piece_of_a_piece_still_knows_the_mesh():
    body = shapes.icosphere(2)
    piece, *_ = piece_body(cells_of(body, 4), np.array([1]), body)
    cells = cells_of(piece, 4, seed=7)
    small, *_ = piece_body(cells, np.array([0]), piece)
    assert is_closed(small)
    own = small.made != Made.BROKEN
    at = np.einsum("tci,tix->tcx", small.weight[own], body.vertices[body.triangles[small.source[own]]])
    np.testing.assert_allclose(at, small.vertices[small.triangles[own]], atol=1e-9)


def test_broken_faces_lie_in_one_plane_each(broken):
    body, cells = broken
    piece, *_ = piece_body(cells, np.array([0]), body)
    for face in np.unique(piece.polygon[piece.made == Made.BROKEN]):
        corner = piece.vertices[piece.triangles[piece.polygon == face]].reshape(-1, 3)
        flat = np.linalg.svd(corner - corner.mean(axis=0), compute_uv=False)
        assert flat[2] < 1e-9 * flat[0]


def test_joined_bodies_keep_their_own_triangles():
    a, b = shapes.box(), shapes.icosphere(1)
    both = joined_bodies([a, b])
    at = both.vertices[both.triangles]
    np.testing.assert_array_equal(at[: len(a.triangles)], a.vertices[a.triangles])
    np.testing.assert_array_equal(at[len(a.triangles) :], b.vertices[b.triangles])
    assert joined_bodies([a]) is a
