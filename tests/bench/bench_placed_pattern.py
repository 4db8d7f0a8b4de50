"""Breaking inside the motion, beside what Su, Schroeder and Fedkiw 2009 report for one core at 3 GHz.

Times are CPU seconds of this process for one frame, after all machine code is there. The limits:

- the wall of Fig. 4 (15 frames a second in the paper), the cylinder of Fig. 5 (22), a body with ears like the bunny of
  Fig. 6 (4), the wall of Fig. 7 that breaks again (15): ratio of at least 10. All frames count;
- Fig. 8, 1,000 spheres that fall on a table, then a large one: a late frame, 300 s in the paper, with a ratio of at
  least 300; at most 2 GiB;
- one body of 1,000 cells that breaks in the loop: at most 30 ms beside the rule itself.
"""

import resource
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.config.material import Material
from core.object_simulation import Item, simulation_steps
from core.types import Clock
from tests import shapes
from tests.core.simulation.breaking import Told, box_object, model_of, moving, prepared
from tests.verification.fracture_scenes import NEVER, WALL, ball, extruded, hare, item, settings

Row = dict[str, Any]

FRAMES = 48  #: of the small scenes
SPHERES = 1_000
PAPER = "Su 2009"
CELLS = 1_000


def run() -> Iterator[Row]:
    """One row per scene."""
    for scene in (hit_wall, hit_cylinder, hit_hare, hit_wall_again):  # loads machine code
        frames(scene())
    scenes = (
        ("wall, Fig. 4", hit_wall(), 15),
        ("cylinder, Fig. 5", hit_cylinder(), 22),
        ("hare, Fig. 6", hit_hare(), 4),
    )
    for name, items, theirs in (*scenes, ("wall hit again, Fig. 7", hit_wall_again(), 15)):
        times, pieces = frames(items)
        each = sum(times) / (FRAMES - 1)
        yield row(f"{name}, {pieces} pieces: {1 / each:.3g} a second", each, f"{PAPER}, {theirs} a second", 1 / theirs)
    yield from inside_the_loop()
    yield from many(SPHERES)


def frames(items: Sequence[Item], most: int = 50_000) -> tuple[list[float], int]:
    """CPU seconds of each frame of a scene's motion, and how many pieces there are at its end."""
    job, times = simulation_steps(items, most), []
    begin = time.process_time()
    while True:
        try:
            step = next(job)
        except StopIteration as end:
            results = end.value
            break
        now = time.process_time()
        if step.text.startswith("Moving"):
            times.append(now - begin)
        begin = now
    return times[1:], sum(int(one.motion.alive[-1].sum()) for one in results)


def once(kind: str, count: int, **more: Any) -> Any:
    """Settings of a thing that falls into all pieces of its pattern at the first hit."""
    how = {"speed": 2.0, "again": "cracks", "generations": 1} | more
    return settings(layout={"kind": kind, "count": count}, how={"reach": 0.0}, **how)


def hit_wall() -> list[Item]:
    """150 x 10 x 100."""
    clock = Clock(24.0, FRAMES)
    wall = item("Wall", shapes.box(*WALL), once("radial", 60, stands=True), clock=clock)
    return [wall, ball(0.08, (0.1, -0.3, 0.6), (0, 10, 0), clock=clock)]


def hit_cylinder() -> list[Item]:
    """55 x 105 x 55, 25 pieces."""
    clock = Clock(24.0, FRAMES)
    outline = np.array([[0, 0], [0.275, 0], [0.275, 1.05], [0, 1.05]])
    cylinder = item("Cylinder", shapes.revolved(outline, 32), once("radial", 25), clock=clock)
    return [cylinder, ball(0.08, (0, -0.5, 0.55), (0, 10, 0), clock=clock)]


def hit_hare() -> list[Item]:
    """70 x 60 x 45, 35 pieces."""
    clock, body = Clock(24.0, FRAMES), hare(4)
    low = float(body.vertices[:, 2].min())
    body = item("Hare", body, once("radial", 35), (0, 0, -low), clock=clock)
    return [body, ball(0.06, (0.45, 0.0, -low), (-10, 0, 0), clock=clock)]


def hit_wall_again() -> list[Item]:
    """In its lower right corner, then in the large piece that is left."""
    clock = Clock(24.0, FRAMES)
    chosen = settings(layout={"kind": "radial", "count": 40}, how={"reach": 0.3}, speed=2.0, stands=True, smallest=0.1)
    wall = item("Wall", shapes.box(*WALL), chosen, clock=clock)
    shots = [(0.6, -0.2, 0.15), (-0.3, -1.8, 0.7)]
    return [wall, *(ball(0.08, place, (0, 10, 0), clock=clock) for place in shots)]


