"""Parts under the triangles of a mesh that deforms, and the parts of it that keep their form."""

import numpy as np
import pytest

from core.arithmetic.small_matrices import rotation_matrices
from core.rigid.shapes.rigid_regions import find_rigid_regions
from core.rigid.shapes.skin_parts import make_skin_parts, skin_of
from core.types import Mesh
from tests import shapes
from tests.core.rigid.convexity import assert_sound, corners_of, height_over, volume_of
from tests.core.rigid.shapes_of import matrix_of


def mesh_of(body):
    return Mesh("Skin", body.vertices, body.triangles)


def sheet(count=4, side=1.0):
    """A level grid of two triangles for each square, about the origin."""
    ticks = np.linspace(-0.5 * side, 0.5 * side, count + 1)
    x, y = np.meshgrid(ticks, ticks, indexing="ij")
    place = np.stack([x.reshape(-1), y.reshape(-1), np.zeros(x.size)], axis=1)
    i, j = (part.reshape(-1) for part in np.meshgrid(np.arange(count), np.arange(count), indexing="ij"))
    a, b = i * (count + 1) + j, (i + 1) * (count + 1) + j
    corners = np.concatenate([np.stack([a, b, b + 1], axis=1), np.stack([a, b + 1, a + 1], axis=1)])
    return Mesh("Sheet", place, corners)


def wedge():
    """A ridge of 20 degrees, far sharper than a right angle."""
    base = shapes.box()
    place = base.vertices.copy()
    place[:, 1] *= np.where(place[:, 2] > 0.5, 0.02, 0.35)
    return Mesh("Wedge", place, base.triangles)


MESHES = {
    "box": mesh_of(shapes.box()),
    "ball": mesh_of(shapes.icosphere(2)),
    "ring": mesh_of(shapes.torus(segments=16, rings=8)),
    "plate": mesh_of(shapes.box((0, 0, 0), (1, 1, 0.01))),
    "sheet": sheet(),
    "wedge": wedge(),
    "room": mesh_of(shapes.reversed_body(shapes.box())),
}


