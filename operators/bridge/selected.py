"""What is selected: Blender takes what it hides out of the selection, and shown again it stays out."""

from collections.abc import Callable

import bpy


def remember_selection(scene: bpy.types.Scene) -> Callable[[], None]:
    """A call that selects again all that is selected now in a scene, as far as it is seen then."""
    selected = [
        (layer, obj) for layer in scene.view_layers for obj in layer.objects if obj and obj.select_get(view_layer=layer)
    ]

    def select_again() -> None:
        lost = [(layer, obj) for layer, obj in selected if not obj.select_get(view_layer=layer)]
        for layer in {layer for layer, _ in lost}:
            layer.update()  # it does not know yet what is shown again
        for layer, obj in lost:
            obj.select_set(True, view_layer=layer)

    return select_again
