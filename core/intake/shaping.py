"""The upper rungs: closed surfaces become solids, sheets get thickness, crossings go, solids are united or kept."""

import itertools
from dataclasses import dataclass, replace

import numpy as np

from ..geometry.arrangement import CrowdedError, TangleError, find_winding_skin
from ..geometry.arrangement.contacts import MOST_CONTACTS, MOST_CROSSING
from ..geometry.crossings import crossing_pairs
from ..geometry.mesh import MeshEdges, area, edge_table, find_shells, is_manifold, volume
from ..geometry.shells import measure_shells
from ..types import Bools, Frozen, Ints, Made
from ..wording import count, length, number, percent
from . import solids, thicken, unite
from .account import Log
from .clean import FLAT
from .copies import first_equals
from .surface import RawSurface, chosen, compact, cornered, inherited, joined, rebuilt, turn_triangles, turned_corners

AUTOMATIC_THICKNESS = 0.01  # of the diagonal; by eye, as on a prototype
# Crossing pairs that are sought in a mesh; where nearly all lie within shells, nothing helps; chosen by time.
_LOOKS = 400_000


@dataclass(frozen=True, eq=False, slots=True)
class RawSolids(Frozen):
    """Closed solids that may overlap each other, but no longer themselves; they share no vertices."""

    surface: RawSurface
    solid: Ints  #: (T,) 0..S-1
    inside_out: Bools  #: (S,) given with its faces inward


def shells_as_solids(surface: RawSurface, edges: MeshEdges) -> RawSolids | None:
    """Each shell a solid, facing outward, where all are closed, consistent and hold something; else None."""
    if not is_manifold(edges):
        return None
    label = find_shells(edges)
    found = measure_shells(surface.vertices, surface.triangles, label)
    if (np.abs(found.volume) <= FLAT * found.area * np.sqrt(found.area)).any():
        return None
    inside_out = found.volume < 0.0
    outward = turn_triangles(surface, inside_out[label])
    return RawSolids(_unshared(outward, label), label, inside_out)


def _unshared(surface: RawSurface, label: Ints) -> RawSurface:
    """The same triangles (T,); those of different labels share no vertex."""
    owner = np.zeros(len(surface.vertices), np.int64)
    owner[surface.triangles] = label[:, None]
    if (owner[surface.triangles] == label[:, None]).all():
        return surface
    key, corner = np.unique(surface.triangles + (label * len(owner))[:, None], return_inverse=True)
    return replace(surface, vertices=surface.vertices[key % len(owner)], triangles=corner.reshape(-1, 3))


def shaped(surface: RawSurface, log: Log, keep_walls: bool) -> tuple[RawSolids, RawSurface]:
    """The solids that a surface without holes encloses, and the triangles that enclose nothing: sheets and fins."""
    found = solids.solids(surface.vertices, surface.triangles, keep_walls=keep_walls)
    result = inherited(surface, found.vertices, found.triangles, found.parent, turned_corners(found.flip))
    if found.turned:
        log.turned(found.turned, surface.source[found.parent[found.flip]])
    if found.split_edges:
        log.did(
            "edges",
            f"{count(found.split_edges, 'edge')} with more than two faces parted.",
            f"has {count(found.split_edges, 'edge')} where more than two faces meet",
            "find them with Select > Select All by Trait > Non Manifold",
            edges=found.split_edges,
        )
    if len(found.walls):
        _note_walls(surface, found, log, keep_walls)
    return RawSolids(result, found.solid, found.inside_out), chosen(surface, found.fins)


def _note_walls(surface: RawSurface, found: solids.SolidTable, log: Log, keep_walls: bool) -> None:
    number, chambers = count(len(found.walls), "face") + " of inner walls", count(found.chambers, "chamber")
    log.did(
        "walls",
        f"{number} between chambers kept: {chambers}." if keep_walls else f"{number} removed.",
        f"has {number}",
        "delete them (Select > Select All by Trait > Interior Faces)",
        surface.source[found.walls],
        walls=len(found.walls),
        chambers=found.chambers,
    )
    if not keep_walls and found.chambers > 1:
        log.advice.append(f"It has {chambers}: choose Keep for Inner Walls if each is a part of its own.")


