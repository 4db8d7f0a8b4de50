"""Kinds of fields: how strong, heavy and strained the matter is from place to place, each a module with a METHOD."""

from ...config.registry import Registry
from . import bands, cleaving, density, grain, nodes, noise, painted, prestress, size, turbulence, veins
from .contract import Field, FieldValues, Sample

__all__ = ["FIELDS", "Field", "FieldValues", "Sample"]

FIELDS: Registry[Field] = Registry(
    "field",
    {
        1: size.METHOD,
        2: noise.METHOD,
        3: turbulence.METHOD,
        4: veins.METHOD,
        5: cleaving.METHOD,
        6: nodes.METHOD,
        7: bands.METHOD,
        8: painted.METHOD,
        9: density.METHOD,
        10: prestress.METHOD,
        11: grain.METHOD,
    },
)
