"""Previews that follow what changes: something drawn over the 3D views, made anew after each change of a setting.

Blender tells of each change after it has happened; what is shown is made anew in a timer right after that, since
handlers and drawing must not look at half-evaluated data. Nothing in the file changes.
"""

from collections.abc import Callable, Sequence

import bpy
from bpy.app.handlers import persistent

from ..core.errors import BrittleError
from . import generated, warm_up
from .bridge.restore import is_shattered
from .job import COMPILING, JobOperator
from .overlay import Layer, Overlay
from .targets import targets

#: [s] between two looks at a compilation that has not ended. By eye.
PATIENCE = 0.5


class Live:
    """A preview of the active object; `make` gives what to draw, in world coordinates of the scene's units.

    `rest` is called where there is nothing to show, and at the end: what was kept for the next time may go.
    """

    def __init__(
        self,
        make: Callable[[bpy.types.Context, bpy.types.Object], Sequence[Layer]],
        in_front: bool = False,
        rest: Callable[[], None] = lambda: None,
    ) -> None:
        self.overlay: Overlay | None = None
        self.note = ""  #: why nothing is shown, in a sentence
        self._make, self._in_front, self._rest = make, in_front, rest

        @persistent
        def changed(*_: object) -> None:
            if not bpy.app.timers.is_registered(self.refresh_soon):
                bpy.app.timers.register(self.refresh_soon, first_interval=0.0)

        def refresh_soon() -> float | None:
            if self.overlay is None or JobOperator.shown is not None:
                return None
            self.refresh(bpy.context)
            return PATIENCE if warm_up.is_busy() else None

        # Blender and the timers know functions by identity, which a bound method does not keep.
        self.changed, self.refresh_soon = changed, refresh_soon

    def is_on(self) -> bool:
        """Whether it runs."""
        return self.overlay is not None

    def start(self, context: bpy.types.Context) -> None:
        """Show, and follow what changes."""
        if self.overlay is None:
            self.overlay = Overlay(self._in_front)
            bpy.app.handlers.depsgraph_update_post.append(self.changed)
            bpy.app.handlers.load_post.append(self.changed)
            generated.listeners.append(self.changed)
        if warm_up.is_busy():
            self.changed()
        self.refresh(context)

    def stop(self) -> None:
        """Show nothing, and listen no more."""
        if self.overlay is None:
            return
        bpy.app.handlers.depsgraph_update_post.remove(self.changed)
        bpy.app.handlers.load_post.remove(self.changed)
        generated.listeners.remove(self.changed)
        if bpy.app.timers.is_registered(self.refresh_soon):
            bpy.app.timers.unregister(self.refresh_soon)
        self.overlay.remove()
        self.overlay, self.note = None, ""
        self._rest()

    def refresh(self, context: bpy.types.Context) -> None:
        """Make what is shown anew."""
        assert self.overlay is not None
        layers: Sequence[Layer] = ()
        text = ""
        found = targets(context)
        if warm_up.is_busy():  # compiling here as well would freeze the window
            text = COMPILING
        elif found and context.mode == "OBJECT" and not is_shattered(found[0]):
            try:
                layers = self._make(context, found[0])
            except BrittleError as error:
                text = str(error)
        if not layers:
            self._rest()
        self.note = text
        self.overlay.show(layers)
