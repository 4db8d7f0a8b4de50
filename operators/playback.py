"""After a break: the playhead goes where it begins, what happens is played, and the pieces are selected."""

from collections.abc import Callable, Iterable

import bpy

from . import clear_view
from .bridge import names
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
        clear_view.clear(context.screen)


def remember_playhead(context: bpy.types.Context) -> Callable[[], None]:
    """A call that brings the playhead back to where it is now, and stops what was begun to be played since."""
    scene, frame, subframe = context.scene, context.scene.frame_current, context.scene.frame_subframe
    screen = context.screen
    played = screen is not None and screen.is_animation_playing

    def put_back() -> None:
        if screen is not None and screen.is_animation_playing and not played:
            bpy.ops.screen.animation_cancel(restore_frame=False)
        if (scene.frame_current, scene.frame_subframe) != (frame, subframe):
            scene.frame_set(frame, subframe=subframe)

    return put_back


def select_pieces(context: bpy.types.Context, broken: Iterable[tuple[bpy.types.Object, bpy.types.Collection]]) -> None:
    """Select the pieces in place of each object that they broke from; the first of these is the active object."""
    context.view_layer.update()  # it does not know yet what was just made
    there, active = set(context.view_layer.objects), None
    for source, pieces in broken:
        active = active or source
        if source in there:
            source.select_set(False)
        for obj in pieces.all_objects:
            if obj in there and names.FRAGMENT in obj:
                obj.select_set(True)
    context.view_layer.objects.active = active
