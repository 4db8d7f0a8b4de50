"""The driver of breaking rules: bodies move, impacts break the one they strike, the pieces move on.

Later pieces inherit the motion of the one they broke from (Su 2009, B10): the same spin, and the speed of the
point at which their centre lies; to both, the momentum of the blow is added.
"""

from collections.abc import Generator

from ..motion.energy import energy
from ..types import Progress
from .crowd import Crowd
from .matter import Broken, Course, Matter
from .record import Record


def break_and_move(matter: Matter, course: Course) -> Generator[Progress, None, Broken]:
    """Let the impacts act on the body and move what is there through the frames of the clock.

    Frame 0 is stored after the impacts of time 0, in the rest pose.
    """
    clock, stage = course.clock, course.stage
    hits = [min(round(impact.time * clock.fps), clock.frames - 1) for impact in course.impacts]
    crowd = Crowd(matter)
    crowd.give(course.momentum)
    record = Record(course.touches)
    for frame in range(clock.frames):
        if frame > 0:
            record.way(crowd.alive, crowd.move(course.move, stage.world(frame), 1.0 / clock.fps))
        for impact, hit in zip(course.impacts, hits, strict=True):
            if hit == frame:
                crowd.strike(impact, frame, frame / clock.fps)
        crowd.take_shape()
        now = energy(crowd.bodies, crowd.state, stage.world(max(frame, 1)))
        record.frame(frame / clock.fps, crowd.alive, crowd.state, now)
        yield Progress((frame + 1) / clock.frames, f"Moving {len(crowd.alive)} pieces")
    return crowd.finish(record, clock.frames)
