"""Random files: objects to break among others that hang on them, share with them, look at them or merely stand by.

Each habit is a function that adds one thing that artists do; a file has a handful of them. All is drawn from one
generator, so that a number names a file.
"""

from collections.abc import Callable
from contextlib import suppress

import bpy
import numpy as np

Rng = np.random.Generator
Obj = bpy.types.Object

SHAPES = ("cube", "ico_sphere", "torus", "cylinder", "cone", "text", "curve")
MODIFIERS = ("SUBSURF", "MIRROR", "ARRAY", "BEVEL", "SOLIDIFY", "DECIMATE", "WAVE", "SIMPLE_DEFORM", "TRIANGULATE")
PATHS = ("location", "rotation_euler", "scale", "delta_location", "hide_render", "hide_viewport")


def build(rng: Rng) -> list[Obj]:
    """Fill the empty file that is open; returns the objects to break, the first of them active and all selected."""
    scene = bpy.context.scene
    scene.brittle.frames, scene.frame_end = int(rng.integers(2, 5)), 40
    scene.frame_set(int(rng.integers(1, 20)))
    objects = [shape(rng) for _ in range(rng.integers(2, 5))]
    for _ in range(rng.integers(2, 8)):
        HABITS[rng.integers(len(HABITS))](rng, objects)
    scene.frame_set(scene.frame_current)  # keys rule, not what was changed since
    targets = [objects[i] for i in rng.permutation(len(objects))[: 2 if rng.random() < 0.2 else 1]]
    if rng.random() < 0.4:
        impact(rng, targets[0])
    bpy.context.view_layer.update()
    for obj in bpy.context.view_layer.objects:
        obj.select_set(False)
    for obj in targets:
        obj.brittle.voronoi.count = int(rng.integers(2, 6))
        if obj.name in bpy.context.view_layer.objects:
            obj.select_set(True)
    bpy.context.view_layer.objects.active = targets[0] if targets[0].name in bpy.context.view_layer.objects else None
    return targets


def shape(rng: Rng) -> Obj:
    """A new object of a random kind, place, turn and size, mirrored now and then."""
    kind, location = SHAPES[rng.integers(len(SHAPES))], tuple(rng.uniform(-6.0, 6.0, 3) * (1, 1, 0.3))
    if kind == "text":
        bpy.ops.object.text_add(location=location)
        bpy.context.object.data.extrude = 0.1
    elif kind == "curve":
        bpy.ops.curve.primitive_bezier_circle_add(location=location)
        bpy.context.object.data.bevel_depth = 0.2
    else:
        how = {"subdivisions": 1} if kind == "ico_sphere" else {"major_segments": 8, "minor_segments": 5}
        how = how if kind in ("ico_sphere", "torus") else {"vertices": 8} if kind in ("cylinder", "cone") else {}
        getattr(bpy.ops.mesh, f"primitive_{kind}_add")(location=location, **how)
    obj = bpy.context.object
    obj.rotation_euler = rng.uniform(-1.0, 1.0, 3)
    obj.scale = rng.uniform(0.3, 2.0, 3) * np.where(rng.random(3) < 0.1, -1.0, 1.0)
    bpy.context.view_layer.update()  # what is hidden from now on stays as it was seen last
    return obj


def one(rng: Rng, objects: list[Obj]) -> Obj:
    return objects[rng.integers(len(objects))]


def keys(rng: Rng, objects: list[Obj]) -> None:
    obj = one(rng, objects)
    for path in (PATHS[i] for i in rng.permutation(len(PATHS))[: rng.integers(1, 3)]):
        for frame in (1, int(rng.integers(2, 40))):
            obj.keyframe_insert(path, frame=frame)
            if not path.startswith("hide"):
                setattr(obj, path, np.array(getattr(obj, path)) + rng.uniform(-0.2, 0.2, 3))


def linked_copy(rng: Rng, objects: list[Obj]) -> None:
    """Alt+D: mesh, materials and Action are shared."""
    copy = one(rng, objects).copy()
    copy.delta_location.y += 3.0
    bpy.context.scene.collection.objects.link(copy)
    objects.append(copy)


def full_copy(rng: Rng, objects: list[Obj]) -> None:
    copy = one(rng, objects).copy()
    copy.data = copy.data.copy()
    copy.location.x += 4.0
    bpy.context.scene.collection.objects.link(copy)
    objects.append(copy)


