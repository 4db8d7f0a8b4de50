"""A body cut along the elements that it is divided into, so that every part of it belongs to one.

Each solid of a body has elements of its own. All of the space around them is divided, too, so that what sticks out of
the elements has a place: it joins the one with which it shares most. Elements that have been cut further since, with
what is around them, are given to `cut_by_tetrahedra` likewise: what each tetrahedron belongs to is all that it asks.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ...cutting.cut import cut
from ...cutting.parts import side_by_side
from ...cutting.retry import Cutters, cut_with_retry
from ...geometry.mesh import diagonal
from ...pieces.convention import JITTER
from ...stepwise import map_steps, overall_share
from ...types import Body, Cells, Floats, Frozen, Ints, Partition
from ...wording import count
from ..lattice_embedding.body_solids import BodySolid, split_solids
from ..lattice_embedding.tetrahedra import tetrahedra_complex, tetrahedron_volumes
from ..lattice_embedding.unit_owners import find_unit_owners, unit_centres
from .element_places import locate_in_elements
from .tetrahedralize import Tetrahedralization, tetrahedralize_steps

#: Names the random numbers that move faces out of the way of the mesh's vertices where a cut fails.
STREAM = 912
#: The share of the work that is the cut [1]. Measured on cubes of 1,000 to 100,000 elements and on vessels: a tenth.
_CUT = 0.1


@dataclass(frozen=True, eq=False, slots=True)
class ElementEmbedding(Frozen):
    """Elements that meet face to face, and the C cells of a body between them."""

    nodes: Floats  #: (n,3) at rest [m]
    elements: Ints  #: (e,4) of positive volume
    cells: Cells  #: the body cut along the faces of elements
    #: (C,) whose each cell is; cells of one unit have the same. Flat elements may have none.
    element: Ints
    #: (e,) how much of the body is in each, or beyond its outer faces [m^3]; not its own volume where the surface is
    #: curved, and 0 for one that lies outside of the body
    matter: Floats
    solids: tuple[Tetrahedralization, ...]  #: of which each has its nodes, elements and cells one after the other
    notes: tuple[str, ...] = ()  #: for the report, a sentence each


def embed_elements_steps(body: Body, spacing: float, seed: int) -> Generator[float, None, ElementEmbedding]:
    """Divide a body into elements of about `spacing` [m] and cut it along them; yields the share that is done.

    Parts and solids that do not hang together share no nodes. Raises what `tetrahedralize_steps` does, and CutError
    where the body cannot be cut.
    """
    solids = split_solids(body)
    made: list[tuple[Tetrahedralization, Cells, Ints]] = []
    notes: dict[str, None] = {}
    for k, solid in enumerate(solids):
        told = partial(_share, k, len(solids))
        found = yield from map_steps(tetrahedralize_steps(solid.body, spacing, seed), told)
        yield overall_share(k, len(solids), 1.0 - _CUT)
        cells, owner, more = cut_by_tetrahedra(solid.body, found.moved, found.complex, found.owner, seed)
        made.append((found, cells, owner))
        notes.update(dict.fromkeys((*found.notes, *more)))
    if len(solids) > 1:
        notes = {f"Elements are those of {count(len(solids), 'separate solid')}.": None, **notes}
    return _joined(solids, made, tuple(notes))


def _share(solid: int, number: int, share: float) -> float:
    return overall_share(solid, number, (1.0 - _CUT) * share)


def cut_by_tetrahedra(
    body: Body, places: Floats, corners: Ints, owner: Ints, seed: int
) -> tuple[Cells, Ints, tuple[str, ...]]:
    """A body in one piece cut by tetrahedra that fill a convex box around it face to face.

    corners (M,4) of positive volume between places (N,3) [m], none of which may be on the body's surface by chance;
    owner (M,) what each belongs to: tetrahedra with an equal one never part, -1 are no pieces. Returns the cells, the
    owner (C,) of each, and notes. Raises CutError where it cannot be cut.
    """
    group = np.where(owner >= 0, owner, int(owner.max()) + 1 + np.arange(len(owner)))

    def build(attempt: int) -> Partition:
        moved = (
            places
            if attempt == 0
            else _moved_again(body, places, corners, np.random.default_rng([seed, STREAM, attempt]))
        )
        return replace(tetrahedra_complex(moved, corners), group=group, dropped=owner < 0)

    cells, notes = cut_with_retry(body, build, cutters=Cutters(cut))
    best = find_unit_owners(cells, owner[cells.region])
    rest = np.flatnonzero(best < 0)
    if len(rest):
        inside = np.flatnonzero(owner >= 0)
        row, _ = locate_in_elements(places, corners, unit_centres(cells)[rest], inside)
        best[rest] = owner[row]
    return cells, np.asarray(best[cells.unit]), notes


def _moved_again(body: Body, places: Floats, corners: Ints, rng: np.random.Generator) -> Floats:
    """Other places (N,3), as near, of which none turns a tetrahedron inside out."""
    moved = places + JITTER * diagonal(body.vertices) * rng.uniform(-1.0, 1.0, places.shape)
    while True:
        turned = np.flatnonzero(~(tetrahedron_volumes(moved, corners) > 0.0))
        if len(turned) == 0:
            return np.asarray(moved)
        stay = np.unique(corners[turned])
        if np.array_equal(moved[stay], places[stay]):
            return places
        moved[stay] = places[stay]


def _joined(
    solids: list[BodySolid], made: list[tuple[Tetrahedralization, Cells, Ints]], notes: tuple[str, ...]
) -> ElementEmbedding:
    """The elements and cells of all solids side by side."""
    parts, elements, element, within = [], [], [], []
    first_node = first_element = first_region = 0
    for solid, (found, cells, owner) in zip(solids, made, strict=True):
        row = solid.rows[cells.outer_triangle]
        parts.append(replace(cells, outer_triangle=row, region=cells.region + first_region))
        elements.append(found.elements + first_node)
        element.append(owner + first_element)
        own = found.owner[cells.region]
        within.append(np.where(own >= 0, own, owner) + first_element)
        first_node += len(found.nodes)
        first_element += len(found.elements)
        first_region += len(found.complex)
    cells = parts[0] if len(parts) == 1 else side_by_side(parts, np.zeros(len(parts), np.int64))
    return ElementEmbedding(
        np.concatenate([found.nodes for found, _, _ in made]),
        np.concatenate(elements),
        cells,
        np.concatenate(element),
        np.bincount(np.concatenate(within), cells.volume, first_element).astype(np.float64, copy=False),
        tuple(found for found, _, _ in made),
        notes,
    )
