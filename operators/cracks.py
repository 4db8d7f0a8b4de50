"""Which cracks of a cut open: known at once where that is quick, else found out behind the window.

There, too, the cut of the result is made where a quicker one is shown meanwhile.
"""

from collections import OrderedDict
from collections.abc import Generator, Hashable
from dataclasses import replace
from time import perf_counter, sleep
from typing import Any

import bpy
import numpy as np

from ..core import pipeline
from ..core.diagram import ShatterDiagram, diagram_key, make_diagram
from ..core.errors import BrittleError
from ..core.expected import Expected, concave_in, estimate_job
from ..core.simulation.opening import Opening
from ..core.types import Clock, Impact, Scene
from .around import ground_of, surroundings
from .background import Background
from .bridge import diagram
from .bridge.clock import LONGEST, frames_per_second
from .bridge.read import ground_in
from .quick_cut import QuickCut

#: [s] for which the window may wait for an answer. By eye: two frames of a screen.
BLINK = 0.03
#: [s] for which nothing changes before it is asked what will come of it, in looks of so many. By eye.
STEADY, PAUSE = 0.15, 0.01
#: How many answers are kept. By memory; 4 was tried before.
KEPT = 8

Answer = Opening | ShatterDiagram | Expected | BrittleError


class Cracks:
    """What is known of the cracks that open, and what is being found out."""

    def __init__(self) -> None:
        self._background: Background[tuple[Hashable, Answer]] = Background()
        self._known: OrderedDict[Hashable, Answer] = OrderedDict()
        self._sought: Hashable = None  # behind the window
        self._asked: Hashable = None  # by `of`
        self._concave: tuple[ShatterDiagram | None, int] = (
            None,
            0,
        )  # of the last diagram of which something was expected

    def is_busy(self) -> bool:
        """Whether something is being found out."""
        return self._background.is_busy()

    def forget(self) -> None:
        """Let go all that is known, and find out nothing more."""
        self._background.drop()
        self._known.clear()
        self._concave = None, 0

    def wait(self) -> None:
        """Wait until nothing is being found out any more."""
        self._background.wait()

    def of(self, context: bpy.types.Context, cut: QuickCut) -> Opening | None:
        """What opens in a cut under its impacts; None as long as that is being found out.

        Of a cut that is not that of the result it is an answer for the meantime. Raises what Shatter will raise.
        """
        self._collect()
        if not cut.exact:
            final = diagram_key(cut.body, cut.impacts, cut.settings)
            self._seek(final, _keyed(final, _cut_of_result(cut)))
        scene = scene_of(context, cut)
        self._asked = key = (cut.diagram.key, _key(scene, cut))
        if key in self._known or (self.is_busy() and self._sought == key):
            return self._answer(key)
        job = pipeline.opened(scene, cut.settings, cut.body, cut.impacts, cut.diagram)
        keyed = _keyed(key, job)
        answer = _within(BLINK, keyed)
        if answer is not None:
            self._keep(*answer)
        elif cut.exact:
            self._seek(key, keyed)
        return self._answer(key)

    def expected(self, cut: QuickCut, opening: Opening, frames: int, *, triangles: bool) -> Expected | None:
        """What will come of the cut of the result as it opens, as `of` said last; None while it is being found out."""
        key: Hashable = ("expected", self._asked, frames, triangles)
        self._seek(key, _keyed(key, self._expected(cut, opening, frames, triangles)))
        return self._answer(key)

    def _expected(
        self, cut: QuickCut, opening: Opening, frames: int, triangles: bool
    ) -> Generator[None, None, Expected]:
        """Asked once all stays as it is for a moment: what moves has better use for the processor."""
        begin = perf_counter() + STEADY
        while perf_counter() < begin:
            sleep(PAUSE)
            yield
        if self._concave[0] is not cut.diagram:
            self._concave = cut.diagram, concave_in(cut.diagram)
        yield
        concave = self._concave[1]
        return estimate_job(cut.body, cut.diagram, opening, frames, triangles=triangles, concave=concave)

    def _answer(self, key: Hashable) -> Any:
        """What is known under a key, None where nothing is."""
        found = self._known.get(key)
        if isinstance(found, BrittleError):
            raise type(found)(str(found))
        return found

    def _seek(self, key: Hashable, job: Generator[Any, None, tuple[Hashable, Answer]]) -> None:
        """Find out something behind the window, unless it is known or sought already. Raises what was found wrong."""
        known = self._answer(key) is not None
        if not (known or (self.is_busy() and self._sought == key)):
            self._sought = key
            self._background.start(job)

    def _collect(self) -> None:
        """Take over what has been found out behind the window."""
        found = self._background.outcome()
        if found is not None:
            self._keep(*found)

    def _keep(self, key: Hashable, answer: Answer) -> None:
        if isinstance(answer, ShatterDiagram):
            diagram.hold(answer)
            return
        self._known[key] = answer
        while len(self._known) > KEPT:
            self._known.popitem(last=False)


def scene_of(context: bpy.types.Context, cut: QuickCut) -> Scene:
    """What surrounds an object, as far as it counts for what its impacts open."""
    around = surroundings(context)
    return Scene(
        mesh=cut.shape.mesh,
        impacts=cut.impacts,
        gravity=np.zeros(3),
        ground=ground_in(ground_of(around), cut.shape.origin, cut.shape.unit_scale),
        clock=Clock(frames_per_second(context.scene), around["frames"] or LONGEST),
        influence=cut.influence,
        painted=cut.painted,
    )


def _key(scene: Scene, cut: QuickCut) -> Hashable:
    """All that the answer depends on, beside the cut."""
    painted = tuple((one.source, one.name, one.values.tobytes()) for one in scene.painted)
    impacts = tuple(_bits(impact) for impact in scene.impacts)
    ground = None if scene.ground is None else scene.ground.height
    around = ground, scene.clock.fps, scene.clock.frames, scene.influence.anchored.tobytes()
    return repr(replace(cut.settings, own=None)), scene.mesh.turn.tobytes(), impacts, around, painted


def _bits(impact: Impact) -> bytes:
    numbers = impact.strength, impact.speed, impact.radius, impact.time, impact.impulse
    return np.array([*impact.point, *impact.direction, *numbers]).tobytes()


def _cut_of_result(cut: QuickCut) -> Generator[None, None, ShatterDiagram]:
    yield
    return make_diagram(cut.body, cut.impacts, cut.settings)[0]


def _keyed(key: Hashable, job: Generator[Any, None, Answer]) -> Generator[Any, None, tuple[Hashable, Answer]]:
    """A job whose answer comes with its key, a refusal, too."""
    try:
        return key, (yield from job)
    except BrittleError as error:
        return key, error


def _within(budget: float, job: Generator[Any, None, Any]) -> Any:
    """What a job returns if it does so within about `budget` seconds, else None: it then stands where it is."""
    end = perf_counter() + budget
    while perf_counter() < end:
        try:
            next(job)
        except StopIteration as stop:
            return stop.value
    return None
