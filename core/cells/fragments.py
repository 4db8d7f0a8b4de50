"""From cells that hold together to closed meshes: one fragment for each set of units.

A fragment's surface is the skin of its cells plus the bonds that lead out of it. Bonds inside it are left away, so
crumbs, groups and unbroken links leave no trace but extra corners: outer faces stay split where a dropped bond met
the skin (they are coplanar, closed and shaded as before; joining them again is not done here).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..types import Body, Bools, Cells, Fragments, Ints
from . import packed, surface
from .mass import cells_of, masses


def build_fragments(cells: Cells, members: Sequence[Ints], density: float, body: Body) -> Fragments:
    """Closed meshes, mass and inertia of the fragments whose units are given.

    Args:
        cells: the cut body.
        members: units of each fragment; fragments may share units (a fragment and the pieces that it breaks into).
        density: [kg/m^3].
        body: the body that was cut, in whose triangles the outer faces are expressed.

    Where a fragment touches itself along an edge or at a point, each sheet of the surface gets vertices of its own,
    so every edge has two faces. Fragments of the same cells share bits: mating faces have equal positions but for
    the rounding of `vertex - centre`.

    Raises:
        InputError: `cells` does not belong to `body`.

    """
    if len(cells.outer_triangle) and int(cells.outer_triangle.max()) >= len(body.triangles):
        raise InputError("The stored pieces belong to another mesh: restore the object and shatter it again.")
    fragment_start, fragment_cell = cells_of(cells.unit, members)
    weight = masses(cells, fragment_start, fragment_cell, density)
    mesh = surface.gather(cells, fragment_start, fragment_cell)
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
        volume=weight.volume,
        centre=weight.centre,
        inertia=weight.inertia,
    )


def concatenate(parts: Sequence[Fragments]) -> Fragments:
    """The fragments of all parts, in order. All parts must come from the same cells."""

    def starts(name: str) -> Ints:
        steps = [np.diff(getattr(part, name)) for part in parts]
        return packed.starts(np.concatenate([np.zeros(0, np.int64), *steps]))

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
    )


def closed(fragments: Fragments) -> Bools:
    """(K,) whether every directed edge of a fragment occurs once and its opposite once, and there is one at all."""
    count = len(fragments.mass)
    fragment = packed.owners(fragments.face_start)[packed.owners(fragments.corner_start)]
    start = fragments.corner_vertex + fragments.vertex_start[fragment]
    end = start[packed.following(fragments.corner_start)]
    size = int(fragments.vertex_start[-1])
    forward, backward = np.sort(start * size + end), np.sort(end * size + start)
    bad = np.zeros(count, bool)
    bad[fragment[start == end]] = True
    # Both lists hold the same multiset of fragments, so a difference shows in the lists of each fragment alone.
    owner = np.searchsorted(fragments.vertex_start, forward // max(size, 1), side="right") - 1
    other = np.searchsorted(fragments.vertex_start, backward // max(size, 1), side="right") - 1
    unequal = forward != backward
    bad[owner[unequal]] = True
    bad[other[unequal]] = True
    twice = forward[1:] == forward[:-1]
    bad[owner[1:][twice]] = True
    result: Bools = ~bad & (np.diff(fragments.face_start) > 0)
    return result
