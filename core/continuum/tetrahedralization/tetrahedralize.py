"""A body divided into tetrahedra that are irregular, graded and of good shape, whatever mesh it is.

Nodes are put at random, but evenly, on corners, edges and faces of the body and inside; Delaunay tetrahedra join them.
Some rounds move them to better places, more are added where the surface would be missed, and the last flat elements are
shaken off. No step knows a direction: cracks that follow the faces of elements have none either (O'Brien, Hodgins 1999,
section 6; item O18 of docs/papers/obrien1999.md).
"""

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial

import numpy as np

from ...errors import InputError
from ...geometry.mesh import area, volume
from ...geometry.nearest import nearest_in
from ...stepwise import map_steps, overall_share
from ...types import Body, Floats, Frozen, Ints
from ...wording import count, length, number
from ..lattice_embedding.tetrahedra import tetrahedron_volumes
from ..lattice_embedding.walls import thinnest_wall
from .completing import complete_nodes
from .joining import JoinedNodes, join_nodes
from .matter import find_outer, outer_triangles
from .mesh_nodes import place_nodes
from .meshed_body import MeshedBody, prepare_body
from .pinches import find_pinches
from .quality import BAD_ANGLE, MeshQuality, measure_angles, measure_quality
from .relaxing import relax_nodes
from .shaking import shake_steps
from .size_field import PER_WALL

#: Names this module's stream of random numbers beside the seed.
STREAM = 911
#: Rounds in which nodes are moved. Measured on a ball and a cube: of angles below 10 degrees there are 1.4 % before,
#: 0.4 % after 2 and 0.2 % after 8.
_ROUNDS = 8
#: Rounds in which nodes are added where the surface is missed. Chosen: what is added needs some rounds after it.
_COMPLETED = (1, 3, 5)
#: Sizes that are tried one after the other, relative to what was asked for [1]: thin rods of three corners are a third
#: too small. By eye.
_SMALLER = (1.0, 0.7, 0.5)
#: How much of the matter elements may miss, or have too much, with the first sizes and with the last ones [1]. By eye:
#: chords of a ball with four edges along its radius miss 2 %, twisted things with two 11 %.
_ALIKE, _UNLIKE = 0.12, 0.2
#: Elements with a smaller angle are left out [degrees]. Chosen: those that stay are a fiftieth as high as others, and
#: their steps as short.
_NOTHING = 1.0
#: Elements at most. Chosen: ten times as many as can be computed with.
_MOST = 2_000_000
#: Elements in a cube of the size, and on as large a square of the surface. Measured on cubes, balls and plates.
_BY_MATTER, _BY_SKIN = 8.5, 2.6


@dataclass(frozen=True, eq=False, slots=True)
class Tetrahedralization(Frozen):
    """Tetrahedra of a body in one piece, and those that fill the space around it, face to face."""

    nodes: Floats  #: (n,3) at rest; those of outer faces lie on the surface [m]
    elements: Ints  #: (e,4) of positive volume
    outer_faces: Ints  #: (F,3) nodes of faces with one element, counter-clockwise seen from outside
    quality: MeshQuality
    distance: float  #: largest of the middle of an outer face from the body's surface [m]
    excess: float  #: by how much the elements are larger than the body, as a share of it [1]
    #: (n+k,3) the same nodes, moved by some 1e-6 of the body's size for the cut; others, and corners far away [m]
    moved: Floats
    complex: Ints  #: (M,4) all tetrahedra, of positive volume between `moved`
    owner: Ints  #: (M,) the element that each is, -1 outside
    notes: tuple[str, ...] = ()  #: for the report, a sentence each


def tetrahedralize_steps(body: Body, spacing: float, seed: int) -> Generator[float, None, Tetrahedralization]:
    """Divide a body in one piece into tetrahedra with edges of about `spacing` [m]; yields the share that is done.

    Where walls are thinner edges are shorter, down to an eighth. Other seeds make other meshes, equal ones the same
    bits. Raises InputError where the spacing is no length or far too small, or the body too thin; CutError where nodes
    cannot be joined.
    """
    if not (np.isfinite(spacing) and spacing > 0.0):
        raise InputError("The size of elements must be a length above 0.")
    best: tuple[MeshedBody, JoinedNodes, float] | None = None
    matter = volume(body.vertices, body.triangles)
    for turn, share in enumerate(_SMALLER):
        meshed = prepare_body(body, share * spacing)
        _check_number(meshed, spacing)
        told = partial(overall_share, turn, len(_SMALLER))
        joined = yield from map_steps(_joined_steps(meshed, np.random.default_rng([seed, STREAM, turn])), told)
        volumes = tetrahedron_volumes(joined.nodes.place, joined.elements)
        excess = float(np.cumsum(np.append(0.0, volumes))[-1]) / matter - 1.0
        if best is None or abs(excess) < abs(best[2]):
            best = (meshed, joined, excess)
        if abs(excess) <= _ALIKE:
            break
    assert best is not None
    if abs(best[2]) > _UNLIKE:
        raise InputError(_thin_sentence(body, spacing))
    return _assembled(*best, spacing)


