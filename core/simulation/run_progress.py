"""How far a run of the clock is, for those who wait for it.

A clock of so many frames tells that by itself. One that ends as soon as everything rests does not: there the time until
rest is estimated after each frame, from how far the bodies have to fall and how fast they are.
"""

import numpy as np

from ..arithmetic.products import norm
from ..rigid.state import RigidBodies, RigidState, World
from ..types import Clock, Floats

#: Friction and bounce with which sliding and bouncing would hardly end. By eye: what is foretold stays finite.
LEAST_FRICTION, MOST_BOUNCE = 0.1, 0.8
#: What a body needs from its last touch until it counts as at rest, in sqrt(r / g): it rocks, and is watched. By eye:
#: `SLEEP_DELAY` is 6, and what rocks takes longer.
CALMING = 9.0
#: Frames that a run which ends with rest is taken for before anything has moved. By eye: five seconds of 24 frames.
USUAL = 120


class RunProgress:
    """The share of a run that is done; it never falls, and each frame adds its part of what is still ahead."""

    def __init__(self, clock: Clock, last_cause: int) -> None:
        """last_cause: the last stored frame at which something from outside may act, as an impact."""
        self._clock, self._last_cause = clock, last_cause
        self._done = 0.0
        self._ahead = float(min(clock.frames, max(clock.least, USUAL)) if clock.least else clock.frames)

    def within(self, share: float) -> float:
        """The share of the run, where a share of the frame at hand is done."""
        return self._done + (1.0 - self._done) * min(share, 1.0) / self._ahead

    def end_frame(self, frame: int, seconds_to_rest: float) -> float:
        """The share of the run after a stored frame, with about so long [s] to go until all rests."""
        self._done = self.within(1.0)
        clock = self._clock
        ahead = float(clock.frames - frame - 1)
        if clock.least:
            ahead = min(ahead, max(seconds_to_rest * clock.fps, clock.least - frame - 1, self._last_cause - frame))
        self._ahead = max(ahead, 1.0)
        return self._done


def seconds_to_rest(bodies: RigidBodies, state: RigidState, world: World) -> float:
    """About how long it takes until all bodies rest [s]: the longest of them; inf where nothing stops them.

    Each falls to the ground as a ball, bounces and slides there by itself, and calms down. What is slow and supported
    only calms down. What bodies do to each other is left out.
    """
    free = ~(state.asleep | bodies.pinned)
    if not free.any():
        return 0.0
    g = float(norm(world.gravity))
    if g == 0.0 or world.ground is None:
        return float("inf")
    calm = CALMING * np.sqrt(bodies.radius / g)
    left = np.where(state.quiet > 0.0, 0.0, _to_stop(bodies, state, world.ground.height, g))
    return float((left + np.maximum(calm - state.quiet, 0.0))[free].max())


def _to_stop(bodies: RigidBodies, state: RigidState, ground: float, g: float) -> Floats:
    """(K,) times [s] of the fall of balls, of their bounces and of their slide."""
    height = np.maximum(state.position[:, 2] - bodies.radius - ground, 0.0)
    up = state.velocity[:, 2]
    down = np.sqrt(np.square(up) + 2.0 * g * height)
    e = np.minimum(bodies.restitution, MOST_BOUNCE)
    bounces = 2.0 * e / (1.0 - e) * down / g  # a geometric series
    slide = norm(state.velocity[:, :2]) / (np.maximum(bodies.friction, LEAST_FRICTION) * g)
    return np.asarray((up + down) / g + np.maximum(bounces, slide))
