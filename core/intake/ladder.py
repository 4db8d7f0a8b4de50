"""The ladder: from an artist's mesh to a closed, outward, non-overlapping body; each step only when it is needed.

1. A mesh that can be cut as it is passes; parts that are inside out are turned (`clean`).
2. Points at one place are welded where the surface is open; then it may be clean.
3. Coordinates are snapped to the grid of the stored numbers, twins removed, borders stitched, holes closed (`mending`).
4. What is closed becomes solids, what is left open or stands out becomes sheets with thickness (`shaping`).
5. Solids that cross themselves are resolved, nested and overlapping ones united or kept as parts.
6. The result is held against the solids it was made of (`verify`).

Lengths are relative to the mesh: the verdict does not depend on its size. Work happens in the object's own axes.
"""

from collections.abc import Generator
from dataclasses import replace
from typing import TypeVar

import numpy as np

from ..config.repair import Repair
from ..errors import InputError
from ..geometry.mesh import MeshEdges, diagonal, edge_census, edge_table, rotated, volume
from ..geometry.winding import winding_volume
from ..jit import sealed_floats, sealed_ints
from ..types import Body, Bools, Ints, Made, Mesh, Progress
from ..wording import count
from .account import Log, RepairResult, SheetThickness
from .clean import balanced, inside_out
from .faces import check_precision, usable_rows
from .holes import SHARE, Mode
from .mending import close_holes, snap_to_grid, stitch, weld_points, without_specks, without_twins
from .polygons import polygons_of_rows, polygons_of_surface
from .remesh import remeshed
from .shaping import (
    RawSolids,
    check_crowding,
    gathered,
    shaped,
    shells_as_solids,
    thicken_sheets,
    unite_solids,
    untangled,
    without_copies,
)
from .surface import RawSurface, chosen, compact, joined, own, turn_triangles, used_vertices
from .verify import changes, measure_shares, verify_surface
from .wound import left_out, missing, wound_cycle, wound_solids

Result = TypeVar("Result")
_Steps = Generator[Progress, None, Result]

DEFAULT = Repair()
UNION = ("fuse", "absorb")  # choices for parts and inner shells with which the result is where the mesh winds around
_SAMPLES = 1 << 14  # points at which the volume of the mesh as given is looked at; chosen by time
MISSING = 0.01  # part of the border of what a mesh winds around that angles may miss; by eye
LARGEST_CAPS: dict[Mode, float] = {"auto": SHARE, "close": 1.0, "thicken": 0.0}  # of the area of what they close
# Change of volume, relative, that a remesh should not make; by eye: 64 cells across are 1 to 2 % small
# (docs/decisions.md, Intake).
_NOTABLE = 0.02


def intake(mesh: Mesh, repair: Repair = DEFAULT, *, thin: bool = False) -> RepairResult:
    """Run `intake_steps` to its end."""
    job = intake_steps(mesh, repair, thin=thin)
    while True:
        try:
            next(job)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def intake_steps(
    mesh: Mesh, repair: Repair = DEFAULT, *, thin: bool = False, sheet_thickness: SheetThickness | None = None
) -> _Steps[RepairResult]:
    """Check a mesh and repair what is allowed, yielding progress. `thin`: the material makes walls of open meshes.

    sheet_thickness: what sheets need at least where the thickness is automatic, None where any will do.

    Raises MeshError or InputError with a sentence for the artist where that is impossible or forbidden.
    """
    log = Log(mesh.name, repair, thin, sheet_thickness)
    rows = usable_rows(mesh, log)
    triangles = sealed_ints(mesh.triangles)
    vertices, triangles = used_vertices(sealed_floats(mesh.vertices), triangles if rows is None else triangles[rows])
    source = np.arange(len(triangles)) if rows is None else rows
    loose = len(mesh.vertices) - len(vertices)
    if loose:
        log.advice.append(f"{count(loose, 'point')} without faces left out.")
    check_precision(mesh, log)
    if diagonal(vertices) == 0.0:
        raise log.refusal("has all of its points in one place: scale it up, or choose another object.")
    given = own(vertices, triangles, source)
    yield Progress(0.05, f"Looking at {count(len(triangles), 'face')}")
    if repair.remesh:
        return _remade(mesh, given, log)
    edges = edge_table(triangles)
    yield Progress(0.1, "Looking for crossings")
    flip = inside_out(vertices, triangles, edges)
    if flip is None:
        return (yield from _repaired(mesh, given, edges, log))
    return _as_surface(mesh, given, flip, log) if flip.any() else _as_it_is(mesh, given, log)


def _as_it_is(mesh: Mesh, given: RawSurface, log: Log) -> RepairResult:
    """A mesh that can be cut: nothing is copied that need not be."""
    polygon = polygons_of_rows(mesh, given.source)
    body = Body(rotated(given.vertices, mesh.turn), given.triangles, given.source, polygon=polygon)
    size = volume(given.vertices, given.triangles)
    return RepairResult(body, tuple(log.steps), size, size, 1.0, 0.0, 0.0, tuple(log.advice))


def _as_surface(mesh: Mesh, surface: RawSurface, flip: Bools, log: Log) -> RepairResult:
    """A surface that can be cut once some of its triangles are turned."""
    if flip.any():
        whole = "The mesh was inside out and has been turned." if flip.all() else ""
        log.turned(int(flip.sum()), surface.source[flip], whole)
    return _repair_result(mesh, surface, turn_triangles(surface, flip), np.zeros(0, np.int64), log)


