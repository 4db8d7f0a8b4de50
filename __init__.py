"""Brittle breaks things: select a mesh, click Shatter, get textured fragments with baked keyframes.

This file is the door that Blender knows: it holds `register` and `unregister`, and every import stands inside them,
so that the core can be imported and tested where there is no Blender.
"""


def register() -> None:
    """Add Brittle to Blender. An error leaves nothing behind and is raised again."""
    from . import operators

    operators.register()
    try:
        from . import panels

        panels.register()
    except BaseException:
        operators.unregister()
        raise


def unregister() -> None:
    """Remove everything that `register` added."""
    from . import operators, panels

    panels.unregister()
    operators.unregister()


def glTF2ExportUserExtension() -> object:
    """What Blender's glTF exporter looks for in every enabled extension, by this name; see `operators/gltf.py`."""
    from .operators.gltf import ExportHook

    return ExportHook()
