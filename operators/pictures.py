"""Pictures of materials for menus: a PNG beside the preset's file, of the same name; loaded when first drawn."""

from pathlib import Path
from typing import Any

import bpy
import bpy.utils.previews

_loaded: Any = None


def icon_of(preset: Path) -> int:
    """The number of the picture of a preset for a layout; 0 where it has none."""
    picture = preset.with_suffix(".png")
    if _loaded is None or not picture.is_file():
        return 0
    found = _loaded.get(str(picture)) or _loaded.load(str(picture), str(picture), "IMAGE")
    return int(found.icon_id)


def register() -> None:
    """Make room for pictures."""
    global _loaded
    _loaded = bpy.utils.previews.new()


def unregister() -> None:
    """Forget them."""
    global _loaded
    if _loaded is not None:
        bpy.utils.previews.remove(_loaded)
        _loaded = None
