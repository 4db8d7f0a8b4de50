"""Motion beside Blender's Bullet and rapier3d on the same Voronoi pieces of a 2 m cube.

Times are CPU seconds of this process after all machine code is there; `ratio` is the reference over ours. The limits:

- a block of 1,000 pieces dropped 2 m, 250 frames: ratio of at least 5 beside Bullet's simulation, and of at least 25
  with the keyframes of both;
- a falling cloud of 1,000 and of 9,000, per simulated second: ratio of at least 1 / 1.5 beside rapier3d;
- 24 and 1.2 frames a second while it moves, so 0.042 s and 0.83 s a frame; 0.002 s for a frame of a resting heap;
- growth from 1,000 to 9,000 pieces no worse than n log n, which has the exponent 1.13 there;
- at most 500 MiB for the shapes and the motion of 9,000 pieces.

Blender's module runs in processes of its own. What it does is scaled to all frames where that would take too long.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench import falling
from tests.bench.falling import FPS, Run, Scene
from tests.bench.measure import extra_mib, growth, told_by

Row = dict[str, Any]

FEW, MANY = 1_000, 9_000
FRAMES = 250  #: of the block, the first one included
BAKED = (10, 50)  #: frames that Bullet bakes, for a line through the two: over half a second of CPU each
HEAP = 160  #: frames in which the cloud of 1,000 falls, heaps up and comes to rest
AROUND = (9, 33)  #: frames of the cloud of 9,000 that count: most of it strikes in their middle
MOVING = 0.2  #: median speed above which a cloud counts as moving [m/s]
BLENDER_SECONDS = 600
#: In a fresh process: machine code is loaded before memory is measured.
PREPARE = """
from tests.bench import falling
falling.load_machine_code()
cells = falling.cells_of({count})
"""
MEMORY = "falling.fall(falling.cloud(falling.bodies_of(cells)), {frames})"


def run() -> Iterator[Row]:
    """One row per case and reference."""
    falling.load_machine_code()
    few, many = Cloud(FEW, HEAP, (0, HEAP)), Cloud(MANY, AROUND[1], AROUND)
    for cloud in (few, many):
        yield from while_moving(cloud)
    yield resting(few)
    yield grown(few, many)
    for cloud in (few, many):
        yield from beside_rapier(cloud)
    yield memory()
    yield from block(few)  # last: Bullet takes longer than all others together


@dataclass(frozen=True)
class Cloud:
    """A falling cloud of so many pieces, and how it falls."""

    count: int
    frames: int
    window: tuple[int, int]  #: the frames that are compared with others'

    @cached_property
    def scene(self) -> Scene:
        return falling.cloud(falling.bodies_of(falling.cells_of(self.count)))

    @cached_property
    def run(self) -> Run:
        return falling.fall(self.scene, self.frames)


def block(few: Cloud) -> Iterator[Row]:
    """Dropped and simulated, then also keyed."""
    scene = falling.block(few.scene.bodies)
    run = falling.fall(scene, FRAMES - 1)
    ours = float(run.seconds.sum())
    with tempfile.TemporaryDirectory() as folder:
        start, done = Path(folder) / "start.npz", Path(folder) / "run.npz"
        falling.save_start(scene, start)
        falling.save_run(run, done)
        keys = told_by("tests.bench.bake", str(done), limit=BLENDER_SECONDS)["bake_s"]
        frames, simulated, baked = bullet(start)
    case, bakes = f"{FEW:,} pieces dropped, {FRAMES} frames", "Bullet, bake of {} and {}".format(*BAKED)
    yield row(f"{case}: solve", ours, f"Bullet, {frames} frames", simulated)
    yield row(f"{case}: solve and bake", ours + keys, bakes, simulated + baked)
    yield row(f"{case}: bake", keys, bakes, baked)


def bullet(start: Path) -> tuple[int, float, float]:
    """Frames that were simulated, CPU seconds for all frames simulated and for all baked."""
    less, more = BAKED
    whole = told_by("tests.bench.bullet", str(start), str(FRAMES), str(more), limit=BLENDER_SECONDS)
    short = told_by("tests.bench.bullet", str(start), str(less), str(less), limit=BLENDER_SECONDS)
    each = (whole["bake_s"] - short["bake_s"]) / (more - less)
    return (
        whole["frames"],
        whole["simulate_s"] * FRAMES / whole["frames"],
        short["bake_s"] + each * (FRAMES - less),
    )


def beside_rapier(cloud: Cloud) -> Iterator[Row]:
    """CPU for a second of the fall; on two floors, since rapier3d is faster on a half-space but lets pieces sink in."""
    from tests.bench import rapier

    first, end = cloud.window
    second = FPS / (end - first)
    ours = cloud.run.seconds[first:end].sum() * second
    for half_space, floor in ((False, "box"), (True, "half-space")):
        seconds, places = rapier.fall(cloud.scene, end, half_space=half_space)
        sunk = np.sum(places[:, 2] < cloud.scene.world.ground.height)
        case = f"cloud of {cloud.count:,}, frames {first + 1} to {end}, a second"
        yield row(case, ours, f"rapier3d, {floor}, {sunk} sink in", seconds[first:end].sum() * second)


def while_moving(cloud: Cloud) -> Iterator[Row]:
    """CPU for a frame while the median piece moves."""
    seconds = cloud.run.seconds[cloud.run.speed > MOVING]
    for name, value in (("median", np.median(seconds)), ("mean", np.mean(seconds))):
        yield row(f"cloud of {cloud.count:,} moving, {name} frame: {1 / value:.3g} a second", float(value))


def resting(cloud: Cloud) -> Row:
    """CPU for a frame at the end of the fall."""
    asleep = cloud.run.asleep[-1]
    ours = float(np.median(cloud.run.seconds[-10:]))
    return row(f"heap of {cloud.count:,}, frame {cloud.frames}, {asleep:.0%} asleep: a frame", ours)


def grown(few: Cloud, many: Cloud) -> Row:
    """The exponent between the two, over the same frames."""
    first, end = many.window
    times = [cloud.run.seconds[first:end].mean() for cloud in (few, many)]
    return row(f"growth of a frame: n^{growth((few.count, many.count), times):.2f}", float(times[1]))


def memory() -> Row:
    """What shapes and motion hold beyond the cells, at most, in a process of their own."""
    peak = extra_mib(PREPARE.format(count=MANY), MEMORY.format(frames=AROUND[1]))
    return {"case": f"shapes and motion of {MANY:,} pieces: memory", "peak_mib": peak}


def row(case: str, ours: float, reference: str | None = None, reference_s: float | None = None) -> Row:
    """A row of the table."""
    return {"case": case, "ours_s": float(ours), "reference": reference, "reference_s": reference_s}