def sharp_sides(mesh):
    """Sides of triangles at ridges as sharp as a right angle or sharper: two for each ridge."""
    corner = mesh.vertices[mesh.triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    sides = {(int(t[k]), int(t[k - 2])): row for row, t in enumerate(mesh.triangles) for k in range(3)}
    count = 0
    for (a, b), row in sides.items():
        other = sides.get((b, a), row)
        along = mesh.vertices[b] - mesh.vertices[a]
        ridge = np.dot(np.cross(normal[row], normal[other]), along) > 0.0
        count += ridge and np.dot(normal[row], normal[other]) < 0.02
    return count


@pytest.mark.parametrize("name", MESHES)
def test_parts_are_sound_and_their_tops_are_the_triangles(name):
    mesh = MESHES[name]
    skin = skin_of(mesh)
    made = make_skin_parts(mesh, skin, len(mesh.triangles) + 3)
    assert_sound(made)
    turn = rotation_matrices(skin.rotation)
    for k, triangle in enumerate(mesh.triangles):
        world = corners_of(made, k) @ turn[k].T + skin.middle[k]
        np.testing.assert_allclose(world[:3], mesh.vertices[triangle], atol=1e-12)
        assert volume_of(made, k) > 0.0
    adjacent = made.faces.adjacent.reshape(-1, 5)
    number = np.arange(len(adjacent))[:, None]
    assert (adjacent[-3:] == number[-3:]).all(), "what stands by cannot be touched"
    assert (adjacent[:-3, 0] == -1).all() and ((adjacent == -1) | (adjacent == number)).all()
    solid = name not in ("sheet", "room")
    assert ((adjacent[:-3, 1] == number[:-3, 0]) == solid).all(), "bottoms are inner faces inside a solid alone"
    border = {"sheet": 16}.get(name, 0)
    assert (adjacent[:-3, 2:] == -1).sum() == border + sharp_sides(mesh)


@pytest.mark.parametrize("name", ["box", "ball", "ring", "plate", "wedge"])
def test_no_part_of_a_solid_comes_out_of_it(name):
    """Corners of parts lie in the solid: half of what is below is theirs, and sides lean inwards under ridges."""
    mesh = MESHES[name]
    skin = skin_of(mesh)
    made, turn = make_skin_parts(mesh, skin, len(mesh.triangles)), rotation_matrices(skin.rotation)
    corner = mesh.vertices[mesh.triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    if name == "ring":
        normal = normal[:0]  # planes of its faces say nothing of what is inside
    for k in range(len(mesh.triangles)):
        world = corners_of(made, k) @ turn[k].T + skin.middle[k]
        heights = ((world[None] - corner[: len(normal), :1]) * normal[:, None]).sum(axis=2)
        assert heights.max(initial=0.0) < (0.025 if name == "wedge" else 1e-4)  # a blade is 0.02 thin


def test_grooves_are_filled_where_points_get_below_the_skin():
    """Just below the bottom edges of a groove of 90 degrees, every point is in some part."""
    place = np.array([[-1.0, 0, 1], [0, 0, 0], [1, 0, 1], [-1, 1, 1], [0, 1, 0], [1, 1, 1]])
    mesh = Mesh("Groove", place, np.array([[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]]))
    skin = skin_of(mesh)
    made, turn = make_skin_parts(mesh, skin, 4), rotation_matrices(skin.rotation)
    point = np.array([[0.0, 0.5, -0.02], [0.01, 0.3, -0.015], [-0.01, 0.7, -0.01]])
    inside = np.zeros(3, bool)
    for k in range(4):
        inside |= height_over(made, k, (point - skin.middle[k]) @ turn[k]) <= 0.0
    assert inside.all()


def test_a_triangle_without_area_stands_by():
    place = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0.5, 0.0, 0.0]])
    mesh = Mesh("Sliver", place, np.array([[0, 1, 2], [0, 3, 1]]))
    made = make_skin_parts(mesh, skin_of(mesh), 2)
    assert_sound(made)
    assert (made.faces.adjacent[5:] == 1).all() and (made.faces.adjacent[0] == -1)


def turned_meshes(body, frames=6, stretch=0.0):
    """A body that flies and turns, stretched by a part for each frame."""
    result = []
    for s in range(frames):
        half = 0.2 * s
        turn = matrix_of(np.array([np.cos(half), 0.6 * np.sin(half), 0.0, 0.8 * np.sin(half)]))
        place = body.vertices * np.array([1.0, 1.0, 1.0 + stretch * s])
        result.append(Mesh("Body", place @ turn.T + [0.3 * s, 0.0, 0.1 * s * s], body.triangles))
    return tuple(result)


def test_what_keeps_its_form_is_led_as_a_whole():
    given = turned_meshes(shapes.torus(segments=8, rings=6))
    (part,), left = find_rigid_regions(given)
    assert left == ()
    turn = rotation_matrices(part.rotation)
    for s, mesh in enumerate(given):
        seen = part.mesh.vertices[part.mesh.triangles] @ turn[s].T + part.position[s]
        np.testing.assert_allclose(seen, mesh.vertices[mesh.triangles], atol=1e-12)
    assert (np.abs((part.rotation[1:] * part.rotation[:-1]).sum(axis=1)) > 0.9).all()


def test_shells_that_keep_their_form_are_told_from_those_that_do_not():
    hard = turned_meshes(shapes.moved(shapes.box(), np.array([0.0, 3.0, 0.0])))
    soft = turned_meshes(shapes.icosphere(1), stretch=0.1)
    triangles = np.concatenate([hard[0].triangles, soft[0].triangles + 8])
    given = tuple(
        Mesh("Both", np.concatenate([a.vertices, b.vertices]), triangles) for a, b in zip(hard, soft, strict=True)
    )
    parts, left = find_rigid_regions(given)
    assert len(parts) == 1 and len(parts[0].mesh.vertices) == 8
    assert len(left) == 6 and len(left[0].triangles) == len(soft[0].triangles)
    assert find_rigid_regions(soft)[0] == [] and find_rigid_regions(soft)[1] is soft
