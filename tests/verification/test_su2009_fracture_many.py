"""Su 2009, Figs. 2, 6 and 8: a concave body, spheres that break on a table, a stack that is scattered.

Scenes US, UB and UT of docs/papers/su2009.md.
"""

import numpy as np
import pytest

from core.config.material import Material
from core.types import Clock
from tests import shapes
from tests.verification.fracture_scenes import (
    NEVER,
    ball,
    broken,
    counts,
    extruded,
    first_break,
    hare,
    item,
    last,
    settings,
)


def test_the_ears_of_a_hare_come_off_one_by_one():
    # Fig. 6: 70 x 60 x 45, 35 pieces. The pattern runs through both ears: where a region meets the two, each part of it
    # is a piece (B5). Counted for a hit in the middle of a side, to a third.
    clock = Clock(24.0, 4)
    chosen = settings(layout={"kind": "radial", "count": 35}, how={"reach": 0.0}, speed=2.0, again="cracks")
    body = hare()
    side = body.vertices[:, 1].max()
    body = item("Hare", body, chosen, (0, 0, 0.5), clock=clock)
    result, _ = broken(body, ball(0.06, (0.0, side + 0.12, 0.5), (0, -10, 0), clock=clock))
    region = result.fracture.cells[-1].region
    assert (np.bincount(region) > 1).any(), "a region falls into several pieces"
    assert 35 * 2 / 3 < counts(result)[-1] < 35 * 4 / 3
    assert result.report.closed_pieces == len(last(result))
    assert result.report.volume_out == pytest.approx(result.report.volume_in, rel=1e-9)


TOP = 0.6
#: A top of 1.5 x 0.1 x 1.0 m on two sides that stand on the ground, seen from the front.
TABLE = [(-0.75, 0.0), (-0.65, 0.0), (-0.65, 0.5), (0.65, 0.5), (0.65, 0.0), (0.75, 0.0), (0.75, TOP), (-0.75, TOP)]
TABLE_FACES = [(0, 1, 2), (0, 2, 7), (2, 6, 7), (2, 3, 6), (3, 5, 6), (3, 4, 5)]
RADIUS = 0.055


def table(clock, speed):
    """Spheres are no match for it; a large one is."""
    chosen = settings(
        layout={"kind": "mixed", "count": 30}, how={"reach": 0.0}, stands=True, speed=speed, lightest=0.1,
        generations=1, again="cracks",
    )  # fmt: skip
    return item("Table", extruded(TABLE, TABLE_FACES, 0.5), chosen, clock=clock)


def spheres(layers, clock):
    """25 in each layer, which fall so fast that they meet the table at 3 m/s and more."""
    chosen = settings(
        layout={"kind": "uniform", "count": 5}, how={"reach": 0.0}, speed=2.0, again="cracks", generations=1,
        material=Material(restitution=0.0),
    )  # fmt: skip
    shape = shapes.icosphere(1, RADIUS)
    place = np.stack(np.meshgrid(np.linspace(-0.5, 0.5, 5), np.linspace(-0.3, 0.3, 5)), axis=-1).reshape(-1, 2)
    fall = {"velocity": np.array([0.0, 0.0, -3.0]), "clock": clock}
    return [
        item("Sphere", shape, chosen, (x, y, TOP + RADIUS + 0.02 + 0.15 * layer), **fall)
        for layer in range(layers)
        for x, y in place
    ]


def test_25_spheres_break_on_a_table_and_a_large_one_breaks_the_table():
    clock = Clock(24.0, 12)
    large = ball(0.2, (0, 0, TOP + 1.6), (0, 0, -4.0), density=8000.0, clock=clock)
    top, _, *small = broken(table(clock, 3.0), large, *spheres(1, clock))
    assert {first_break(one) for one in small} == {1}
    assert min(counts(one)[-1] for one in small) > 2
    # It meets the table after (1.6 - 0.2) m at 4 m/s and g: at 0.29 s, in frame 7.
    met = first_break(top)
    assert met == 7 and counts(top)[met - 1] == 1 and counts(top)[met] > 10
    for one in (top, *small):
        assert one.report.volume_out == pytest.approx(one.report.volume_in, rel=1e-9)
    fallen = top.fragments.centre[last(top), 2] - top.motion.position[-1, last(top), 2]
    assert fallen.max() > 0.1


def test_100_spheres_break_one_upon_the_other():
    clock = Clock(24.0, 8)
    top, *small = broken(table(clock, NEVER), *spheres(4, clock))
    assert counts(top).tolist() == [1] * clock.frames
    assert all(counts(one)[-1] > 1 for one in small)
    assert sum(counts(one)[-1] for one in small) > 250
    lowest = min(one.motion.position[-1, last(one), 2].min() + TOP + RADIUS for one in small)
    assert lowest > 0.0, "nothing falls through the ground"


def test_a_stack_rests_whole_and_is_scattered_and_broken_by_a_larger_box():
    clock, side, count = Clock(24.0, 60), 0.3, 3
    cube = shapes.box(np.full(3, -0.5 * side), np.full(3, 0.5 * side))
    chosen = settings(
        layout={"kind": "uniform", "count": 6}, how={"reach": 0.0}, speed=4.0, again="cracks", generations=1
    )
    stack = [
        item(f"Box {k}", cube, chosen, (0, 0, (0.5 + k) * side + 0.01 * (k + 1)), clock=clock) for k in range(count)
    ]
    # It slides in on nothing that rubs, in 1.9 s.
    slides = settings(material=Material(density=4000.0, friction=0.0), speed=NEVER)
    large = shapes.box(np.full(3, -0.25), np.full(3, 0.25))
    speed = 5.0
    start = -0.15 - 0.25 - 1.9 * speed
    far = item("Large", large, slides, (start, 0, 0.25), velocity=np.array([speed, 0.0, 0.0]), clock=clock)
    *boxes, _ = broken(*stack, far)
    met = min(first_break(one) for one in boxes)
    assert 45 <= met <= 47
    for one in boxes:
        # Speeds from stored frames over the half second before: (K,) the distance of one frame times 24.
        steps = np.linalg.norm(np.diff(one.motion.position[met - 13 : met, 0], axis=0), axis=1) * 24.0
        assert steps.max() < 0.05
    assert counts(boxes[0])[-1] > 3
    assert max(np.abs(one.motion.position[-1, last(one), 0]).max() for one in boxes) > 0.5
