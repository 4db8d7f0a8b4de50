"""Recipes: what a mesh remembers of the cells within it; docs/papers/norton1991.md, N8."""

import json

import numpy as np
import pytest

from core.continuum.lattice_shapes.recipes import glued_recipe, make_recipe, recipe_from_mapping, recipe_to_mapping
from core.continuum.lattice_shapes.shapes import SlabParams, TubeParams
from core.continuum.spring_lattice.hexahedra import check_hexahedra, exposed_faces, hexahedron_volumes
from core.errors import InputError
from core.types import LatticeRecipe

SIDE = 0.2


def slab(*place, turn=None):
    params = SlabParams(SIDE, SIDE, SIDE, 2, 2, 2)
    return LatticeRecipe("slab", params, np.column_stack([np.eye(3) if turn is None else turn, place]))


def test_two_blocks_are_one_and_keep_their_volume():
    solid = make_recipe(glued_recipe([slab(0.0, 0.0, 0.0), slab(SIDE, 0.0, 0.0)], 1e-6))
    assert len(solid.node_position) == 5 * 3 * 3
    assert len(exposed_faces(solid.cell_node)) == 2 * (4 + 8 + 8)
    assert hexahedron_volumes(solid).sum() == pytest.approx(2.0 * SIDE**3, rel=1e-14)


def test_a_mirrored_part_is_right_handed():
    solid = make_recipe(
        glued_recipe([slab(0.0, 0.0, 0.0), slab(-SIDE, 0.0, 0.0, turn=np.diag([-1.0, 1.0, 1.0]))], 1e-6)
    )
    check_hexahedra(solid)
    assert hexahedron_volumes(solid).sum() == pytest.approx(2.0 * SIDE**3, rel=1e-14)


def test_what_is_glued_is_glued_again_and_told_as_plain_data():
    pair = glued_recipe([slab(0.0, 0.0, 0.0), slab(SIDE, 0.0, 0.0)], 1e-6)
    recipe = glued_recipe([pair, slab(0.0, SIDE, 0.0)], 0.01)
    told = json.loads(json.dumps(recipe_to_mapping(recipe)))
    made, again = make_recipe(recipe), make_recipe(recipe_from_mapping(told))
    np.testing.assert_array_equal(made.node_position, again.node_position)
    np.testing.assert_array_equal(made.cell_node, again.cell_node)
    assert len(made.cell_node) == 3 * 8


def test_what_is_a_little_apart_is_drawn_together():
    gap = 0.01
    solid = make_recipe(glued_recipe([slab(0.0, 0.0, 0.0), slab(SIDE + gap, 0.0, 0.0)], 1.5 * gap))
    # The first cells of the second block reach over the gap.
    assert hexahedron_volumes(solid).sum() == pytest.approx((2.0 * SIDE + gap) * SIDE * SIDE, rel=1e-14)


@pytest.mark.parametrize("place", [(SIDE + 0.1, 0.0, 0.0), (SIDE, SIDE, 0.0)])
def test_parts_that_share_no_side_get_a_sentence(place):
    with pytest.raises(InputError, match="No side of a cell meets"):
        make_recipe(glued_recipe([slab(0.0, 0.0, 0.0), slab(*place)], 1e-6))


def test_cells_that_are_much_finer_get_a_sentence():
    fine = LatticeRecipe("slab", SlabParams(SIDE, SIDE, SIDE, 8, 8, 8), np.column_stack([np.eye(3), [SIDE, 0, 0]]))
    with pytest.raises(InputError, match="much finer"):
        make_recipe(glued_recipe([slab(0.0, 0.0, 0.0), fine], 0.06))


@pytest.mark.parametrize(
    "told",
    [
        {"shape": "glued", "params": {"parts": []}},
        {"shape": "cube", "params": {}},
        {"shape": "tube", "params": {"x": 1}},
    ],
)
def test_what_is_no_recipe_raises(told):
    with pytest.raises((InputError, KeyError)):
        recipe_from_mapping(told)


def test_a_shape_alone_stands_at_the_origin():
    recipe = recipe_from_mapping({"shape": "tube", "params": {}})
    assert recipe.params == TubeParams()
    np.testing.assert_array_equal(recipe.place, np.eye(3, 4))
