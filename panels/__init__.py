"""The sidebar tab Brittle: drawing only, generated from the settings groups where there are numbers."""

import bpy

from . import breakable, collisions, impacts, main, menus, mesh, presets, report, sections, strength

CLASSES = (
    *presets.CLASSES,
    *main.CLASSES,
    # Panels stand in this order: what is asked for most first.
    *impacts.CLASSES,
    *report.CLASSES,
    *sections.CLASSES,
    *collisions.CLASSES,
    *breakable.CLASSES,
    *strength.CLASSES,
    *mesh.CLASSES,
    *menus.CLASSES,
)


def register() -> None:
    """Register all panels and menus; the first failure takes back what was registered and is raised."""
    done: list[type] = []
    try:
        for cls in CLASSES:
            bpy.utils.register_class(cls)
            done.append(cls)
        menus.register()
    except BaseException:
        for cls in reversed(done):
            bpy.utils.unregister_class(cls)
        raise


def unregister() -> None:
    """Take all panels and menus away."""
    menus.unregister()
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
