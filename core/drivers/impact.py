"""The driver of breaking rules: things move, impacts and contacts break what they strike, the pieces move on.

Pieces inherit the motion of the one they broke from (Su 2009, B10): the same spin, and the speed of the point at which
their centre lies. An impact of the artist's also hands its momentum over. A contact breaks a fragment where it exceeds
its threshold (B1): the frame is then taken back, the fragment replaced by its pieces, and the frame run again, so that
the contact acts on the piece that is touched.
"""

from collections.abc import Generator, Sequence
from functools import partial

import numpy as np

from ..rigid.advance import has_moving_collider
from ..rigid.contact_impulses import BodyContactImpulses, sum_contact_impulses
from ..rigid.solver.energy_budget import energy_of
from ..rigid.state import RigidState, World
from ..stepwise import mapped, result_of
from ..types import Clock, Progress
from .anchors import Holding
from .answers import Answers, Moment
from .assemble import assembled
from .blows import Blow, Loads, blows, keys_of, sizes
from .closing import closing_speeds
from .crowd import Break, Crowd
from .hits import Hits
from .led import follow
from .matter import Broken, Course, Thing
from .probe import both, probed
from .record import Record
from .skins import Skins
from .strike import Cracks


def break_and_move(things: Sequence[Thing], course: Course) -> Generator[Progress, None, tuple[Broken, ...]]:
    """Let impacts and contacts act on the things and move what is there through the frames of the clock.

    Frame 0 is stored after the impacts of time 0, in the rest pose. Where the clock has a least number of frames it
    ends after them as soon as nothing changes any more.
    """
    clock = course.clock
    run = Run(things, course)
    for frame in range(clock.frames):
        if frame > 0:
            yield from run.advance_steps(frame)
        run.follow(frame)
        for _ in run.hits.strike_steps(frame):
            yield run.told(frame, 1.0, "Breaking what is hit:")
        run.holding.update()
        for _ in run.crowd.shaping():
            yield Progress((frame + 1) / clock.frames, f"Shaping {len(run.crowd.alive)} pieces")
        now = energy_of(run.crowd.bodies, run.crowd.state, run.skins.world(max(frame, 1)))
        run.record.frame(frame / clock.fps, run.crowd.alive, run.crowd.state, now)
        if run.is_over(frame):
            break
        yield Progress((frame + 1) / clock.frames, f"Moving {len(run.crowd.alive)} pieces")
    return run.finish(frame + 1)


#: Frames after which most things have come to rest, and the share of the progress that is theirs: by eye.
USUAL, MOSTLY = 120, 0.9


