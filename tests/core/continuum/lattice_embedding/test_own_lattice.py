"""Meshes that were added as lattices are divided into their own cells."""

from dataclasses import replace

import numpy as np
import pytest

from core.continuum.lattice_embedding.own_lattice import NOTE, embed_as_added_steps, embed_own_lattice
from core.continuum.lattice_shapes.shapes import LATTICE_SHAPES, find_shape, make_shape
from core.continuum.spring_lattice.hexahedra import exposed_faces
from core.continuum.spring_lattice.lattice import joined_nodes
from core.geometry.mesh import volume
from core.intake.ladder import intake
from core.stepwise import result_of
from core.types import LatticeRecipe, Mesh
from tests.core.cutting.closedness import assert_sound
from tests.spring_lattices import B


def added(name, linear=None, other=False, **values):
    """The body and the recipe of a shape, its faces cut along their springs, or along the other diagonal."""
    shape = find_shape(name)
    params = replace(shape.params(), **values)
    solid = make_shape(shape, params)
    face = exposed_faces(solid.cell_node)
    pairs = {tuple(pair) for pair in joined_nodes(solid, B)[0].tolist()}
    along = np.array([(min(a, c), max(a, c)) in pairs for a, _, c, _ in face.tolist()])
    face = np.where((along != other)[:, None], face, face[:, [1, 2, 3, 0]])
    used, corner = np.unique(face, return_inverse=True)
    corner = corner.reshape(-1, 4)
    triangles = np.concatenate([corner[:, [0, 1, 2]], corner[:, [0, 2, 3]]])
    offset = solid.node_position.mean(axis=0)
    linear = np.eye(3) if linear is None else linear
    vertices = ((solid.node_position[used] - offset) @ linear.T).astype(np.float32).astype(float)
    if np.linalg.det(linear) < 0.0:
        triangles = triangles[:, ::-1]
    body = intake(Mesh("Shape", vertices, np.ascontiguousarray(triangles))).body
    return body, LatticeRecipe(name, params, np.column_stack([linear, -linear @ offset])), solid


@pytest.mark.parametrize("name", [shape.id for shape in LATTICE_SHAPES])
def test_cells_are_those_of_the_shape(name):
    body, recipe, solid = added(name)
    found = embed_own_lattice(body, recipe)
    assert found.notes == (NOTE,)
    np.testing.assert_array_equal(found.hexahedra, solid.cell_node)
    cells = found.cells
    assert_sound(body, cells)
    assert len(cells.volume) == 5 * len(solid.cell_node)
    assert int(cells.unit.max()) + 1 == len(solid.cell_node)
    for row in (cells.unit, found.hexahedron):
        assert (np.bincount(row) == 5).all()
    assert len(np.unique(np.stack([cells.unit, found.hexahedron]), axis=1).T) == len(solid.cell_node)
    # Sums of some thousand tetrahedra: round-off.
    assert cells.volume.sum() == pytest.approx(volume(body.vertices, body.triangles), rel=1e-12)


def test_it_may_be_stretched_and_mirrored():
    linear = np.array([[-2.0, 0.3, 0.0], [0.0, 1.0, 0.0], [0.1, 0.0, 0.5]])
    body, recipe, _ = added("tube", linear)
    found = embed_own_lattice(body, recipe)
    assert found.cells.volume.sum() == pytest.approx(volume(body.vertices, body.triangles), rel=1e-12)


def test_what_does_not_fit_is_embedded_as_any_mesh_is():
    body, recipe, _ = added("slab", cells_x=4, cells_y=4)
    moved = replace(body, vertices=body.vertices + np.where(np.arange(len(body.vertices)) == 3, 0.01, 0.0)[:, None])
    assert embed_own_lattice(moved, recipe) is None
    assert embed_own_lattice(body, replace(recipe, shape="cone")) is None
    assert embed_own_lattice(body, replace(recipe, params=replace(recipe.params, cells_x=5))) is None
    assert embed_own_lattice(added("slab", other=True)[0], added("slab")[1]) is None
    found = result_of(embed_as_added_steps(body, replace(recipe, shape="cone"), 0.05, 1))
    assert NOTE not in found.notes and found.cells.volume.sum() == pytest.approx(0.0016, rel=1e-6)
    assert result_of(embed_as_added_steps(body, recipe, 0.05, 1)).notes == (NOTE,)


def test_an_odd_ring_has_a_seam_and_is_embedded():
    body, recipe, _ = added("tube", around=9)
    assert embed_own_lattice(body, recipe) is None
