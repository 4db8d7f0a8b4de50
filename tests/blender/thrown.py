"""An object that is thrown and breaks on the floor, whole until then: what the core makes of a scene with one item."""

from dataclasses import replace

import bpy
import numpy as np


def thrown(module, obj, frames=16, spin=(2.0, 3.0, 1.0), velocity=(0.5, 0.0, -2.0), kind="voronoi", **breakable):
    """The reading of an object, and what comes of it; the floor is at the height 0 of the world."""
    bpy.context.view_layer.update()
    reading = module("operators.bridge.read").read_scene(bpy.context, obj, frames=frames, ground=0.0)
    scene = replace(reading.scene, velocity=np.array(velocity), spin=np.array(spin), impacts=())
    item = module("core.object_simulation").Item(scene, chosen(module, kind, breakable), np.zeros(3))
    job = module("core.object_simulation").simulation_steps([item], 200)
    return reading, module("operators.job").run_blocking(job)[0]


def chosen(module, kind, breakable):
    """Settings of something that breaks at a touch into about eight pieces."""
    pieces, breaking = ("voronoi", "impact_factor") if kind == "voronoi" else ("pattern", "placed_pattern")
    values = {"durability": 0.02} if kind == "voronoi" else {}
    partition, rule = module("core.pieces").PARTITIONS[pieces], module("core.breaking").RULES[breaking]
    from_mapping = module("core.config.params").from_mapping
    pattern = {"count": 8} if kind == "voronoi" else {"kind": kind, "count": 8}
    return module("core.settings").Settings(
        1,
        pieces,
        from_mapping(partition.params, pattern),
        breaking,
        from_mapping(rule.params, values),
        module("core.config.material").Material(),
        breakable=module("core.config.breakable").Breakable(
            **{"breaks": True, "strength": 1.0, "speed": 1.0, "cooldown": 0.0, **breakable}
        ),
    )
