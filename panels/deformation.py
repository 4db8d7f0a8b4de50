"""What makes soft things move by themselves; where it is kept how they deform, and what to do where it is gone."""

from typing import Any

from ..operators import idnames
from ..operators.cache_files import deforms, missing_folder
from ..operators.settings import is_continuum
from ..operators.soft_matter import control, threshold
from .sidebar import draw_text, split


def draw_deformation(layout: Any, context: Any, obj: Any) -> None:
    """The choice for an object whose pieces deform, or will, and a sentence where their files are not there."""
    own = getattr(obj, idnames.OBJECT)
    if not (is_continuum(own) or deforms(obj)):
        return
    split(layout).prop(own, "deformation")
    if (folder := missing_folder(obj)) is not None:
        text = f"Pieces do not deform: put the folder '{folder.name}' back into '{folder.parent}', or shatter again"
        draw_text(layout, context, text, "ERROR")


def draw_controls(layout: Any, settings: Any) -> None:
    """What makes something soft move by itself, a click each, where it can."""
    if control.may_be_keyed(settings):
        row = layout.row(align=True)
        for kind, label, _ in control.KINDS:
            row.operator(idnames.Operator.CONTROL_ADD, text=label).kind = kind


def draw_threshold(layout: Any, obj: Any) -> None:
    """The button that finds at which strain it tears, and what broke at those that were tried last."""
    if not threshold.breaks_by_springs(obj):
        return
    layout.operator(idnames.Operator.FIND_THRESHOLD, icon="DRIVER_DISTANCE")
    col = layout.column(align=True)
    for text, share in threshold.tried_strains(obj):
        col.progress(text=text, factor=share)
