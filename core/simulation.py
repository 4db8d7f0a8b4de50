"""Several objects at once, each whole until something hits it hard enough; from a scene to pieces and motion.

Objects break by what they run into, by each other, by colliders that are led through them, and by impacts.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

from .diagram import Diagram, diagram_of
from .drivers.impact import break_and_move
from .drivers.matter import Broken, Thing
from .errors import InputError
from .intake.account import Taken
from .intake.ladder import intake_steps
from .outcome import Begun, Shattered, shattered
from .own_meshes import told_of_meshes
from .path import Path
from .report import Stopwatch
from .settings import Settings
from .stepwise import mapped, scaled
from .things import check, course_steps, matter_of, origin_of, resolved, sunk, thing_of, whole_matter
from .types import Floats, Frozen, Mesh, Progress, Scene

#: Fractions of the whole at which the stages end.
TAKEN, MOVED = 0.2, 0.95


@dataclass(frozen=True, eq=False, slots=True)
class Deformation(Frozen):
    """How the animation of an object deforms it, until something breaks it."""

    meshes: tuple[Mesh, ...]  #: at each stored frame, in the world that all share; see `Collider.deformed`
    #: Stored frame -> the object as an item of a clock that begins at that frame. Raises InputError.
    at: "Callable[[int], Generator[Progress, None, Item]]"


@dataclass(frozen=True, eq=False, slots=True)
class Item(Frozen):
    """An object that takes part.

    Gravity, clock, ground and colliders are those of the first item's scene, in the world that all share.
    """

    scene: Scene
    settings: Settings
    place: Floats  #: (3,) zero of the scene's coordinates in the world that all share [m]
    path: Path | None = None  #: that it follows until something breaks it; None: it is free from the start
    deformation: Deformation | None = None  #: in place of a path, where it has another form at another frame


def steps(items: Sequence[Item], most: int) -> Generator[Progress, None, tuple[Shattered, ...]]:
    """Let the items move and break, yielding progress; there are never more than about `most` pieces.

    Raises InputError for what cannot be used, with the name of the object, CutError where an object cannot be cut.
    """
    if not items:
        raise InputError('Nothing here breaks: switch on "Breaks on Contact" for an object first.')
    watch, begun, things = Stopwatch(), [], []
    forms = [_Forms(item) for item in items]
    for number, item in enumerate(items):
        yield Progress(TAKEN * number / len(items), f"Looking at {item.scene.mesh.name}")
        with watch.stage("intake and cut"):
            check(item.scene, item.settings)
        done, step = TAKEN * number / len(items), TAKEN / len(items)
        repair, thin = item.settings.repair, item.settings.material.thin
        mending = watch.timed("intake and cut", intake_steps(item.scene.mesh, repair, thin=thin))
        taken = yield from scaled(mending, done, done + 0.5 * step)
        with watch.stage("intake and cut"):
            one, thing = _begin(item, taken)
        begun.append(one)
        things.append(thing if item.deformation is None else replace(thing, form_at=forms[number].at))
    first = items[0]
    deforming = [item.deformation.meshes for item in items if item.deformation is not None]
    shaping = course_steps(first.scene, first.settings, sunk(first.scene.ground, things), most, deforming)
    course = yield from mapped(shaping, lambda _: Progress(TAKEN, "Shaping colliders"))
    moving = watch.timed("break and move", break_and_move(things, course))
    broken = yield from scaled(moving, TAKEN, MOVED)
    with watch.stage("check"):
        gone_in = [form.begun_of(came, one) for form, came, one in zip(forms, broken, begun, strict=True)]
        result = tuple(shattered(one, came, watch) for one, came in zip(gone_in, broken, strict=True))
    yield Progress(1.0, "Done")
    return result


class _Forms:
    """What an object that deforms is at the frames for which it is asked."""

    def __init__(self, item: Item) -> None:
        self._item = item
        self._begun: Begun | None = None  # of the last of these frames

    def at(self, frame: int) -> Generator[Progress, None, Thing]:
        """The thing that it is at a stored frame. Raises InputError or CutError where it cannot be used then."""
        deformation, fps = self._item.deformation, self._item.scene.clock.fps
        assert deformation is not None  # else nobody asks
        item = yield from deformation.at(frame)
        item = replace(item, scene=_postponed(item.scene, frame / fps))
        check(item.scene, item.settings)
        taken = yield from intake_steps(item.scene.mesh, item.settings.repair, thin=item.settings.material.thin)
        self._begun, thing = _begin(item, taken)
        return thing

    def begun_of(self, came: Broken, start: Begun) -> Begun:
        """How it went into the run: in the form in which it broke, or as at the start where it never broke."""
        broke = came.until < len(came.motion.time) and self._begun is not None
        return self._begun if broke else start  # type: ignore[return-value]


def _postponed(scene: Scene, time: float) -> Scene:
    """A scene whose times are counted from `time` [s] before its own start."""
    influence = replace(scene.influence, start=scene.influence.start + time, end=scene.influence.end + time)
    return replace(
        scene, impacts=tuple(replace(hit, time=hit.time + time) for hit in scene.impacts), influence=influence
    )


def _begin(item: Item, taken: Taken) -> tuple[Begun, Thing]:
    """An object made ready: cut already where its pattern does not depend on the hit, nor its form on the frame."""
    scene, settings = item.scene, item.settings
    impacts = resolved(scene.impacts, taken.body)
    origin = origin_of(scene, taken.body)
    whole = settings.pieces_params.placed_by_impact or settings.surface.wrap in ("sphere", "cylinder")
    whole |= item.deformation is not None  # it is cut in the form of another frame
    diagram: Diagram | None = None
    notes: tuple[str, ...] = ()
    if whole:
        matter, notes = whole_matter(taken.body, settings, origin), told_of_meshes(settings)
    else:
        diagram, notes = diagram_of(taken.body, (), settings)
        matter = matter_of(taken.body, diagram, settings, origin)
    thing = replace(thing_of(scene, settings, matter, impacts, item.place, whole=whole), path=item.path)
    return Begun(scene, settings, taken, diagram, matter.units, notes), thing
