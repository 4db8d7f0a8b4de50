"""After a break: the playhead goes where it begins, and what happens is played."""

import bpy

from .preferences import plays


def show_break(context: bpy.types.Context, frame: int) -> None:
    """Go to the frame at which something breaks and, in a window and where the artist wants that, play from there."""
    scene = context.scene
    if scene.frame_current != frame or scene.frame_subframe:
        scene.frame_set(frame)
    if bpy.app.background or context.screen is None or not plays(context):
        return
    if not context.screen.is_animation_playing:
        bpy.ops.screen.animation_play()
