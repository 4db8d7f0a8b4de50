"""A primitive of Blender at the place where Blender adds it, a material, and a click on Shatter: what is seen of it.

It is seen where pieces visibly part from each other, or change their form, looked at in Blender itself, within a second
of film; otherwise one sentence has to say why not and what to change.
"""

import json
import tomllib
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import bpy
import numpy as np

from tests.series import CRASH, Outcome, outcome_of

ops = bpy.ops.mesh
PRIMITIVES: dict[str, Callable[[float], object]] = {
    "plane": lambda size: ops.primitive_plane_add(size=size),
    "cube": lambda size: ops.primitive_cube_add(size=size),
    "circle": lambda size: ops.primitive_circle_add(radius=size / 2),
    "uv sphere": lambda size: ops.primitive_uv_sphere_add(radius=size / 2),
    "ico sphere": lambda size: ops.primitive_ico_sphere_add(radius=size / 2),
    "cylinder": lambda size: ops.primitive_cylinder_add(radius=size / 2, depth=size),
    "cone": lambda size: ops.primitive_cone_add(radius1=size / 2, depth=size),
    "torus": lambda size: ops.primitive_torus_add(major_radius=0.4 * size, minor_radius=0.1 * size),
    "grid": lambda size: ops.primitive_grid_add(size=size),
    "monkey": lambda size: ops.primitive_monkey_add(size=size),
}
PRESETS = [
    tomllib.loads(path.read_text(encoding="utf-8"))["name"]
    for path in sorted((Path(__file__).parents[2] / "presets" / "brittle").glob("*.toml"))
]
SIZES = (0.02, 2.0, 20.0)  #: [m]
#: All of them, so that any few that follow each other are of many kinds.
SCENES = list(product(PRIMITIVES, PRESETS, SIZES))
STRIDE = 97  #: has no divisor in common with their number
#: Frames within which it has to be seen; the distance, in diagonals of the object, and the share of the pieces.
FRAMES, DISTANCE, SHARE = 24, 0.02, 0.05

SEEN, SAID, REFUSED, UNSEEN = "seen", "said", "refused", "UNSEEN"


def run_case(seed: int, number: int) -> Outcome:
    """Case `number` of all `SCENES`, by strides."""
    primitive, preset, size = SCENES[number * STRIDE % len(SCENES)]
    found = outcome_of(seed, number, lambda: _tried(primitive, preset, size, seed))
    data = {"primitive": primitive, "preset": preset, "size": size, **found.data}
    return replace(found, text=f"{primitive}, {preset}, {size} m: {found.text}", data=data)


def _tried(primitive: str, preset: str, size: float, seed: int) -> tuple[str, str, dict[str, float]]:
    obj = added(primitive, size)
    diagonal = float(np.linalg.norm(np.array(obj.dimensions)))  # it gets tiny where it breaks
    try:
        bpy.ops.brittle.shatter(preset=preset, seed=seed, quality="preview")  # as a click in a window does
    except RuntimeError as error:
        text = str(error).removeprefix("Error: ").strip()
        return (CRASH if "Traceback" in text or "\n" in text else REFUSED), text, {}
    fragments = bpy.data.collections[f"{obj.name} Fragments"]
    said = json.loads(fragments["brittle_report"])["advice"]
    pieces, away = parted_in(fragments, diagonal)
    share = float((away > DISTANCE).mean()) if pieces else 0.0
    text = f"{int((away > DISTANCE).sum())} of {pieces} part, {np.median(away):.3f} and at most {away.max():.2f} sizes"
    found = {"pieces": pieces, "share": share, "median": float(np.median(away)), "most": float(away.max())}
    if share >= SHARE:
        return SEEN, text, found
    if (bent := bent_in(fragments, diagonal)) > DISTANCE:
        return SEEN, f"{text}, bent by {bent:.2f} sizes", {**found, "bent": bent}
    return (SAID if said else UNSEEN), " ".join((text, *said)), found


def added(primitive: str, size: float) -> bpy.types.Object:
    """A new file as Blender begins it, with a primitive of this size [m] instead of the cube."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    PRIMITIVES[primitive](size)
    bpy.context.scene.brittle.frames = FRAMES + 1
    bpy.context.view_layer.update()
    return bpy.context.object


def parted_in(fragments: bpy.types.Collection, size: float) -> tuple[int, np.ndarray]:
    """How many pieces there are, and how far each is away from where most of them are, in sizes of the object."""
    scene = bpy.context.scene
    begin = scene.frame_current
    pieces = [piece for piece in fragments.all_objects if "brittle_fragment" in piece]
    places = []
    for frame in (begin, begin + FRAMES):
        scene.frame_set(frame)
        places.append(np.array([piece.matrix_world.translation for piece in pieces]))
    scene.frame_set(begin)
    way = places[1] - places[0]
    return len(pieces), np.linalg.norm(way - np.median(way, axis=0), axis=1) / size


def bent_in(fragments: bpy.types.Collection, size: float) -> float:
    """How far a point of a piece moves in the piece's own axes, in sizes of the object."""
    scene, most = bpy.context.scene, 0.0
    begin = scene.frame_current
    for piece in (piece for piece in fragments.all_objects if "brittle_fragment" in piece):
        forms = []
        for frame in range(begin, begin + FRAMES + 1):
            scene.frame_set(frame)
            mesh = piece.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
            forms.append(np.array([vertex.co for vertex in mesh.vertices]))
        most = max(most, *(float(np.linalg.norm(form - forms[0], axis=1).max()) for form in forms[1:]))
    scene.frame_set(begin)
    return most / size
