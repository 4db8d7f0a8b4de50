"""The first rungs: points and borders that belong together are joined, holes are closed or left to sheets."""

import math
from dataclasses import replace

import numpy as np

from ..geometry.mesh import MeshEdges, areas, diagonal, edge_table, edge_uses, find_shells, unbalanced_edges
from ..geometry.shells import LEAST, measure_shells
from ..geometry.winding import winding_of_others, winding_tree
from ..types import Bools, Floats, Ints, Made
from ..wording import count, length, percent
from . import borders, holes, weld
from .account import Log
from .surface import RawSurface, chosen, compact, cornered, inherited, joined

#: Of the size: the grid to which coordinates are snapped. Coarser than the round-off of what was computed, so that it
#: goes; finer than Blender's own numbers, so that nothing moves that one could measure. Blender's are 2^-24 of theirs.
GRID = 2.0**-34


def snap_to_grid(surface: RawSurface) -> RawSurface:
    """Coordinates on a grid: faces that touch but for round-off touch exactly then."""
    size = diagonal(surface.vertices)
    if size == 0.0:
        return surface
    step = math.ldexp(GRID, math.frexp(size)[1] - 1)  # a power of two, so that this rounds only once
    return replace(surface, vertices=np.round(surface.vertices / step) * step)


def weld_points(surface: RawSurface, edges: MeshEdges, log: Log) -> RawSurface:
    """Points at the same place become one where the surface, with these edges, is not closed."""
    loose = np.unique(unbalanced_edges(edges))
    if len(loose) == 0:
        return surface
    onto, number = weld.exact_weld(surface.vertices, loose[:, None])
    if number == 0:
        return surface
    triangles = onto[surface.triangles]
    gone = weld.collapsed(triangles)
    vanished = count(int(gone.sum()), "face")
    log.did(
        "weld",
        f"{count(number, 'double point')} welded" + (f", {vanished} without area dropped." if gone.any() else "."),
        f"has {count(number, 'double point')}",
        "merge them (Mesh > Merge > By Distance)",
        welded=number,
        collapsed=gone.sum(),
    )
    return compact(chosen(replace(surface, triangles=triangles), ~gone))


def without_twins(surface: RawSurface, log: Log) -> RawSurface:
    """Of faces on the same three points one stays, or none where two lie back to back inside the solid."""
    found = weld.twins(surface.triangles, areas(surface.vertices, surface.triangles))
    if found.keep.all():
        return surface
    dropped = np.flatnonzero(~found.keep)
    said = []
    if found.equal:
        said.append(f"{count(found.equal, 'double face')} dropped")
    if found.cancelled:
        said.append(f"{count(found.cancelled, 'double face')} back to back removed")
    if found.backs:
        said.append(f"{count(found.backs, 'double face')} taken as the back of another")
    log.did(
        "twins",
        f"{'; '.join(said)}.",
        f"has {count(len(dropped), 'double face')}",
        "delete them (Mesh > Merge > By Distance)",
        surface.source[dropped],
        equal=found.equal,
        cancelled=found.cancelled,
        backs=found.backs,
    )
    has = np.flatnonzero(found.twin >= 0)
    back, corner = surface.back.copy(), surface.back_corner.copy()
    back[has] = surface.source[found.twin[has]]
    same = surface.triangles[has][:, :, None] == surface.triangles[found.twin[has]][:, None, :]
    corner[has] = np.argmax(same, axis=2)
    return compact(chosen(replace(surface, back=back, back_corner=corner), found.keep))


def without_specks(surface: RawSurface, part: Ints, log: Log) -> tuple[RawSurface, Ints]:
    """A finished surface, and its parts (T,) if any, without closed shells that are tiny beside the largest one."""
    label = find_shells(edge_table(surface.triangles))
    size = np.abs(measure_shells(surface.vertices, surface.triangles, label).volume)
    speck = size <= LEAST * size.max()
    if not speck.any():
        return surface, part
    number = count(int(speck.sum()), "shell")
    rows = speck[label]
    log.did(
        "dropped",
        f"{number} of next to no volume dropped.",
        f"has {number} of next to no volume",
        "delete them",
        surface.source[rows],
        specks=int(speck.sum()),
    )
    part = np.unique(part[~rows], return_inverse=True)[1] if len(part) else part
    return compact(chosen(surface, ~rows)), part


def stitch(surface: RawSurface, log: Log) -> RawSurface:
    """Borders that lie a hair's breadth apart are joined."""
    found = borders.stitch_borders(surface.vertices, surface.triangles)
    if found.welded == 0 and found.split == 0:
        return surface
    said = []
    if found.welded:
        reach = found.tolerance * diagonal(surface.vertices)
        said.append(f"{count(found.welded, 'border point')} stitched, up to {length(reach)} apart")
    if found.split:
        said.append(f"{count(found.split, 'border edge')} stitched to points of neighbours")
    log.did(
        "stitch",
        f"{'; '.join(said)}.",
        "has borders that nearly touch",
        "merge their points (Mesh > Merge > By Distance)",
        welded=found.welded,
        split=found.split,
    )
    same = np.broadcast_to(np.arange(3), (len(found.parent), 3))
    return compact(inherited(surface, found.vertices, found.triangles, found.parent, same))


def close_holes(surface: RawSurface, log: Log, mode: holes.Mode) -> tuple[RawSurface, Bools]:
    """The surface with its holes closed by caps, and which triangles (T,) belong to sheets, which stay open."""
    tree = winding_tree(surface.vertices, surface.triangles)

    def others(shell: Ints, points: Floats, point_shell: Ints) -> Floats:
        return winding_of_others(tree, surface.vertices, surface.triangles, shell, points, point_shell)

    found = holes.holes(surface.vertices, surface.triangles, mode, others)
    number = found.flat + found.curved
    if number == 0:
        return surface, found.sheet
    caps = cornered(
        surface, surface.vertices, found.caps, found.cap_neighbour, np.tile(np.arange(3), (len(found.caps), 1))
    )
    caps = replace(caps, made=np.full(len(found.caps), Made.CAP), back=np.full(len(found.caps), -1))
    inside = f", {found.inside} of them inside other shells" if found.inside else ""
    log.did(
        "holes",
        f"{count(number, 'hole')} closed{inside}: {percent(found.share)} of the surface is new.",
        f"is open, with {count(number, 'hole')}",
        "close them (Mesh > Clean Up > Fill Holes), or choose Give Thickness",
        lambda: surface.source[_at_borders(surface)],
        flat=found.flat,
        curved=found.curved,
        inside=found.inside,
    )
    if number > found.inside:
        log.advice.append(
            "If it is a vessel or a pane, choose Give Thickness for Open Meshes: it is taken as solid now."
        )
    whole = joined([surface, caps])
    shared = replace(whole, vertices=surface.vertices, triangles=np.concatenate([surface.triangles, found.caps]))
    return shared, np.concatenate([found.sheet, np.zeros(len(found.caps), np.bool_)])


def _at_borders(surface: RawSurface) -> Ints:
    """Triangles with an edge that has no other."""
    edges = edge_table(surface.triangles)
    return np.asarray(np.unique(np.flatnonzero(edge_uses(edges)[edges.of_half] == 1) // 3))
