"""From a recipe to cells: a shape with its measures where it stands, or several that are glued to each other.

What is glued is a recipe itself, so that it can be glued to others again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from ...config.params import from_mapping
from ...errors import InputError
from ...geometry.mesh import map_vectors
from ...types import Floats, Ints, LatticeRecipe
from ...wording import length
from ..spring_lattice.blocks import reversed_cells
from ..spring_lattice.hexahedra import HexahedralComplex, check_hexahedra, corner_volumes, exposed_faces
from .gluing import glue_shapes
from .shapes import find_shape, make_shape

#: What the recipe of glued shapes has for the id of its shape. Files store it.
GLUED = "glued"


@dataclass(frozen=True, slots=True)
class GluedParams:
    """What is glued to what: each part to all before it."""

    within: float  #: of a node from the nearest node of the others for it to be glued [m]
    parts: tuple[LatticeRecipe, ...]


def make_recipe(recipe: LatticeRecipe) -> HexahedralComplex:
    """The cells of a recipe where it stands, right-handed though it may be mirrored.

    Raises InputError for measures that make no cells, and for parts that do not hold together.
    """
    shape = _glued(recipe.params) if recipe.shape == GLUED else make_shape(find_shape(recipe.shape), recipe.params)
    nodes = map_vectors(shape.node_position, recipe.place[:, :3]) + recipe.place[:, 3]
    solid = HexahedralComplex(nodes, shape.cell_node, shape.cell_parity)
    return reversed_cells(solid) if corner_volumes(solid).sum() < 0.0 else solid


def glued_recipe(parts: Sequence[LatticeRecipe], within: float) -> LatticeRecipe:
    """The recipe of parts that are glued where they come within a distance [m] of each other."""
    return LatticeRecipe(GLUED, GluedParams(within, tuple(parts)), np.eye(3, 4))


def recipe_to_mapping(recipe: LatticeRecipe) -> dict[str, Any]:
    """A recipe as plain data, as files store it."""
    if recipe.shape == GLUED:
        parts = [recipe_to_mapping(part) for part in recipe.params.parts]
        params: dict[str, Any] = {"within": recipe.params.within, "parts": parts}
    else:
        params = asdict(recipe.params)
    return {"shape": recipe.shape, "params": params, "place": recipe.place.tolist()}


def recipe_from_mapping(told: Mapping[str, Any]) -> LatticeRecipe:
    """The recipe that `recipe_to_mapping` has told of; where no place is told, the shape stands at the origin.

    Raises InputError, KeyError, TypeError or ValueError for what is none.
    """
    if told["shape"] == GLUED:
        parts = tuple(recipe_from_mapping(part) for part in told["params"]["parts"])
        params: Any = GluedParams(float(told["params"]["within"]), parts)
    else:
        params = from_mapping(find_shape(told["shape"]).params, told["params"])
    place = np.array(told.get("place", np.eye(3, 4)), np.float64).reshape(3, 4)
    return LatticeRecipe(told["shape"], params, place)


def _glued(params: GluedParams) -> HexahedralComplex:
    whole = make_recipe(params.parts[0])
    for recipe in params.parts[1:]:
        part = make_recipe(recipe)
        near = _near_nodes(whole.node_position, part.node_position, params.within)
        joined = glue_shapes(whole, part, near, params.within).solid
        faces, before, added = (len(exposed_faces(solid.cell_node)) for solid in (joined, whole, part))
        if faces == before + added:
            raise InputError(
                f"No side of a cell meets one of the others within {length(params.within)}: move the shapes closer"
                " together, give them cells of one size there, or glue farther."
            )
        whole = joined
    check_hexahedra(whole)
    return whole


def _near_nodes(whole: Floats, part: Floats, within: float) -> Ints:
    """The nodes of a part (n,3) that come so close to those of the whole (m,3)."""
    distance, _ = cKDTree(whole).query(part)
    return np.flatnonzero(distance <= within)
