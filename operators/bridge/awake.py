"""What is hidden stays awake: Blender evaluates no transform of what it hides, unless something that is seen needs it.

Exporters go through the frames and take down where each object stands. Of one that is hidden, they would take down
where it stood and how large it was when it was last seen. So a data-block that the scene points to has drivers that
look at the pieces and their source. Nothing looks at that block: what it says is of no use, and it is in no circle.
"""

from collections.abc import Collection, Sequence
from itertools import count

import bpy

from . import names

#: Pieces that one driver looks at: Blender takes longer for each variable, the more of them a driver has. Measured: one
#: of a thousand pieces took seconds to make.
LOOKED_AT = 32


def keep_awake(scene: bpy.types.Scene, source: bpy.types.Object, pieces: Sequence[bpy.types.Object]) -> None:
    """Let Blender evaluate where these objects stand in a scene while they are hidden."""
    block = scene.get(names.AWAKE)
    if block is None:
        block = bpy.data.node_groups.new(".Brittle Awake", "ShaderNodeTree")
        scene[names.AWAKE] = block
        block[names.AWAKE] = True
    free = (key for i in count() if (key := str(i)) not in block)
    for first in range(0, len(pieces), LOOKED_AT):
        _look_at((source, *pieces[first : first + LOOKED_AT]), block, next(free))


def _look_at(objects: Sequence[bpy.types.Object], block: bpy.types.NodeTree, key: str) -> None:
    """A driver of the value of a block under a key that looks at objects."""
    block[key] = 0.0
    driver = block.driver_add(f'["{key}"]').driver
    driver.type = "SUM"
    for obj in objects:
        variable = driver.variables.new()
        variable.type = "TRANSFORMS"
        variable.targets[0].id = obj


def let_sleep(gone: Collection[bpy.types.Object]) -> None:
    """Undo `keep_awake` for sources whose pieces are all gone, or about to go, in all scenes."""
    for scene in bpy.data.scenes:
        if names.AWAKE not in scene or not scene.is_editable:
            continue
        block = scene[names.AWAKE]
        if block is None:  # it was taken back with all that was made
            del scene[names.AWAKE]
            continue
        drivers = block.animation_data.drivers if block.animation_data else []
        for curve in [curve for curve in drivers if _is_over(curve, gone)]:
            del block[curve.data_path.strip('[]"')]
            drivers.remove(curve)
        if not drivers:
            del scene[names.AWAKE]
            if block.users == 0:
                bpy.data.node_groups.remove(block)


def _is_over(curve: bpy.types.FCurve, gone: Collection[bpy.types.Object]) -> bool:
    _, *pieces = (variable.targets[0].id for variable in curve.driver.variables)
    return all(piece is None or piece in gone for piece in pieces)
