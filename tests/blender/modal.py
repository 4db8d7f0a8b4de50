"""What a modal operator touches of Blender where there is no window: a context that notes calls, made-up events."""

from types import SimpleNamespace

import bpy


class WindowContext:
    """Blender's context with a window whose calls are noted in `log`."""

    def __init__(self):
        self.log = []
        self.window_manager = SimpleNamespace(
            event_timer_add=self._noting("timer added"),
            event_timer_remove=self._noting("timer removed"),
            modal_handler_add=self._noting("handler added"),
            progress_begin=self._noting("progress begun"),
            progress_update=self._noting("progress"),
            progress_end=self._noting("progress ended"),
        )
        self.workspace = SimpleNamespace(status_text_set=self._noting("status"))
        sidebar = SimpleNamespace(type="UI", tag_redraw=self._noting("sidebar"))
        self.area = SimpleNamespace(regions=[SimpleNamespace(type="WINDOW"), sidebar])
        self.window = "window"

    def __getattr__(self, name):
        return getattr(bpy.context, name)

    def _noting(self, name):
        return lambda *arguments, **_: self.log.append((name, *arguments)) or name


def event(kind):
    return SimpleNamespace(type=kind, value="PRESS")
