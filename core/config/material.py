"""What the matter is like apart from how it breaks: mass, friction, bounce, and how pieces fly from a blow."""

from dataclasses import dataclass

from .params import param

#: Pascals in a megapascal, in which strengths and tensions are given.
MEGAPASCAL = 1e6


@dataclass(frozen=True, slots=True)
class Material:
    """Bulk properties in SI units."""

    # Defaults are those of Standard Glass (presets/brittle/standard_glass.toml), but for the strength, which is by eye.
    density: float = param(
        2500.0,
        "Density",
        "Mass per volume; heavy pieces are stored with their mass",
        unit="kg/m^3",
        limits=(1e-3, 1e5),
        soft=(100.0, 10000.0),
    )
    tensile: float = param(
        30.0,
        "Tensile",
        "Tensile strength: tension that the matter bears before it cracks, for breaking rules that compute forces; "
        "under pressure it bears more",
        unit="MPa",
        limits=(1e-6, 1e6),
        soft=(0.01, 200.0),
    )
    friction: float = param(
        0.5, "Friction", "How soon sliding pieces stop on the ground", unit="1", limits=(0.0, 10.0), soft=(0.0, 1.5)
    )
    restitution: float = param(
        0.2, "Bounce", "Part of the speed that is left after a bounce", unit="1", limits=(0.0, 1.0)
    )
    spread: float = param(
        0.3,
        "Spread",
        "Speed with which pieces fly apart sideways from the hit, relative to the speed along the blow",
        unit="1",
        limits=(0.0, 10.0),
        soft=(0.0, 2.0),
    )
    thin: bool = param(
        False, "Thin Walls", "Of this material an open mesh is a vessel or a pane and gets thickness, see Open Meshes"
    )
