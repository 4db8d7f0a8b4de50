"""What a test asks Blender: Python that sets `answer`, or an expression."""

#: Whether kernels are being compiled, as they are at the first start.
COMPILES = """
import sys
answer = next(module for name, module in sys.modules.items() if name.endswith("brittle.operators.warm_up")).is_busy()
"""
#: The share of them that are.
COMPILED = COMPILES.replace("is_busy()", "how_far()[0]")
#: What is told of the job that runs; None where none runs.
JOB = """
import sys
job = next(module for name, module in sys.modules.items() if name.endswith("brittle.operators.job"))
answer = getattr(job.JobOperator.shown, "text", None)
"""
TURN = (
    "[value for area in bpy.context.window.screen.areas if area.type == 'VIEW_3D'"
    " for value in area.spaces.active.region_3d.view_rotation]"
)
TURN_BACK = """
area = next(area for area in bpy.context.window.screen.areas if area.type == "VIEW_3D")
area.spaces.active.region_3d.view_rotation = {}
"""
#: Whether the job that runs leaves the window to the artist.
FREE = JOB.replace('getattr(job.JobOperator.shown, "text", None)', 'type(job.JobOperator.shown).__name__ == "Waiting"')
PLAYS = "bpy.context.screen.is_animation_playing"
#: Where a place is seen.
PLACED = """
from bpy_extras.view3d_utils import location_3d_to_region_2d
area = next(area for area in bpy.context.window.screen.areas if area.type == "VIEW_3D")
region = next(region for region in area.regions if region.type == "WINDOW")
def seen(place):
    found = location_3d_to_region_2d(region, area.spaces.active.region_3d, place)
    return [round(region.x + found.x), round(bpy.context.window.height - region.y - found.y)]
"""
#: How far each piece has moved 24 frames after the break, in sizes of the cube.
WAY = """
scene, ways = bpy.context.scene, []
pieces = [obj for obj in bpy.data.objects if "brittle_fragment" in obj]
for frame in (1, 25):
    scene.frame_set(frame)
    ways.append([obj.matrix_world.translation.copy() for obj in pieces])
answer = [(end - begin).length / 2.0 for begin, end in zip(*ways)]
"""
