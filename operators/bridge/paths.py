"""Where objects are led by their own animation, and how it deforms them, frame by frame."""

from collections.abc import Generator, Sequence
from typing import NamedTuple

import bpy
import numpy as np

from ...core.path import Path
from ...core.types import Mesh, Progress
from .colliders import too_fine
from .deforming import may_deform_in_time
from .movement import borrow_playhead, may_be_kinematic, path_of
from .snapshots import Snapshot, body_meshes, keeps_its_form, take_snapshot
from .source import SourceAttributes
from .undefined import ENDLESS


class KinematicMotion(NamedTuple):
    """How its animation leads an object: along a path, or by a mesh at each frame; neither where it does not."""

    path: Path | None = None
    meshes: tuple[Mesh, ...] = ()  #: in body coordinates of the first object
    left_out: str = ""  #: what of it cannot count, in a sentence; where there are meshes, if it never breaks


def read_paths(
    context: bpy.types.Context,
    objects: Sequence[bpy.types.Object],
    sources: Sequence[SourceAttributes],
    first: int,
    frames: int,
) -> Generator[Progress, None, list[KinematicMotion]]:
    """How each object is led through the stored frames.

    Each has to be shown, and was read as `sources` say. The scene is led through all frames and back where any of the
    objects may be led or deform.
    """
    deforming = {obj for obj in objects if may_deform_in_time(obj)}
    moving = [obj for obj in objects if obj in deforming or may_be_kinematic(obj)]
    seen: dict[bpy.types.Object, list[Snapshot]] = {obj: [] for obj in moving}
    if moving:
        with borrow_playhead(context.scene) as lead:
            for count in range(frames):
                # Whoever draws or plays meanwhile may change the frame: it is set and read without a pause between.
                yield Progress(count / frames, "Following what is animated")
                lead(first + count)
                for obj in moving:
                    before = seen[obj][-1] if seen[obj] else None
                    seen[obj].append(take_snapshot(context, obj, before, obj in deforming))
    return [
        _kinematic_motion(obj, seen[obj], source, sources[0], first) if obj in seen else KinematicMotion()
        for obj, source in zip(objects, sources, strict=True)
    ]


def _kinematic_motion(
    obj: bpy.types.Object, seen: list[Snapshot], source: SourceAttributes, world: SourceAttributes, first: int
) -> KinematicMotion:
    matrices = np.array([one.matrix for one in seen])
    if not (np.abs(matrices) <= ENDLESS).all():
        text = f"The animation of '{obj.name}' does not count: its place is not a finite number at some frame."
        return KinematicMotion(left_out=text)
    # What Blender's own rigid bodies move is free from the start.
    path = path_of(matrices, source.origin, source.unit_scale) if may_be_kinematic(obj) else None
    if keeps_its_form(seen):
        return KinematicMotion(path)
    fault = next((one.fault for one in seen if one.fault and one.fault != "it has no faces"), "")
    if fault:
        return KinematicMotion(path, left_out=f"'{obj.name}' counts in its form of frame {first}: later {fault}.")
    meshes = body_meshes(obj.name, seen, world.origin, world.unit_scale)
    told = too_fine(obj.name, meshes, first)
    if told:
        return KinematicMotion(path, left_out=f"{told} Shatter breaks it as it is then.")
    if path is None or path.last == len(seen) - 1:
        return KinematicMotion(None, meshes)
    end = f"where its animation leads it at frame {first + path.last}"
    return KinematicMotion(
        None, meshes, f"'{obj.name}' deforms, so it does not fly on, but stays {end} until something breaks it."
    )
