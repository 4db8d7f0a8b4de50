"""Objects that are read one by one, in one world: that of the first one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import bpy

from ..core.diagram import Load
from ..core.object_simulation import Item
from ..core.settings import Settings
from ..core.types import Floats, Scene
from .bridge import diagram
from .bridge.read import Reading


@dataclass(frozen=True, eq=False, slots=True)
class PreparedObject:
    """An object that is to break, as it was read."""

    source: bpy.types.Object
    tables: dict[str, Any]  #: of its settings
    chosen: Settings
    reading: Reading


def item_of(reading: Reading, chosen: Settings, first: Reading) -> Item:
    """An object in the world of the `first` one."""
    source = reading.source
    place = source.unit_scale * (source.origin - first.source.origin)
    return Item(_shifted(reading.scene, place), chosen, place)


def _shifted(scene: Scene, place: Floats) -> Scene:
    """A scene whose spheres stand in the world that all share."""
    spheres = scene.influence.spheres.copy()
    spheres[:, :3] += place
    return replace(scene, influence=replace(scene.influence, spheres=spheres))


def items_of(world: Sequence[PreparedObject]) -> tuple[list[Item], list[Load]]:
    """The objects of a world, and where their diagrams may be."""
    items = [item_of(one.reading, one.chosen, world[0].reading) for one in world]
    longest = max((item.scene.clock for item in items), key=lambda clock: clock.frames)  # hits of another may be later
    items[0] = replace(items[0], scene=replace(items[0].scene, clock=longest))
    return items, [loader(one.source) for one in world]


def loader(obj: bpy.types.Object) -> Load:
    """What finds an earlier diagram of an object, without looking at Blender any more."""
    stored = diagram.stored(obj)
    return lambda key: diagram.unpacked(stored, key)


def worlds_of(prepared_objects: Sequence[PreparedObject]) -> list[list[PreparedObject]]:
    """Objects that break in one world: from the same frame on, and with the same motion.

    Those of a world are in the order of their names: which one is active, or was made first, changes no bit.
    """
    worlds: list[list[PreparedObject]] = []
    for one in sorted(prepared_objects, key=lambda item: item.source.name_full):
        alike = [world for world in worlds if _moves_as(one) == _moves_as(world[0])]
        if alike:
            alike[0].append(one)
        else:
            worlds.append([one])
    return worlds


def _moves_as(one: PreparedObject) -> tuple[int, str, Any]:
    return one.reading.start_frame, one.chosen.motion, one.chosen.motion_params


def apart_notes(
    one: PreparedObject, world: Sequence[PreparedObject], prepared_objects: Sequence[PreparedObject]
) -> tuple[str, ...]:
    """What an object does not meet, in a sentence."""
    other = next((item for item in prepared_objects if item not in world), None)
    if other is None:
        return ()
    why = (
        "breaks at another frame" if other.reading.start_frame != one.reading.start_frame else "moves by other settings"
    )
    return (f"'{other.source.name}' {why}, so the pieces of the two do not meet.",)
