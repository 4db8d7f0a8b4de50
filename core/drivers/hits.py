"""The impacts of the artist's on all things, each at the stored frame of its time."""

from collections.abc import Generator, Sequence

from ..types import Clock
from .anchors import Holding
from .crowd import Crowd
from .strike import Cracks, Striker


class Hits:
    """Lets the impacts of each frame act; one later than the clock acts on its last frame."""

    def __init__(self, crowd: Crowd, cracks: Sequence[Cracks], holding: Holding, clock: Clock) -> None:
        self.crowd, self.clock = crowd, clock
        last = clock.frames - 1
        self._frames = [[min(round(one.time * clock.fps), last) for one in thing.impacts] for thing in crowd.things]
        self.strikers = [
            Striker(crowd, k, cracks[k], holding) if thing.impacts else None for k, thing in enumerate(crowd.things)
        ]

    @property
    def frames(self) -> list[int]:
        """The frames in which something is hit, ascending."""
        return sorted({frame for some in self._frames for frame in some})

    def strike_steps(self, frame: int) -> Generator[None, None, None]:
        """Let the impacts of a frame act; yields where a rule takes long."""
        for k, thing in enumerate(self.crowd.things):
            striker = self.strikers[k]
            now = [impact for impact, hit in zip(thing.impacts, self._frames[k], strict=True) if hit == frame]
            if now and striker is not None:
                yield from striker.strike_steps(now, frame, frame / self.clock.fps)
