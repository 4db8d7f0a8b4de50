"""The driver of breaking rules: objects move, impacts and contacts break what they strike, the pieces move on.

Pieces inherit the motion of the one they broke from (B10 of docs/papers/su2009.md): the same spin, and the speed of the
point at which their centre lies. An impact of the artist's also hands its momentum over. A contact breaks a fragment
where it exceeds its threshold (B1): the frame is then taken back, the fragment replaced by its pieces, and the frame
run again, so that the contact acts on the piece that is touched.
"""

from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from ..rigid.advance import has_moving_collider
from ..rigid.contact_impulses import BodyContactImpulses, sum_contact_impulses
from ..rigid.solver.energy_budget import energy_of
from ..rigid.state import RigidState, World
from ..stepwise import map_steps, result_of
from ..types import Progress
from .anchoring import Anchoring
from .approach_speed import bound_approach_speeds
from .assembly import assemble_result
from .contact_events import ContactEvent, PreviousImpulses, find_contact_events, impulse_sizes, pair_keys
from .contact_fracture import ContactFracture, FrameTime
from .continuum_objects import ContinuumObjects
from .deforming_objects import DeformingObjects
from .impact_fracture import CrackRecord
from .kinematic_objects import follow_paths
from .live_fragments import FragmentBreak, LiveFragments
from .pose_record import PoseRecord
from .run_progress import RunProgress, seconds_to_rest
from .scheduled_impacts import ScheduledImpacts
from .spec import FractureResult, SimObject, SimulationSpec
from .static_loads import find_static_loads, join_impulses

#: Share of a frame that is told to be done when what deforms has gone on, of which it takes most. By eye.
_DEFORMING = 0.9
#: [s] of motion after which the results so far are offered to those who want to look at them. By eye: enough to see
#: what breaks.
EARLY = 1.0

#: Called with a call that gives the results so far; it must make that before it returns.
_Offer: TypeAlias = Callable[[Callable[[], tuple[FractureResult, ...]]], None]


def run_frame_loop(
    objects: Sequence[SimObject], spec: SimulationSpec, offer: _Offer | None = None
) -> Generator[Progress, None, tuple[FractureResult, ...]]:
    """Let impacts and contacts act on the objects and move what is there through the frames of the clock.

    Frame 0 is stored after the impacts of time 0, in the rest pose. Where the clock has a least number of frames it
    ends after them as soon as nothing changes any more. `offer` is called once, after the first second, where the clock
    goes on then; it changes nothing of what comes.
    """
    clock = spec.clock
    run = FrameLoop(objects, spec)
    for frame in range(clock.frames):
        if frame > 0:
            yield from run.deform_steps(frame)
            yield from run.advance_steps(frame)
            run.take_on_released(frame)
        run.follow(frame)
        run.begin_struck(frame)
        for _ in run.hits.strike_steps(frame):
            yield run.progress_at(1.0, "Breaking what is hit:")
        run.anchoring.update()
        for _ in run.live.shaping():
            yield run.progress_at(1.0, "Shaping")
        now = energy_of(run.live.bodies, run.live.state, run.skins.world(max(frame, 1))) + run.continua.energy()
        run.record.frame(frame / clock.fps, run.live.alive, run.live.state, now)
        if run.is_over(frame):
            break
        run.end_frame(frame)
        if offer is not None and frame == round(EARLY * clock.fps) < clock.frames - 1:
            offer(partial(run.finish, frame + 1))
        yield run.progress_at(0.0, "Moving")
    return run.finish(frame + 1)


