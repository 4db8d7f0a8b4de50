"""The blows on the active object, drawn before the click: where each lands, from where, how far it reaches.

They are seen where the tab Brittle is open. Handles on them are in operators/handles.py.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import bpy
import numpy as np

from ..core.pieces.convention import AUTOMATIC_RADIUS
from . import idnames
from .bridge.clock import frames_per_second
from .bridge.impacts import blows_on
from .bridge.read import read_shape
from .bridge.surface import axes_across, extent
from .bridge.viewer import FRONT, heading_for, heading_of
from .live import Live
from .overlay import Lines

#: Neither the orange of a selection nor the blue of cracks.
COLOUR = (1.0, 0.25, 0.2, 0.95)
#: Of its lines [px], by eye.
WIDTH = 2.5
#: Length of the arrow at strength 1 and the most, in diagonals of the object, and its head in lengths. By eye.
LENGTH, LENGTH_MAX, HEAD = 0.4, 1.2, 0.2
#: Corners of the ring around the place. By eye: round.
CORNERS = 32


@dataclass(frozen=True, eq=False, slots=True)
class Blow:
    """A blow as it is drawn, in world coordinates."""

    obj: str  #: name of the object that is hit
    impact: str  #: name of the empty that stands for it; "" for the blow from the viewer
    place: np.ndarray  #: (3,) where it lands
    direction: np.ndarray  #: (3,) unit, into the object
    strength: float
    reach: float  #: radius of the ring
    size: float  #: diagonal of the object

    def length(self) -> float:
        """Length of the arrow: the longer the stronger the blow is."""
        return min(LENGTH * float(np.sqrt(self.strength)), LENGTH_MAX) * self.size

    def tail(self) -> np.ndarray:
        """(3,) where the arrow begins."""
        return np.asarray(self.place - self.length() * self.direction)

    def rim(self) -> np.ndarray:
        """(3,) the point of the ring at which its radius can be drawn."""
        return np.asarray(self.place + self.reach * axes_across(self.direction)[0])

    def lines(self) -> np.ndarray:
        """(n,2,3) an arrow that ends where the blow lands, and a ring at its reach."""
        u, v = axes_across(self.direction)
        neck, side = self.place - HEAD * self.length() * self.direction, 0.5 * HEAD * self.length()
        barbs = [(self.place, neck + side * axis) for axis in (u, -u, v, -v)]
        turn = np.linspace(0.0, 2.0 * np.pi, CORNERS + 1)[:, None]
        ring = self.place + self.reach * (np.cos(turn) * u + np.sin(turn) * v)
        return np.array([(self.tail(), self.place), *barbs, *pairwise(ring)])


@dataclass(slots=True)
class _Seen:
    """What the view with the tab showed when it was drawn last."""

    heading: np.ndarray = field(default_factory=lambda: FRONT)
    blows: tuple[Blow, ...] = ()


_seen = _Seen()


def is_open(area: bpy.types.Area | None) -> bool:
    """Whether a 3D view shows the tab Brittle."""
    if area is None or area.type != "VIEW_3D" or not area.spaces.active.show_region_ui:
        return False
    sidebar = next((region for region in area.regions if region.type == "UI"), None)
    return sidebar is not None and sidebar.width > 1 and getattr(sidebar, "active_panel_category", "") == idnames.TAB


def blows(context: bpy.types.Context, obj: bpy.types.Object, heading: np.ndarray) -> tuple[Blow, ...]:
    """The blows on an object: those that are placed, or else that from a viewer. Raises InputError."""
    shape = read_shape(context, obj)
    fps, now = frames_per_second(context.scene), context.scene.frame_current
    found = blows_on(context, obj, shape.mesh, shape, fps, now, heading)
    size = extent(shape.mesh)
    return tuple(
        Blow(
            obj.name,
            empty.name if empty is not None else "",
            hit.point / shape.unit_scale + shape.origin,
            hit.direction,
            hit.strength,
            (hit.radius or AUTOMATIC_RADIUS * size) / shape.unit_scale,
            size / shape.unit_scale,
        )
        for empty, hit in zip(found.empties, found.hits, strict=True)
    )


def _lines(context: bpy.types.Context, obj: bpy.types.Object) -> list[Lines]:
    """What is drawn of an object; remembers it for the handles."""
    _seen.blows = ()
    _seen.blows = blows(context, obj, _seen.heading)
    ends = [blow.lines() for blow in _seen.blows]
    return [Lines(np.concatenate(ends), width=WIDTH, colour=COLOUR)] if ends else []


live = Live(_lines, in_front=True)


def drawn() -> tuple[Blow, ...]:
    """The blows that are drawn at present."""
    return _seen.blows if live.overlay is not None and live.overlay.layers else ()


def heading(context: bpy.types.Context, obj: bpy.types.Object) -> np.ndarray:
    """Where one looks, as the blow is drawn where it is; else as `heading_for` says."""
    return _seen.heading if live.is_on() else heading_for(context, obj)


#: What is called when one looks from elsewhere.
turned: list[Callable[[], None]] = []


def _look() -> None:
    """Note, when a view is drawn, what the blow depends on; where that has changed, it is made anew soon."""
    context = bpy.context
    if is_open(context.area):
        towards = heading_of(context)
        if (towards != _seen.heading).any():
            _seen.heading = towards
            live.changed()
            for listener in turned:
                listener()
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
