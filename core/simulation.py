"""Several objects at once, each whole until something hits it hard enough; from a scene to pieces and motion.

Objects break by what they run into, by each other, by colliders that are led through them, and by impacts.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

from .diagram import Diagram, diagram_of
from .drivers.impact import break_and_move
from .drivers.matter import Thing
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
from .types import Floats, Frozen, Progress, Scene

#: Fractions of the whole at which the stages end.
TAKEN, MOVED = 0.2, 0.95


@dataclass(frozen=True, eq=False, slots=True)
class Item(Frozen):
    """An object that takes part.

    Gravity, clock, ground and colliders are those of the first item's scene, in the world that all share.
    """

    scene: Scene
    settings: Settings
    place: Floats  #: (3,) zero of the scene's coordinates in the world that all share [m]
    path: Path | None = None  #: that it follows until something breaks it; None: it is free from the start


def steps(items: Sequence[Item], most: int) -> Generator[Progress, None, tuple[Shattered, ...]]:
    """Let the items move and break, yielding progress; there are never more than about `most` pieces.

    Raises InputError for what cannot be used, with the name of the object, CutError where an object cannot be cut.
    """
    if not items:
        raise InputError('Nothing here breaks: switch on "Breaks on Contact" for an object first.')
    watch, begun, things = Stopwatch(), [], []
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
        things.append(thing)
    first = items[0]
    shaping = course_steps(first.scene, first.settings, sunk(first.scene.ground, things), most)
    course = yield from mapped(shaping, lambda _: Progress(TAKEN, "Shaping colliders"))
    moving = watch.timed("break and move", break_and_move(things, course))
    broken = yield from scaled(moving, TAKEN, MOVED)
    with watch.stage("check"):
        result = tuple(shattered(one, came, watch) for one, came in zip(begun, broken, strict=True))
    yield Progress(1.0, "Done")
    return result


def _begin(item: Item, taken: Taken) -> tuple[Begun, Thing]:
    """An object made ready: cut already where its pattern does not depend on the hit."""
    scene, settings = item.scene, item.settings
    impacts = resolved(scene.impacts, taken.body)
    origin = origin_of(scene, taken.body)
    whole = settings.pieces_params.placed_by_impact or settings.surface.wrap in ("sphere", "cylinder")
    diagram: Diagram | None = None
    notes: tuple[str, ...] = ()
    if whole:
        matter, notes = whole_matter(taken.body, settings, origin), told_of_meshes(settings)
    else:
        diagram, notes = diagram_of(taken.body, (), settings)
        matter = matter_of(taken.body, diagram, settings, origin)
    thing = replace(thing_of(scene, settings, matter, impacts, item.place, whole=whole), path=item.path)
    return Begun(scene, settings, taken, diagram, matter.units, notes), thing