class FrameLoop:
    """One run of the clock."""

    bounds = staticmethod(bound_approach_speeds)

    def __init__(self, objects: Sequence[SimObject], spec: SimulationSpec) -> None:
        self.spec = spec
        self._order = [obj.continuum is not None for obj in objects]
        self.continua = ContinuumObjects([obj for obj in objects if obj.continuum is not None], spec)
        objects = [obj for obj in objects if obj.continuum is None]
        objects += self.continua.rigid_first(len(objects))
        self.live = LiveFragments(objects, spec.meets)
        self.skins = DeformingObjects(self.live, spec.environment)
        self.record = PoseRecord(spec.touches)
        ground = spec.environment.ground
        self.anchoring = Anchoring(self.live, None if ground is None else ground.height)
        self.cracks = [CrackRecord() for _ in objects]
        self.contact_fracture = ContactFracture(self.live, self.cracks, self.anchoring, spec.most)
        self.loads = PreviousImpulses()
        self.hits = ScheduledImpacts(self.live, self.cracks, self.anchoring, spec.clock)
        paths = [obj.path.last for obj in objects if obj.path is not None]
        self._last_cause = max([spec.environment.last_moving, self.continua.last_cause, *self.hits.frames, *paths])
        self._progress = RunProgress(spec.clock, self._last_cause)
        self._deformed = 0.0  # share of the frame at hand that went by while something deformed
        self._before: RigidState | None = None  # after the frame before

    def deform_steps(self, frame: int) -> Generator[Progress, None, None]:
        """Move what deforms on to a stored frame; what is rigid is where it was, on its way to that frame."""
        deforming = self.continua.advance_steps(frame, self.live)
        yield from map_steps(deforming, lambda share: self.progress_at(_DEFORMING * share, "Deforming"))
        self._deformed = _DEFORMING if self.continua else 0.0

    def take_on_released(self, frame: int) -> None:
        """Let what has left a continuum in a frame go on as rigid bodies from its end on."""
        for piece in self.continua.released:
            number = self.live.take_on(piece.obj, frame, piece.momentum, piece.angular_momentum)
            self.cracks.append(CrackRecord())
            self.contact_fracture.watch_further()
            self.hits.watch_further()
            self.continua.follow(piece, number, frame)

    def strike(self, frame: int) -> None:
        """Let the impacts of a frame act."""
        result_of(self.hits.strike_steps(frame))

    def follow(self, frame: int) -> None:
        """Lead what has a path along it; what that takes or gives of energy is work, as that of colliders is."""
        live, dt = self.live, 1.0 / self.spec.clock.fps
        if all(obj.path is None for obj in live.objects):
            return
        world = self.skins.world(max(frame, 1))
        before = energy_of(live.bodies, live.state, world)
        if follow_paths(live, frame, dt, world.gravity) and frame > 0:
            self.record.work(float((energy_of(live.bodies, live.state, world) - before).sum()))

    def advance(self, frame: int) -> None:
        """Run `advance_steps` to its end."""
        result_of(self.advance_steps(frame))

    def advance_steps(self, frame: int) -> Generator[Progress, None, None]:
        """One frame of motion, run again whenever a contact in it breaks something.

        Yields within the frame, and with each piece that may break.
        """
        live, spec = self.live, self.spec
        fps = spec.clock.fps
        when = FrameTime(frame, frame / fps, fps)
        self.contact_fracture.begin()
        before = energy_of(live.bodies, live.state, self.skins.world(frame)) if self.skins else np.zeros(3)
        formed = False  # whether anything broke that deforms
        most = 0.0  # what was done is not undone for those who look
        while True:
            world = self.skins.world(frame)
            work = live.move(spec.move, world, 1.0 / fps)
            while True:
                try:
                    most = max(most, next(work))
                except StopIteration as end:
                    state, report = end.value
                    break
                yield self.progress_at(most, "Moving")
            report = self.skins.as_rows(report, world)
            pressed = sum_contact_impulses(report)
            struck = self._blows(self._with_held(pressed, world, 1.0 / fps), when, world)
            begins = [event.row for event in struck if self.continua.waits(int(live.object_of()[event.row]))]
            if begins:
                for _ in self._begin_steps(begins, frame):
                    yield self.progress_at(most, "Deforming")
                continue
            asked = self.contact_fracture.broken(struck, when)
            said = self.progress_at(most, "Breaking what moves:")
            broken = yield from map_steps(asked, lambda _, said=said: said)  # type: ignore[misc]
            if not broken:
                break
            formed |= self._fall_apart(broken, frame)
            self.anchoring.update()
            for _ in live.shaping():
                yield self.progress_at(most, "Shaping")
        self.record.way(live.alive, report)
        if formed:  # pieces have the energy with which they were moved
            self.record.work(float((energy_of(live.bodies, live.state, world) - before).sum()))
        # What is driven into something static is no weight on it: as long as it moves on, each frame is an impact.
        self.loads.keep(pair_keys(live, pressed), impulse_sizes(pressed))
        live.state = state

    def begin_struck(self, frame: int) -> None:
        """Let continua begin that are rigid until impacts of a stored frame hit them."""
        for number in self.continua.struck(frame):
            self.continua.begin(number, frame, self.live)
            self.live.give_up(int(self.live.rows_of(number)[0]), frame)

    def _begin_steps(self, rows: list[int], frame: int) -> Generator[float, None, None]:
        """Let continua begin that something hits on the way to a frame: where they were before it."""
        for number in self.live.object_of()[rows].tolist():
            source = yield from self.continua.begin_steps(number, frame - 1, self.live)
            if source >= 0:
                self.live.give_up(int(self.live.rows_of(number)[0]), frame)
                yield from self.continua.catch_up_steps(source, frame, self.live)
        for _ in self.live.shaping():
            yield 1.0

    def _fall_apart(self, broken: list[FragmentBreak], frame: int) -> bool:
        """Let fragments break, their pieces where the whole was before the frame; returns whether any deformed.

        These are seen in pieces from that frame on: they have the form in which they were seen then, and no later one.
        """
        live = self.live
        deformed = live.alive[[one.row for one in broken if one.form is not None]]
        rows = live.fall_apart(broken, frame)
        if len(deformed):
            parent = np.array([live.tree[int(number)].parent for number in live.alive[rows]])
            self.record.break_up(deformed, live.alive, live.state, rows[np.isin(parent, deformed)])
        return len(deformed) > 0

    def progress_at(self, share: float, what: str) -> Progress:
        """A step on the way to the frame at hand, of which a share is done."""
        share = self._deformed + (1.0 - self._deformed) * share
        return Progress(self._progress.within(share), f"{what} {len(self.live.alive) + self.continua.count} pieces")

    def end_frame(self, frame: int) -> None:
        """Note that a stored frame is done."""
        left = seconds_to_rest(self.live.bodies, self.live.state, self.skins.world(max(frame, 1)))
        self._progress.end_frame(frame, left)
        self._deformed = 0.0

    def _with_held(self, found: BodyContactImpulses, world: World, dt: float) -> BodyContactImpulses:
        """What pressed on what in a frame; what is static or deforms, and what is driven against it, too."""
        held = find_static_loads(self.live, self.spec.move, world, dt)
        if held is not None:
            found = join_impulses(found, sum_contact_impulses(self.skins.as_rows(held, world)))
        skins = self.skins.find_contacts(self.spec.move, world, dt)
        return found if skins is None else join_impulses(found, skins)

    def _blows(self, pressed: BodyContactImpulses, when: FrameTime, world: World) -> list[ContactEvent]:
        bounds = partial(self.bounds, self.live, pressed, world, 1.0 / when.fps)
        limits = np.minimum(self.contact_fracture.limits(when), self.continua.limits(self.live.object_of(), when.frame))
        return find_contact_events(self.live, pressed, self.loads, limits, has_moving_collider(world), bounds)

    def is_over(self, frame: int) -> bool:
        """Whether the clock may end with a stored frame: nothing has changed by a bit in it, and nothing will.

        Asked after each frame. What is to come is known: impacts, paths and the ways of colliders.
        """
        before, self._before = self._before, self.live.state
        if not self.continua.are_calm():
            return False
        if not 0 < self.spec.clock.least <= frame + 1 or frame <= self._last_cause:
            return False
        return before is not None and is_unchanged(before, self.live.state)

    def finish(self, frames: int) -> tuple[FractureResult, ...]:
        """What came of each object in a number of stored frames."""
        rigid = [self._broken(k, frames) for k in range(len(self.live.objects))]
        deformed = iter(self.continua.finish(frames, rigid, self.record))
        others = iter(rigid)
        return tuple(next(deformed if deforms else others) for deforms in self._order)

    def _broken(self, obj: int, frames: int) -> FractureResult:
        cracks = self.cracks[obj]
        rule = cracks.rule_notes(float(self.live.objects[obj].model.units.volume.sum()))
        notes = tuple(dict.fromkeys((*rule, *self.contact_fracture.notes[obj])))
        return assemble_result(self.live, obj, cracks, self.record, frames, notes)


def is_unchanged(before: RigidState, after: RigidState) -> bool:
    """Whether bodies are where they were to the bit, with the same velocities."""
    names = ("position", "rotation", "velocity", "angular_momentum")
    return all(np.array_equal(getattr(before, name), getattr(after, name)) for name in names)
