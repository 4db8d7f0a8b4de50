"""What a run hands out for each object: fragments, motion, and the account of the work."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from .config.params import counts
from .config.surface import decide_quality
from .continuum import CONTINUA
from .cutting.checks import check_fragments
from .diagram import ShatterDiagram, roughens
from .fragments.build import are_closed
from .fragments.piece_body import joined_bodies
from .geometry.mesh import diagonal
from .intake.account import RepairResult
from .own_meshes import own_pattern_of
from .parting import unbent, unseen
from .report import Report, Stopwatch, differences
from .rigid import still
from .settings import Settings
from .simulation.spec import CutHistory, FractureResult
from .types import Body, Cells, Fracture, Fragments, Motion, Scene, Units, VertexTrack


@dataclass(frozen=True, eq=False, slots=True)
class Shattered:
    """Everything that one run made of one object."""

    body: Body  #: in whose triangles the fragments are expressed
    diagram: ShatterDiagram | None  #: into which it was cut at the start; None where it was whole
    units: Units  #: of the start
    fracture: Fracture
    fragments: Fragments
    motion: Motion
    report: Report
    until: int  #: see `simulation.spec.FractureResult`
    tracks: tuple[VertexTrack, ...] = ()  #: of the fragments that deform, ascending
    history: CutHistory | None = None  #: see `simulation.spec.FractureResult`


#: Called with a call that gives the results so far; it must make that before it returns.
OfferResults: TypeAlias = Callable[[Callable[[], tuple[Shattered, ...]]], None]


@dataclass(frozen=True, eq=False, slots=True)
class PreparedObject:
    """How an object went into a run."""

    scene: Scene
    settings: Settings
    repair_result: RepairResult
    diagram: ShatterDiagram | None
    units: Units
    notes: tuple[str, ...]  #: of the cut


def make_result(
    prepared: PreparedObject, broken: FractureResult, watch: Stopwatch, warnings: tuple[str, ...] = ()
) -> Shattered:
    """What came of an object, with its report. Raises CutError for pieces that cannot be."""
    check_fragments(broken.fragments, broken.fracture.death == len(broken.motion.time))
    cells = broken.fracture.cells[0] if prepared.diagram is None else prepared.diagram.cells
    return Shattered(
        body=joined_bodies(broken.bodies),
        diagram=prepared.diagram,
        units=prepared.units,
        fracture=broken.fracture,
        fragments=broken.fragments,
        motion=broken.motion,
        report=_report(prepared, cells, broken, watch, warnings),
        until=broken.until,
        tracks=broken.tracks,
        history=broken.history,
    )


def _report(
    prepared: PreparedObject, cells: Cells, broken: FractureResult, watch: Stopwatch, warnings: tuple[str, ...]
) -> Report:
    repair_result, settings = prepared.repair_result, prepared.settings
    last = broken.fracture.death == len(broken.motion.time)
    pattern = int(cells.unit.max()) + 1
    split = len(cells.region) - len(np.unique(cells.region))
    counted = own_pattern_of(settings) is None and counts(settings.pieces_params, "count")
    asked = settings.pieces_params.count if counted else pattern  # meshes and vertices are as many as they are
    if prepared.diagram is not None:
        told = differences(asked, pattern, split, int(cells.crumb.sum()))
    else:  # into what a continuum method has divided it is no warning
        told = broken.notes if settings.breaking in CONTINUA else ()
    notes = () if settings.breaking in CONTINUA else broken.notes
    return Report(
        asked=asked,
        pattern=pattern,
        pieces=int(last.sum()),
        volume_before=repair_result.volume_before,
        volume_in=repair_result.volume_after,
        volume_out=float(broken.fragments.volume[last].sum()),
        closed_pieces=int(are_closed(broken.fragments)[last].sum()),
        quality=_quality(settings) if last.sum() > 1 else "",
        area_exact=repair_result.exact,
        area_new=repair_result.new,
        area_lost=repair_result.lost,
        steps=repair_result.steps,
        repaired=(*repair_result.repaired, *prepared.notes),
        counted=told,
        warnings=(*warnings, *notes, *repair_result.warnings),
        advice=(*repair_result.advice, *_advice(prepared, broken)),
        seed=settings.seed,
        seconds=dict(watch.seconds),
    )


def _quality(settings: Settings) -> str:
    """How finely the broken faces of an object are made; "" for flat ones."""
    rough = roughens(settings) and settings.surface.cutter == "exact" and settings.breaking not in CONTINUA
    return decide_quality(settings.surface).quality if rough and own_pattern_of(settings) is None else ""


def _advice(prepared: PreparedObject, broken: FractureResult) -> tuple[str, ...]:
    """What to do where the blows broke the object, and nobody sees it."""
    if not prepared.scene.impacts or prepared.settings.motion == still.METHOD.id:
        return ()
    speed = max(impact.speed for impact in prepared.scene.impacts)
    size = diagonal(prepared.repair_result.body.vertices)
    if prepared.settings.breaking in CONTINUA and len(broken.fracture.birth) == 1:
        return unbent(broken.fragments, broken.motion, broken.tracks, size, speed)
    return unseen(broken.fracture, broken.motion, size, speed)
