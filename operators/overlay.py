"""Lines drawn over the 3D views; nothing of it is part of the file."""

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

#: Not the orange of a selection.
COLOUR = (0.15, 0.85, 1.0, 0.95)
WIDTH = 1.6  #: pixels of an unscaled interface


@dataclass(frozen=True, eq=False, slots=True)
class Lines:
    """Segments in world coordinates."""

    ends: np.ndarray  #: (n,2,3)
    colours: np.ndarray | None = None  #: (n,4) red, green, blue and alpha of each; None: all have one colour
    width: float = WIDTH


NOTHING = Lines(np.zeros((0, 2, 3), np.float32))


class Overlay:
    """Segments drawn in every 3D view until `remove`; `in_front` of all objects, or hidden by what is nearer."""

    def __init__(self, in_front: bool = False) -> None:
        self.lines = NOTHING
        self._in_front = in_front
        self._batch: Any = None
        # Without a window there is nothing to draw on, and no shader to draw with.
        space = bpy.types.SpaceView3D
        self._handle = None if bpy.app.background else space.draw_handler_add(self._draw, (), "WINDOW", "POST_VIEW")

    def show(self, lines: Lines) -> None:
        """Draw these segments from now on."""
        self.lines = lines
        self._batch = None
        self._redraw()

    def remove(self) -> None:
        """Draw nothing any more."""
        if self._handle is not None:
            bpy.types.SpaceView3D.draw_handler_remove(self._handle, "WINDOW")
            self._handle = None
        self._redraw()

    def _redraw(self) -> None:
        for window in bpy.context.window_manager.windows:
            for area in window.screen.areas:
                if area.type == "VIEW_3D":
                    area.tag_redraw()

    def _draw(self) -> None:
        if not len(self.lines.ends):
            return
        import gpu

        coloured = self.lines.colours is not None
        shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR" if coloured else "POLYLINE_UNIFORM_COLOR")
        if self._batch is None:
            self._batch = self._batch_for(shader)
        shader.bind()
        shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
        shader.uniform_float("lineWidth", self.lines.width * bpy.context.preferences.system.ui_scale)
        if not coloured:
            shader.uniform_float("color", COLOUR)
        gpu.state.blend_set("ALPHA")
        gpu.state.depth_test_set("NONE" if self._in_front else "LESS_EQUAL")
        self._batch.draw(shader)
        gpu.state.depth_test_set("NONE")
        gpu.state.blend_set("NONE")

    def _batch_for(self, shader: Any) -> Any:
        from gpu_extras.batch import batch_for_shader

        given = {"pos": np.ascontiguousarray(self.lines.ends.reshape(-1, 3), dtype=np.float32)}
        if self.lines.colours is not None:
            given["color"] = np.repeat(self.lines.colours, 2, axis=0).astype(np.float32)
        return batch_for_shader(shader, "LINES", given)
