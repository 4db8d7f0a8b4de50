"""Where renders show an object otherwise than the viewport, whose shape is the one that breaks."""

import bpy

from ...core.wording import number

#: Modifiers of which the viewport has a property of its own, beside those that are called `render_` and the same.
VIEWPORT = {"resolution": "viewport_resolution"}


def why_renders_differ(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[str]:
    """What makes renders show another surface of an object, in words such as "Subdivision (level 3, not 1)"."""
    found = []
    for modifier in obj.modifiers:
        if modifier.show_render != modifier.show_viewport:
            found.append(f"{modifier.name} ({'only' if modifier.show_render else 'not'} in renders)")
        elif modifier.show_render:
            found += [f"{modifier.name} ({text})" for text in _differences(modifier, scene)]
            found += [f"{modifier.name} (Is Viewport)"] if _asks_for_viewport(modifier) else []
    data = obj.data if obj.type in ("CURVE", "SURFACE", "FONT", "META") else None
    return found + ([f"{data.name} ({text})" for text in _differences(data, scene)] if data is not None else [])


def _differences(item: bpy.types.bpy_struct, scene: bpy.types.Scene) -> list[str]:
    """The numbers that a modifier, or a curve, has for renders alone."""
    names = item.bl_rna.properties.keys()
    pairs = [(name, f"render_{name}") for name in names] + [(shown, name) for name, shown in VIEWPORT.items()]
    result = []
    for shown, rendered in pairs:
        if shown not in names or rendered not in names:
            continue
        here, there = (getattr(item, name) for name in (shown, rendered))
        if item.bl_rna.identifier.startswith(("Curve", "SurfaceCurve", "TextCurve")) and there == 0:
            continue  # as the viewport has it
        if shown == "levels" and scene.render.use_simplify:
            here = min(here, scene.render.simplify_subdivision)
            there = min(there, scene.render.simplify_subdivision_render)
        if here != there:
            result.append(f"{shown.replace('_', ' ').removesuffix('s')} {number(there)}, not {number(here)}")
    return result


def _asks_for_viewport(modifier: bpy.types.Modifier) -> bool:
    """Whether the nodes of a modifier make something else for the viewport."""
    trees, seen = [getattr(modifier, "node_group", None)], set()
    while trees:
        tree = trees.pop()
        if tree is None or tree in seen:
            continue
        seen.add(tree)
        for node in tree.nodes:
            if node.bl_idname == "GeometryNodeIsViewport":
                return True
            trees.append(getattr(node, "node_tree", None))
    return False


def render_notes(scene: bpy.types.Scene, obj: bpy.types.Object) -> tuple[str, ...]:
    """A sentence for an artist whose renders differ; nothing where they do not."""
    why = why_renders_differ(scene, obj)
    if not why:
        return ()
    return (
        f"Renders show '{obj.name}' otherwise than the viewport, whose shape breaks: {', '.join(why)}. Make them "
        "alike, or the surface jumps at the break.",
    )
