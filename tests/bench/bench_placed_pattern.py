"""Whole until hit: the walls and bodies of Su, Schroeder, Fedkiw 2009, beside the times that the paper gives.

Times are CPU seconds of this process after all machine code is there. The limits, of the issue:

- the wall of Fig. 4, the cylinder of Fig. 5 (25 pieces), a body like the bunny of Fig. 6 (35) and the wall of Fig. 7
  that breaks again: at least ten times the paper's 15, 22, 4 and 15 frames per second. A row is a frame on average,
  breaks included;
- 1,000 spheres that fall on a table, then a large one: the median of the last frames at least 300 times faster than
  the paper's 5 minutes, at most 2 GiB. `BRITTLE_SPHERES` in the environment takes another number of them;
- a break of one body of 1,000 cells within the loop: at most 0.03 s beside the cut and the rule, which are the
  reference.
"""

import os
import resource
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.drivers.impact import Run
from core.simulation import Item, steps
from core.types import Body, Clock
from tests import shapes
from tests.core.drivers.breaking import Told, begun, box_thing, matter_of
from tests.verification.fracture_scenes import ball, item, settings

Row = dict[str, Any]

SPHERES = int(os.environ.get("BRITTLE_SPHERES", "1000"))
CELLS = 1000
ALL = {"reach": 0.0}
CLOCK = Clock(24.0, 48)
LATE = 20  #: last frames of the spheres that count
MOST = 100_000


def run() -> Iterator[Row]:
    """One row per scene and what the paper took for it."""
    for name, scene, fps in scenes():
        frames_of(scene)  # loads machine code
        times = frames_of(scene)
        yield {
            "case": f"{name}: a frame",
            "ours_s": float(np.mean(times)),
            "reference": f"the paper, {fps} fps",
            "reference_s": 1.0 / fps,
        }
    yield break_of_one()
    yield from table(SPHERES)


def scenes() -> Iterator[tuple[str, list[Item], float]]:
    """The figures of the paper that are no heap."""
    wall = shapes.box((-0.75, -0.05, 0.0), (0.75, 0.05, 1.0))
    cylinder = shapes.revolved(np.array([(0.0, 0.0), (0.275, 0.0), (0.275, 1.05), (0.0, 1.05)]), 32)
    lumpy = shapes.bumpy_sphere(3)
    lumpy = shapes.moved(lumpy, -lumpy.vertices.min(axis=0), 0.3)
    middle = lumpy.vertices.mean(axis=0)
    yield "Fig. 4, wall", [struck("Wall", wall, 60), shot((0.2, 0.6))], 15.0
    yield "Fig. 5, cylinder", [struck("Cylinder", cylinder, 25), shot((0.0, 0.5), 0.3)], 22.0
    yield "Fig. 6, lumpy", [struck("Lumpy", lumpy, 35), shot((middle[0], middle[2]), 0.3)], 4.0
    again = struck("Wall", wall, 60, generations=2, cooldown=0.0)
    yield "Fig. 7, wall, breaks again", [again, shot((0.55, 0.2)), shot((-0.45, 0.75), 3.0, "Second")], 15.0


def struck(name: str, shape: Body, count: int, generations: int = 1, cooldown: float = 0.1) -> Item:
    """A body that a ball breaks into about `count` pieces."""
    chosen = settings(
        layout={"count": count}, how=ALL, speed=1.0, stands=True, generations=generations, cooldown=cooldown
    )
    return item(name, shape, chosen, clock=CLOCK)


def shot(at: Sequence[float], away: float = 0.4, name: str = "Ball") -> Item:
    """A ball that flies along +y through (x, z)."""
    return ball(0.1, (at[0], -away - 0.1, at[1]), (0.0, 8.0, 0.0), name=name, clock=CLOCK)


def frames_of(scene: list[Item]) -> list[float]:
    """CPU seconds of each frame; the intake of the objects counts to none."""
    job, times = steps(scene, MOST), []
    begin = time.process_time()
    for progress in job:
        end = time.process_time()
        if progress.text.startswith("Moving"):
            times.append(end - begin)
        begin = end
    return times


def table(count: int) -> Iterator[Row]:
    """Spheres that fall on a table, then a large one: the whole run, and the median of its last frames."""
    side = int(np.ceil(count ** (1 / 3)))
    place = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    place = place[np.argsort(place[:, 2], kind="stable")][:count]
    glass = settings(layout={"count": 9}, how=ALL, speed=2.0, generations=1)
    firm = settings(layout={"count": 30}, how=ALL, speed=8.0, stands=True, generations=1)
    clock = Clock(24.0, 72)
    spheres = [
        ball(0.0275, 0.065 * at - (0.0325 * side, 0.0325 * side, -0.4), (0, 0, -2.0), glass, name=f"Sphere {k}",
             clock=clock)
        for k, at in enumerate(place)
    ]  # fmt: skip
    top = item("Table", shapes.box((-0.75, -0.5, 0.0), (0.75, 0.5, 0.1)), firm, clock=clock)
    large = ball(0.25, (0.0, 0.0, 20.0), (0, 0, -2.0), name="Large", clock=clock)
    begin = time.process_time()
    times = frames_of([top, large, *spheres])
    whole = time.process_time() - begin
    yield {"case": f"Fig. 8, {count} spheres on a table: all {clock.frames} frames", "ours_s": whole}
    yield {
        "case": f"Fig. 8, {count} spheres on a table: a late frame",
        "ours_s": float(np.median(times[-LATE:])),
        "reference": "the paper, 5 minutes",
        "reference_s": 300.0,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def break_of_one() -> Row:
    """A frame in which one body of many cells breaks, without motion, beside its rule."""
    matter = matter_of(shapes.box(high=np.array([1.0, 0.6, 0.4])), CELLS)
    spot = np.array([0.5, 0.3, 0.4])

    def touch(bodies: Any, state: Any) -> list[Any]:
        return [(0, len(bodies.mass), (0.0, 0.0, 1e6), spot)] if len(bodies.mass) == 1 else []

    spent = [0.0]

    def rule(*arguments: Any) -> Any:
        begin = time.process_time()
        loads = matter.rule(*arguments)
        spent[0] += time.process_time() - begin
        return loads

    watched = replace(matter, rule=rule)

    def once() -> tuple[float, float]:
        job: Run = begun([box_thing(watched, speed=1.0)], Told(touch))
        spent[0] = 0.0
        begin = time.process_time()
        job.advance(1)
        return time.process_time() - begin, spent[0]

    once()
    whole, own = min(once() for _ in range(3))
    return {
        "case": f"a body of {CELLS} cells breaks, beside its rule",
        "ours_s": whole - own,
        "reference": "the limit",
        "reference_s": 0.03,
    }
