"""The driver of breaking rules: bodies move, impacts break the one they strike, the pieces move on.

Later pieces inherit the motion of the one they broke from (Su 2009, B10): the same spin, and the speed of the
point at which their centre lies; to both, the momentum of the blow is added.
"""

from collections.abc import Generator, Sequence

from ..motion.state import World
from ..types import Clock, Impact, Progress
from .crowd import Crowd
from .matter import Broken, Matter
from .record import Record


def break_and_move(
    matter: Matter, impacts: Sequence[Impact], world: World, clock: Clock
) -> Generator[Progress, None, Broken]:
    """Let the impacts act on the body and move what is there through the frames of the clock.

    Impacts have a resolved radius; one later than the clock acts on its last frame. Frame 0 is stored after the
    impacts of time 0, in the rest pose.
    """
    hits = [min(round(impact.time * clock.fps), clock.frames - 1) for impact in impacts]
    crowd = Crowd(matter)
    record = Record()
    for frame in range(clock.frames):
        if frame > 0:
            crowd.move(world, 1.0 / clock.fps)
        for impact, hit in zip(impacts, hits, strict=True):
            if hit == frame:
                crowd.strike(impact, frame, frame / clock.fps)
        crowd.take_shape()
        record.frame(frame / clock.fps, crowd.alive, crowd.state, crowd.energy(world))
        yield Progress((frame + 1) / clock.frames, f"Moving {len(crowd.alive)} pieces")
    return crowd.finish(record, clock.frames)
