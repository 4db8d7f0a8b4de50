"""Lines drawn over the 3D views; nothing of it is part of the file."""

from typing import Any

import bpy
import numpy as np

#: Not the orange of a selection.
COLOUR = (0.15, 0.85, 1.0, 0.95)
WIDTH = 1.6  #: pixels of an unscaled interface


class Overlay:
    """Segments in world coordinates, drawn in every 3D view until `remove`."""

    def __init__(self) -> None:
        self.lines = np.zeros((0, 2, 3), np.float32)
        self._batch: Any = None
        # Without a window there is nothing to draw on, and no shader to draw with.
        space = bpy.types.SpaceView3D
        self._handle = None if bpy.app.background else space.draw_handler_add(self._draw, (), "WINDOW", "POST_VIEW")

    def show(self, lines: np.ndarray) -> None:
        """Draw these segments (n,2,3) from now on."""
        self.lines = np.ascontiguousarray(lines, dtype=np.float32)
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
        if not len(self.lines):
            return
        import gpu
        from gpu_extras.batch import batch_for_shader

        shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
        if self._batch is None:
            self._batch = batch_for_shader(shader, "LINES", {"pos": self.lines.reshape(-1, 3)})
        shader.bind()
        shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
        shader.uniform_float("lineWidth", WIDTH * bpy.context.preferences.system.ui_scale)
        shader.uniform_float("color", COLOUR)
        gpu.state.blend_set("ALPHA")
        gpu.state.depth_test_set("LESS_EQUAL")
        self._batch.draw(shader)
        gpu.state.depth_test_set("NONE")
        gpu.state.blend_set("NONE")
