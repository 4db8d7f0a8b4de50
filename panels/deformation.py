"""Where it is kept how pieces deform, and what to do where it is gone."""

from typing import Any

from ..operators import idnames
from ..operators.cache_files import deforms, missing_folder
from ..operators.settings import is_continuum
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
