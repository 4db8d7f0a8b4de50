"""Curves that an artist draws: Float Curve nodes in a node group that the object keeps.

The group is one that no menu shows, to which a custom property of the object points: so it is saved, appended and
taken back with the object, and goes with it. Copies of an object share it until one is to be changed, see `own`.
"""

from collections.abc import Sequence

import bpy
import numpy as np

from . import names

#: Parts of a text for a curve that bends between its points: as many as Blender itself has, straight between them.
SAMPLES = 256
KIND = "ShaderNodeFloatCurve"


def node_of(obj: bpy.types.Object, name: str) -> bpy.types.Node | None:
    """The node in which the curve of this name is drawn; None where it is typed."""
    tree = obj.get(names.CURVES)
    return tree.nodes.get(name) if isinstance(tree, bpy.types.NodeTree) else None


def draw(obj: bpy.types.Object, name: str, points: Sequence[tuple[float, float]]) -> None:
    """Draw a curve through points, x in 0 to 1 and ascending, y of 0 or more, straight between them."""
    own(obj)
    if not isinstance(obj.get(names.CURVES), bpy.types.NodeTree):
        obj[names.CURVES] = bpy.data.node_groups.new(".Brittle Curves", "ShaderNodeTree")
    nodes = obj[names.CURVES].nodes
    node = nodes.get(name) or nodes.new(KIND)
    node.name = name
    mapping = node.mapping
    mapping.extend, mapping.clip_max_y = "HORIZONTAL", max(1.0, *(y for _, y in points))
    curve = mapping.curves[0]
    while len(curve.points) > max(len(points), 2):
        curve.points.remove(curve.points[-1])
    while len(curve.points) < len(points):
        curve.points.new(1.0, 0.0)
    both = (*points, *points)[: len(curve.points)] if len(points) < 2 else points
    for point, place in zip(curve.points, both, strict=True):
        point.location, point.handle_type = place, "VECTOR"
    mapping.reset_view()
    mapping.update()


def copy(source: bpy.types.Object, target: bpy.types.Object, name: str) -> None:
    """Draw in another object what one has under this name, with its bends. Nothing where it has no such curve."""
    node = node_of(source, name)
    if node is None:
        return
    curve = node.mapping.curves[0]
    points = [(tuple(point.location), point.handle_type) for point in curve.points]
    draw(target, name, [place for place, _ in points])
    mapping = node_of(target, name).mapping
    for point, (_, kind) in zip(mapping.curves[0].points, points, strict=True):
        point.handle_type = kind
    mapping.update()


def points_of(node: bpy.types.Node) -> list[tuple[float, float]]:
    """Points (x, y) of what is drawn: its own where it is straight between them, else as many as its bends need."""
    mapping = node.mapping
    curve = mapping.curves[0]
    if all(point.handle_type == "VECTOR" for point in curve.points):
        return [(_typed(x), _typed(y)) for x, y in (point.location for point in curve.points)]
    mapping.initialize()
    # Four digits, for Blender draws the bends with its own arithmetic, of 32 bits.
    return [(k / SAMPLES, round(max(mapping.evaluate(curve, k / SAMPLES), 0.0), 4)) for k in range(SAMPLES + 1)]


def _typed(value: float) -> float:
    """The shortest decimal that names a 32-bit number."""
    return float(str(np.float32(value)))


def remove(obj: bpy.types.Object, name: str) -> None:
    """Take a curve away; with the last one the group goes, too."""
    own(obj)
    tree, node = obj.get(names.CURVES), node_of(obj, name)
    if node is None:
        return
    tree.nodes.remove(node)
    if not len(tree.nodes):
        del obj[names.CURVES]
        bpy.data.node_groups.remove(tree)


def is_shared(obj: bpy.types.Object) -> bool:
    """Whether a copy of the object has the same curves."""
    tree = obj.get(names.CURVES)
    return isinstance(tree, bpy.types.NodeTree) and tree.users - tree.use_fake_user > 1


def own(obj: bpy.types.Object) -> None:
    """Give the object curves of its own where it shares them with a copy."""
    if is_shared(obj):
        obj[names.CURVES] = obj[names.CURVES].copy()