def _automatic_thickness(surface: RawSurface, size: float, log: Log) -> float:
    usual = AUTOMATIC_THICKNESS * size
    if log.sheet_thickness is None:
        return usual
    return max(usual, log.sheet_thickness(area(surface.vertices, surface.triangles)))


def thicken_sheets(surface: RawSurface, size: float, log: Log) -> RawSolids:
    """Sheets with a second side and a rim; `size` is the diagonal of the whole mesh [m]."""
    repair = log.repair
    thickness = repair.thickness or _automatic_thickness(surface, size, log)
    made = thicken.thicken(surface.vertices, surface.triangles, thickness, centred=repair.side == "centred")
    log.did(
        "thickness",
        f"{count(len(surface.triangles), 'face')} of open sheets given a thickness of {length(thickness, 3)}.",
        f"has {count(len(surface.triangles), 'face')} of open sheets, without thickness",
        "choose Close Holes, or add a Solidify modifier",
        surface.source,
        faces=len(surface.triangles),
        one_sided=made.one_sided,
    )
    if repair.thickness == 0.0:
        log.advice.append(f"Set Thickness if {length(thickness, 3)} is not what the sheets have.")
    if repair.open == "auto":
        log.advice.append("Choose Close Holes for Open Meshes if it should be solid.")
    result = cornered(surface, made.vertices, made.triangles, made.parent, made.corner)
    result = _with_backs(replace(result, made=np.where(result.made == Made.OWN, made.made, result.made)))
    label = find_shells(edge_table(result.triangles))
    return RawSolids(result, label, np.zeros(int(label.max(initial=-1)) + 1, np.bool_))


def _with_backs(surface: RawSurface) -> RawSurface:
    """Second sides take their values from the faces that were there, where a sheet was double-sided."""
    rows = np.flatnonzero((surface.made == Made.BACK) & (surface.back >= 0))
    source, weight = surface.source.copy(), surface.weight.copy()
    source[rows] = surface.back[rows]
    put = np.zeros((len(rows), 3, 3))
    np.put_along_axis(put, np.repeat(surface.back_corner[rows][:, None], 3, axis=1), weight[rows], axis=2)
    weight[rows] = put
    return replace(surface, source=source, weight=weight)


def without_copies(given: RawSolids, log: Log) -> RawSolids:
    """Solids without those that lie on equal ones, where parts are fused: the union would take long to see it."""
    if len(given.inside_out) < 2 or log.repair.parts != "fuse":
        return given
    surface = given.surface
    equal = first_equals(surface.vertices, surface.triangles, given.solid, given.inside_out)
    copy = equal != np.arange(len(equal))
    if not copy.any():
        return given
    number, keep = int(copy.sum()), ~copy[given.solid]
    log.did(
        "unite",
        f"{count(number, 'part')} dropped that {'lies' if number == 1 else 'lie'} on an equal one.",
        f"has {count(number + len(np.unique(equal[copy])), 'part')} that overlap or touch, being equal",
        "switch off the Mirror or Array modifier that doubles it",
        surface.source[~keep],
        copies=number,
    )
    solid = np.unique(given.solid[keep], return_inverse=True)[1]
    return RawSolids(compact(chosen(surface, keep)), solid, given.inside_out[~copy])


