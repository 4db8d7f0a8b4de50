"""What an operator works on, by what is selected: whole objects, or pieces of one that was broken."""

from collections.abc import Iterable, Sequence

import bpy

from ..core.wording import count
from . import idnames
from .bridge import names
from .bridge.impacts import owner
from .bridge.influence import is_sphere
from .bridge.refusals import BREAKABLE, SELECT, poll_refusal
from .bridge.restore import is_shattered, pieces_of, sources_by_piece
from .bridge.siblings import sources_of
from .remembered import remembered
from .targets import poll_object_mode, targets


def to_break(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The selected objects, all of a type that can break: what the active object stands for first.

    An impact or a sphere stands for the object that it belongs to, else for the active one. A piece is broken further
    by itself. But all the pieces of an object that are seen stand for it, unless one of them is the active object: so
    they are selected after a break, and another click breaks the object anew. The empty on which pieces hang stands for
    the object where none of them is selected.

    Where nothing at all is selected nothing breaks, but for an active object that was broken: Blender takes its pieces
    out of the selection as soon as one goes to a frame before the break, and one who plays it is not done with it.
    """
    active = context.view_layer.objects.active
    selected = {_helped(obj, active) for obj in context.view_layer.objects.selected} - {None}
    if not selected and active is not None and is_shattered(active):
        return [active]
    ordered = sorted(selected, key=lambda obj: (obj != active, obj.name_full))
    known = sources_by_piece()
    sources = {known[obj] for obj in selected if obj in known and names.FRAGMENT in obj}
    whole = {source for source in sources if _is_whole(source, selected, active)}
    whole |= {known[obj] for obj in selected if obj in known} - sources
    found = [_meant(obj, known.get(obj), whole) for obj in ordered]
    found.sort(key=lambda obj: obj != active)
    return _outermost(dict.fromkeys(obj for obj in found if obj.type in BREAKABLE))


#: `to_break` for panels and polls.
known_to_break = remembered(to_break)


def to_restore(context: bpy.types.Context) -> list[bpy.types.Object]:
    """What was shattered of the active and the selected objects, and nothing that is a piece of another one of them."""
    return _outermost([obj for obj in targets(context) if is_shattered(obj)])


#: `to_restore` for polls.
known_to_restore = remembered(to_restore)


def poll_selected(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Poll for operators that break what is selected, in Object Mode; says what to do where there is nothing."""
    if not poll_object_mode(cls, context):
        return False
    if not known_to_break(context):
        selected = context.view_layer.objects.selected
        cls.poll_message_set(poll_refusal(selected[0]) if len(selected) else SELECT)
        return False
    return True


def button_text(chosen: Sequence[bpy.types.Object]) -> str:
    """What the button says that breaks these: how many there are, and whether they are pieces."""
    if len(chosen) < 2 and not any(names.FRAGMENT in obj for obj in chosen):
        return "Shatter"
    pieces = all(names.FRAGMENT in obj for obj in chosen)
    return f"Shatter {count(len(chosen), 'Piece' if pieces else 'Object')}"


def _helped(obj: bpy.types.Object, active: bpy.types.Object | None) -> bpy.types.Object | None:
    """What a selected object is there for: an impact or a sphere for another one."""
    if not (getattr(obj, idnames.IMPACT).is_impact or is_sphere(obj)):
        return obj
    return owner(obj) or active


def _meant(obj: bpy.types.Object, source: bpy.types.Object | None, whole: set[bpy.types.Object]) -> bpy.types.Object:
    """What a selected object stands for that may be a piece of a `source`."""
    if source is None:
        return obj
    return source if source in whole and names.BEFORE not in obj else obj


def _is_whole(source: bpy.types.Object, selected: set[bpy.types.Object], active: bpy.types.Object | None) -> bool:
    """Whether the pieces of an object that are selected stand for all of it."""
    if source in selected:
        return True
    pieces = pieces_of(source)
    return active not in pieces and all(piece in selected for piece in pieces if piece.visible_get())


def _outermost(found: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Without the pieces of others among them, and pieces of those."""
    chosen, known = list(found), sources_by_piece()
    there = set(chosen)
    return [obj for obj in chosen if there.isdisjoint(sources_of(obj, known))]