class Run:
    """One run of the clock."""

    bounds = staticmethod(closing_speeds)

    def __init__(self, things: Sequence[Thing], course: Course) -> None:
        self.course = course
        self.crowd = Crowd(things, course.meets)
        self.skins = Skins(self.crowd, course.stage)
        self.record = Record(course.touches)
        ground = course.stage.world(1).ground
        self.holding = Holding(self.crowd, None if ground is None else ground.height)
        self.cracks = [Cracks() for _ in things]
        self.answers = Answers(self.crowd, self.cracks, self.holding, course.most)
        self.loads = Loads()
        self.hits = Hits(self.crowd, self.cracks, self.holding, course.clock)
        paths = [thing.path.last for thing in things if thing.path is not None]
        self._last_cause = max([course.stage.last_moving, *self.hits.frames, *paths])
        self._before: RigidState | None = None  # after the frame before

    def strike(self, frame: int) -> None:
        """Let the impacts of a frame act."""
        result_of(self.hits.strike_steps(frame))

    def follow(self, frame: int) -> None:
        """Lead what has a path along it; what that takes or gives of energy is work, as that of colliders is."""
        crowd, dt = self.crowd, 1.0 / self.course.clock.fps
        if all(thing.path is None for thing in crowd.things):
            return
        world = self.skins.world(max(frame, 1))
        before = energy_of(crowd.bodies, crowd.state, world)
        if follow(crowd, frame, dt, world.gravity) and frame > 0:
            self.record.work(float((energy_of(crowd.bodies, crowd.state, world) - before).sum()))

    def advance(self, frame: int) -> None:
        """Run `advance_steps` to its end."""
        result_of(self.advance_steps(frame))

    def advance_steps(self, frame: int) -> Generator[Progress, None, None]:
        """One frame of motion, run again whenever a contact in it breaks something.

        Yields within the frame, and with each piece that may break.
        """
        crowd, course = self.crowd, self.course
        fps = course.clock.fps
        moment = Moment(frame, frame / fps, fps)
        self.answers.begin()
        before = energy_of(crowd.bodies, crowd.state, self.skins.world(frame)) if self.skins else np.zeros(3)
        formed = False  # whether anything broke that deforms
        most = 0.0  # what was done is not undone for those who look
        while True:
            world = self.skins.world(frame)
            work = crowd.move(course.move, world, 1.0 / fps)
            while True:
                try:
                    most = max(most, next(work))
                except StopIteration as end:
                    state, account = end.value
                    break
                yield self.told(frame, most, "Moving")
            account = self.skins.as_rows(account, world)
            pressed = sum_contact_impulses(account)
            struck = self._blows(self._with_held(pressed, world, 1.0 / fps), moment, world)
            asked = self.answers.broken(struck, moment)
            said = self.told(frame, most, "Breaking what moves:")
            broken = yield from mapped(asked, lambda _, said=said: said)  # type: ignore[misc]
            if not broken:
                break
            formed |= self._fall_apart(broken, frame)
            self.holding.update()
            for _ in crowd.shaping():
                yield self.told(frame, most, "Shaping")
        self.record.way(crowd.alive, account)
        if formed:  # pieces have the energy with which they were led
            self.record.work(float((energy_of(crowd.bodies, crowd.state, world) - before).sum()))
        # What is led into something held is no weight on it: as long as it moves on, each frame is a blow.
        self.loads.keep(keys_of(crowd, pressed), sizes(pressed))
        crowd.state = state

    def _fall_apart(self, broken: list[Break], frame: int) -> bool:
        """Let fragments break, their pieces where the whole was before the frame; returns whether any deformed.

        These are seen in pieces from that frame on: they have the form in which they were seen then, and no later one.
        """
        crowd = self.crowd
        deformed = crowd.alive[[one.row for one in broken if one.form is not None]]
        rows = crowd.fall_apart(broken, frame)
        if len(deformed):
            parent = np.array([crowd.lives[int(number)].parent for number in crowd.alive[rows]])
            self.record.break_up(deformed, crowd.alive, crowd.state, rows[np.isin(parent, deformed)])
        return len(deformed) > 0

    def told(self, frame: int, share: float, what: str) -> Progress:
        """A step on the way to a frame, of which a share is done."""
        return Progress(passed(self.course.clock, frame + share), f"{what} {len(self.crowd.alive)} pieces")

    def _with_held(self, found: BodyContactImpulses, world: World, dt: float) -> BodyContactImpulses:
        """What pressed on what in a frame; what is held or deforms, and what is led against it, too."""
        held = probed(self.crowd, self.course.move, world, dt)
        if held is not None:
            found = both(found, sum_contact_impulses(self.skins.as_rows(held, world)))
        skins = self.skins.met(self.course.move, world, dt)
        return found if skins is None else both(found, skins)

    def _blows(self, pressed: BodyContactImpulses, moment: Moment, world: World) -> list[Blow]:
        bounds = partial(self.bounds, self.crowd, pressed, world, 1.0 / moment.fps)
        return blows(self.crowd, pressed, self.loads, self.answers.limits(moment), has_moving_collider(world), bounds)

    def is_over(self, frame: int) -> bool:
        """Whether the clock may end with a stored frame: nothing has changed by a bit in it, and nothing will.

        Asked after each frame. What is to come is known: impacts, paths and the ways of colliders.
        """
        before, self._before = self._before, self.crowd.state
        if not 0 < self.course.clock.least <= frame + 1 or frame <= self._last_cause:
            return False
        return before is not None and is_unchanged(before, self.crowd.state)

    def finish(self, frames: int) -> tuple[Broken, ...]:
        """What came of each thing in a number of stored frames."""
        return tuple(self._broken(k, frames) for k in range(len(self.crowd.things)))

    def _broken(self, thing: int, frames: int) -> Broken:
        cracks = self.cracks[thing]
        told = cracks.told(float(self.crowd.things[thing].matter.units.volume.sum()))
        notes = tuple(dict.fromkeys((*told, *self.answers.notes[thing])))
        return assembled(self.crowd, thing, cracks, self.record, frames, notes)


def passed(clock: Clock, frames: float) -> float:
    """About how much of a run is done after so many stored frames; it never falls, and is 1 at the end of the clock.

    A clock that waits for rest seldom runs to its end: most of the bar is for the frames that pieces mostly move.
    """
    if clock.least == 0 or clock.frames <= USUAL:
        return frames / clock.frames
    late = (frames - USUAL) / (clock.frames - USUAL)
    return MOSTLY * frames / USUAL if frames < USUAL else MOSTLY + (1.0 - MOSTLY) * late


def is_unchanged(before: RigidState, after: RigidState) -> bool:
    """Whether bodies are where they were to the bit, with the same velocities."""
    names = ("position", "rotation", "velocity", "angular_momentum")
    return all(np.array_equal(getattr(before, name), getattr(after, name)) for name in names)
