"""Solids by what a mesh winds around: for meshes that angles around edges cannot sort.

Side groups (`solids.py`) need triangles that cross nowhere and lie on each other nowhere: one edge at which the order
is spoilt, and all that hangs together with it encloses nothing. Whatever winds around a solid is one all the same. Here
the mesh is made a closed cycle (`cycles.py`), looked at from both sides of its faces, and what it winds around at least
once is its solid: a face with matter on both sides is no border, nor is one with none.

Limitation: the directions of the faces must tell inside from outside; where many contradict each other this is no way.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..geometry.inside import winding_number
from ..geometry.mesh import areas, edge_table, find_shells
from ..geometry.shells import measure_shells
from ..types import Bools, Floats, Made
from ..wording import count, percent
from .account import Log
from .clean import balanced, beside_faces
from .cycles import Capped, again_there, agreeing_faces, capped, counted_doubles
from .holes import HIDDEN
from .mending import stitch
from .shaping import RawSolids, note_crossings, skinned
from .surface import RawSurface, chosen, compact, cornered, joined, turn_triangles

_PROBES = 4096  # places on the surface, evenly by area, at which the winding number is looked at; chosen by time
AGAINST = 0.05  # part of the border of what a mesh winds around that may face against the rest; by eye


class Wound(NamedTuple):
    """A closed cycle that winds around something."""

    surface: RawSurface
    sheets: RawSurface  #: parts of the mesh that are left open
    behind: Floats  #: (n,3) places just behind the border of what it winds around
    weight: Floats  #: (n,) the share of that border for which each stands


def wound_cycle(given: RawSurface, most: float, log: Log) -> Wound | None:
    """The closed cycle that a surface is but for its faults; parts whose caps are more than `most` of them stay open.

    None where it winds around nothing, or not the same way all over.
    """
    keep = counted_doubles(given.triangles)
    surface = compact(chosen(given, keep))
    _note_doubles(given, log)
    if not balanced(edge_table(surface.triangles)):
        surface = stitch(surface, log)
    surface = _agreeing(surface, log)
    found = capped(surface.vertices, surface.triangles, edge_table(surface.triangles))
    close = found.share <= most
    if 0.0 < most < 1.0 and not close.all():
        close |= _hidden(surface, found, close)
    sheets = compact(chosen(surface, ~close[found.part]))
    surface = _with_caps(surface, found, close, log)
    return _looked_at(surface, sheets, log) if len(surface.triangles) else None


def missing(wound: Wound, solids: RawSolids) -> float:
    """How much of the border of what a mesh winds around has no matter behind it in these solids."""
    if len(solids.surface.triangles) == 0:
        return 1.0
    there = winding_number(solids.surface.vertices, solids.surface.triangles, wound.behind) >= 1
    return float(np.cumsum(np.where(there, 0.0, wound.weight))[-1])


def left_out(given: RawSurface, solids: RawSolids) -> float:
    """The share of the area of a surface of which no part borders on the solids."""
    there = np.zeros(int(given.source.max()) + 1, np.bool_)
    there[solids.surface.source] = True
    area = areas(given.vertices, given.triangles)
    total = float(np.cumsum(area)[-1])
    return float(np.cumsum(np.where(there[given.source], 0.0, area))[-1]) / total if total > 0.0 else 0.0


def wound_solids(wound: Wound, log: Log) -> RawSolids:
    """What a cycle winds around at least once, as one solid."""
    result, crossings = skinned(wound.surface, log)
    if crossings:
        note_crossings(crossings, crossings, wound.surface.source[:0], 1, log)
    return RawSolids(result, np.zeros(len(result.triangles), np.int64), np.zeros(1, np.bool_))


def _note_doubles(given: RawSurface, log: Log) -> None:
    again = np.flatnonzero(again_there(given.triangles))
    if len(again):
        number = count(len(again), "double face")
        log.did(
            "twins",
            f"{number} taken by what the mesh winds around.",
            f"has {number}",
            "delete them (Mesh > Merge > By Distance)",
            given.source[again],
            wound=len(again),
        )


def _agreeing(surface: RawSurface, log: Log) -> RawSurface:
    """With the few faces turned that face against their neighbours.

    Where they are many they are none by accident: borders of two copies of a surface, say, that lie on each other.
    """
    flip = agreeing_faces(surface.vertices, surface.triangles, edge_table(surface.triangles))
    area = areas(surface.vertices, surface.triangles)
    few = float(np.cumsum(np.where(flip, area, 0.0))[-1]) <= AGAINST * float(np.cumsum(area)[-1])
    return _turned(surface, flip, log) if few else surface


def _turned(surface: RawSurface, flip: Bools, log: Log) -> RawSurface:
    if flip.any():
        log.turned(int(flip.sum()), surface.source[flip])
    return turn_triangles(surface, flip)


def _hidden(surface: RawSurface, found: Capped, close: Bools) -> Bools:
    """Parts (P,) whose caps lie within those that are closed: eyes in a head."""
    kept = chosen(surface, close[found.part])
    around = np.concatenate([kept.triangles, found.caps[close[found.part[found.neighbour]]]])
    rows = np.flatnonzero(~close[found.part[found.neighbour]])
    if len(around) == 0 or len(rows) == 0:
        return np.zeros(len(close), np.bool_)
    corners = surface.vertices[found.caps[rows]]
    within = winding_number(surface.vertices, around, corners.mean(axis=1)) >= 1
    part, area = found.part[found.neighbour[rows]], areas(surface.vertices, found.caps[rows])
    inside = np.bincount(part, np.where(within, area, 0.0), len(close))
    return np.asarray(inside > HIDDEN * np.bincount(part, area, len(close)))


def _with_caps(surface: RawSurface, found: Capped, close: Bools, log: Log) -> RawSurface:
    """The parts that are closed, with their caps."""
    whole = chosen(surface, close[found.part])
    rows = np.flatnonzero(close[found.part[found.neighbour]])
    if len(rows) == 0:
        return compact(whole)
    caps, neighbour = found.caps[rows], found.neighbour[rows]
    number = count(len(np.unique(found.loop[rows])), "hole")
    new = float(np.cumsum(areas(surface.vertices, caps))[-1])
    share = percent(new / (new + float(np.cumsum(areas(surface.vertices, whole.triangles))[-1])))
    log.did(
        "holes",
        f"{number} closed: {share} of the surface is new.",
        f"is open, with {number}",
        "close them (Mesh > Clean Up > Fill Holes), or choose Give Thickness",
        surface.source[neighbour],
        wound=len(np.unique(found.loop[rows])),
    )
    added = cornered(surface, surface.vertices, caps, neighbour, np.tile(np.arange(3), (len(caps), 1)))
    added = replace(added, made=np.full(len(caps), Made.CAP), back=np.full(len(caps), -1))
    both = joined([whole, added])
    return compact(replace(both, vertices=surface.vertices, triangles=np.concatenate([whole.triangles, caps])))


def _looked_at(surface: RawSurface, sheets: RawSurface, log: Log) -> Wound | None:
    """The cycle, with parts turned that are inside out; None where its directions contradict each other."""
    label = find_shells(edge_table(surface.triangles))
    best = measure_shells(surface.vertices, surface.triangles, label).best
    area = np.cumsum(areas(surface.vertices, surface.triangles))
    if not area[-1] > 0.0:
        return None
    faces = np.searchsorted(area, area[-1] * (np.arange(_PROBES) + 0.5) / _PROBES)
    faces, weight = np.unique(np.concatenate([best, faces]), return_counts=True)
    radius = measure_shells(surface.vertices, surface.triangles[faces], np.zeros(len(faces), np.int64)).radius
    seen, probes = beside_faces(surface.vertices, surface.triangles, faces, radius)
    weight = weight[np.isin(faces, seen)].astype(np.float64)
    for _ in range(2):
        front, behind = winding_number(surface.vertices, surface.triangles, probes).reshape(2, -1)
        border, against = (front <= 0) & (behind >= 1), (front < 0) & (behind == 0)
        vote = np.bincount(label[seen], weight * against - weight * border, int(label.max()) + 1)
        if not (vote > 0.0).any():
            break
        flip = (vote > 0.0)[label]
        surface = _turned(surface, flip, log)
        probes = probes.reshape(2, -1, 3)
        probes = np.where(flip[seen][:, None], probes[::-1], probes).reshape(-1, 3)
    solid = float(weight[border].sum())
    if solid == 0.0 or float(weight[against].sum()) > AGAINST * solid:
        return None
    return Wound(surface, sheets, probes[len(seen) :][border], weight[border] / solid)