def shared_slot(rng: Rng, objects: list[Obj]) -> None:
    """Two objects follow one slot of one Action."""
    first, second = one(rng, objects), one(rng, objects)
    first.keyframe_insert("location", frame=1)
    animation = second.animation_data_create()
    animation.action = first.animation_data.action
    animation.action_slot = first.animation_data.action_slot


def strip(rng: Rng, objects: list[Obj]) -> None:
    obj = one(rng, objects)
    obj.keyframe_insert("location", frame=1)
    action = obj.animation_data.action
    obj.animation_data.nla_tracks.new().strips.new("Strip", 1, action)
    if rng.random() < 0.5:
        obj.animation_data.action = None


def driver(rng: Rng, objects: list[Obj]) -> None:
    """A value of one object that follows another one."""
    follower, leader = one(rng, objects), one(rng, objects)
    path, index = (("hide_render", -1), ("hide_viewport", -1), ("location", 2), ("delta_scale", 0))[rng.integers(4)]
    curve = follower.driver_add(path, index) if index >= 0 else follower.driver_add(path)
    curve.driver.type = "SUM"
    variable = curve.driver.variables.new()
    variable.targets[0].id = leader
    variable.targets[0].data_path = "pass_index"


def parent(rng: Rng, objects: list[Obj]) -> None:
    child, above = one(rng, objects), one(rng, objects)
    if not _follows(above, child):
        child.parent = above
        child.matrix_parent_inverse = above.matrix_world.inverted_safe()


def _follows(obj: Obj, leader: Obj) -> bool:
    """Whether an object is another or goes where it does: in a circle each place depends on how often one looked."""
    constrained = [item.target for item in obj.constraints if getattr(item, "target", None) is not None]
    ahead = [*constrained, *([obj.parent] if obj.parent is not None else [])]
    return obj == leader or any(_follows(other, leader) for other in ahead)


def constraint(rng: Rng, objects: list[Obj]) -> None:
    kind = ("COPY_LOCATION", "CHILD_OF", "TRACK_TO", "LIMIT_ROTATION")[rng.integers(4)]
    obj = one(rng, objects)
    item = obj.constraints.new(kind)
    if hasattr(item, "target"):
        leader = one(rng, objects)
        if not _follows(leader, obj):
            item.target = leader


def modifier(rng: Rng, objects: list[Obj]) -> None:
    obj = one(rng, objects)
    if obj.type != "MESH":
        return
    item = obj.modifiers.new("Modifier", MODIFIERS[rng.integers(len(MODIFIERS))])
    if item.type == "SUBSURF":
        item.levels, item.render_levels = 1, int(rng.integers(1, 3))
    item.show_render = bool(rng.random() < 0.8)


def shape_key(rng: Rng, objects: list[Obj]) -> None:
    obj = one(rng, objects)
    if obj.type != "MESH" or obj.data.shape_keys is not None:
        return
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Bulge")
    for point in key.data:
        point.co *= 1.2
    key.value = float(rng.random())
    key.keyframe_insert("value", frame=1)


def material(rng: Rng, objects: list[Obj]) -> None:
    made = bpy.data.materials.get("Paint") or bpy.data.materials.new("Paint")
    obj = one(rng, objects)
    obj.data.materials.append(made)
    if rng.random() < 0.3:
        obj.material_slots[0].link = "OBJECT"
        obj.material_slots[0].material = bpy.data.materials.new("Own")


def custom(rng: Rng, objects: list[Obj]) -> None:
    obj = one(rng, objects)
    obj["dirt"], obj["tags"], obj["friend"] = float(rng.random()), [1, 2, 3], one(rng, objects)
    obj.pass_index, obj.color, obj.visible_shadow = int(rng.integers(9)), (*rng.random(3), 1.0), False


def groups(rng: Rng, objects: list[Obj]) -> None:
    obj = one(rng, objects)
    if obj.type == "MESH":
        obj.vertex_groups.new(name="Group").add(range(0, len(obj.data.vertices), 2), float(rng.random()), "ADD")


