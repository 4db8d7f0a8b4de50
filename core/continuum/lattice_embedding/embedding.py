"""A body embedded in a lattice of hexahedra, and cut along them (docs/papers/norton1991.md, N7).

Each solid of a body gets a grid in its own axes, of which the filled cells are kept. The box of the grid is cut as a
whole, so that what sticks out of the kept cells has a place too: it joins the one with which it shares most.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from ...cutting.cut import cut
from ...cutting.parts import side_by_side
from ...cutting.retry import Cutters, cut_with_retry
from ...errors import InputError
from ...geometry.mesh import diagonal
from ...pieces.convention import JITTER
from ...types import Body, Bools, Cells, Floats, Frozen, Ints, Partition
from ...wording import count
from .body_solids import BodySolid, split_solids
from .box_complex import outward_normals
from .fitted_box import FittedBox, fit_box
from .lattice_box import LatticeBox
from .places import corner_weights, locate_corners
from .tetrahedra import TETRAHEDRA_PER_CELL, divide_hexahedra, tetrahedra_complex
from .unit_owners import find_unit_owners, unit_centres

#: Names the random numbers that move the walls between cells out of the way of the mesh's vertices.
STREAM = 901
#: How far the walls of outer cells are moved outward, in JITTER: the surface then lies within them, and not by chance
#: on either side. By derivation: corners of a box move by 1/sqrt(3) of it along each axis, which is more than 1.
OUTWARD = 3.0
#: Trilinear coordinates go on so far beyond a hexahedron [1]. By eye: half a cell.
_BESIDE = 0.5


@dataclass(frozen=True, eq=False, slots=True)
class Embedding(Frozen):
    """H hexahedra that meet in whole faces, and the C cells of a body between them."""

    nodes: Floats  #: (N,3) at rest [m]
    hexahedra: Ints  #: (H,8) corners, see `spring_lattice.hexahedra`
    parity: Ints  #: (H,) 0 or 1: such that alternating diagonals of hexahedra that share a face are the same there
    cells: Cells  #: the body cut along them, and along faces of tetrahedra within them
    #: (C,) whose each cell is; cells of one unit have the same. Flat hexahedra may have none.
    hexahedron: Ints
    distance: float  #: largest of a node of the outer faces from the body's surface [m]
    boxes: tuple[LatticeBox, ...]  #: of the solids, by which borders are drawn again
    notes: tuple[str, ...] = ()  #: for the report, a sentence each


def embed_steps(body: Body, spacing: float, seed: int) -> Generator[float, None, Embedding]:
    """Embed a body in hexahedra of about `spacing` [m]; yields the share that is done.

    Parts and solids that do not hang together have lattices that share no nodes. `seed` only moves walls by some 1e-6
    of the size. Raises InputError where the spacing is no length or far too small, or much of the body is thinner
    than cells can be; CutError where it cannot be cut.
    """
    if not (np.isfinite(spacing) and spacing > 0.0):
        raise InputError("The size of the cells of the lattice must be a length above 0.")
    solids = split_solids(body)
    made = []
    for k, solid in enumerate(solids):
        yield k / len(solids)
        fitted = fit_box(solid.body, spacing)
        yield (k + 0.5) / len(solids)
        made.append(_cut_along(solid, fitted, seed))
    return _joined(made)


def locate_points(embedding: Embedding, points: Floats, allowed: Ints) -> tuple[Ints, Floats]:
    """The hexahedron (n,) of the `allowed` ones in which each point (n,3) lies at rest, and its coordinates (n,3).

    Coordinates are trilinear, see `places`: below 0 or above 1 outside. Of several the first in `allowed`.
    """
    row, place = locate_corners(embedding.nodes, embedding.hexahedra[allowed], points)
    return np.asarray(allowed, np.int64)[row], place


def find_point_weights(embedding: Embedding, points: Floats, allowed: Ints) -> tuple[Ints, Floats]:
    """The nodes (n,8) with which each point (n,3) moves, and their weights (n,8).

    They are those of `locate_points` within a hexahedron and close to it. Farther away they are affine, so that none
    is large. A point is the sum of its nodes times its weights to the last bits everywhere: rotations and all affine
    maps of the nodes are those of the point.
    """
    hexahedron, place = locate_points(embedding, points, allowed)
    corner = embedding.hexahedra[hexahedron]
    return corner, corner_weights(embedding.nodes[corner], points, np.clip(place, -_BESIDE, 1.0 + _BESIDE))


def _cut_along(solid: BodySolid, fitted: FittedBox, seed: int) -> tuple[BodySolid, Embedding]:
    """The solid cut along its lattice."""
    box = fitted.box
    moved = outward_normals(box.nodes, box.faces)
    size = JITTER * diagonal(solid.body.vertices)
    corners = divide_hexahedra(box.hexahedra, box.parity)
    owner = np.arange(len(corners)) // TETRAHEDRA_PER_CELL

    def build(attempt: int) -> Partition:
        rng = np.random.default_rng([seed, STREAM, attempt])
        nodes = box.nodes + size * (OUTWARD * moved + rng.uniform(-1.0, 1.0, moved.shape))
        return _grouped(tetrahedra_complex(nodes, corners), owner, box.kept)

    cells, notes = cut_with_retry(solid.body, build, cutters=Cutters(cut))
    used, corner = np.unique(box.hexahedra[box.kept], return_inverse=True)
    nodes, hexahedra = box.nodes[used], corner.reshape(-1, 8).astype(np.int64)
    number = np.where(box.kept, np.cumsum(box.kept) - 1, -1)
    hexahedron = _hexahedron_of_cells(cells, number[owner[cells.region]], nodes, hexahedra)
    whole = LatticeBox(solid.body, solid.rows, box.nodes, box.hexahedra, box.parity, number, True)
    return solid, Embedding(nodes, hexahedra, box.parity[box.kept], cells, hexahedron, fitted.distance, (whole,), notes)


def _grouped(partition: Partition, owner: Ints, kept: Bools) -> Partition:
    """Tetrahedra of kept hexahedra never part; all others are no pieces: what is in them joins a neighbour."""
    inside = kept[owner]
    group = np.where(inside, owner, len(kept) + np.arange(len(owner)))
    return replace(partition, group=group, dropped=~inside)


def _hexahedron_of_cells(cells: Cells, own: Ints, nodes: Floats, hexahedra: Ints) -> Ints:
    """The hexahedron (C,) of each unit's cells: the one in which most of it is, `own (C,)` being that of each or -1."""
    best = find_unit_owners(cells, own)
    rest = np.flatnonzero(best < 0)
    if len(rest):
        best[rest], _ = locate_corners(nodes, hexahedra, unit_centres(cells)[rest])
    return np.asarray(best[cells.unit])