def _repaired(mesh: Mesh, given: RawSurface, edges: MeshEdges, log: Log) -> _Steps[RepairResult]:
    yield Progress(0.3, "Welding")
    surface = weld_points(given, edges, log)
    if surface is not given:
        edges = edge_table(surface.triangles)
        flip = inside_out(surface.vertices, surface.triangles, edges)
        if flip is not None:
            return _as_surface(mesh, surface, flip, log)
    on_grid = snap_to_grid(surface)
    surface = weld_points(on_grid, edges, log)
    if surface is not on_grid:
        edges = edge_table(surface.triangles)
    check_crowding(surface, edges, log)
    outward = shells_as_solids(surface, edges)
    solids = outward or (yield from _sorted_out(surface, log))
    solids = without_copies(solids, log)
    yield Progress(0.6, "Resolving crossings")
    solids = untangled(solids, log)
    yield Progress(0.8, "Uniting parts")
    surface, part = unite_solids(solids, log)
    yield Progress(0.9, "Checking the repair")
    verify_surface(solids, surface, part, log)
    # Closed outward shells wind around their union, which `verify_surface` has compared.
    plain = outward is not None and not outward.inside_out.any() and (log.repair.parts, log.repair.nested) == UNION
    before = volume(surface.vertices, surface.triangles) if plain else None
    return _repair_result(mesh, given, surface, part, log, before)


def _sorted_out(surface: RawSurface, log: Log) -> _Steps[RawSolids]:
    """Solids of a surface that is open, turned, or has edges of more than two faces.

    Angles around its edges sort it, or, where they go astray and lose what it winds around, its winding number.
    """
    sorted_log, wound_log = log.branch(), log.branch()
    yield Progress(0.35, "Finding solids")
    solids, sheets, tangled = _by_angles(surface, sorted_log)
    wound = None
    if tangled or left_out(surface, solids) > MISSING:
        yield Progress(0.45, "Finding what the mesh winds around")
        wound = wound_cycle(surface, LARGEST_CAPS[log.open], wound_log)
    if wound is not None and not tangled and missing(wound, solids) <= MISSING:
        wound = None
    if wound is None:
        log.follow(sorted_log)
    else:
        log.follow(wound_log)
        solids, sheets = wound_solids(wound, log), wound.sheets
    yield Progress(0.55, "Thickening sheets")
    parts = [solids, thicken_sheets(sheets, diagonal(surface.vertices), log)] if len(sheets.triangles) else [solids]
    if not any(len(part.inside_out) for part in parts):
        raise log.refusal("encloses no volume: give it thickness with a Solidify modifier.")
    return gathered(parts)


def _by_angles(surface: RawSurface, log: Log) -> tuple[RawSolids, RawSurface, bool]:
    """Solids of a surface whose holes are closed, what is left of it as sheets, and whether its angles led astray.

    They did where a closed surface with edges of more than two faces has faces that are no border.
    """
    surface = without_twins(surface, log)
    if len(surface.triangles) == 0:
        raise log.refusal("encloses nothing: all of its faces lie back to back.")
    edges = edge_table(surface.triangles)
    sheet = np.zeros(len(surface.triangles), np.bool_)
    whole = balanced(edges)
    if not whole:
        surface = stitch(surface, log)
        surface, sheet = close_holes(surface, log, log.open)
    solids, fins = shaped(compact(chosen(surface, ~sheet)), log, log.repair.walls == "keep")
    parts = [part for part in (compact(chosen(surface, sheet)), compact(fins)) if len(part.triangles)]
    inner = any(step.name == "walls" for step in log.steps)
    tangled = whole and edge_census(edges)[2] > 0 and (bool(parts) or inner)
    return solids, joined(parts) if parts else fins, tangled


def _remade(mesh: Mesh, surface: RawSurface, log: Log) -> RepairResult:
    resolution = log.repair.resolution
    try:
        made = remeshed(surface.vertices, surface.triangles, resolution)
    except InputError as error:
        raise log.refusal(f"cannot be remeshed. {error}") from error
    number = len(made.triangles)
    none = np.full(number, -1)
    result = RawSurface(
        made.vertices,
        made.triangles,
        surface.source[made.parent],
        made.weight,
        np.full(number, Made.REMESHED),
        none,
        np.stack([none, none, none], axis=1),
    )
    lost = f", {count(made.dropped, 'part')} too small for it dropped" if made.dropped else ""
    log.did(
        "remesh",
        f"Remeshed on a grid of {resolution} cells: edges are rounded, values come from the nearest face{lost}.",
        "",
        "",
        faces=number,
        dropped=made.dropped,
    )
    taken = _repair_result(mesh, surface, result, np.zeros(0, np.int64), log)
    if abs(taken.volume_after - taken.volume_before) > _NOTABLE * taken.volume_before:
        log.advice.append("Raise Resolution: parts thinner than a cell of the grid are lost or swollen.")
    return replace(taken, advice=tuple(log.advice))


def _repair_result(
    mesh: Mesh, given: RawSurface, surface: RawSurface, part: Ints, log: Log, before: float | None = None
) -> RepairResult:
    """The body of a finished surface, in the axes of the world, and the account; `before` is the volume if known."""
    surface, part = without_specks(compact(surface), part, log)
    exact, new, lost = measure_shares(mesh, given, surface)
    if before is None:
        before = winding_volume(given.vertices, given.triangles, samples=_SAMPLES)[0]
    body = Body(
        rotated(surface.vertices, mesh.turn),
        surface.triangles,
        surface.source,
        weight=surface.weight,
        made=surface.made if surface.made.any() else np.zeros(0, np.int64),
        part=part if part.max(initial=0) > 0 else np.zeros(0, np.int64),
        polygon=polygons_of_surface(mesh, surface),
    )
    after = volume(surface.vertices, surface.triangles)
    warnings = () if log.repair.remesh else changes(given, before, after, new, lost, log)
    return RepairResult(
        body, tuple(log.steps), before, after, exact, new, lost, tuple(dict.fromkeys(log.advice)), warnings
    )
