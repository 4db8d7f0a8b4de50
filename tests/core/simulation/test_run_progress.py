"""How far a run is: exact for a fixed clock, ballistic for one that ends with rest."""

import numpy as np
import pytest

from core.rigid.state import World
from core.simulation.run_progress import CALMING, RunProgress, seconds_to_rest
from core.types import Clock, Ground
from tests.core.rigid.shapes_of import box, placed

G = 9.81
WORLD = World(np.array([0.0, 0.0, -G]), Ground(0.0))
BODY = box(0.1, 0.1, 0.1, friction=0.5, restitution=0.0)
RADIUS = float(BODY.radius[0])


def test_a_fixed_clock_tells_its_frames():
    run, count = RunProgress(Clock(24.0, 50), 0), 50
    for frame in range(count):
        assert run.within(0.5) == pytest.approx((frame + 0.5) / count)
        assert run.end_frame(frame, np.inf) == pytest.approx((frame + 1) / count)


def test_a_clock_to_rest_is_right_where_the_estimate_is():
    """Rest after 96 frames, foretold from the first one on: each frame adds the same share; the clock has 400."""
    run, end = RunProgress(Clock(24.0, 400, 24), 0), 96
    shares = [run.end_frame(frame, (end - frame - 1) / 24.0) for frame in range(end)]
    assert np.ptp(np.diff(shares)) < 1e-12 and shares[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(5))
def test_it_never_falls_nor_arrives_early_whatever_is_foretold(seed):
    rng = np.random.default_rng(seed)
    run = RunProgress(Clock(24.0, 200, 24), 150)
    shares = []
    for frame in range(200):
        shares += [run.within(0.3), run.end_frame(frame, float(rng.exponential(2.0)))]
        assert frame >= 150 or shares[-1] < 1.0, "an impact is still to come"
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1.0)


def test_a_fall_takes_the_root_of_twice_the_height_over_g():
    height = 2.0
    state = placed(BODY, (0.0, 0.0, height + RADIUS))
    calm = CALMING * np.sqrt(RADIUS / G)
    assert seconds_to_rest(BODY, state, WORLD) == pytest.approx(np.sqrt(2.0 * height / G) + calm)
    sliding = placed(BODY, (0.0, 0.0, RADIUS), velocity=(3.0, 4.0, 0.0))
    assert seconds_to_rest(BODY, sliding, WORLD) == pytest.approx(5.0 / (0.5 * G) + calm), "v over mu g"


def test_what_nothing_stops_never_rests():
    state = placed(BODY, (0.0, 0.0, 1.0))
    assert seconds_to_rest(BODY, state, World(WORLD.gravity, None)) == np.inf
    assert seconds_to_rest(BODY, state, World(np.zeros(3), Ground(0.0))) == np.inf
    state.asleep.setflags(write=True)
    state.asleep[:] = True
    assert seconds_to_rest(BODY, state, WORLD) == 0.0
