"""Matter that deforms, driven by mouse and keys."""

from .reading import Place
from .test_then_by_hand import choose, free, new_file
from .view import broken, found, press, shot

#: Two seconds of motion, nothing in the way of the vase, and the eye near to it.
SCENE = """
bpy.data.objects.remove(bpy.data.objects["Cube"])
bpy.context.scene.brittle.frames = 48
eye = next(area for area in bpy.context.window.screen.areas if area.type == "VIEW_3D").spaces.active
eye.clip_start, eye.region_3d.view_distance, eye.region_3d.view_location = 0.001, 0.9, (0, 0, 0.1)
"""
#: The tracks of what deforms: how far the highest vertices of the vase sway over the frames, in sizes of it.
SWAY = """
import numpy as np
scene, tops = bpy.context.scene, []
piece = next(obj for obj in bpy.data.objects if "brittle_fragment" in obj)
for frame in range(1, 49):
    scene.frame_set(frame)
    seen = piece.evaluated_get(bpy.context.evaluated_depsgraph_get())
    places = np.empty(3 * len(seen.data.vertices))
    seen.data.vertices.foreach_get("co", places)
    places = places.reshape(-1, 3) @ np.array(seen.matrix_world)[:3, :3].T + np.array(seen.matrix_world)[:3, 3]
    low, high = places[:, 2].min(), places[:, 2].max()
    tops.append(places[places[:, 2] > high - 0.1 * (high - low)].mean(axis=0))
answer = float(np.ptp(np.array(tops)[:, :2], axis=0).max() / (high - low))
"""


def test_a_vase_wobbles_after_four_clicks(window):
    new_file(window)
    window.ask(SCENE)
    window.move(*free(window))
    window.keys("shift+a")
    everywhere = Place(0, 28, 760, 770)
    for entry in ("Mesh", "Brittle Lattice"):
        window.move(*found(window, entry, everywhere).middle())
    press(window, "Vase", everywhere)
    choose(window, "Rubber")
    shot(window, "15_vase")
    press(window, "Wobble")
    press(window, "Shatter")
    broken(window)
    window.keys("Escape")
    window.ask("bpy.context.scene.frame_set(20)")
    shot(window, "15_wobbles")
    assert window.ask(SWAY) > 0.03, "its mouth sways by more than 3 % of its height"