def table_scene(count: int) -> list[Item]:
    """Spheres of 11 cm in layers of 100 above a table, and a large one above them; all break once."""
    layers, top = -(-count // 100), 0.6
    clock = Clock(24.0, 40 + 3 * layers)
    side = [(-0.75, 0), (-0.65, 0), (-0.65, 0.5), (0.65, 0.5), (0.65, 0), (0.75, 0), (0.75, top), (-0.75, top)]
    faces = [(0, 1, 2), (0, 2, 7), (2, 6, 7), (2, 3, 6), (3, 5, 6), (3, 4, 5)]
    desk = once("mixed", 40, stands=True, speed=4.0, lightest=0.3)
    small = once("uniform", 20, speed=2.0, material=Material(restitution=0.1))
    shape = shapes.icosphere(1, 0.055)
    x, y = (part.ravel() for part in np.meshgrid(np.linspace(-0.65, 0.65, 10), np.linspace(-0.4, 0.4, 10)))
    fall = {"velocity": np.array([0.0, 0.0, -3.0]), "clock": clock}
    height = top + 0.08 + 0.3 * (np.arange(count) // 100)
    spheres = [item("Sphere", shape, small, (x[k % 100], y[k % 100], height[k]), **fall) for k in range(count)]
    heavy = settings(material=Material(density=8000.0), speed=NEVER)
    large = ball(0.25, (0, 0, height.max() + 2.0), (0, 0, -3.0), heavy, clock=clock)
    return [item("Table", extruded(side, faces, 0.5), desk, clock=clock), *spheres, large]


def many(count: int) -> Iterator[Row]:
    """The whole run, its late frames, the memory."""
    items = table_scene(count)
    begin = time.process_time()
    times, pieces = frames(items)
    whole = time.process_time() - begin
    case = f"{count:,} spheres and a table, Fig. 8"
    yield row(f"{case}, {pieces:,} pieces, {len(times) + 1} frames: whole run", whole)
    late = float(np.median(times[-10:]))
    yield row(f"{case}: median late frame", late, f"{PAPER}, 5 minutes", 300.0)
    yield row(f"{case}: slowest frame", max(times), f"{PAPER}, 5 minutes", 300.0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield {"case": f"{case}: memory of the whole process (Linux)", "peak_mib": peak}


class Timed:
    """A function that knows for how long it ran [s]."""

    def __init__(self, work: Callable[..., Any]) -> None:
        self.work, self.seconds = work, 0.0

    def __call__(self, *arguments: Any) -> Any:
        begin = time.process_time()
        result = self.work(*arguments)
        self.seconds += time.process_time() - begin
        return result


def inside_the_loop() -> Iterator[Row]:
    """A frame in which a body of many cells breaks into all of them, less the rule and what moves."""
    matter = model_of(shapes.box(high=np.array([1.0, 0.6, 0.4])), CELLS)

    def touch(bodies: Any, state: Any) -> list[Any]:
        return [(0, 1, (0.0, 0.0, 1e6), (0.5, 0.3, 0.4))] if len(bodies.mass) == 1 else []

    def once_more() -> tuple[float, float]:
        rule, move = Timed(matter.rule), Timed(Told(touch))
        falling = moving((0.0, 0.0, -5.0), (0.0, 0.0, 0.0))  # no blow is harder than what closes in
        run = prepared([box_object(replace(matter, rule=rule), momentum=falling, speed=1.0)], move, frames=2)
        start, move.seconds = time.process_time(), 0.0
        run.advance(1)
        spent = time.process_time() - start
        assert len(run.crowd.alive) == len(matter.units.volume)
        return spent - rule.seconds - move.seconds, rule.seconds

    runs = [once_more() for _ in range(6)][1:]
    beside, ruled = (min(times) for times in zip(*runs, strict=True))
    yield row(f"a body of {CELLS:,} cells breaks: beside the rule", beside, "limit", 0.03)
    yield row(f"a body of {CELLS:,} cells breaks: the rule", ruled)


def row(case: str, ours: float, reference: str | None = None, reference_s: float | None = None) -> Row:
    """A row of the table."""
    return {"case": case, "ours_s": float(ours), "reference": reference, "reference_s": reference_s}
