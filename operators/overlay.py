"""Lines and faces drawn over the 3D views; nothing of it is part of the file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

#: Not the orange of a selection. By eye.
COLOUR = (0.15, 0.85, 1.0, 0.95)
WIDTH = 1.6  #: pixels of an unscaled interface; by eye


@dataclass(frozen=True, eq=False, slots=True)
class Lines:
    """Segments in world coordinates."""

    ends: np.ndarray  #: (n,2,3)
    colours: np.ndarray | None = None  #: (n,4) red, green, blue and alpha of each; None: all have `colour`
    width: float = WIDTH
    colour: tuple[float, float, float, float] = COLOUR


@dataclass(frozen=True, eq=False, slots=True)
class Faces:
    """Triangles in world coordinates."""

    corners: np.ndarray  #: (n,3,3)
    colours: np.ndarray | None  #: (n,4) of each; None: that of the view's background, which hides what is behind
    #: In front of all objects in the view, as all is that is drawn after them; they hide each other by depth.
    over: bool = False


Layer = Lines | Faces


class Overlay:
    """Layers drawn in every 3D view until `remove`; `in_front` of all objects, or hidden by what is nearer."""

    def __init__(self, in_front: bool = False) -> None:
        self.layers: tuple[Layer, ...] = ()
        self._in_front = in_front
        self._batches: dict[int, Any] = {}
        # Without a window there is nothing to draw on, and no shader to draw with.
        space = bpy.types.SpaceView3D
        self._handle = None if bpy.app.background else space.draw_handler_add(self._draw, (), "WINDOW", "POST_VIEW")

    def show(self, layers: Sequence[Layer]) -> None:
        """Draw these layers from now on, the first one first."""
        self.layers = tuple(layers)
        self._batches.clear()
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
        import gpu

        gpu.state.blend_set("ALPHA")
        gpu.state.depth_test_set("NONE" if self._in_front else "LESS_EQUAL")
        for number, layer in enumerate(self.layers):
            if isinstance(layer, Lines) and len(layer.ends):
                self._draw_lines(number, layer)
            elif isinstance(layer, Faces) and len(layer.corners):
                self._draw_faces(number, layer)
        gpu.state.depth_mask_set(False)
        gpu.state.depth_test_set("NONE")
        gpu.state.blend_set("NONE")

    def _draw_lines(self, number: int, lines: Lines) -> None:
        import gpu

        coloured = lines.colours is not None
        shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR" if coloured else "POLYLINE_UNIFORM_COLOR")
        shader.bind()
        shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
        shader.uniform_float("lineWidth", lines.width * bpy.context.preferences.system.ui_scale)
        if not coloured:
            shader.uniform_float("color", lines.colour)
        self._batch(number, shader, "LINES", lines.ends, lines.colours).draw(shader)

    def _draw_faces(self, number: int, faces: Faces) -> None:
        import gpu

        shader = gpu.shader.from_builtin("UNIFORM_COLOR" if faces.colours is None else "SMOOTH_COLOR")
        shader.bind()
        if faces.colours is None:
            shader.uniform_float("color", _background(bpy.context))
        if faces.over:
            gpu.state.active_framebuffer_get().clear(depth=1.0)
            gpu.state.depth_mask_set(True)
        self._batch(number, shader, "TRIS", faces.corners, faces.colours).draw(shader)

    def _batch(self, number: int, shader: Any, kind: str, points: np.ndarray, colours: np.ndarray | None) -> Any:
        """What the graphics card is given of a layer, made when it is drawn first."""
        from gpu_extras.batch import batch_for_shader

        if number not in self._batches:
            given = {"pos": np.ascontiguousarray(points.reshape(-1, 3), dtype=np.float32)}
            if colours is not None:
                given["color"] = np.repeat(colours, points.shape[1], axis=0).astype(np.float32)
            self._batches[number] = batch_for_shader(shader, kind, given)
        return self._batches[number]


def _background(context: bpy.types.Context) -> tuple[float, float, float, float]:
    """The colour behind the objects of the view that is being drawn."""
    shading = context.space_data.shading
    if shading.background_type == "VIEWPORT":
        return (*shading.background_color, 1.0)
    if shading.background_type == "WORLD" and context.scene.world is not None:
        return (*context.scene.world.color, 1.0)
    return (*context.preferences.themes[0].view_3d.space.gradients.high_gradient, 1.0)
