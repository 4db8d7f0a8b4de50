"""Adjust Last Operation as a job: what a click begins, with progress and ESC, and not a call that freezes the window.

Blender takes the earlier result back, calls `execute` with the new values, and brings the earlier result back where
that says CANCELLED. So `execute` says that at once. As soon as the values rest, the earlier result is undone once more
and the operator is invoked with them, as a click would: what comes of it takes the place of the earlier result, which a
redo brings back where the job is stopped or refused.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

#: [s] for which values have to rest: they come one after the other while a slider is pulled. By eye: longer is felt,
#: shorter computes for values that do not stay.
REST = 0.3
#: [s] until the event that stopped a job has been dealt with. By eye: any time above 0 does.
SOON = 0.01
#: Events that change nothing in the file, so that the earlier result can be brought back.
NAVIGATION = frozenset(
    (
        *("MOUSEMOVE", "INBETWEEN_MOUSEMOVE", "MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "TRACKPADPAN"),
        *("TRACKPADZOOM", "MOUSEROTATE", "MOUSESMARTZOOM", "NDOF_MOTION", "HOME", "WINDOW_DEACTIVATE"),
        *(f"NUMPAD_{key}" for key in (*range(10), "PERIOD", "PLUS", "MINUS")),
    )
)

_waiting: list[tuple[str, dict[str, Any]]] = []
_begins = False


def is_asked(operator: Any) -> bool:
    """Whether an operator is called by the panel Adjust Last Operation of a window."""
    options = getattr(operator, "options", None)
    return options is not None and options.is_repeat and not bpy.app.background


def begin_soon(operator: Any) -> None:
    """Begin an operator anew with the values that it has now, in place of one that waits for that."""
    values = {name: _plain(value) for name, value in operator.as_keywords().items()}
    # Blender knows it as "BRITTLE_OT_shatter".
    _waiting[:] = [(operator.bl_idname.replace("_OT_", ".").lower(), values)]
    _run_soon(_begin, REST)


def begins() -> bool:
    """Whether an operator is just being begun anew."""
    return _begins


def bring_back_soon() -> None:
    """Bring back the earlier result, since its successor was stopped."""
    _run_soon(_bring_back, SOON)


def forget() -> None:
    """Begin nothing any more."""
    _waiting.clear()
    for call in (_begin, _bring_back):
        if bpy.app.timers.is_registered(call):
            bpy.app.timers.unregister(call)


def _run_soon(call: Callable[[], None], delay: float) -> None:
    if bpy.app.timers.is_registered(call):
        bpy.app.timers.unregister(call)
    bpy.app.timers.register(call, first_interval=delay)


def _begin() -> None:
    global _begins
    if not _waiting:
        return
    idname, values = _waiting.pop()
    with _in_a_view():
        bpy.ops.ed.undo()
    group, name = idname.split(".")
    _begins = True
    try:
        with _in_a_view():
            ended = getattr(getattr(bpy.ops, group), name)("INVOKE_DEFAULT", True, **values)
    except RuntimeError:  # it was refused, which Blender shows, and tells a caller so
        ended = {"CANCELLED"}
    finally:
        _begins = False
    if "CANCELLED" in ended:
        _bring_back()


def _bring_back() -> None:
    with _in_a_view():
        if bpy.ops.ed.redo.poll():
            bpy.ops.ed.redo()


@contextmanager
def _in_a_view() -> Iterator[None]:
    """The context of the first 3D view: timers have none."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                region = next(item for item in area.regions if item.type == "WINDOW")
                with bpy.context.temp_override(window=window, area=area, region=region):
                    yield
                return
    yield


def _plain(value: Any) -> Any:
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
