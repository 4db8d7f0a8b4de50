"""Film strips of motion, in build/gallery/motion.png: a bowl falls, a ball goes through a wall, a vase breaks."""

import argparse
import math
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass

import checkout

# isort: split
# Blender's module comes after it, see there.
import bpy
from mathutils import Vector

import contact_sheet
import demo_meshes
import demo_scene
from exhibit import RESULTS, Triple

#: Half a section through the vase in metres, see `demo_meshes.revolved`.
VASE = (
    *((0.0, 0.0), (0.055, 0.0), (0.062, 0.006), (0.066, 0.020), (0.092, 0.075), (0.112, 0.135), (0.118, 0.185)),
    *((0.110, 0.240), (0.086, 0.290), (0.062, 0.325), (0.054, 0.355), (0.060, 0.385), (0.078, 0.412), (0.076, 0.418)),
    *((0.068, 0.414), (0.050, 0.388), (0.043, 0.355), (0.051, 0.320), (0.075, 0.285), (0.098, 0.236), (0.106, 0.185)),
    *((0.100, 0.137), (0.080, 0.079), (0.054, 0.028), (0.030, 0.016), (0.0, 0.014)),
)
GRAVITY = 9.81
FPS = 24
HIT = 12  #: frame at which everything here is hit
FALL = 0.5 * GRAVITY * ((HIT - 1) / FPS) ** 2  #: [m] from frame 1 to the hit: 1.03
BALL, CHAIN = 0.2, 1.85  #: [m] radius, length
WALL = (1.8, 0.16, 1.15)  #: [m]
POST = 0.12  #: [m] side
TABLE = (1.0, 0.62, 0.5)  #: [m]


@dataclass(frozen=True, slots=True)
class Film:
    """A scene, the blow that begins it, and the frames that are shown, counted from the hit."""

    name: str
    make: Callable[[], bpy.types.Object]  #: fills the stage, gives what will break
    blow: demo_scene.Blow
    camera: tuple[Triple, Triple]
    shown: tuple[int, ...]
    seed: int = 1


def falling_bowl() -> bpy.types.Object:
    """A bowl that keys let fall, askew, from a metre above the floor; at the hit its rim is there."""
    bowl = demo_meshes.bowl()
    bowl.data.materials.append(demo_scene.matt("Ceramic", (0.10, 0.26, 0.34), 0.3))
    bowl.rotation_euler = (math.radians(24.0), math.radians(-13.0), 0.0)
    bpy.context.view_layer.update()
    lowest = min((bowl.matrix_world @ vertex.co).z for vertex in bowl.data.vertices)
    keyed(bowl, "location", {1: (0.0, 0.0, FALL - lowest), HIT: (0.0, 0.0, -lowest)})
    eased(bowl, {1: ("QUAD", "EASE_IN")})
    return bowl


def wall_and_ball() -> bpy.types.Object:
    """A wall behind two posts, and an iron ball on a chain that swings through it, towards the camera."""
    wall = demo_meshes.box("Wall", WALL)
    wall.location.y = 0.5
    wall.data.materials.append(demo_scene.matt("Brick", (0.42, 0.13, 0.08), 0.8))
    for side in (-1.0, 1.0):
        post = demo_meshes.box("Post", (POST, POST, WALL[2]))
        post.location = (side * (WALL[0] - POST) / 2, wall.location.y - (WALL[1] + POST) / 2, 0.0)
        post.data.materials.append(demo_scene.matt("Post", (0.25, 0.25, 0.24), 0.7))
        demo_scene.collider(post)
    ball = demo_meshes.ball(BALL, CHAIN)
    ball.data.materials.append(demo_scene.matt("Iron", (0.05, 0.05, 0.055), 0.35))
    # It swings from 60 degrees through 0 in a quarter of a period; on the way, at the hit, it touches the wall.
    swing = {1: 60.0, 17: 0.0, 33: -42.0, 62: 0.0}
    met = math.radians(swing[1] * math.cos(math.pi / 2 * (HIT - 1) / 16))
    touch = wall.location.y + WALL[1] / 2 + BALL
    ball.location = (0.0, touch - CHAIN * math.sin(met), 0.92 + CHAIN * math.cos(met))
    keyed(ball, "rotation_euler", {f: (math.radians(angle), 0.0, 0.0) for f, angle in swing.items()})
    eased(ball, {1: ("SINE", "EASE_IN"), 17: ("SINE", "EASE_OUT"), 33: ("SINE", "EASE_IN_OUT")})
    demo_scene.collider(ball)
    return wall


def vase_on_table() -> bpy.types.Object:
    """A vase near the edge of a table."""
    table = demo_meshes.table(TABLE)
    table.location.x = 0.25
    table.data.materials.append(demo_scene.matt("Oak", (0.30, 0.17, 0.08), 0.5))
    demo_scene.collider(table)
    vase = demo_meshes.revolved("Vase", VASE, 64)
    vase.location = (-0.13, -0.05, TABLE[2])
    vase.data.materials.append(demo_scene.matt("Porcelain", (0.72, 0.70, 0.64), 0.25))
    return vase


