"""How a material looks: the numbers of a shader, for an object that has none of the artist's."""

from dataclasses import dataclass

from .params import param


@dataclass(frozen=True, slots=True)
class Look:
    """Values of a principled shader."""

    # Defaults are Blender's own.
    colour: tuple[float, float, float] = param(
        (0.8, 0.8, 0.8), "Colour", "Red, green and blue of the matter, linear", unit="1", limits=(0.0, 1.0)
    )
    roughness: float = param(0.5, "Roughness", "How much the skin scatters light: 0 is a mirror", limits=(0.0, 1.0))
    transmission: float = param(
        0.0, "Transmission", "Part of the light that goes through: 1 for glass", unit="1", limits=(0.0, 1.0)
    )
    ior: float = param(1.5, "IOR", "How much light is bent at the skin", unit="1", limits=(1.0, 4.0))