def untangled(given: RawSolids, log: Log) -> RawSolids:
    """Solids that cross themselves become what lies inside of them at least once."""
    surface = given.surface
    order = np.argsort(given.solid, kind="stable")
    bounds = np.searchsorted(given.solid[order], np.arange(len(given.inside_out) + 1))
    members = [order[first:last] for first, last in itertools.pairwise(bounds.tolist())]
    pairs = [crossing_pairs(surface.vertices, surface.triangles[rows]) for rows in members]
    tangled = [solid for solid, found in enumerate(pairs) if len(found)]
    if not tangled:
        return given
    parts, labels, crossings = [], [], 0
    for solid, rows in enumerate(members):
        part = chosen(surface, rows)
        if len(pairs[solid]):
            part, resolved = skinned(part, log)
            crossings += resolved
        parts.append(compact(part))
        labels.append(np.full(len(part.triangles), solid))
    rows = np.concatenate([members[solid][np.unique(pairs[solid])] for solid in tangled])
    note_crossings(crossings, sum(map(len, pairs)), surface.source[rows], len(tangled), log)
    left, solid_of = np.unique(np.concatenate(labels), return_inverse=True)  # nothing may be left of one
    return RawSolids(joined(parts), solid_of, given.inside_out[left])


def note_crossings(crossings: int, places: int, rows: Ints, tangled: int, log: Log) -> None:
    """Note that solids crossed themselves, in places that the triangles `rows` of the mesh show."""
    log.did(
        "crossings",
        f"{count(crossings, 'crossing')} of a surface with itself resolved.",
        f"crosses itself in {count(places, 'place')}",
        "unite its parts with a Boolean modifier (Union)",
        rows,
        crossings=crossings,
        solids=tangled,
    )


def skinned(surface: RawSurface, log: Log) -> tuple[RawSurface, int]:
    """What lies inside of a closed surface at least once, and how many crossings were resolved."""
    surface = compact(surface)
    try:
        found = find_winding_skin(surface.vertices, surface.triangles)
        if len(found.triangles) == 0:
            surface = turn_triangles(surface, np.ones(len(surface.triangles), np.bool_))
            found = find_winding_skin(surface.vertices, surface.triangles)
    except CrowdedError as error:
        raise _crowded(surface, error.rows, log) from error
    except TangleError as error:
        raise _tangled(surface, list(error.rows), log) from error
    return rebuilt(surface, found.vertices, found.triangles, found.parent), found.crossings


def check_crowding(surface: RawSurface, edges: MeshEdges, log: Log) -> None:
    """Raise MeshError where a shell crosses itself so often that nothing will separate it, before more is tried."""
    pairs = crossing_pairs(surface.vertices, surface.triangles, _LOOKS)
    if len(pairs) == _LOOKS:
        label = find_shells(edges)
        own = pairs[label[pairs[:, 0]] == label[pairs[:, 1]]]
        if len(own) > MOST_CONTACTS:
            raise _crowded(surface, np.unique(own), log)


def _crowded(surface: RawSurface, rows: Ints, log: Log) -> Exception:
    return log.refusal(
        f"crosses itself in more than {number(MOST_CROSSING, 6)} places, too many to separate: smooth its noise away, "
        "put a Remesh modifier on it (Voxel), or switch on Remesh under Mesh.",
        surface.source[rows],
    )


def _tangled(surface: RawSurface, rows: list[int], log: Log) -> Exception:
    place = surface.vertices[surface.triangles[rows]].reshape(-1, 3).mean(axis=0) if rows else np.zeros(3)
    where = ", ".join(number(x) for x in place)
    return log.refusal(
        f"crosses itself in {count(len(rows), 'face')} that could not be separated: clean the mesh near ({where}), "
        "or switch on Remesh under Mesh.",
        surface.source[rows],
    )


def gathered(parts: list[RawSolids]) -> RawSolids:
    """Several sets of solids as one."""
    parts = [part for part in parts if len(part.inside_out)]
    first = np.cumsum([0, *(len(part.inside_out) for part in parts)])
    return RawSolids(
        joined([compact(part.surface) for part in parts]),
        np.concatenate([part.solid + at for part, at in zip(parts, first[:-1], strict=True)]),
        np.concatenate([part.inside_out for part in parts]),
    )


