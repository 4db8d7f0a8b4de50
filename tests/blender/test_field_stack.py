"""The stack of fields from the artist's side: the list and its operators, tables, presets and files."""

import bpy
import pytest


@pytest.fixture
def settings(module):
    return module("operators.settings")


#: A stack of which nothing is the default, with the numbers of 32 bits that Blender keeps.
STACK = [
    {"kind": "bands", "on": True, "count": 7},
    {"kind": "painted", "on": False, "source": "image", "name": "Mask", "low": 0.3, "high": 2.0},
    {"kind": "cleaving", "on": True},
    {"kind": "prestress", "on": True, "tension": 60.0, "shape": "rod"},
]


def kinds(obj):
    return [item.kind for item in obj.brittle.fields]


def same(found, expected, module):
    """Whether two lists of tables name the same fields."""
    fields_from = module("core.strength.choice").fields_from
    return fields_from(found) == fields_from(expected)


def test_every_kind_can_be_added_with_the_defaults_of_the_core(cube, settings, module):
    known = module("core.strength.fields").FIELDS
    for number, method in enumerate(known, 1):
        assert bpy.ops.brittle.field_add(kind=method.id) == {"FINISHED"}
        assert len(cube.brittle.fields) == number and cube.brittle.active_field == number - 1
    chosen = settings.settings_from(cube).fields
    assert [(one.kind, one.params, one.on) for one in chosen] == [(one.id, one.params(), True) for one in known]


def test_kinds_are_stored_under_their_registry_numbers(cube, module):
    cube.brittle.fields.add()
    items = cube.brittle.fields[0].bl_rna.properties["kind"].enum_items
    known = {method.id: number for number, method in module("core.strength.fields").FIELDS.items()}
    assert {item.identifier: item.value for item in items} == known


def test_remove_and_move_keep_the_active_field(cube):
    for kind in ("size", "noise", "bands"):
        bpy.ops.brittle.field_add(kind=kind)
    assert bpy.ops.brittle.field_move(up=True) == {"FINISHED"}
    assert (kinds(cube), cube.brittle.active_field) == (["size", "bands", "noise"], 1)
    assert bpy.ops.brittle.field_move(up=False) == {"FINISHED"}
    assert (kinds(cube), cube.brittle.active_field) == (["size", "noise", "bands"], 2)
    assert bpy.ops.brittle.field_move(up=False) == {"CANCELLED"}, "it is the last one"
    assert bpy.ops.brittle.field_remove() == {"FINISHED"}
    assert (kinds(cube), cube.brittle.active_field) == (["size", "noise"], 1)
    cube.brittle.active_field = 0
    assert bpy.ops.brittle.field_remove() == {"FINISHED"}
    assert (kinds(cube), cube.brittle.active_field) == (["noise"], 0)


def test_there_must_be_a_field_to_remove_and_two_to_move(cube):
    assert not bpy.ops.brittle.field_remove.poll() and not bpy.ops.brittle.field_move.poll()
    bpy.ops.brittle.field_add(kind="noise")
    assert bpy.ops.brittle.field_remove.poll() and not bpy.ops.brittle.field_move.poll()
    bpy.ops.object.mode_set(mode="EDIT")
    assert not bpy.ops.brittle.field_add.poll()
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.objects.active = None
    cube.select_set(False)
    assert not bpy.ops.brittle.field_add.poll()


def test_adding_can_be_undone(cube):
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.brittle.field_add("EXEC_DEFAULT", True, kind="noise")
    assert len(bpy.data.objects["Cube"].brittle.fields) == 1
    bpy.ops.ed.undo()
    assert len(bpy.data.objects["Cube"].brittle.fields) == 0


@pytest.mark.parametrize("scale_length", [1.0, 0.01])
def test_tables_and_apply_are_inverse(settings, make_cube, module, scale_length):
    first, second = make_cube("First"), make_cube("Second")
    second.brittle.fields.add().kind = "noise"
    settings.apply(first.brittle, {"fields": STACK}, scale_length)
    data = settings.tables(first.brittle, scale_length)
    assert same(data["fields"], STACK, module)
    settings.apply(second.brittle, data, scale_length)
    assert settings.tables(second.brittle, scale_length) == data
    assert settings.settings_from(second, scale_length).fields == module("core.strength.choice").fields_from(STACK)


def test_a_missing_table_leaves_the_stack_and_an_empty_one_clears_it(cube, settings, module):
    settings.apply(cube.brittle, {"fields": STACK})
    settings.apply(cube.brittle, {"material": {}})
    assert same(settings.tables(cube.brittle)["fields"], STACK, module)
    cube.brittle.active_field = 3
    settings.apply(cube.brittle, {"fields": STACK[:2]})
    assert len(cube.brittle.fields) == 2 and cube.brittle.active_field == 1
    settings.apply(cube.brittle, {"fields": []})
    assert len(cube.brittle.fields) == 0


def test_wrong_fields_change_nothing(cube, settings, module, state):
    settings.apply(cube.brittle, {"fields": STACK})
    before = state()
    wrong = {"pieces": {"method": "cubes"}, "fields": [{"kind": "noise"}, {"kind": "bands", "count": -1}]}
    with pytest.raises(module("core.errors").InputError, match=r"Field 2 \(Bands\), count"):
        settings.apply(cube.brittle, wrong)
    assert state() == before


