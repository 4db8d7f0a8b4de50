"""How many frames are stored: as many as were asked for, or until everything is at rest.

A clock that waits for rest follows the scene. It ends as soon as nothing changes any more by a bit, no sooner than
after `SHORTEST` frames, and not while a collider or an object is still led or a hit is still to come. Where something
goes on moving it ends with the scene, or `BEYOND` frames later where what moves can come to rest: there is something
on which to land, and nothing that animation leads is still on its way when the scene ends, since how it would go on
is not looked at. The frames of the scene stay as they are.
"""

from collections.abc import Iterable
from dataclasses import replace

import bpy
import numpy as np

from ...core.path import Path
from ...core.types import Clock, Collider, Floats, Impact, Mesh

#: Least and most stored frames of a clock that waits for rest, and how many it goes on beyond the end of the scene. By
#: eye: two seconds of 24 frames, more than an hour, and ten seconds.
SHORTEST, LONGEST, BEYOND = 48, 100_000, 250
#: [s] at the end of the scene for which something that animation leads has to stand still to count as arrived. By eye:
#: a walk has no rest as long.
CALM = 1.0


def frames_per_second(scene: bpy.types.Scene) -> float:
    """Frames of a scene in a second."""
    return float(scene.render.fps / scene.render.fps_base)


def frames_to_follow(scene: bpy.types.Scene, start: int, hits: Iterable[Impact] = ()) -> int:
    """Through how many frames from `start` on a clock that waits for rest looks at the scene: the hits are in them."""
    fps = frames_per_second(scene)
    last = max((round(hit.time * fps) + 1 for hit in hits), default=0)
    return min(max(scene.frame_end - start + 1, SHORTEST, last), LONGEST)


def clock_until_rest(fps: float, followed: int, colliders: Iterable[Collider], ground: bool) -> Clock:
    """A clock that waits for rest, where the scene was followed through so many frames."""
    around = tuple(colliders)
    arrives = (ground or bool(around)) and not any(has_moved_lately(one, fps) for one in around)
    return Clock(fps, min(followed + (BEYOND if arrives else 0), LONGEST), SHORTEST)


def end_with_animation(
    clock: Clock, followed: int, paths: Iterable[Path | None], forms: Iterable[tuple[Mesh, ...]]
) -> Clock:
    """The clock, which ends with what was followed where an object is then still on its path, or deforms."""
    late = followed - 1 - round(CALM * clock.fps)
    led = any(path is not None and path.last > late for path in paths)
    on_its_way = led or any(_deformed_lately(meshes, clock.fps) for meshes in forms)
    return replace(clock, frames=min(clock.frames, followed)) if on_its_way else clock


def has_moved_lately(collider: Collider, fps: float) -> bool:
    """Whether a collider has moved or deformed in the last second of its way."""
    lately = -1 - round(CALM * fps)
    if collider.deformed:
        return _deformed_lately(collider.deformed, fps)
    return _varies(collider.position[lately:]) or _varies(collider.rotation[lately:])


def _deformed_lately(meshes: tuple[Mesh, ...], fps: float) -> bool:
    lately = meshes[-1 - round(CALM * fps) :]
    return any(not np.array_equal(one.vertices, lately[0].vertices) for one in lately)


def _varies(rows: Floats) -> bool:
    return bool((rows != rows[:1]).any())
