"""The size of shards: the number of pieces as a length, for those who think in sizes.

Nothing is stored: a number of pieces fills the box of the object with cubes of that size, which are as thin as the box
where it is thinner than they are wide. What a blow leaves together is larger.
"""

import math
from collections.abc import Callable
from typing import Any

import bpy

from ..core.config.params import counts, declared, from_mapping
from .bridge import sizes
from .generated import values

COUNT = "count"


def count_of(size: float, box: tuple[float, ...]) -> float:
    """How many shards of a size fill a box with these three sides."""
    result = 1.0
    for side in box:
        result *= max(side / size, 1.0)
    return result


def size_of(count: float, box: tuple[float, ...]) -> float:
    """The size of so many shards that fill a box; 0 for a box without a side."""
    sides = sorted(box, reverse=True)
    for thick in (3, 2, 1):
        size = _product(sides[:thick], count) ** (1.0 / thick)
        if 0.0 < size <= sides[thick - 1] or thick == 1:
            return size
    raise AssertionError


def _product(sides: list[float], count: float) -> float:
    result = 1.0 / count
    for side in sides:
        result *= side
    return result


def has_size(group: bpy.types.PropertyGroup) -> bool:
    """Whether the settings of a kind of pieces have a number of pieces that counts."""
    params = type(group).params
    there = any(field.name == COUNT for field in declared(params))
    return there and counts(from_mapping(params, values(group, params)), COUNT)


def _box(obj: bpy.types.Object) -> tuple[float, ...]:
    """The sides of the box about an object; 0 for one that is not finite, as of a mesh with a corner that is not."""
    return tuple(side if math.isfinite(side) else 0.0 for side in sizes.dimensions(obj))


def setting(chosen: Callable[[bpy.types.PropertyGroup], bpy.types.PropertyGroup], update: Callable[..., None]) -> Any:
    """The property of the settings of an object, whose kind of pieces is that which is `chosen`."""

    def get(own: bpy.types.PropertyGroup) -> float:
        group = chosen(own)
        return size_of(getattr(group, COUNT), _box(own.id_data)) if hasattr(group, COUNT) else 0.0

    def put(own: bpy.types.PropertyGroup, size: float) -> None:
        group = chosen(own)
        if size > 0.0 and hasattr(group, COUNT):
            item = group.bl_rna.properties[COUNT]
            number = round(min(count_of(size, _box(own.id_data)), item.soft_max))
            setattr(group, COUNT, max(number, item.hard_min))

    return bpy.props.FloatProperty(
        name="Shard Size",
        description="Mean size of the pieces when everything breaks: their number as a length. Of several objects each "
        "gets as many pieces as that takes",
        unit="LENGTH",
        min=0.0,
        precision=3,
        get=get,
        set=put,
        update=update,
        options={"SKIP_SAVE"},
    )
