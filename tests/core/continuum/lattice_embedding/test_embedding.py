"""Bodies in lattices: cells and volumes, units and hexahedra, the same bits, places that follow affine maps."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from manifold3d import CrossSection, Manifold

from core.config.repair import Repair
from core.continuum.lattice_embedding.box_complex import outer_faces
from core.continuum.lattice_embedding.embedding import (
    Embedding,
    embed_steps,
    find_point_weights,
    locate_points,
)
from core.continuum.lattice_embedding.places import trilinear_weights
from core.continuum.lattice_embedding.walls import thin_sentence, thinnest_wall
from core.continuum.spring_lattice.hexahedra import (
    HEXAHEDRON_EDGES,
    HEXAHEDRON_FACES,
    HexahedralComplex,
    corner_volumes,
    hexahedron_volumes,
)
from core.cutting.units import units
from core.errors import InputError
from core.geometry.graph import connected_labels
from core.geometry.mesh import diagonal, volume
from core.geometry.nearest import nearest
from core.intake.ladder import intake
from core.stepwise import result_of
from core.types import Body, Floats, Mesh
from tests import shapes
from tests.core.cutting.closedness import assert_sound
from tests.zoo.meshes import ZOO


def block(outline: tuple[tuple[float, float], ...]) -> Body:
    """A prism of height 1 over a polygon."""
    made = Manifold.extrude(CrossSection([outline]), 1.0).to_mesh()
    return shapes.body(made.vert_properties[:, :3].astype(np.float64), made.tri_verts)


#: Bodies with the spacing of their lattices [m].
BODIES = {
    "cube": (shapes.box(), 0.25),
    "slab": (shapes.box(high=(1.0, 2.0, 0.3)), 0.15),
    "sphere": (shapes.icosphere(3), 0.25),
    "torus": (shapes.torus(), 0.15),
    "hollow box": (shapes.hollow_box(0.2), 0.1),
    "two boxes": (shapes.two_boxes(), 0.3),
    "L": (block(((0.0, 0.0), (1.0, 0.0), (1.0, 0.43), (0.37, 0.43), (0.37, 1.0), (0.0, 1.0))), 0.1),
    "gable": (block(((0.0, 0.0), (1.0, 0.0), (1.0, 0.6), (0.5, 1.1), (0.0, 0.6))), 0.1),
}
#: Shares of the volume of those that are curved, or askew to the grid, that their lattices may miss.
MISSING = {"sphere": 0.06, "torus": 0.06, "gable": 1e-3}


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
def test_hexahedra_are_not_folded(name):
    solid = lattice(embedded(name))
    assert corner_volumes(solid).min() > 0.0
    at = 0.5 + 0.5 * np.array([-1.0, 0.0, 1.0]) * 0.999
    for u, v, w in product(at, at, at):
        assert np.linalg.det(jacobians(solid.node_position[solid.cell_node], u, v, w)).min() > 0.0


def jacobians(corner: Floats, u: float, v: float, w: float) -> Floats:
    """How places (n,3) change with the coordinates, by differences, which are exact along each of them."""
    step = 1e-3 * np.eye(3)
    there = [places(corner, np.array([u, v, w]) + d) - places(corner, np.array([u, v, w]) - d) for d in step]
    return np.stack(there, axis=1)


def places(corner: Floats, coordinates: Floats) -> Floats:
    return (trilinear_weights(coordinates[None])[:, :, None] * corner).sum(axis=1)


@pytest.mark.parametrize("name", BODIES)
def test_hexahedra_meet_face_to_face_and_have_the_same_diagonal_there(name):
    found = embedded(name)
    # of an even hexahedron the diagonals join corners with an even number of ones
    own = np.array([[corner.bit_count() % 2 for corner in face] for face in HEXAHEDRON_FACES.tolist()])
    diagonals: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for corner, parity in zip(found.hexahedra, found.parity, strict=True):
        for face, odd in zip(corner[HEXAHEDRON_FACES], own, strict=True):
            diagonals.setdefault(tuple(sorted(face)), []).append(tuple(sorted(face[odd == parity])))
    assert max(len(both) for both in diagonals.values()) == 2
    assert all(len(set(both)) == 1 for both in diagonals.values())
    assert len(outer_faces(found.hexahedra)) == sum(len(both) == 1 for both in diagonals.values())


@pytest.mark.parametrize("name", BODIES)
def test_outer_nodes_lie_on_the_surface_and_the_lattice_is_as_large_as_the_body(name):
    (body, spacing), found = BODIES[name], embedded(name)
    outer = np.unique(outer_faces(found.hexahedra))
    _, _, distance = nearest(body.vertices, body.triangles, found.nodes[outer])
    assert found.distance == distance.max()
    assert distance.max() <= 0.02 * spacing
    # Faces are chords of arcs. The ridge of a gable, askew to the grid, may be cut off along a face.
    size = hexahedron_volumes(lattice(found)).sum()
    assert size == pytest.approx(volume(body.vertices, body.triangles), rel=MISSING.get(name, 1e-9))


@pytest.mark.parametrize("name", BODIES)
def test_the_lattice_of_each_solid_hangs_together_by_faces_and_has_no_pinches(name):
    found = embedded(name)
    face = np.sort(found.hexahedra[:, HEXAHEDRON_FACES], axis=2).reshape(-1, 4)
    _, number = np.unique(face, axis=0, return_inverse=True)
    order = np.argsort(number, kind="stable")
    same = np.flatnonzero(np.diff(number[order]) == 0)
    pairs = np.stack([order[same] // 6, order[same + 1] // 6], axis=1)
    assert connected_labels(len(found.hexahedra), pairs).max() + 1 == (2 if name == "two boxes" else 1)
    border = outer_faces(found.hexahedra)
    ends = np.sort(np.stack([border, np.roll(border, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    assert (np.unique(ends, axis=0, return_counts=True)[1] == 2).all()


@pytest.mark.parametrize("name", BODIES)
def test_a_unit_has_one_hexahedron_and_hexahedra_have_units(name):
    found = embedded(name)
    assert len(np.unique(np.stack([found.cells.unit, found.hexahedron]), axis=1).T) == len(np.unique(found.cells.unit))
    assert np.array_equal(np.unique(found.hexahedron), np.arange(len(found.hexahedra)))
    assert len(units(found.cells).volume) == found.cells.unit.max() + 1


def test_corners_of_a_body_that_lie_beside_the_grid_are_nodes():
    for corner in BODIES["L"][0].vertices:
        assert np.sqrt(np.square(embedded("L").nodes - corner).sum(axis=1)).min() <= 1e-6


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
    near = (np.abs(place - 0.5) <= 1.0).all(axis=1)
    assert near.mean() > 0.9
    assert np.allclose(trilinear_weights(place[near]), weight[near], atol=1e-12)


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


@pytest.mark.parametrize(
    ("name", "lattices"),
    [
        ("overlapping cubes, kept", 2),
        ("nested cubes, hollow", 1),
        ("nested cubes, two solids", 2),
        ("cubes that share an edge", 2),
        ("wall with windows, no UV", 1),
        ("text", 4),
        ("Utah teapot", 1),
    ],
)
def test_meshes_of_artists_are_embedded(name, lattices):
    body = intake(Mesh(name, *ZOO[name].make()), Repair(**ZOO[name].options)).body
    size = volume(body.vertices, body.triangles)
    found = result_of(embed_steps(body, (size / 1500) ** (1 / 3), 0))
    assert_sound(body, found.cells)
    assert corner_volumes(lattice(found)).min() > 0.0
    assert hexahedron_volumes(lattice(found)).sum() == pytest.approx(size, rel=0.05)
    edges = found.hexahedra[:, HEXAHEDRON_EDGES].reshape(-1, 2)
    assert connected_labels(len(found.nodes), edges).max() + 1 == lattices
    assert len(np.unique(found.cells.unit * len(found.hexahedra) + found.hexahedron)) == found.cells.unit.max() + 1


@pytest.mark.parametrize("name", ["torus", "two boxes"])
def test_the_same_body_gives_the_same_bits(name):
    again, first = result_of(embed_steps(*BODIES[name], 0)), embedded(name)
    for field in ("nodes", "hexahedra", "parity", "hexahedron"):
        assert getattr(again, field).tobytes() == getattr(first, field).tobytes()
    assert again.cells.vertices.tobytes() == first.cells.vertices.tobytes()


@pytest.mark.parametrize("name", ["torus", "gable", "L"])
def test_powers_of_two_in_size_give_the_same_bits(name):
    # Nothing knows a length of its own: all that changes is the exponent of every number.
    (body, spacing), first = BODIES[name], embedded(name)
    again = result_of(embed_steps(shapes.moved(body, np.zeros(3), 2.0**7), 2.0**7 * spacing, 0))
    assert np.array_equal(again.nodes, 2.0**7 * first.nodes)
    assert np.array_equal(again.hexahedra, first.hexahedra)
    assert np.array_equal(again.hexahedron, first.hexahedron)
    assert np.array_equal(again.cells.vertices, 2.0**7 * first.cells.vertices)


@pytest.mark.parametrize(
    ("body", "thickness"),
    [
        (shapes.box(high=(1.0, 2.0, 0.05)), 0.05),
        (shapes.hollow_box(0.1), 0.1),
        (shapes.icosphere(4), 2.0),
        (shapes.torus(segments=96, rings=48), 0.6),
    ],
    ids=["slab", "hollow box", "sphere", "torus"],
)
def test_the_thinnest_wall_is_found(body, thickness):
    # a wall whose sides are not parallel is measured along the normal of one; facets of a sphere are chords
    assert thinnest_wall(body) == pytest.approx(thickness, rel=0.05)


def test_walls_thinner_than_cells_are_told_with_what_to_do():
    with pytest.raises(
        InputError, match=r"thinner than cells of 0\.2 m can be: take about .*000 nodes, .*of 22 mm, .*\.$"
    ):
        result_of(embed_steps(shapes.bottle(wall=0.03), 0.2, 0))


def test_no_number_of_nodes_is_told_that_nobody_would_wait_for():
    # A plate of a thousandth of its width: (1 + 1.9 * 2) a^2/h^2, five millions.
    text = thin_sentence(shapes.box(high=(1.0, 1.0, 1e-3)), 0.1)
    assert "make it thicker" in text and "about" not in text and text.endswith(".")


@pytest.mark.parametrize("spacing", [0.0, -1.0, np.nan, np.inf, 1e-9])
def test_a_spacing_that_is_no_size_of_cells_is_refused(spacing):
    with pytest.raises(InputError, match=r"cells .*\.$"):
        result_of(embed_steps(shapes.box(), spacing, 0))
