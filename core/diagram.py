"""The stage from a body to its cells: which partition, how space is bent, what can be taken from an earlier run."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from .breaking.own_cells import own_cells
from .config.surface import decide_quality
from .cutting.booleans import cut_by_booleans
from .cutting.cut import divide
from .cutting.level_set.cut import cut_by_level_sets
from .cutting.prepared import Prepared
from .cutting.retry import Cutters, cut_with_retry
from .errors import CutError, InputError
from .own_meshes import ignored_setting_notes, own_bytes, own_pattern_of
from .pieces import PARTITIONS
from .pieces.layouts.shape import Shape, measure
from .pieces.patterns.method import PatternParams
from .roughness.bend import Bend, halved
from .roughness.grain import grain_of
from .roughness.piercing import pierced_places
from .roughness.rough import Grain, rough_cut
from .roughness.rough_units import assign_units
from .settings import Settings
from .types import Body, Cells, Frozen, Impact, Ints, Partition
from .wrap import STRAIGHT, Wall, wall_of

#: So often the amplitude is halved where space folds, and so many partitions are tried with each amplitude. After six
#: of them a sixty-fourth is left, which nobody sees.
_HALVINGS, PARTITIONS_TRIED = 6, 2
#: What the report says of it.
LOWERED = "The roughness was lowered to 1/{}: more would have folded space, or made the mesh cross itself."
SMOOTH = "Broken faces stayed smooth: roughness would have folded space, or made the mesh cross itself."
#: A wall thinner than this many amplitudes is followed everywhere, to this share of its thickness. A coarse triangle is
#: up to twice the largest noise off its bent image, 8.3 amplitudes (`LARGEST_NOISE`), on either side of a wall; a
#: quarter of the thickness keeps the two apart. By reasoning, not by trying.
_THIN, _CLOSE = 16.0, 0.25


@dataclass(frozen=True, eq=False, slots=True)
class ShatterDiagram(Frozen):
    """Barr's shatter diagram: the cells of a body, under a key that says what they were made from.

    `cells` decide what breaks, what pieces weigh and how they touch. They are the same in every quality.
    """

    key: str
    cells: Cells
    rough: Cells | None = None  #: what is seen of them, with the same units; None: they are seen as they are

    @property
    def visible(self) -> Cells:
        """What is seen of the cells."""
        return self.cells if self.rough is None else self.rough

    def of_visible(self, values: Ints) -> Ints:
        """(C',) of each visible cell what `values (C,)` say of the cells; those of a unit say the same."""
        of_unit = np.zeros(int(self.cells.unit.max()) + 1, np.int64)
        of_unit[self.cells.unit] = values
        return of_unit[self.visible.unit]


Load = Callable[[str], ShatterDiagram | None]


def diagram_key(body: Body, impacts: tuple[Impact, ...], settings: Settings) -> str:
    """What the cells depend on, as a hash: the body, the pieces and their seed, and where it is hit if that counts."""
    digest = hashlib.sha256()
    digest.update(np.ascontiguousarray(body.vertices).tobytes())
    digest.update(np.ascontiguousarray(body.triangles).tobytes())
    digest.update(np.ascontiguousarray(body.part).tobytes())
    surface = decide_quality(settings.surface)
    digest.update(repr((settings.pieces, settings.pieces_params, settings.seed, surface)).encode())
    own = own_pattern_of(settings)
    if own is not None:
        digest.update(own_bytes(own))
    if settings.pieces_params.placed_by_impact or surface.wrap in ("sphere", "cylinder"):
        for impact in impacts:
            placed = np.array([*impact.point, *impact.direction, impact.speed, impact.radius])
            digest.update(placed.tobytes())
    return digest.hexdigest()


def make_diagram(
    body: Body, impacts: tuple[Impact, ...], settings: Settings, load: Load | None = None, seen: Body | None = None
) -> tuple[ShatterDiagram, tuple[str, ...]]:
    """The cells of a body under resolved impacts, taken from `load` or cut, and notes for the report.

    `seen`: what is seen of a body that was broken before; what is seen of the cells is cut from that.
    Raises CutError where the cutter's self-checks refuse to return a result, InputError where meshes are missing.
    """
    key = diagram_key(body, impacts, settings)
    stored = load(key) if load is not None else None
    if stored is not None:
        return stored, ()
    own, params = own_pattern_of(settings), settings.pieces_params
    if own is not None and isinstance(params, PatternParams):
        cells, notes = own_cells(body, impacts, params, own, settings.seed)
        return ShatterDiagram(key, cells), (*ignored_setting_notes(settings), *notes)
    if settings.surface.cutter == "level_set":
        cells, notes = _on_a_grid(body, impacts, settings)
        return ShatterDiagram(key, cells), notes
    wall, notes = wall_of(body, impacts, settings)
    if wall is not None:
        try:
            cells, rough, more = _cells(body, wall, impacts, settings, seen)
            return ShatterDiagram(key, cells, rough), (*notes, *more)
        except CutError:
            if settings.surface.wrap != "auto":
                raise
            notes = (*notes, STRAIGHT)
    cells, rough, more = _cells(body, None, impacts, settings, seen)
    return ShatterDiagram(key, cells, rough), (*notes, *more)


def _on_a_grid(body: Body, impacts: tuple[Impact, ...], settings: Settings) -> tuple[Cells, tuple[str, ...]]:
    """Cells and notes of a cut by level sets."""
    run = PARTITIONS[settings.pieces].run
    build = partial(run, body, impacts, settings.pieces_params, settings.seed)
    resolution = settings.surface.resolution

    def on_grid(part: Body, partition: Partition, known: Prepared | None = None) -> Cells:
        return cut_by_level_sets(part, partition, resolution)

    return cut_with_retry(body, build, cutters=Cutters(on_grid, on_grid))


def _cells(
    body: Body, wall: Wall | None, impacts: tuple[Impact, ...], settings: Settings, seen: Body | None
) -> tuple[Cells, Cells | None, tuple[str, ...]]:
    """Cells, what is seen of them, and notes: of the body as it is, or laid flat on its wall."""
    run = PARTITIONS[settings.pieces].run
    at, hits = (body, impacts) if wall is None else (wall.flat, wall.impacts)

    @cache
    def build(attempt: int) -> Partition:
        return run(at, hits, settings.pieces_params, settings.seed, attempt)

    plain, notes = cut_with_retry(body, build) if wall is None else wall.cut(build, *wall.smooth)
    bends = _bends(measure(body), settings, wall) if roughens(settings) else []
    if not bends and seen is None:
        return plain, None, notes
    shown = body if seen is None else seen
    try:
        over = wall if wall is None or seen is None else wall.with_body(seen)
    except (CutError, InputError):
        return plain, None, (*notes, SMOOTH)
    smooth = None if seen is None else partial(_cut_smooth, shown, over, build)
    bent = partial(_cut_bent, shown, build) if over is None else partial(over.cut, build)
    rough, said = _rough_cells(plain, [partial(bent, *bend) for bend in bends], smooth)
    pierced = 0 if rough is None else pierced_places(rough)
    if pierced:
        said = (*said, f"Broken faces pass through each other in {pierced} tiny places, which are seldom seen.")
    return plain, rough, (*notes, *said)


def roughens(settings: Settings) -> bool:
    """Whether an exact cut gets rough faces."""
    return settings.surface.octaves > 0 and settings.surface.amplitude > 0.0


#: Cells and notes of a cut.
_Cut = Callable[[], tuple[Cells, tuple[str, ...]]]


def _cut_bent(body: Body, build: Callable[[int], Partition], bend: Bend, grain: Grain) -> tuple[Cells, tuple[str, ...]]:
    ways = (partial(rough_cut, bend=bend, grain=grain, flat_cut=way) for way in (divide, cut_by_booleans))
    return cut_with_retry(body, build, PARTITIONS_TRIED, Cutters(*ways))


def _cut_smooth(body: Body, wall: Wall | None, build: Callable[[int], Partition]) -> tuple[Cells, tuple[str, ...]]:
    return cut_with_retry(body, build) if wall is None else wall.cut(build, *wall.smooth)


def _rough_cells(plain: Cells, cuts: Sequence[_Cut], smooth: _Cut | None) -> tuple[Cells | None, tuple[str, ...]]:
    """What is seen of plain cells: by the first of some cuts that succeeds and loses no piece; and notes.

    Each cut has half of the roughness of the one before; `smooth` comes after all of them. None: none of them can be.
    """
    ways: list[_Cut] = [*cuts, *([] if smooth is None else [smooth])]
    for halving, way in enumerate(ways):
        try:
            cells, notes = way()
            cells = assign_units(cells, plain)
        except CutError:
            continue
        if halving == len(cuts):
            return cells, (*notes, SMOOTH) if cuts else notes
        return cells, (*notes, LOWERED.format(2**halving)) if halving > 0 else notes
    return None, (SMOOTH,)


def _bends(shape: Shape, settings: Settings, wall: Wall | None) -> list[tuple[Bend, Grain]]:
    """Ways to bend space before the cut, each with half of the amplitude of the one before.

    Where that folds or makes the mesh cross itself, halving gives the triangles of walls that lie close to each other
    half of their way to the other one.
    """
    bend, grain = _bend(shape, settings)
    if wall is not None:
        bend = replace(bend, chart=wall.chart)
    result = []
    for _ in range(_HALVINGS):
        result.append((bend, grain))
        bend, grain = halved(bend), grain._replace(tolerance=0.5 * grain.tolerance)
    return result


def _bend(shape: Shape, settings: Settings) -> tuple[Bend, Grain]:
    """The field at the size of the pieces; in thin walls it is followed everywhere."""
    surface = settings.surface
    wavelength = surface.wavelength * shape.spacing(settings.pieces_params.count)
    amplitude = surface.amplitude * wavelength
    bend, grain = grain_of(surface, amplitude, wavelength, settings.seed, shape.centre)
    if shape.thickness < _THIN * amplitude:
        grain = grain._replace(everywhere=_CLOSE * shape.thickness)
    return bend, grain