def _joined_steps(meshed: MeshedBody, rng: np.random.Generator) -> Generator[float, None, JoinedNodes]:
    """Nodes at their best places, joined; yields the share that is done."""
    nodes = place_nodes(meshed.body, meshed.tree, meshed.sizes, rng)
    for turn in range(_ROUNDS):
        yield 0.1 + 0.4 * turn / _ROUNDS
        joined = join_nodes(meshed, nodes, rng)
        if turn in _COMPLETED and len((more := complete_nodes(meshed, joined)).place) > len(nodes.place):
            joined = join_nodes(meshed, more, rng)
        nodes = relax_nodes(meshed, joined)
    joined = join_nodes(meshed, nodes, rng)
    joined = yield from map_steps(shake_steps(meshed, joined, rng), lambda share: 0.5 + 0.5 * share)
    return _without_nothing(joined)


def _without_nothing(joined: JoinedNodes) -> JoinedNodes:
    """Elements without thickness are none: their nodes hold together by others, and their steps would be endless."""
    kept = joined.kept.copy()
    kept[kept] = measure_angles(joined.nodes.place[joined.elements]) >= _NOTHING
    return joined._replace(kept=kept)


def _check_number(meshed: MeshedBody, spacing: float) -> None:
    """Raises InputError where there would be far too many elements."""
    body, size = meshed.body, meshed.sizes.at(meshed.places)
    squares = area(body.vertices, body.triangles) * float(np.cumsum(1.0 / (size * size))[-1]) / len(size)
    cubes = volume(body.vertices, body.triangles) / (spacing * spacing * spacing)
    if not _BY_SKIN * squares + _BY_MATTER * cubes <= _MOST:
        raise InputError(f"Elements of {length(spacing)} would be too many: make them larger, or the object smaller.")


def _thin_sentence(body: Body, spacing: float) -> str:
    wanted = min(PER_WALL * thinnest_wall(body), 0.5 * spacing)
    return (
        f"Some of it is thinner than elements of {length(spacing)} can be: take elements of {length(wanted)}, or make "
        "what is thin thicker."
    )


def _assembled(meshed: MeshedBody, joined: JoinedNodes, excess: float, spacing: float) -> Tetrahedralization:
    """The result, without nodes that no element has."""
    used, corner = np.unique(joined.elements, return_inverse=True)
    face = outer_triangles(joined.corners, *find_outer(joined.corners, joined.neighbours, joined.kept))
    _, _, distance = nearest_in(meshed.tree, joined.nodes.place[face].sum(axis=1) / 3.0)
    nodes, elements = joined.nodes.place[used], corner.reshape(-1, 4).astype(np.int64)
    quality = measure_quality(nodes, elements)
    return Tetrahedralization(
        nodes,
        elements,
        np.searchsorted(used, face).astype(np.int64),
        quality,
        float(distance.max()),
        excess,
        *_renumbered(joined, used),
        np.where(joined.kept, np.cumsum(joined.kept) - 1, -1),
        _notes(meshed, joined, quality, spacing),
    )


def _renumbered(joined: JoinedNodes, used: Ints) -> tuple[Floats, Ints]:
    """All nodes (n+m,3), those of elements first, and the corners (M,4) of all tetrahedra by their new numbers."""
    rest = np.setdiff1d(np.arange(len(joined.moved)), used)
    order = np.concatenate([used, rest])
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    return joined.moved[order], number[joined.corners]


def _notes(meshed: MeshedBody, joined: JoinedNodes, quality: MeshQuality, spacing: float) -> tuple[str, ...]:
    told = []
    if meshed.spacing < spacing:
        told.append(f"Elements were made {length(meshed.spacing)} large instead of {length(spacing)}, to fill it.")
    bad = int(np.count_nonzero(quality.smallest_angle < BAD_ANGLE))
    if bad:
        told.append(f"The mesh has {count(bad, 'flat element')} of {number(float(len(joined.elements)))}.")
    if find_pinches(joined).any():
        told.append("Some elements hang together by edges or corners only.")
    return tuple(told)
