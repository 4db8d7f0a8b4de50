"""Everything that touches Blender except the drawing of panels.

Registration is the list below, in order and loud: the first failure takes back what was registered and is raised.
Imports stand inside the functions because numba reads the place of its cache when it is first imported.
"""

from types import ModuleType

from .registering import register_all


def _modules() -> tuple[ModuleType, ...]:
    from . import warm_up

    warm_up.use_cache()
    from . import (
        alike,
        blow_view,
        check,
        collider,
        command_line,
        curves,
        export_view,
        fields,
        handles,
        impact,
        influence,
        pattern,
        pictures,
        preferences,
        preset,
        preview,
        preview_strength,
        remembered,
        restore,
        select_pieces,
        settings,
        shatter,
        simulate,
    )

    return (
        preferences,
        settings,
        remembered,
        pictures,
        alike,
        preset,
        shatter,
        simulate,
        restore,
        select_pieces,
        export_view,
        impact,
        influence,
        fields,
        pattern,
        collider,
        curves,
        preview,
        preview_strength,
        blow_view,
        handles,
        check,
        command_line,
        warm_up,
    )


def register() -> None:
    """Register every module of the list."""
    register_all(_modules(), lambda module: module.register(), lambda module: module.unregister())


def unregister() -> None:
    """Unregister every module of the list, last one first."""
    for module in reversed(_modules()):
        module.unregister()