def _joined(made: list[tuple[BodySolid, Embedding]]) -> Embedding:
    """The lattices of all solids side by side."""
    if len(made) == 1:
        return made[0][1]
    parts, nodes, hexahedra, hexahedron, boxes = [], [], [], [], []
    first_node = first_hexahedron = first_region = 0
    for solid, one in made:
        own = one.cells
        parts.append(replace(own, outer_triangle=solid.rows[own.outer_triangle], region=own.region + first_region))
        nodes.append(one.nodes)
        hexahedra.append(one.hexahedra + first_node)
        hexahedron.append(one.hexahedron + first_hexahedron)
        (box,) = one.boxes
        boxes.append(replace(box, number=np.where(box.number >= 0, box.number + first_hexahedron, -1)))
        first_node += len(one.nodes)
        first_hexahedron += len(one.hexahedra)
        first_region += int(own.region.max()) + 1
    notes = dict.fromkeys(note for _, one in made for note in one.notes)
    return Embedding(
        np.concatenate(nodes),
        np.concatenate(hexahedra),
        np.concatenate([one.parity for _, one in made]),
        side_by_side(parts, np.zeros(len(parts), np.int64)),
        np.concatenate(hexahedron),
        max(one.distance for _, one in made),
        tuple(boxes),
        (f"The body has {count(len(made), 'separate lattice')}.", *notes),
    )