def unite_solids(given: RawSolids, log: Log) -> tuple[RawSurface, Ints]:
    """One surface without overlaps, or parts (T,) that may overlap; parts share no vertices."""
    surface, repair = given.surface, log.repair
    walled = repair.walls == "keep" and any(step.name == "walls" for step in log.steps)  # chambers touch at their walls
    try:
        found = unite.unite(
            surface.vertices,
            surface.triangles,
            given.solid,
            given.inside_out,
            nested=repair.nested,
            parts="keep" if walled else repair.parts,
        )
    except unite.Untied as error:
        raise log.refusal(
            "has parts that could not be united: unite them with a Boolean modifier, or switch on Remesh under Mesh.",
            surface.source[given.solid == error.solid],
        ) from error
    result = rebuilt(surface, found.vertices, found.triangles, found.parent)
    _note_turned(given, found, log)
    _note_nested(given, found, log)
    _note_cut_out(given, found, log)
    _note_united(surface, found, log)
    return result, found.part


def _note_turned(given: RawSolids, found: unite.United, log: Log) -> None:
    """Solids that were given inside out and are no cavities."""
    matter = np.zeros(len(given.inside_out), np.bool_)
    matter[given.solid[found.parent[~found.flip]]] = True
    rows = (matter & given.inside_out)[given.solid]
    if rows.any():
        number = count(int(rows.sum()), "face")
        log.did(
            "turn",
            f"{number} of parts that were inside out turned.",
            f"has {number} of parts that are inside out",
            "use Mesh > Normals > Recalculate Outside",
            given.surface.source[rows],
            turned=int(rows.sum()),
        )


def _note_nested(given: RawSolids, found: unite.United, log: Log) -> None:
    said = []
    if found.absorbed:
        said.append(f"{count(found.absorbed, 'shell')} inside the solid absorbed")
        log.advice.append(
            "Shells lie inside the solid: choose Hollow or Own Solid for Inner Shells if they should count."
        )
    if found.hollowed:
        said.append(f"{count(found.hollowed, 'shell')} inside the solid taken as hollow")
    if found.own:
        said.append(f"{count(found.own, 'shell')} inside the solid taken as a solid of its own")
    if said:
        within = found.absorbed + found.hollowed + found.own
        left = np.isin(given.solid, given.solid[found.parent[~found.flip]])
        log.did(
            "nested",
            f"{'; '.join(said)}.",
            f"has {count(within, 'shell')} inside its solid",
            "delete them, or turn them inward for a hollow",
            given.surface.source[~left],
            absorbed=found.absorbed,
            hollowed=found.hollowed,
            own=found.own,
        )


def _note_cut_out(given: RawSolids, found: unite.United, log: Log) -> None:
    """A cavity within its solid is as the artist wants it; one that passes through its surface is not."""
    there = np.bincount(given.solid, minlength=len(given.inside_out))
    left = np.bincount(given.solid[found.parent[found.flip]], minlength=len(there))
    crossing = given.inside_out & (left > 0) & (left != there)  # some of its triangles were cut
    if crossing.any():
        number = f"{count(int(crossing.sum()), 'cavity')} that pass{'es' if crossing.sum() == 1 else ''}"
        log.did(
            "unite",
            f"{number} through the surface cut out of the solid: its parts overlap.",
            f"has {number} through the surface",
            "move the points of the inner shell inside",
            given.surface.source[crossing[given.solid]],
            cut_out=int(crossing.sum()),
        )


def _note_united(surface: RawSurface, found: unite.United, log: Log) -> None:
    if not found.fused and not found.overlapping:
        return
    size = volume(found.vertices, found.triangles)
    twice = f", {percent(found.overlap / size)} of the volume lay in several" if found.overlap > 1e-9 * size else ""
    if found.fused:
        text = f"{count(found.fused, 'part')} that overlap or touch fused{twice}."
        log.advice.append("Choose Keep Parts if its parts should fall apart.")
    else:
        text = f"{count(found.overlapping, 'part')} overlap or touch and are kept apart{twice}."
    log.did(
        "unite",
        text,
        f"has {count(found.fused or found.overlapping, 'part')} that overlap or touch",
        "unite them with a Boolean modifier (Union)",
        lambda: surface.source[np.unique(crossing_pairs(surface.vertices, surface.triangles))],
        fused=found.fused,
        overlapping=found.overlapping,
    )
