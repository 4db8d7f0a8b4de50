"""A mesh that was added as a lattice, in its own cells: no cell is cut, and none sticks out.

Each hexahedron is five tetrahedra, as it is for the cutter (see `tetrahedra`), and they become cells as they are.
"""

from collections.abc import Generator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...cutting.assemble_cells import LabelledTriangles, assemble_cells
from ...errors import CutError, InputError
from ...geometry.graph import number_by_appearance
from ...geometry.mesh import diagonal, unit_normals
from ...types import Body, Bools, Floats, Ints, LatticeRecipe
from ..lattice_shapes.recipes import make_recipe
from ..spring_lattice.hexahedra import HexahedralComplex, corner_volumes, exposed_faces
from .embedding import Embedding, embed_steps
from .lattice_box import LatticeBox
from .tetrahedra import TETRAHEDRA_PER_CELL, divide_hexahedra, tetrahedron_volumes

#: How far a vertex may lie from the node that it was made of, over the size: Blender stores 24 bits. Derived, with some
#: room for what an object far from its origin loses.
_ALIKE = 1e-5
#: (4,3) corners of the faces of a tetrahedron, counter-clockwise seen from outside.
_FACES = np.array([(1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1)])
NOTE = "Springs are those of the lattice with which the mesh was added: the number of nodes is its own."


class _Tetrahedra(NamedTuple):
    """What `assemble_cells` asks of regions, and of the walls between them."""

    site: Floats
    group: Ints
    dropped: Bools
    region: Ints
    bond_cells: Ints
    bond_normal: Floats
    bond_strength: Floats


def embed_as_added_steps(
    body: Body, recipe: LatticeRecipe | None, spacing: float, seed: int
) -> Generator[float, None, Embedding]:
    """The body in the lattice of its recipe where that fits, and else as of `embed_steps`."""
    own = None if recipe is None else embed_own_lattice(body, recipe)
    return own if own is not None else (yield from embed_steps(body, spacing, seed))


def embed_own_lattice(body: Body, recipe: LatticeRecipe) -> Embedding | None:
    """The body in the cells of its recipe, None where these are not its own any more, or no tetrahedra fit them.

    That is so where the mesh was repaired, where an odd ring of cells has no alternating diagonals, or where faces were
    cut into triangles along the other diagonal.
    """
    solid = _placed(body, recipe)
    if solid is None:
        return None
    nodes, hexahedra = solid.node_position, solid.cell_node
    corners = divide_hexahedra(hexahedra, solid.cell_parity)
    if not tetrahedron_volumes(nodes, corners).min() > 0.0:
        return None
    owner = np.arange(len(corners)) // TETRAHEDRA_PER_CELL
    made = _labelled(body, solid, corners, owner)
    if made is None:
        return None
    try:
        cells = assemble_cells(body, made[0], made[0], made[1])
    except CutError:  # faces that are bent so far that they pierce each other
        return None
    hexahedron = owner[cells.region]
    # Thin cells are not taken for crumbs: each is what the artist has added.
    cells = replace(cells, unit=number_by_appearance(hexahedron)[1], crumb=np.zeros(len(hexahedron), np.bool_))
    number = np.arange(len(hexahedra))
    box = LatticeBox(body, np.arange(len(body.triangles)), nodes, hexahedra, solid.cell_parity, number, False)
    return Embedding(nodes, hexahedra, solid.cell_parity, cells, hexahedron, 0.0, (box,), (NOTE,))


def _placed(body: Body, recipe: LatticeRecipe) -> HexahedralComplex | None:
    """The cells where the body is, its vertices for their outer nodes; None where these do not fit."""
    try:
        solid = make_recipe(recipe)
    except InputError:
        return None
    outer = np.unique(exposed_faces(solid.cell_node))
    if len(outer) != len(body.vertices) or len(body.made):
        return None
    if not np.abs(solid.node_position[outer] - body.vertices).max() <= _ALIKE * diagonal(body.vertices):
        return None
    nodes = solid.node_position.copy()
    nodes[outer] = body.vertices
    solid = HexahedralComplex(nodes, solid.cell_node, solid.cell_parity)
    return solid if (corner_volumes(solid) > 0.0).all() else None


def _labelled(
    body: Body, solid: HexahedralComplex, corners: Ints, owner: Ints
) -> tuple[_Tetrahedra, LabelledTriangles] | None:
    """The faces of all tetrahedra (5 H,4): the body's triangles, and walls. None where one is neither."""
    nodes = solid.node_position
    skin = np.unique(exposed_faces(solid.cell_node))[body.triangles]
    faces = corners[:, _FACES].reshape(-1, 3)
    every = np.sort(np.concatenate([faces, skin]), axis=1)
    order = np.lexsort(every.T)
    same = (every[order[1:]] == every[order[:-1]]).all(axis=1)
    a, b = order[:-1][same], order[1:][same]  # a < b, for equal rows stay in order
    if 2 * len(a) != len(every) or (same[1:] & same[:-1]).any() or (a >= len(faces)).any():
        return None
    of_skin = b >= len(faces)
    lo, hi, row = a[~of_skin], b[~of_skin], b[of_skin] - len(faces)
    wall = np.arange(len(lo))
    labelled = LabelledTriangles(
        nodes,
        np.concatenate([skin[row], faces[lo], faces[hi]]),
        np.concatenate([a[of_skin], lo, hi]) // 4,
        np.repeat([True, False], [len(skin), 2 * len(lo)]),
        np.concatenate([row, 2 * wall, 2 * wall + 1]),
    )
    regions = _Tetrahedra(
        nodes[corners].sum(axis=1) / 4.0,
        owner,
        np.zeros(len(corners), np.bool_),
        np.arange(len(corners)),
        np.stack([lo, hi], axis=1) // 4,
        unit_normals(nodes[faces[lo]]),
        np.ones(len(lo)),
    )
    return regions, labelled
