"""Small scenes through all rooms, and a hash of each: run as a module, it prints "name hash" line by line.

`test_processor_bits` runs it in processes that take their processor for another one.
"""

import dataclasses
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from core.breaking import RULES
from core.config.material import Material
from core.config.repair import Repair
from core.config.surface import Surface
from core.pieces import PARTITIONS
from core.pipeline import shatter
from core.presets import load
from core.settings import Settings
from core.types import Body, Clock, Collider, Ground, Impact, Mesh, Scene
from tests import shapes

PRESETS = Path(__file__).resolve().parents[2] / "presets/brittle"
#: Turned so that no number is a round one; the digits are those of any turn.
TURN = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])


def scene(body: Body, **more: Any) -> Scene:
    """A turned body that is hit on one side and falls on a floor."""
    turned = np.stack([(TURN[i] * body.vertices).sum(axis=1) for i in range(3)], axis=1)
    vertices = np.round(turned * 2.0**20) * 2.0**-20  # what sines of numpy made of a shape is rounded away
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    point = vertices[vertices[:, 0].argmax()]
    hit = Impact(point, (low + high) / 2 - point, strength=1.0, speed=2.0, radius=0.0, time=0.0)
    floor = Ground(float(low[2]) - 0.05)
    return Scene(
        Mesh("Thing", vertices, body.triangles), (hit,), np.array([0.0, 0.0, -9.81]), floor, Clock(24.0, 8), **more
    )


def pieces(kind: str, rule: str = "impact_factor", **more: Any) -> Settings:
    """Fourteen pieces of a kind."""
    params = PARTITIONS[kind].params(count=14, **more.pop("params", {}))
    return Settings(5, kind, params, rule, RULES[rule].params(), Material(), **more)


def preset(name: str, count: int = 14, **more: Any) -> Settings:
    """A preset that ships, with 14 pieces as a rule."""
    p = load(PRESETS / f"{name}.toml")
    params = PARTITIONS[p.pieces].params(**{**p.pieces_params, "count": count})
    rule = RULES[p.breaking].params(**p.breaking_params)
    chosen = Settings(5, p.pieces, params, p.breaking, rule, p.material, surface=p.surface, fields=p.fields)
    return dataclasses.replace(chosen, **more)


def hashed(thing: Any, digest: Any) -> None:
    """Feed all numbers of data classes, tuples and arrays to a hash."""
    if dataclasses.is_dataclass(thing):
        for field in dataclasses.fields(thing):
            hashed(getattr(thing, field.name), digest)
    elif isinstance(thing, tuple | list):
        for one in thing:
            hashed(one, digest)
    elif isinstance(thing, np.ndarray):
        digest.update(np.ascontiguousarray(thing).tobytes())
    else:
        digest.update(repr(thing).encode())


def stairs() -> Collider:
    """Two steps that are not convex, so that motion takes them apart."""
    outline = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 0.3], [1.0, 0.3], [1.0, 0.7], [0.0, 0.7]])
    front, back = (np.insert(outline, 1, y, axis=1) for y in (-1.5, 1.5))
    caps = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]
    sides = [t for i in range(6) for j in [(i + 1) % 6] for t in ([i, i + 6, j], [j, i + 6, j + 6])]
    triangles = np.array(caps + [[6 + c, 6 + b, 6 + a] for a, b, c in caps] + sides)
    mesh = Mesh("Stairs", np.concatenate([front, back]) - (1.0, 0.0, 1.6), triangles)
    return Collider(mesh, np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]]))


CUBE, BALL, BOTTLE = shapes.box(), shapes.icosphere(2), shapes.bottle(16)
ARC = np.stack([np.sin(np.linspace(0.0, 1.5, 7)), -np.cos(np.linspace(0.0, 1.5, 7))], axis=1)
BOWL = shapes.revolved(np.concatenate([ARC, 0.92 * ARC[::-1]]), 16)
PANE = shapes.box(high=(1.0, 0.8, 0.01))
SPHERES = shapes.joined(shapes.icosphere(1), shapes.moved(shapes.icosphere(1), (0.9, 0.3, 0.2)))

SCENES: dict[str, Callable[[], tuple[Scene, Settings]]] = {
    **{kind.id: (lambda kind=kind: (scene(CUBE), pieces(kind.id))) for kind in PARTITIONS if kind.id != "tetrahedra"},
    "wood": lambda: (scene(shapes.box(high=(2.0, 0.4, 0.3))), preset("wood")),
    "pane": lambda: (scene(PANE), preset("window_pane")),
    "lattice": lambda: (scene(BALL), preset("stone_lattice")),
    "tempered": lambda: (scene(PANE), preset("tempered_glass_lattice")),
    "cylinder": lambda: (scene(BOTTLE), preset("window_pane", surface=Surface(wrap="cylinder"))),
    "sphere": lambda: (scene(BOWL), pieces("cubes", surface=Surface(wrap="sphere"))),
    "shell": lambda: (scene(BOTTLE), pieces("voronoi", params={"layout": "graded"})),
    "rough": lambda: (scene(CUBE), pieces("voronoi", surface=Surface(octaves=3, amplitude=0.02, wavelength=0.3))),
    "level_set": lambda: (scene(CUBE), pieces("voronoi", surface=Surface(cutter="level_set", resolution=24))),
    "graded": lambda: (scene(BALL), pieces("voronoi", "placed_pattern", params={"layout": "graded"})),
    "mended": lambda: (scene(SPHERES), pieces("voronoi")),
    "thickened": lambda: (scene(shapes.open_box()), pieces("voronoi", repair=Repair(open="thicken", thickness=0.05))),
    "stairs": lambda: (scene(CUBE, colliders=(stairs(),), spin=np.array([1.0, 2.0, 0.5])), preset("crystal")),
    "clay": lambda: (scene(CUBE), preset("clay", motion="su")),
}


def main() -> None:
    """Print the hash of each scene, or of those whose names are given."""
    for name in sys.argv[1:] or SCENES:
        digest = hashlib.sha256()
        result = shatter(*SCENES[name]())
        for part in (result.body, result.diagram, result.units, result.fracture, result.fragments, result.motion):
            hashed(part, digest)
        print(name, digest.hexdigest()[:16], flush=True)


if __name__ == "__main__":
    main()
