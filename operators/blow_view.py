"""The blow from the side of the viewer, drawn before the click: where it lands, from where, how far it reaches.

It is seen where the tab Brittle is open and no impact is placed; an impact has an arrow of its own.
"""

from dataclasses import dataclass, field
from itertools import pairwise

import bpy
import numpy as np

from ..core.geometry.mesh import diagonal
from ..core.pieces.convention import AUTOMATIC_RADIUS
from ..core.types import Impact
from . import idnames
from .bridge.impacts import impact_empties, impacts_on
from .bridge.read import read_shape
from .bridge.viewer import FRONT, heading_of
from .live import Live
from .overlay import NOTHING, Lines

#: Neither the orange of a selection nor the blue of cracks.
COLOUR = (1.0, 0.25, 0.2, 0.95)
WIDTH = 2.5
#: Length of the arrow at strength 1 and the most, in diagonals of the object, and its head in lengths.
LENGTH, LENGTH_MAX, HEAD = 0.4, 1.2, 0.2
#: Corners of the ring around the place.
CORNERS = 32


@dataclass(slots=True)
class _Seen:
    """What the view with the tab showed when it was drawn last."""

    heading: np.ndarray = field(default_factory=lambda: FRONT)


_seen = _Seen()


def is_open(area: bpy.types.Area | None) -> bool:
    """Whether a 3D view shows the tab Brittle."""
    if area is None or area.type != "VIEW_3D" or not area.spaces.active.show_region_ui:
        return False
    sidebar = next((region for region in area.regions if region.type == "UI"), None)
    return sidebar is not None and sidebar.width > 1 and getattr(sidebar, "active_panel_category", "") == idnames.TAB


def blow(context: bpy.types.Context, obj: bpy.types.Object, heading: np.ndarray) -> Lines:
    """The lines of the blow on an object for which no impact is placed, NOTHING for others. Raises InputError."""
    shape = read_shape(context, obj)
    if impact_empties(context, obj, shape.mesh, shape):
        return NOTHING
    render, now = context.scene.render, context.scene.frame_current
    (hit,), _ = impacts_on(context, obj, shape.mesh, shape, render.fps / render.fps_base, now, heading)
    ends = drawn(hit, diagonal(shape.mesh.vertices)) / shape.unit_scale + shape.origin
    return Lines(ends, np.broadcast_to(COLOUR, (len(ends), 4)), WIDTH)


def drawn(hit: Impact, size: float) -> np.ndarray:
    """(n,2,3) an arrow that ends where a blow lands, the longer the stronger it is, and a ring at its reach [m].

    `size` [m] is the diagonal of what is hit.
    """
    d = hit.direction
    u = np.cross(d, np.eye(3)[np.abs(d).argmin()])
    u = u / np.sqrt((u * u).sum())
    v = np.cross(d, u)
    length = min(LENGTH * np.sqrt(hit.strength), LENGTH_MAX) * size
    tail, neck = hit.point - length * d, hit.point - HEAD * length * d
    barbs = [neck + 0.5 * HEAD * length * side for side in (u, -u, v, -v)]
    turn = np.linspace(0.0, 2.0 * np.pi, CORNERS + 1)[:, None]
    ring = hit.point + (hit.radius or AUTOMATIC_RADIUS * size) * (np.cos(turn) * u + np.sin(turn) * v)
    return np.array([(tail, hit.point), *((hit.point, barb) for barb in barbs), *pairwise(ring)])


live = Live(lambda context, obj: blow(context, obj, _seen.heading), in_front=True)


def _look() -> None:
    """Note, when a view is drawn, what the blow depends on; where that has changed, it is made anew soon."""
    context = bpy.context
    if is_open(context.area):
        heading = heading_of(context)
        if (heading != _seen.heading).any():
            _seen.heading = heading
            live.changed()
    follow(context)


def follow(context: bpy.types.Context) -> None:
    """Begin soon to draw the blow where the tab was opened, and end where it was closed; for what is being drawn."""
    wanted = any(is_open(area) for area in context.screen.areas)
    if not bpy.app.background and wanted != live.is_on() and not bpy.app.timers.is_registered(_switch):
        bpy.app.timers.register(_switch, first_interval=0.0)


def _switch() -> None:
    """Draw the blow while the tab is open; not from within a drawing, which must not look at objects."""
    screens = [window.screen for window in bpy.context.window_manager.windows]
    if any(is_open(area) for screen in screens for area in screen.areas):
        live.start(bpy.context)
    else:
        live.stop()


_handle = None


def register() -> None:
    """Draw it from now on, where there is a window."""
    global _handle
    if not bpy.app.background:
        _handle = bpy.types.SpaceView3D.draw_handler_add(_look, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    """Draw it no more."""
    global _handle
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None
    if bpy.app.timers.is_registered(_switch):
        bpy.app.timers.unregister(_switch)
    live.stop()
