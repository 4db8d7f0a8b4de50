"""Bodies in lattices: cells and volumes, units and hexahedra, the same bits, places that follow affine maps."""

from functools import cache

import numpy as np
import pytest

from core.continuum.lattice_embedding.embedding import (
    Embedding,
    embed_steps,
    find_point_weights,
    locate_points,
    outer_faces,
)
from core.continuum.lattice_embedding.places import trilinear_weights
from core.continuum.spring_lattice.hexahedra import HEXAHEDRON_FACES, HexahedralComplex, corner_volumes
from core.cutting.units import units
from core.errors import InputError
from core.geometry.mesh import diagonal
from core.stepwise import result_of
from core.types import Body, Floats
from tests import shapes
from tests.core.cutting.closedness import assert_sound

#: Bodies with the spacing of their lattices [m].
BODIES = {
    "cube": (shapes.box(), 0.25),
    "slab": (shapes.box(high=(1.0, 2.0, 0.3)), 0.15),
    "sphere": (shapes.icosphere(3), 0.25),
    "torus": (shapes.torus(), 0.15),
    "hollow box": (shapes.hollow_box(0.2), 0.1),
    "two boxes": (shapes.two_boxes(), 0.3),
}


def turned(body: Body) -> Body:
    """Turned about an axis that is no axis of the world."""
    a, b = np.cos(0.4), np.sin(0.4)
    turn = np.array([[a, -b, 0.0], [b, a, 0.0], [0.0, 0.0, 1.0]]) @ np.array(
        [[1.0, 0.0, 0.0], [0.0, a, -b], [0.0, b, a]]
    )
    return shapes.body(body.vertices @ turn.T, body.triangles)


@cache
def embedded(name: str) -> Embedding:
    return result_of(embed_steps(*BODIES[name], 0))


def lattice(found: Embedding) -> HexahedralComplex:
    return HexahedralComplex(found.nodes, found.hexahedra, found.parity)


@pytest.mark.parametrize("name", BODIES)
def test_cells_are_the_body(name):
    assert_sound(BODIES[name][0], embedded(name).cells)


@pytest.mark.parametrize("name", BODIES)
def test_hexahedra_are_not_folded_and_alternate(name):
    found = embedded(name)
    assert corner_volumes(lattice(found)).min() > 0.0
    cells_of_face: dict[tuple[int, ...], list[int]] = {}
    for cell, faces in enumerate(np.sort(found.hexahedra[:, HEXAHEDRON_FACES], axis=2).tolist()):
        for face in faces:
            cells_of_face.setdefault(tuple(face), []).append(cell)
    shared = np.array([cells for cells in cells_of_face.values() if len(cells) == 2])
    assert max(len(cells) for cells in cells_of_face.values()) <= 2
    assert (found.parity[shared[:, 0]] != found.parity[shared[:, 1]]).all()
    assert len(outer_faces(found.hexahedra)) == len(cells_of_face) - len(shared)


@pytest.mark.parametrize("name", BODIES)
def test_a_unit_has_one_hexahedron_and_hexahedra_have_units(name):
    found = embedded(name)
    assert len(np.unique(np.stack([found.cells.unit, found.hexahedron]), axis=1).T) == len(np.unique(found.cells.unit))
    assert np.array_equal(np.unique(found.hexahedron), np.arange(len(found.hexahedra)))
    assert len(units(found.cells).volume) == found.cells.unit.max() + 1


@pytest.mark.parametrize("body", [shapes.box(), turned(shapes.box())], ids=["upright", "turned"])
def test_a_cube_is_divided_into_equal_cubes(body):
    found = result_of(embed_steps(body, 0.25, 0))
    assert len(found.hexahedra) == 64 == found.cells.unit.max() + 1
    assert found.distance <= 1e-14 * diagonal(body.vertices)  # some roundings of turned corners
    assert np.allclose(corner_volumes(lattice(found)), 1.0 / 64.0, rtol=1e-12)
    # walls are moved by up to 1e-6 of the diagonal, three of them in each direction
    assert np.allclose(np.bincount(found.cells.unit, found.cells.volume), 1.0 / 64.0, rtol=1e-4)


@pytest.mark.parametrize("name", BODIES)
def test_points_are_the_sums_of_their_corners(name):
    found, points = embedded(name), embedded(name).cells.vertices
    everything = np.arange(len(found.hexahedra))
    node, weight = find_point_weights(found, points, everything)
    size = diagonal(BODIES[name][0].vertices)
    for turn in (np.eye(3), np.diag([-1.0, 1.0, 2.0]), np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])):
        moved = (weight[:, :, None] * (found.nodes @ turn.T + 7.0)[node]).sum(axis=1)
        assert np.abs(moved - (points @ turn.T + 7.0)).max() <= 1e-12 * size
    hexahedron, place = locate_points(found, points, everything)
    assert np.array_equal(found.hexahedra[hexahedron], node)
    assert np.allclose(trilinear_weights(place), weight, atol=1e-12)


def bent(points: Floats) -> Floats:
    x, y, z = points.T
    return np.stack([x + 0.3 * y * z, y - 0.2 * x * x, z + 0.1 * np.sin(3.0 * x)], axis=1)


@pytest.mark.parametrize("name", ["cube", "sphere"])
def test_points_on_a_shared_face_move_alike_with_both_hexahedra(name):
    found = embedded(name)
    nodes, rng = bent(found.nodes), np.random.default_rng(3)
    faces = {}
    for cell, corner in enumerate(found.hexahedra):
        for face in corner[HEXAHEDRON_FACES]:
            faces.setdefault(tuple(sorted(face)), []).append((cell, face))
    shared = [both for both in faces.values() if len(both) == 2]
    for (one, face), (other, _) in shared[::7]:
        u, v = rng.random(2)
        weight = np.array([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v])
        point = (weight[:, None] * found.nodes[face]).sum(axis=0)
        moved = []
        for cell in (one, other):
            node, share = find_point_weights(found, point[None], np.array([cell]))
            moved.append((share[0, :, None] * nodes[node[0]]).sum(axis=0))
        assert np.abs(moved[0] - moved[1]).max() <= 1e-11
        assert np.abs(moved[0] - (weight[:, None] * nodes[face]).sum(axis=0)).max() <= 1e-11


@pytest.mark.parametrize("name", ["torus", "two boxes"])
def test_the_same_body_gives_the_same_bits(name):
    again, first = result_of(embed_steps(*BODIES[name], 0)), embedded(name)
    for field in ("nodes", "hexahedra", "parity", "hexahedron"):
        assert getattr(again, field).tobytes() == getattr(first, field).tobytes()
    assert again.cells.vertices.tobytes() == first.cells.vertices.tobytes()


@pytest.mark.parametrize("spacing", [0.0, -1.0, np.nan, np.inf, 1e-9])
def test_a_spacing_that_is_no_size_of_cells_is_refused(spacing):
    with pytest.raises(InputError, match=r"cells .*\.$"):
        result_of(embed_steps(shapes.box(), spacing, 0))