def test_listeners_hear_of_every_change(cube, settings, module):
    heard = []
    listeners = module("operators.generated").listeners
    listeners.append(lambda: heard.append(None))
    try:
        for change in (
            lambda: bpy.ops.brittle.field_add(kind="noise"),
            lambda: setattr(cube.brittle.fields[0].noise, "low", 0.5),
            lambda: setattr(cube.brittle.fields[0], "on", False),
            lambda: bpy.ops.brittle.field_add(kind="size"),
            lambda: bpy.ops.brittle.field_move(up=True),
            lambda: bpy.ops.brittle.field_remove(),
            lambda: settings.apply(cube.brittle, {"fields": []}),
        ):
            heard.clear()
            change()
            assert heard
    finally:
        listeners.pop()


def test_an_item_keeps_the_values_of_the_kinds_that_it_is_not(cube):
    bpy.ops.brittle.field_add(kind="noise")
    item = cube.brittle.fields[0]
    item.noise.low = 0.75
    item.kind = "bands"
    item.kind = "noise"
    assert item.noise.low == 0.75


def test_fields_outlive_saving_and_copies(cube, settings, module, tmp_path):
    settings.apply(cube.brittle, {"fields": STACK})
    copy = cube.copy()
    bpy.context.scene.collection.objects.link(copy)
    cube.brittle.active_field = 1
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    for name in ("Cube", "Cube.001"):
        assert same(settings.tables(bpy.data.objects[name].brittle)["fields"], STACK, module)
    assert bpy.data.objects["Cube"].brittle.active_field == 1


PRESET = """
name = "Veined"
[pieces]
method = "voronoi"
count = 12
[breaking]
method = "constraint_lattice"
[material]
density = 2400.0
[[fields]]
kind = "veins"
low = 0.2
seed = 3
[[fields]]
kind = "painted"
name = "Weak"
on = false
[sources]
"pieces.count" = "by eye"
"material.density" = "a table"
"fields.1.low" = "measured"
"fields.2.name" = "ours"
"""


@pytest.fixture
def folder(module):
    path = module("operators.preset").user_folder()
    path.mkdir(parents=True, exist_ok=True)
    (path / "veined.toml").write_text(PRESET, encoding="utf-8")
    yield path
    for file in path.glob("*"):
        file.unlink()


def test_a_preset_sets_the_stack_and_one_without_fields_clears_it(cube, folder, settings, module):
    bpy.ops.brittle.field_add(kind="bands")
    assert bpy.ops.brittle.preset_apply(name="Veined") == {"FINISHED"}
    expected = [{"kind": "veins", "low": 0.2, "seed": 3}, {"kind": "painted", "name": "Weak", "on": False}]
    assert same(settings.tables(cube.brittle)["fields"], expected, module)
    assert bpy.ops.brittle.preset_apply(name="Clay") == {"FINISHED"}
    assert len(cube.brittle.fields) == 0


def test_saving_keeps_the_stack_and_the_sources_of_what_was_not_changed(cube, folder, settings, module):
    bpy.ops.brittle.preset_apply(name="Veined")
    cube.brittle.voronoi.count = 13
    saved = settings.tables(cube.brittle)
    assert bpy.ops.brittle.preset_save(name="Mine") == {"FINISHED"}
    preset = module("core.presets").load(folder / "Mine.toml")
    assert same(module("operators.preset").tables("Mine")["fields"], saved["fields"], module)
    kept = {"material.density": "a table", "fields.1.low": "measured", "fields.2.name": "ours"}
    assert preset.sources == kept, "the count is another one now"
    bpy.ops.brittle.preset_apply(name="Clay")
    bpy.ops.brittle.preset_apply(name="Mine")
    assert settings.tables(cube.brittle) == saved
    cube.brittle.active_field = 1
    bpy.ops.brittle.field_move(up=True)
    bpy.ops.brittle.preset_save(name="Mine")
    assert module("core.presets").load(folder / "Mine.toml").sources == {"material.density": "a table"}


def test_a_shatter_with_a_preset_takes_its_stack(cube, folder):
    bpy.ops.brittle.field_add(kind="bands")
    assert bpy.ops.brittle.shatter(preset="Veined") == {"FINISHED"}
    assert kinds(cube) == ["veins", "painted"]


def test_directions_are_kept_by_what_borrows_and_gives_back(cube, module):
    """A vector of a group is a look at its memory: what is remembered of it must be a copy."""
    for direction in ((0.25, 0.5, 0.75), (0.5, -0.5, 0.0)):
        bpy.ops.brittle.field_add(kind="cleaving")
        cube.brittle.fields[-1].cleaving.direction = direction
    give_back = module("operators.generated").remember(cube.brittle)
    cube.brittle.fields.clear()
    give_back()
    bpy.ops.brittle.shatter()
    assert [tuple(item.cleaving.direction) for item in cube.brittle.fields] == [(0.25, 0.5, 0.75), (0.5, -0.5, 0.0)]
