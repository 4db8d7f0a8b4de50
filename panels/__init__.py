"""The sidebar tab Brittle: drawing only, generated from the settings groups where there are numbers."""

from ..operators.registering import register_classes, unregister_classes
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
    register_classes(CLASSES)
    try:
        menus.register()
    except BaseException:
        unregister_classes(CLASSES)
        raise


def unregister() -> None:
    """Take all panels and menus away."""
    menus.unregister()
    unregister_classes(CLASSES)
