"""A piece as a body of its own: closed, of its volume, and knowing which of it was the artist's mesh."""

import numpy as np
import pytest

from core.cutting.cut import cut
from core.cutting.units import units
from core.fragments.piece_body import joined_bodies, piece_body
from core.geometry.mesh import volume
from core.pieces.voronoi_complex import voronoi_complex
from core.types import Made
from tests import shapes

MESH = shapes.torus(0.5, 0.2, 24, 12)


def cut_up(body, count=10, seed=2):
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    return cut(body, voronoi_complex(np.random.default_rng(seed).uniform(low, high, (count, 3)), low, high))


@pytest.fixture(scope="module")
def cells():
    return cut_up(MESH)


def is_closed(body):
    edges = np.concatenate([body.triangles[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
    once = {tuple(edge) for edge in edges.tolist()}
    return len(once) == len(edges) and all((b, a) in once for a, b in once)


def skin_points(body):
    """Corners (n,3,3) of the triangles that are not broken, and what they say of themselves."""
    own = body.made != Made.BROKEN
    return body.vertices[body.triangles[own]], body.weight[own] @ MESH.vertices[MESH.triangles[body.source[own]]]


@pytest.mark.parametrize("some", [[0], [1, 2], [0, 3, 4, 5]])
def test_a_piece_is_closed_and_has_its_volume(cells, some):
    members = np.array(some)
    body, bond, _ = piece_body(cells, members, MESH)
    assert is_closed(body)
    inside = cells.volume[np.isin(cells.unit, members)].sum()
    assert volume(body.vertices, body.triangles) == pytest.approx(inside, rel=1e-9)
    assert len(bond) == len(body.triangles)


def test_the_skin_knows_its_place_on_the_mesh(cells):
    for unit in range(int(cells.unit.max()) + 1):
        body, *_ = piece_body(cells, np.array([unit]), MESH)
        at, told = skin_points(body)
        np.testing.assert_allclose(at, told, atol=1e-13)


def test_broken_faces_are_told_and_lie_on_their_bonds(cells):
    body, bond, _ = piece_body(cells, np.array([0]), MESH)
    broken = body.made == Made.BROKEN
    assert broken.any() and not broken.all()
    np.testing.assert_array_equal(bond >= 0, broken)
    for row in np.flatnonzero(broken):
        normal, point = cells.bond_normal[bond[row]], cells.bond_centroid[bond[row]]
        np.testing.assert_allclose((body.vertices[body.triangles[row]] - point) @ normal, 0.0, atol=1e-12)
        assert 0 in cells.unit[cells.bond_cells[bond[row]]]


def test_the_bodies_of_all_pieces_make_up_the_whole(cells):
    bodies = [piece_body(cells, np.array([unit]), MESH)[0] for unit in range(int(cells.unit.max()) + 1)]
    total = sum(volume(body.vertices, body.triangles) for body in bodies)
    assert total == pytest.approx(volume(MESH.vertices, MESH.triangles), rel=1e-9)


def test_a_piece_of_a_piece_still_knows_the_mesh(cells):
    body, *_ = piece_body(cells, np.array([0, 1]), MESH)
    finer = cut_up(body, 4, seed=3)
    for unit in range(int(finer.unit.max()) + 1):
        small, *_ = piece_body(finer, np.array([unit]), body)
        assert is_closed(small)
        at, told = skin_points(small)
        np.testing.assert_allclose(at, told, atol=1e-12)
    # What was broken stays so: its area is the same before and after.
    pieces = [piece_body(finer, np.array([unit]), body) for unit in range(len(units(finer).volume))]
    kept = sum(_area(small, (small.made == Made.BROKEN) & (bond < 0)) for small, bond, _ in pieces)
    assert kept == pytest.approx(_area(body, body.made == Made.BROKEN), rel=1e-9)


def _area(body, rows):
    a, b, c = body.vertices[body.triangles[rows]].transpose(1, 0, 2)
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()


def test_joined_bodies_keep_their_triangles_in_order(cells):
    pieces = [piece_body(cells, np.array([unit]), MESH)[0] for unit in (0, 1)]
    both = joined_bodies([MESH, *pieces])
    first = len(MESH.triangles)
    np.testing.assert_array_equal(both.vertices[both.triangles[:first]], MESH.vertices[MESH.triangles])
    second = first + len(pieces[0].triangles)
    np.testing.assert_array_equal(both.vertices[both.triangles[first:second]], pieces[0].vertices[pieces[0].triangles])
    np.testing.assert_array_equal(both.made[first:second], pieces[0].made)
    assert (both.polygon[first:] >= first).all() and (both.polygon[both.polygon] == both.polygon).all()
    assert joined_bodies([MESH]) is MESH
