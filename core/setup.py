"""From a scene and settings to an object that can break, and to the course of what happens to it."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from .arithmetic.elementary import power
from .arithmetic.products import multiply, norm
from .breaking import RULES, ImpactContext, Verdict
from .breaking.contract import by_limit
from .config.breakable import ANEW, AUTO
from .config.params import DeclaredParams
from .config.surface import decide_quality
from .continuum import CONTINUA
from .continuum.contract import ContinuumEstimate, ContinuumObject
from .cutting.checks import check_units
from .cutting.units import units
from .cutting.whole import whole_cells
from .diagram import ShatterDiagram, make_diagram
from .errors import InputError
from .geometry.mesh import diagonal, rotated, volume
from .geometry.shells import LEAST
from .intake.account import RepairResult
from .intake.ladder import intake_steps
from .pieces.convention import AUTOMATIC_RADIUS
from .rigid import MOTIONS, still
from .rigid.contract import FrameSteps
from .rigid.state import RigidBodies, RigidState, World
from .settings import Settings
from .simulation.deforming_mesh import LiveSurface
from .simulation.environment import ColliderParts, Environment, deforming_collider, make_parts_of_colliders
from .simulation.spec import (
    ContinuumModel,
    CutBody,
    CutOrigin,
    FractureModel,
    InitialMotion,
    RefracturePolicy,
    SimObject,
    SimulationSpec,
    SurfaceMotion,
    VisibleCells,
)
from .stepwise import map_steps
from .strength.origin import Origin
from .strength.stack import check_paint, strengths_of
from .types import Body, Cells, Clock, Floats, Ground, Impact, Influence, LatticeRecipe, Mesh, Progress, Scene

#: A piece that is cut anew gets at least so many pieces, and else this power of its share of the object's volume. By
#: eye, see `_for_share`.
_FEWEST, _POWER = 4, 0.5


def repair_steps(mesh: Mesh, settings: Settings) -> Generator[Progress, None, RepairResult]:
    """Make a mesh a body by the repairs that its settings permit; see `intake_steps`."""
    method = CONTINUA[settings.breaking].run if settings.breaking in CONTINUA else None
    needed = None if method is None else partial(method.sheet_thickness, settings.breaking_params)
    return intake_steps(mesh, settings.repair, thin=settings.material.thin, sheet_thickness=needed)


def resolve_impacts(impacts: tuple[Impact, ...], body: Body) -> tuple[Impact, ...]:
    """Impacts with unit directions and a radius: the automatic one is a tenth of the body's diagonal.

    Raises InputError for an impact without a direction or with a number that is not finite.
    """
    automatic = AUTOMATIC_RADIUS * diagonal(body.vertices)
    return tuple(_resolved(impact, automatic) for impact in impacts)


def _resolved(impact: Impact, automatic: float) -> Impact:
    length = float(norm(impact.direction))
    numbers = [*impact.point, length, impact.strength, impact.speed, impact.radius, impact.time]
    if not np.all(np.isfinite(numbers)) or length == 0.0:
        raise InputError("An impact has no direction or a number that is not finite; place it anew.")
    if min(impact.strength, impact.radius, impact.time) < 0.0:
        raise InputError("An impact has a negative strength, radius or time; these start at zero.")
    return replace(impact, direction=impact.direction / length, radius=impact.radius or automatic)


def check_settings(scene: Scene, settings: Settings) -> None:
    """Hold the settings against their declarations, and against what the object has. Raises InputError."""
    settings.check()
    check_paint(settings.fields, scene.painted, scene.mesh.name)


def origin_of(scene: Scene, body: Body) -> Origin:
    """The object of a scene as it came, from its whole body."""
    return Origin(body, scene.mesh.turn, scene.painted)


def make_fracture_model(
    body: Body,
    diagram: ShatterDiagram,
    settings: Settings,
    origin: Origin,
    seen: Body | None = None,
    impacts: tuple[Impact, ...] | None = None,
) -> FractureModel:
    """A body that was cut, the object's own or that of a piece, with what breaks it.

    `impacts`: around which the object's own body was cut; None: it was not, or it is a piece.
    `seen`: what is seen of the body, from which the rough cells were cut; None: itself.
    Raises InputError for fields that want what the object does not have.
    """
    graph = units(diagram.cells)
    strengths = strengths_of(origin, diagram.cells, graph, settings.fields)
    _check_masses(diagram.cells, strengths.density)
    return FractureModel(
        body=body,
        cells=diagram.cells,
        units=graph,
        strengths=strengths,
        material=settings.material,
        rule=_bears_all if settings.breaking in CONTINUA else RULES[settings.breaking].run,
        params=settings.breaking_params,
        seed=settings.seed,
        rough=None if diagram.rough is None else VisibleCells(body if seen is None else seen, diagram.rough),
        origin=None if impacts is None else CutOrigin(impacts),
    )


def _bears_all(struck: ImpactContext, _params: DeclaredParams) -> Verdict:
    """The rule for what a continuum method has left: none of its links ever cracks."""
    count = len(struck.units.links)
    return by_limit(np.zeros(count), np.full(count, np.inf))


def _check_masses(cells: Cells, density: Floats) -> None:
    """Raise InputError where fields leave pieces without a mass to speak of; `density (C,)` or of any shape for it."""
    mass = np.bincount(cells.unit, cells.volume * density)
    if not (mass > LEAST * float(np.cumsum(mass)[-1])).all():
        raise InputError("Some pieces would weigh next to nothing: raise Lightest of the Density fields.")


def make_whole_model(body: Body, settings: Settings, origin: Origin) -> FractureModel:
    """A body that is not cut yet."""
    return make_fracture_model(body, ShatterDiagram("", whole_cells(body)), settings, origin)


def continuum_steps(
    scene: Scene, settings: Settings, body: Body, impacts: tuple[Impact, ...], place: Floats
) -> Generator[Progress, None, SimObject]:
    """An object that a continuum method moves, divided into what that computes with.

    Raises InputError for what the method cannot divide.
    """
    origin = origin_of(scene, body)
    method, params = CONTINUA[settings.breaking].run, settings.breaking_params
    obj = ContinuumObject(
        body=body,
        material=settings.material,
        origin=origin,
        fields=settings.fields,
        impacts=impacts,
        velocity=scene.velocity,
        spin=scene.spin,
        pivot=scene.pivot,
        influence=_seen_from(scene.influence, place),
        clock=scene.clock,
        seed=settings.seed,
        courses=scene.courses,
        surface=decide_quality(settings.surface),
        recipe=_turned_recipe(scene.mesh),
    )
    divided = yield from map_steps(method.divide(obj, params), lambda share: Progress(share, "Dividing"))

    def as_rigid(form: Body, mass: float) -> FractureModel:
        model = make_whole_model(form, settings, origin)
        factor = mass / (settings.material.density * float(model.units.volume.sum()))
        return replace(model, strengths=replace(model.strengths, density=np.full(len(model.cells.volume), factor)))

    model = ContinuumModel(method, params, obj, divided, as_rigid, LiveSurface())
    whole = make_whole_model(body, settings, origin)
    return SimObject(scene.mesh.name, whole, impacts, None, place, influence=scene.influence, continuum=model)


def estimate_continuum(mesh: Mesh, settings: Settings, body: Body, clock: Clock) -> ContinuumEstimate:
    """What a continuum method is foretold to take for a body that was made of a mesh. Raises InputError."""
    method = CONTINUA[settings.breaking].run
    return method.estimate(body, settings.material, _turned_recipe(mesh), settings.breaking_params, clock)


def _seen_from(influence: Influence, place: Floats) -> Influence:
    """An influence whose spheres are in the coordinates of an object with its zero at a `place` (3,) of the world."""
    return replace(influence, spheres=influence.spheres - np.append(place, 0.0))


def _turned_recipe(mesh: Mesh) -> LatticeRecipe | None:
    """How the inside of a mesh is divided, where that is known, in body coordinates."""
    recipe = mesh.recipe
    return None if recipe is None else replace(recipe, place=multiply(mesh.turn, recipe.place))


def make_sim_object(
    scene: Scene,
    settings: Settings,
    model: FractureModel,
    impacts: tuple[Impact, ...],
    place: Floats,
    whole: bool = False,
) -> SimObject:
    """An object at a `place` (3,) of the world; `whole` where it is to be cut only when something hits it.

    `model` is that of the whole body.
    """
    momentum = InitialMotion(scene.velocity, scene.spin, scene.pivot, _surface_motion(scene))
    policy = _answer(scene, settings, model, whole) if settings.breakable.breaks or whole else None
    return SimObject(
        scene.mesh.name, model, impacts, momentum, place, policy, scene.influence, settings.breakable.stands
    )


def _surface_motion(scene: Scene) -> SurfaceMotion | None:
    """How the surface of the object moves at the start, None where it keeps its form."""
    if not len(scene.flow):
        return None
    mesh = scene.mesh
    return SurfaceMotion(rotated(mesh.vertices, mesh.turn)[mesh.triangles], scene.flow[mesh.triangles])


def _answer(scene: Scene, settings: Settings, model: FractureModel, whole: bool) -> RefracturePolicy:
    params = settings.breakable
    anew = params.again == ANEW or (params.again == AUTO and settings.pieces_params.placed_by_impact)
    return RefracturePolicy(params, cutting(scene, settings, model), whole, anew)


def cutting(scene: Scene, settings: Settings, model: FractureModel) -> CutBody:
    """How pieces of an object are cut anew; `model` is that of the whole body."""
    whole_volume, origin = float(model.units.volume.sum()), origin_of(scene, model.body)

    def cut(body: Body, impacts: tuple[Impact, ...], seen: Body | None) -> FractureModel:
        share = volume(body.vertices, body.triangles) / whole_volume
        finer = _for_share(settings, share)
        diagram, _ = make_diagram(body, impacts, finer, seen=seen)
        check_units(diagram.cells, LEAST * whole_volume)
        return make_fracture_model(body, diagram, finer, origin, seen)

    return cut


def _for_share(settings: Settings, share: float) -> Settings:
    """The settings for a piece with a `share` of its object's volume: it breaks into fewer pieces, but finer ones.

    As many as the share says would leave them as large as it is itself; the power is by eye.
    """
    count = max(_FEWEST, round(settings.pieces_params.count * power(min(share, 1.0), _POWER)))
    if count >= settings.pieces_params.count:
        return settings
    return replace(settings, pieces_params=replace(settings.pieces_params, count=count))


def spec_steps(
    scene: Scene,
    settings: Settings,
    ground: Ground | None,
    most: int | None = None,
    deforming: Sequence[tuple[Mesh, ...]] = (),
    objects: Sequence[SimObject] = (),
) -> Generator[None, None, SimulationSpec]:
    """What happens to the objects of a scene, with the motion that the settings name; yields with parts of colliders.

    `deforming` are the meshes, at each frame, of the objects that their animation deforms, in their order; of the
    `objects` those that a continuum method moves are in the way of the others.
    """
    motion = MOTIONS[settings.motion]
    params = settings.motion_params or motion.params()

    def move(bodies: RigidBodies, state: RigidState, world: World, dt: float) -> FrameSteps:
        return motion.run(bodies, state, world, dt, params)

    meets = settings.motion != still.METHOD.id
    shaped: list[ColliderParts] = []
    if meets:
        shaped += yield from make_parts_of_colliders(scene.colliders)
        shaped += [ColliderParts([], one.continuum.surface) for one in objects if one.continuum is not None]
    skins = yield from make_parts_of_colliders(tuple(deforming_collider(meshes) for meshes in deforming))
    environment = Environment(scene.gravity, ground, shaped, scene.clock.frames, skins)
    spec = SimulationSpec(environment, scene.clock, move, scene.touches, meets=meets)
    return spec if most is None else replace(spec, most=most)


def ground_below(ground: Ground | None, objects: Sequence[SimObject]) -> Ground | None:
    """The ground, lowered to the lowest point of the objects where they reach below it."""
    if ground is None:
        return None
    lowest = min(float(obj.model.body.vertices[:, 2].min() + obj.place[2]) for obj in objects)
    return replace(ground, height=min(ground.height, lowest))