def collections(rng: Rng, objects: list[Obj]) -> None:
    """A collection more, nested at random, perhaps excluded, hidden or instanced."""
    made = bpy.data.collections.new("Set")
    homes = [bpy.context.scene.collection, *bpy.context.scene.collection.children_recursive]
    homes[rng.integers(len(homes))].children.link(made)
    for obj in {one(rng, objects) for _ in range(2)}:
        made.objects.link(obj)
        if rng.random() < 0.5 and obj.name in bpy.context.scene.collection.objects:
            bpy.context.scene.collection.objects.unlink(obj)
    fate = rng.random()
    layer = _layer_of(made)
    if fate < 0.15 and layer is not None:
        layer.exclude = True
    elif fate < 0.3:
        made.hide_viewport = True
    elif fate < 0.45:
        instance = bpy.data.objects.new("Instance", None)
        instance.instance_type, instance.instance_collection = "COLLECTION", made
        instance.location.x = 20.0
        bpy.context.scene.collection.objects.link(instance)


def _layer_of(collection: bpy.types.Collection) -> bpy.types.LayerCollection | None:
    ahead = [bpy.context.view_layer.layer_collection]
    while ahead:
        layer = ahead.pop()
        if layer.collection == collection:
            return layer
        ahead.extend(layer.children)
    return None


def other_scene(rng: Rng, objects: list[Obj]) -> None:
    """A second scene in which some of the objects stand as well."""
    scene = bpy.data.scenes.new("Other")
    for obj in {one(rng, objects) for _ in range(2)}:
        scene.collection.objects.link(obj)


def full_scene_copy(rng: Rng, objects: list[Obj]) -> None:
    shown = bpy.context.scene
    bpy.ops.scene.new(type="FULL_COPY")
    bpy.context.window.scene = shown


def view_layer(rng: Rng, objects: list[Obj]) -> None:
    bpy.context.scene.view_layers.new("Second").layer_collection.exclude = False


def collider(rng: Rng, objects: list[Obj]) -> None:
    one(rng, objects).brittle.collider = True


def breaks(rng: Rng, objects: list[Obj]) -> None:
    breakable = one(rng, objects).brittle.breakable
    breakable.breaks, breakable.stands = True, bool(rng.random() < 0.3)


def rigid_body(rng: Rng, objects: list[Obj]) -> None:
    obj = one(rng, objects)
    if obj.type == "MESH" and obj.rigid_body is None:
        with bpy.context.temp_override(object=obj, active_object=obj, selected_objects=[obj]):
            kind = "ACTIVE" if rng.random() < 0.5 else "PASSIVE"
            with suppress(RuntimeError):  # not for hidden ones, whatever its poll says
                bpy.ops.rigidbody.object_add(type=kind)


def camera(rng: Rng, objects: list[Obj]) -> None:
    obj = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    bpy.context.scene.collection.objects.link(obj)
    obj.constraints.new("TRACK_TO").target = one(rng, objects)
    obj.data.dof.focus_object = one(rng, objects)


def hidden(rng: Rng, objects: list[Obj]) -> None:
    obj = one(rng, objects)
    setattr(obj, ("hide_render", "hide_viewport", "hide_select")[rng.integers(3)], True)


def unit_scale(rng: Rng, objects: list[Obj]) -> None:
    bpy.context.scene.unit_settings.scale_length = float(rng.choice([0.01, 1.0, 10.0]))


def time_stretch(rng: Rng, objects: list[Obj]) -> None:
    bpy.context.scene.render.frame_map_new = int(rng.choice([50, 100, 200]))


def impact(rng: Rng, obj: Obj) -> None:
    """A hit on an object; at a frame of its own now and then."""
    bpy.context.view_layer.objects.active = obj if obj.name in bpy.context.view_layer.objects else None
    before = set(bpy.data.objects)
    bpy.ops.brittle.impact_add(location=obj.matrix_world.translation, direction=(0.0, 0.0, -1.0))
    for empty in set(bpy.data.objects) - before:
        empty.brittle_impact.frame = int(rng.choice([0, 0, 12, 25]))


HABITS: tuple[Callable[[Rng, list[Obj]], None], ...] = (
    *(keys, linked_copy, full_copy, shared_slot, strip, driver, parent, constraint, modifier, shape_key, material),
    *(custom, groups, collections, other_scene, full_scene_copy, view_layer, collider, breaks, rigid_body, camera),
    *(hidden, unit_scale, time_stretch),
)
