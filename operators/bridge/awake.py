"""What is hidden stays awake: Blender evaluates no transform of what it hides, unless something that is seen needs it.

Exporters go through the frames and take down where each object stands. Of one that is hidden, they would take down
where it stood and how large it was when it was last seen. So a data-block that the scene points to has drivers that
look at the pieces and their source. Nothing looks at that block: what it says is of no use, and it is in no circle.
"""

from collections.abc import Collection, Sequence

import bpy

from . import names


def keep_awake(scene: bpy.types.Scene, source: bpy.types.Object, pieces: Sequence[bpy.types.Object]) -> None:
    """Let Blender evaluate where these objects stand in a scene while they are hidden."""
    block = scene.get(names.AWAKE)
    if block is None:
        block = bpy.data.node_groups.new(".Brittle Awake", "ShaderNodeTree")
        scene[names.AWAKE] = block
        block[names.AWAKE] = True
    key = next(key for i in range(len(block.keys()) + 1) if (key := str(i)) not in block)
    block[key] = 0.0
    driver = block.driver_add(f'["{key}"]').driver
    driver.type = "SUM"
    for obj in (source, *pieces):
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
