"""From Blender to the core: mesh, what fragments inherit, blows, influence, momentum, colliders, gravity, clock."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import bpy
import numpy as np

from ...core.arithmetic.products import multiply
from ...core.arithmetic.small_matrices import determinant
from ...core.errors import InputError
from ...core.geometry.mesh import bounds, diagonal, map_vectors, rotated
from ...core.stepwise import map_steps, result_of
from ...core.types import Clock, Ground, Impact, Influence, Mesh, Painted, Progress, Scene
from ..aside import Aside
from ..job import run_blocking
from .at_render import render_notes
from .attributes import read_integers
from .clock import clock_until_rest, frames_per_second, frames_to_follow
from .colliders import Around, read_colliders
from .courses import read_courses
from .deforming import may_deform_in_time
from .distance import distance_notes
from .flow import AROUND, flow_of, look_around
from .hanging import hanging_notes
from .impacts import blows_on, impact_empties
from .influence import read_influence
from .lattice_mesh import read_recipe
from .movement import Momentum, borrow_playhead, may_deform, may_move, momentum
from .paint import Paint, read_paint
from .polygons import flat_polygon_steps
from .refusals import refuse, refuse_bare, refuse_instances
from .source import SourceAttributes, read_source, triangle_loops, world_point
from .undefined import ENDLESS, refuse_undefined
from .viewer import heading_for

#: What a job says that reads.
LOOKING = "Looking at the object"
#: Cosines between an object's axes above which they are sheared: its matrix has 32 bits. Ten roundings.
SHEAR = 1e-6


@dataclass(frozen=True, eq=False, slots=True)
class Reading:
    """All that the work needs of a Blender scene."""

    scene: Scene
    source: SourceAttributes
    start_frame: int  #: of stored frame 0: that of the first hit, where no other was asked for
    warnings: tuple[str, ...] = ()  #: what could not be taken into account, a sentence each
    advice: tuple[str, ...] = ()  #: what an artist should know of how it was taken


@dataclass(frozen=True, eq=False, slots=True)
class _Struck:
    """The object as the start finds it."""

    mesh: Mesh
    source: SourceAttributes
    impacts: tuple[Impact, ...]
    start_frame: int
    influence: Influence
    painted: tuple[Painted, ...]
    hits_move: bool  #: whether any impact may be elsewhere at another frame
    momentum: Momentum | None = None  #: None: it stands still
    flow: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))  #: as of `flow.flow_of`


@dataclass(frozen=True, slots=True)
class _How:
    """What is asked for; see `read_steps`."""

    fps: float
    heading: np.ndarray
    start: int | None
    paints: Sequence[Paint]
    now: int  #: at which hits without a frame happen
    passed: bool  #: see `blows_on`


def read_steps(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    *,
    frames: int,
    ground: float | None,
    heading: np.ndarray | None = None,
    colliders: Sequence[bpy.types.Object] = (),
    start: int | None = None,
    paints: Sequence[Paint] = (),
    passed: bool = True,
    breaking: str = "",
    beside: bool = False,
) -> Generator[Progress, None, Reading]:
    """Read what is needed to shatter `obj`, changing nothing.

    Where the object or a collider may move, the scene is led to other frames and back; see `movement.borrow_playhead`.

    Args:
        context: its scene gives gravity, unit scale, frame rate, current frame and 3D cursor.
        obj: the object to break, as its modifiers and shape keys show it at the frame of the first hit. Curves,
            surfaces, text and metaballs are taken as the mesh that Blender makes of them.
        frames: number of stored frames, the break frame included; 0: until everything is at rest, see `clock`.
        ground: height of the floor in the world [m], None for no floor.
        heading: horizontal unit direction (3,) in which the viewer looks, from whose side the object is hit where no
            impact is meant for it; None: as `heading_for` says.
        colliders: what stands in the way of the pieces; see `colliders.colliders_for`.
        start: frame of stored frame 0, at which the object is taken; None: that of its first hit, which is made where
            there is none.
        paints: what fields of strength are painted with, see `paint.wanted`; what the object has of it is read.
        passed: whether impacts count that have passed by `start`.
        breaking: id of the method that breaks it, of which values may be keyframed.
        beside: whether what asks nothing of Blender is done in a thread while this waits, see `aside`.

    Raises:
        InputError: what `refusals` has a sentence for, a hidden object, what `read_influence` misses, what `read_paint`
            cannot use.

    """
    refuse(obj)
    scene = context.scene
    unit_scale = float(scene.unit_settings.scale_length)
    fps = frames_per_second(scene)
    seen = heading_for(context, obj) if heading is None else heading
    struck = yield from _read_struck(context, obj, _How(fps, seen, start, paints, scene.frame_current, passed))
    mesh = yield from _with_flat_faces(struck.mesh, struck.source, beside)
    origin = struck.source.origin
    distant = distance_notes(obj.name, origin, diagonal(struck.mesh.vertices) / unit_scale, unit_scale)
    followed = frames or frames_to_follow(scene, struck.start_frame, struck.impacts if start is None else ())
    where = Around(origin, unit_scale, struck.start_frame, followed)
    around, warnings = yield from read_colliders(context, colliders, where)
    clock = Clock(fps, frames) if frames else clock_until_rest(fps, followed, around, ground is not None)
    # Blender's gravity is in its own units per second squared, like every acceleration that it shows.
    gravity = unit_scale * np.array(scene.gravity, np.float64) if scene.use_gravity else np.zeros(3)
    moved = struck.momentum or Momentum(np.zeros(3), np.zeros(3), np.zeros(3))
    taken = Scene(
        mesh=mesh,
        impacts=tuple(hit for hit in struck.impacts if start is None or hit.time * fps < followed - 0.5),
        gravity=gravity,
        ground=ground_in(ground, origin, unit_scale),
        clock=clock,
        colliders=around,
        velocity=moved.velocity,
        spin=moved.spin,
        pivot=unit_scale * (moved.pivot - origin) if struck.momentum else np.zeros(3),
        influence=struck.influence,
        painted=struck.painted,
        courses=read_courses(scene, obj, breaking, struck.start_frame, followed),
        flow=struck.flow,
    )
    notes = (*distant, *warnings, *render_notes(scene, obj), *hanging_notes(obj))
    return Reading(taken, struck.source, struck.start_frame, notes)


def ground_in(ground: float | None, origin: np.ndarray, unit_scale: float) -> Ground | None:
    """A floor at a height of the world [m], None for none, in body coordinates whose zero is at `origin` (3,)."""
    return None if ground is None else Ground(ground - unit_scale * float(origin[2]))


def read_scene(context: bpy.types.Context, obj: bpy.types.Object, **how: Any) -> Reading:
    """`read_steps` without a pause."""
    return run_blocking(read_steps(context, obj, **how))


def _read_struck(context: bpy.types.Context, obj: bpy.types.Object, how: _How) -> Generator[Progress, None, _Struck]:
    """The object at the frame of its first hit, wherever the playhead is; how it moves there.

    Where a start is asked for all is taken there, the empties, too.
    """
    scene = context.scene
    struck = yield from _read_now(context, obj, how)
    moving = may_move(obj) or may_deform_in_time(obj)
    same = how.start is None and not may_deform(obj) and not struck.hits_move
    if not moving and (same or _is_at(scene, struck.start_frame)):
        return struck
    with borrow_playhead(scene) as lead:
        struck = _struck_there(context, obj, how, struck, lead)
        if not moving:
            return struck

        seen = look_around(context, obj, struck.start_frame, lead)
    places = {struck.start_frame + step: one.matrix for step, one in zip(AROUND, seen, strict=True)}
    moved = momentum(places.__getitem__, struck.start_frame, how.fps, struck.source.unit_scale)
    return replace(struck, momentum=moved, flow=flow_of(seen, struck.source, how.fps))


def _struck_there(
    context: bpy.types.Context, obj: bpy.types.Object, how: _How, struck: _Struck, lead: Callable[[float], None]
) -> _Struck:
    """The object as it is at the frame of its first hit.

    Impacts may come near only at another frame, and others be far away there: no frame is looked at twice.
    """
    looked: list[int] = []
    while not _is_at(context.scene, struck.start_frame):
        if struck.start_frame in looked:
            return replace(struck, start_frame=looked[-1])
        looked.append(struck.start_frame)
        lead(struck.start_frame)
        # Whoever draws or plays meanwhile may change the frame: it is set and read without a pause between.
        struck = result_of(_read_now(context, obj, how))
    return struck


def _is_at(scene: bpy.types.Scene, frame: int) -> bool:
    return (scene.frame_current, scene.frame_subframe) == (frame, 0.0)


def _read_now(context: bpy.types.Context, obj: bpy.types.Object, how: _How) -> Generator[Progress, None, _Struck]:
    unit_scale = float(context.scene.unit_settings.scale_length)
    mesh, source = _read_corners(obj, context.evaluated_depsgraph_get(), unit_scale)
    yield Progress(0.0, LOOKING)
    blows = blows_on(context, obj, mesh, source, how.fps, how.now, how.heading, how.start, how.passed)
    influence = read_influence(context, obj, source, blows.start, how.fps)
    moves = any(may_move(empty) for empty in impact_empties(context, obj, mesh, source))
    return _Struck(mesh, source, blows.hits, blows.start, influence, read_paint(obj, source, how.paints), moves)


def read_mesh(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit_scale: float
) -> tuple[Mesh, SourceAttributes]:
    """The evaluated mesh in the object's own axes, with its scale, in metres from the middle of its box; and the rest.

    An object may be modelled far from its own origin; numbers around the middle have the most digits. Turned by
    `Mesh.turn` they are body coordinates, in world axes.
    Row t of the mesh's triangles is row t of the tables of `SourceAttributes`, corner by corner; a mirrored object
    (negative scale) has its triangles turned, so that they look outward in the world.

    Raises:
        InputError: the object is hidden or not in the view layer, or its mesh has no faces.

    """
    mesh, source = _read_corners(obj, depsgraph, unit_scale)
    return result_of(_with_flat_faces(mesh, source)), source


def _read_corners(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit_scale: float
) -> tuple[Mesh, SourceAttributes]:
    """`read_mesh`, with every face as the triangles of which it consists."""
    with evaluated_mesh(obj, depsgraph) as (evaluated, mesh):
        matrix = placed_matrix(evaluated)
        stretch, turn = _stretch_and_turn(matrix[:3, :3])
        vertices, middle, spacing = _vertices(mesh, unit_scale * stretch)
        source = read_source(evaluated, mesh, matrix, middle, unit_scale, rotated(vertices, turn))
        recipe = read_recipe(obj.data, mesh, unit_scale * stretch, middle)
        return Mesh(obj.name, vertices, source.triangle_vertex, turn, spacing, recipe=recipe), source


def _with_flat_faces(mesh: Mesh, source: SourceAttributes, beside: bool = False) -> Generator[Progress, None, Mesh]:
    """A mesh with those of its faces that are flat; `beside` as for `read_steps`."""
    job = map_steps(flat_polygon_steps(source, mesh.vertices, mesh.spacing), lambda _: Progress(0.0, LOOKING))
    polygon = yield from Aside(beside).waiting_for(job, free=False)
    return replace(mesh, polygon=polygon)


@dataclass(frozen=True, eq=False, slots=True)
class Shape:
    """The shape of an object alone, for a preview: as of `read_mesh`, without what fragments inherit."""

    mesh: Mesh
    origin: np.ndarray  #: (3,) where body coordinates are 0, in the world, in Blender's units
    unit_scale: float  #: metres per Blender unit


def read_shape(context: bpy.types.Context, obj: bpy.types.Object) -> Shape:
    """The evaluated mesh in body coordinates, in the fewest steps. Raises InputError as `read_scene` does."""
    refuse(obj)
    unit_scale = float(context.scene.unit_settings.scale_length)
    depsgraph = context.evaluated_depsgraph_get()
    with evaluated_mesh(obj, depsgraph) as (evaluated, mesh):
        matrix = placed_matrix(evaluated)
        triangles = read_integers(mesh, ".corner_vert", len(mesh.loops))[triangle_loops(mesh)[0]]
        if determinant(matrix[:3, :3]) < 0.0:  # see read_source: a mirrored object is inside out in world axes
            triangles = triangles[:, [0, 2, 1]]
        stretch, turn = _stretch_and_turn(matrix[:3, :3])
        vertices, middle, spacing = _vertices(mesh, unit_scale * stretch)
        taken = Mesh(obj.name, vertices, triangles, turn, spacing)
        return Shape(taken, world_point(matrix, middle), unit_scale)


def placed_matrix(evaluated: bpy.types.Object) -> np.ndarray:
    """The world matrix (4,4) of an evaluated object. Raises InputError where it is not finite."""
    matrix = np.array(evaluated.matrix_world, np.float64)
    refuse_undefined(evaluated, matrix)
    return matrix


@contextmanager
def evaluated_mesh(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> Iterator[tuple[bpy.types.Object, bpy.types.Mesh]]:
    """The object as its modifiers make it, and its mesh; refuses what is hidden, instanced or has no faces."""
    evaluated = obj.evaluated_get(depsgraph)
    if not evaluated.is_evaluated:
        raise InputError(f"'{obj.name}' is hidden: show it in the viewport first, so that its modifiers can be seen.")
    refuse_instances(evaluated)
    mesh = evaluated.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
    try:
        if mesh is None or not mesh.polygons:
            refuse_bare(obj)
        yield evaluated, mesh
    finally:
        evaluated.to_mesh_clear()


def _stretch_and_turn(linear: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A matrix (3,3) as turn @ stretch: the scale along the object's own axes, then a rotation.

    A mirrored object has a negative scale. What a turned parent has sheared, or a scale of 0 made flat, has no
    rotation that could be told apart: all of it is stretch.
    """
    length = np.sqrt(np.square(linear).sum(axis=0))
    if determinant(linear) < 0.0:
        length[0] *= -1.0
    turn = linear / np.where(length == 0.0, 1.0, length)
    if np.abs(multiply(turn.T, turn) - np.eye(3)).max() > SHEAR:
        return linear, np.eye(3)
    return np.diag(length), turn


def _vertices(mesh: bpy.types.Mesh, stretch: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Points (V,3) from the middle of the mesh's box, stretched; that middle (3,) in the object; how fine they are."""
    local = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", local)
    points = local.reshape(-1, 3).astype(np.float64)
    points[np.abs(points) > ENDLESS] = np.nan
    defined = points[np.isfinite(points).all(axis=1)]  # the core drops the others, with a sentence
    low, high = bounds(defined) if len(defined) else (np.zeros(3), np.zeros(3))
    middle = 0.5 * (low + high)
    farthest = np.float32(np.maximum(np.abs(low), np.abs(high)).max())
    spacing = float(np.spacing(farthest)) * float(np.abs(stretch).max())
    return map_vectors(points - middle, stretch), middle, spacing