FILMS = (
    Film(
        "bowl",
        falling_bowl,
        demo_scene.Blow("Bowl", "Clay", 70, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 1.0, 4.5),
        ((0.5, -2.3, 1.05), (0.0, 0.0, 0.36)),
        (-3, 1, 3, 8, 16, 72),
    ),
    Film(
        "wall",
        wall_and_ball,
        demo_scene.Blow("Wall", "Brick Wall", 200, (0.0, 0.58, 0.92), (0.0, -1.0, -0.2), 0.25, 2.0, 0.2),
        ((2.2, -4.1, 1.9), (0.0, 0.0, 0.50)),
        (-4, 2, 5, 9, 18, 72),
    ),
    Film(
        "vase",
        vase_on_table,
        demo_scene.Blow("Vase", "Clay", 60, (0.0, -0.05, 0.70), (-1.0, -0.1, 0.1), 1.0, 2.2, 0.2),
        ((-0.8, -2.4, 1.25), (-0.1, 0.0, 0.40)),
        (-1, 3, 7, 12, 18, 84),
    ),
)


def main() -> int:
    """Break, render and lay out; 0 when all of it was done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="names of films; all of them without any")
    parser.add_argument("--samples", type=int, default=8, help="samples for each pixel (default %(default)s)")
    arguments = parser.parse_args()
    pictures, captions = [], []
    checkout.enable()
    try:
        for film in FILMS:
            if not arguments.only or film.name in arguments.only:
                broken(film)
                pictures += rendered(film, arguments.samples)
                captions += [f"{frame / FPS:+.2f} s" for frame in film.shown]
    finally:
        checkout.disable()
    contact_sheet.sheet(pictures, captions, RESULTS / "motion.png", columns=len(FILMS[0].shown))
    print(RESULTS / "motion.png")
    return 0


def broken(film: Film) -> list[bpy.types.Object]:
    """What an artist does: set the stage, go to the frame of the hit, aim, Shatter. Gives the pieces."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_end = FPS, HIT + film.shown[-1]
    demo_meshes.backdrop().data.materials.append(demo_scene.matt("Backdrop", (0.20, 0.21, 0.23), 0.7))
    obj = film.make()
    colour = obj.data.materials[0].diffuse_color
    obj.brittle.inner_material = demo_scene.matt("Inside", tuple(0.45 * part + 0.1 for part in colour[:3]), 0.9)
    demo_scene.lights()
    demo_scene.camera(*film.camera)
    scene.frame_set(HIT)
    bpy.context.view_layer.update()
    hit(obj, film.blow)
    scene.brittle.frames = film.shown[-1] + 1
    bpy.ops.brittle.shatter(preset=film.blow.preset, count=film.blow.count, seed=film.seed)
    pieces = [item for item in scene.objects if "brittle_fragment" in item]
    print(f"{film.name}: {film.blow.preset}, {len(pieces)} pieces", flush=True)
    return pieces


def hit(obj: bpy.types.Object, blow: demo_scene.Blow) -> None:
    """Aim a blow at the surface of an object nearest to its place, and select the object."""
    inverse = obj.matrix_world.inverted()
    place = obj.matrix_world @ obj.closest_point_on_mesh(inverse @ Vector(blow.place))[1]
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.brittle.impact_add(location=place, direction=blow.direction, size=0.2, owner=obj.name)
    empty = bpy.context.selected_objects[-1]
    empty.brittle_impact.strength, empty.brittle_impact.speed = blow.strength, blow.speed
    empty.brittle_impact.radius, empty.brittle_impact.frame = blow.radius, HIT
    empty.select_set(False)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)


def keyed(obj: bpy.types.Object, path: str, values: dict[int, Triple]) -> None:
    """Keys of a vector by frame."""
    for frame, value in values.items():
        setattr(obj, path, value)
        obj.keyframe_insert(path, frame=frame)


def eased(obj: bpy.types.Object, ways: dict[int, tuple[str, str]]) -> None:
    """Interpolation and easing of the way that begins at each of these frames."""
    animation = obj.animation_data
    for curve in animation.action.layers[0].strips[0].channelbag(animation.action_slot).fcurves:
        for point in curve.keyframe_points:
            if round(point.co.x) in ways:
                point.interpolation, point.easing = ways[round(point.co.x)]


def rendered(film: Film, samples: int) -> list:
    """The pictures of a film."""
    folder = RESULTS / film.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    contact_sheet.prepare(400, 300, samples)
    return contact_sheet.render([HIT + frame for frame in film.shown], folder)


if __name__ == "__main__":
    sys.exit(main())
