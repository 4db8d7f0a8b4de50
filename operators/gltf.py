"""What Blender's glTF exporter asks enabled extensions for: calls before and after each export."""

from typing import Any

import bpy

from .bridge import export_view, sizes
from .bridge.names import SOURCE
from .export_view import shattered


class ExportHook:
    """For as long as an export takes, objects give way by size whose impacts and spheres forbid that otherwise."""

    def __init__(self) -> None:
        self._shrunk: list[bpy.types.Object] = []

    def pre_export_hook(self, export_settings: dict[str, Any]) -> None:
        """Called by the exporter before it looks at anything."""
        scene = bpy.context.scene
        sources = [item[SOURCE] for item in shattered(bpy.context)]
        self._shrunk = [source for source in sources if export_view.shrink(scene, source)]

    def post_export_hook(self, export_settings: dict[str, Any]) -> None:
        """Called by the exporter when the file is written."""
        for source in self._shrunk:
            sizes.grow(source)
        self._shrunk = []
