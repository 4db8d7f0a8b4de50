"""Everything that touches Blender except the drawing of panels.

Registration is the list below, in order and loud: the first failure takes back what was registered and is raised.
Imports stand inside the functions because numba reads the place of its cache when it is first imported.
"""

from collections.abc import Iterator
from types import ModuleType

import bpy

from .registering import register_all


def _modules() -> Iterator[ModuleType]:
    from . import preferences, warm_up

    # What the artist chose is known once they are registered, and the place of machine code must be before the rest.
    yield preferences
    warm_up.use_cache(preferences.cache_folder(bpy.context))
    from . import (
        alike,
        blow_view,
        cache_files,
        check,
        clear_view,
        collider,
        command_line,
        curves,
        export_view,
        fields,
        final,
        handles,
        impact,
        influence,
        pattern,
        pictures,
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
    from .soft_matter import control, glue, lattice_shapes, threshold

    yield from (
        settings,
        remembered,
        cache_files,
        pictures,
        alike,
        preset,
        clear_view,
        shatter,
        simulate,
        restore,
        final,
        select_pieces,
        export_view,
        impact,
        influence,
        fields,
        lattice_shapes,
        glue,
        pattern,
        collider,
        control,
        threshold,
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
    for module in reversed(tuple(_modules())):
        module.unregister()
