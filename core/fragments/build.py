"""From cells that hold together to closed meshes: one fragment for each set of units.

A fragment's surface is the skin of its cells plus the bonds that lead out of it. Bonds inside it are left away, so
crumbs, groups and unbroken links leave no trace: what a dropped bond had split becomes one face again, and straight
corners disappear (see dissolve.py). The triangles of a flat polygon of the artist's become one face too. Only a face
with a hole stays in two parts.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..geometry import packed
from ..types import Body, Bools, Cells, Floats, Fragments, Ints
from . import surface
from .mass import cells_of, masses
from .rings import find_twins
from .spread import corner_triangles


def build_fragments(
    cells: Cells,
    members: Sequence[Ints],
    density: float | Floats,
    body: Body,
    matter: Cells | None = None,
    bends: bool = False,
) -> Fragments:
    """Closed meshes, mass and inertia of the fragments whose units are given.

    Args:
        cells: the cut body.
        members: units of each fragment; fragments may share units (a fragment and the pieces that it breaks into).
        density: [kg/m^3], of all matter or (C,) of each cell that weighs.
        body: the body that was cut, in whose triangles the outer faces are expressed.
        matter: the cells that weigh, where `cells` are only what is seen of them; units are the same.
        bends: whether faces stay as they were cut, since what is flat will not stay so.

    Where a fragment touches itself along an edge or at a point, each sheet of the surface gets vertices of its own,
    so every edge has two faces. Fragments of the same cells share bits: mating faces have equal positions but for
    the rounding of `vertex - centre`, though one of them may lack straight corners or cover several of the other.

    Raises:
        InputError: `cells` does not belong to `body`.

    """
    if len(cells.outer_triangle) and int(cells.outer_triangle.max()) >= len(body.triangles):
        raise InputError("The stored pieces belong to another mesh: restore the object and shatter it again.")
    fragment_start, fragment_cell = cells_of(cells.unit, members)
    heavy = cells if matter is None else matter
    weight = masses(heavy, *cells_of(heavy.unit, members), density)
    seen = weight if matter is None else masses(cells, fragment_start, fragment_cell, 1.0)
    mesh = surface.gather(cells, fragment_start, fragment_cell, body, bends)
    return Fragments(
        vertex_start=mesh.vertex_start,
        vertices=mesh.vertices - weight.centre[packed.owners(mesh.vertex_start)],
        face_start=mesh.face_start,
        corner_start=mesh.corner_start,
        corner_vertex=mesh.corner_vertex,
        corner_weight=mesh.corner_weight,
        face_triangle=mesh.face_triangle,
        face_bond=mesh.face_bond,
        mass=weight.mass,
        volume=seen.volume,
        centre=weight.centre,
        inertia=weight.inertia,
        corner_triangle=mesh.corner_triangle,
    )


def concatenate(parts: Sequence[Fragments]) -> Fragments:
    """The fragments of all parts, in order; their triangles and bonds must count through what all of them are of."""
    if any(len(part.corner_triangle) for part in parts):
        parts = [replace(part, corner_triangle=corner_triangles(part)) for part in parts]

    def starts(name: str) -> Ints:
        steps = [np.diff(getattr(part, name)) for part in parts]
        return packed.packed_starts(np.concatenate([np.zeros(0, np.int64), *steps]))

    def joined(name: str, shape: tuple[int, ...], kind: type) -> NDArray[Any]:
        return np.concatenate([np.zeros((0, *shape), kind), *(getattr(part, name) for part in parts)])

    return Fragments(
        vertex_start=starts("vertex_start"),
        vertices=joined("vertices", (3,), np.float64),
        face_start=starts("face_start"),
        corner_start=starts("corner_start"),
        corner_vertex=joined("corner_vertex", (), np.int64),
        corner_weight=joined("corner_weight", (3,), np.float64),
        face_triangle=joined("face_triangle", (), np.int64),
        face_bond=joined("face_bond", (), np.int64),
        mass=joined("mass", (), np.float64),
        volume=joined("volume", (), np.float64),
        centre=joined("centre", (3,), np.float64),
        inertia=joined("inertia", (3, 3), np.float64),
        corner_triangle=joined("corner_triangle", (), np.int64),
    )


def are_closed(fragments: Fragments) -> Bools:
    """(K,) whether every directed edge of a fragment occurs once and its opposite once, and there is one at all."""
    corner_start = fragments.corner_start[fragments.face_start]
    corners, most = len(fragments.corner_vertex), int(np.diff(fragments.vertex_start).max(initial=0))
    twin, link, head = (np.empty(n, np.int64) for n in (corners, corners, most))
    tangled = np.zeros(len(fragments.mass), np.int64)
    following = packed.following(fragments.corner_start)
    vertex = fragments.corner_vertex.copy()  # of the kind for which the kernel is compiled already
    find_twins(corner_start, vertex, following, head, link, twin, tangled)
    lonely = np.flatnonzero(twin < 0)
    result: Bools = np.diff(fragments.face_start) > 0
    result &= tangled == 0
    result[np.searchsorted(corner_start, lonely, side="right") - 1] = False
    return result
