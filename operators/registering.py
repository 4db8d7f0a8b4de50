"""Registration: in order and loud; the first failure takes back what was registered and is raised."""

from collections.abc import Callable, Iterable

import bpy


def register_all(
    items: Iterable[object], register: Callable[[object], None], unregister: Callable[[object], None]
) -> None:
    """Register items one after the other; a failure unregisters those before it, last one first, and is raised."""
    done: list[object] = []
    try:
        for item in items:
            register(item)
            done.append(item)
    except BaseException:
        for item in reversed(done):
            unregister(item)
        raise


def register_classes(classes: Iterable[type]) -> None:
    """Register classes in order."""
    register_all(classes, bpy.utils.register_class, bpy.utils.unregister_class)


def unregister_classes(classes: Iterable[type]) -> None:
    """Unregister classes, last one first."""
    for cls in reversed(tuple(classes)):
        bpy.utils.unregister_class(cls)


def registration_of(*classes: type) -> tuple[Callable[[], None], Callable[[], None]]:
    """`register` and `unregister` of a module that adds nothing but these classes."""
    return lambda: register_classes(classes), lambda: unregister_classes(classes)
