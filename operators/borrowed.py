"""The settings by which a piece breaks: those of what it is a piece of, until it has settings of its own."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from . import idnames
from .bridge.restore import source_of
from .generated import copy_group, forget, is_untouched, remember

#: Settings that say what an object is, or how it was broken, and not how it breaks.
APART = ("collider", "influence", "pattern_mark", "heading")


def lender_of(obj: bpy.types.Object) -> bpy.types.Object:
    """The object whose settings count for `obj`: itself, but for a piece that has none of its own."""
    source = source_of(obj)
    if source is None or not is_untouched(getattr(obj, idnames.OBJECT), APART):
        return obj
    return lender_of(source)


def borrow(obj: bpy.types.Object) -> None:
    """Give a piece that has no settings of its own those that count for it."""
    lender = lender_of(obj)
    if lender != obj:
        copy_group(getattr(lender, idnames.OBJECT), getattr(obj, idnames.OBJECT), APART)


def give_up(obj: bpy.types.Object) -> None:
    """Let the settings of what it is a piece of count for a piece again, in place of its own."""
    if source_of(obj) is not None:
        forget(getattr(obj, idnames.OBJECT), APART)


@contextmanager
def borrowed(obj: bpy.types.Object) -> Iterator[None]:
    """`borrow`, for as long as this lasts."""
    give_back = remember(getattr(obj, idnames.OBJECT))
    borrow(obj)
    try:
        yield
    finally:
        give_back()
