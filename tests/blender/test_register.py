"""Registration leaves no trace behind, and the settings mirror the params of the core in both directions."""

import dataclasses
import os
from types import SimpleNamespace

import addon_utils
import bpy
import bpy.utils.previews
import pytest
from bl_ui.utils import PresetPanel

PACKAGE = "bl_ext.dev.brittle"


def entries(name):
    """How many entries are added to a menu of Blender."""
    return len(getattr(getattr(getattr(bpy.types, name), "draw", None), "_draw_funcs", [None])) - 1


def traces():
    """Everything of Blender in which a registration could leave something."""
    lists = [name for name in dir(bpy.app.handlers) if isinstance(getattr(bpy.app.handlers, name), list)]
    keymaps = bpy.context.window_manager.keyconfigs.addon
    return {
        "types": set(dir(bpy.types)),
        "objects": set(dir(bpy.types.Object)) | set(bpy.types.Object.bl_rna.properties.keys()),
        "scenes": set(dir(bpy.types.Scene)) | set(bpy.types.Scene.bl_rna.properties.keys()),
        "managers": set(bpy.types.WindowManager.bl_rna.properties.keys()),
        "operators": set(dir(bpy.ops.brittle)),
        "handlers": {name: list(getattr(bpy.app.handlers, name)) for name in lists},
        "keymaps": {name: len(keymap.keymap_items) for name, keymap in keymaps.keymaps.items()} if keymaps else {},
        "presets": list(bpy.utils.preset_paths("brittle")),
        "menus": {name: added for name in dir(bpy.types) if "_MT_" in name and (added := entries(name))},
        "previews": set(bpy.utils.previews._uuid_open),
        "panels": {cls.__name__ for cls in PresetPanel.__subclasses__() if cls.is_registered},
    }


@pytest.fixture
def disabled(extension):
    addon_utils.disable(PACKAGE)
    yield
    addon_utils.enable(PACKAGE, default_set=True)


def test_twenty_cycles_leave_nothing_behind(disabled, module):
    before = traces()
    for _ in range(20):
        addon_utils.enable(PACKAGE)
        assert bpy.ops.brittle.shatter.idname() == "BRITTLE_OT_shatter"
        assert bpy.utils.preset_paths("brittle")
        addon_utils.disable(PACKAGE)
    assert traces() == before
    assert not any("brittle" in name.lower() for name in before["types"] | before["objects"] | before["scenes"])
    assert module("operators.command_line")._commands == []


def test_a_failure_is_loud_and_takes_everything_back(disabled, extension, module, monkeypatch):
    def fail():
        raise RuntimeError("a panel is broken")

    before = traces()
    monkeypatch.setattr(module("panels"), "register", fail)
    with pytest.raises(RuntimeError, match="a panel is broken"):
        extension.register()
    assert traces() == before
    monkeypatch.undo()
    monkeypatch.setattr(module("operators.command_line"), "register", fail)
    with pytest.raises(RuntimeError, match="a panel is broken"):
        extension.register()
    assert traces() == before


@pytest.fixture
def groups(module, cube):
    """Each group of settings with its params dataclass."""
    settings = module("operators.settings")
    found = [
        (cube.brittle.material, module("core.config.material").Material),
        (cube.brittle.surface, module("core.config.surface").Surface),
        (cube.brittle.breakable, module("core.config.breakable").Breakable),
        (cube.brittle_impact, settings.ImpactSettings),
        (bpy.context.scene.brittle, settings.SceneSettings),
    ]
    for registry in settings.REGISTRIES.values():
        found += [(getattr(cube.brittle, method.id), method.params) for method in registry]
    for group, _ in found:
        for item in group.bl_rna.properties:
            if item.identifier not in ("rna_type", "name"):
                group.property_unset(item.identifier)
    return found


def test_defaults_are_those_of_the_core(groups, module):
    for group, params in groups:
        assert module("operators.generated").values(group, params) == dataclasses.asdict(params())


def test_labels_limits_and_tooltips_are_those_of_the_core(groups, module):
    for group, params in groups:
        for field in module("core.config.params").declared(params):
            item = group.bl_rna.properties[field.name]
            assert item.name == field.param.label
            assert item.description.startswith(field.param.doc)
            if field.param.choices:
                numbers = {choice.id: choice.number for choice in field.param.choices}
                assert {choice.identifier: choice.value for choice in item.enum_items} == numbers
            elif isinstance(field.default, int | float) and not isinstance(field.default, bool):
                low, high = field.param.limits
                assert low is None or item.hard_min == pytest.approx(low)
                assert high is None or item.hard_max == pytest.approx(high)


def test_small_numbers_are_shown_with_enough_digits(cube):
    """Clay has a durability of 0.004, which two digits would show as 0.00."""
    durability = cube.brittle.impact_factor.bl_rna.properties["durability"]
    assert (durability.precision, durability.step) == (4, pytest.approx(0.1))
    assert cube.brittle.impact_factor.bl_rna.properties["locality"].precision == 2


def test_the_tooltip_of_a_method_has_its_paper(module, cube):
    field = cube.brittle.fields.add()
    settings, fields = module("operators.settings"), module("core.strength.fields").FIELDS
    chosen = [(cube.brittle, kind, registry) for kind, registry in settings.REGISTRIES.items()]
    told = 0
    for owner, name, registry in (*chosen, (field, "kind", fields)):
        for item in owner.bl_rna.properties[name].enum_items:
            method = registry[item.identifier]
            years = [word for word in method.reference.replace(",", " ").split() if word.isdecimal() and len(word) == 4]
            assert item.description.startswith(method.doc)
            assert all(year in item.description for year in years)
            told += bool(years)
    assert told > 10


def test_methods_are_stored_under_their_registry_numbers(module, cube):
    for kind, registry in module("operators.settings").REGISTRIES.items():
        items = cube.brittle.bl_rna.properties[kind].enum_items
        assert {item.identifier: item.value for item in items} == {
            method.id: number for number, method in registry.items()
        }


@pytest.mark.parametrize("scale_length", [1.0, 0.01, 100.0])
def test_apply_and_tables_are_inverse(module, make_cube, scale_length):
    settings = module("operators.settings")
    first, second = make_cube("First"), make_cube("Second")
    first.brittle.voronoi.count = 37
    first.brittle.impact_factor.locality = 1.3
    first.brittle.material.density = 1234.5
    first.brittle.surface.amplitude = 0.035
    first.brittle.surface.wrap = "cylinder"
    data = settings.tables(first.brittle, scale_length)
    settings.apply(second.brittle, data, scale_length)
    assert settings.tables(second.brittle, scale_length) == data
    assert data["pieces"]["count"] == 37
    # 32-bit storage does not show: the core gets what was typed.
    assert (data["breaking"]["locality"], data["material"]["density"]) == (1.3, 1234.5)
    assert (data["surface"]["amplitude"], data["surface"]["wrap"]) == (0.035, "cylinder")


def test_apply_resets_what_a_table_leaves_out_and_keeps_missing_tables(module, cube):
    settings = module("operators.settings")
    cube.brittle.impact_factor.jitter = 0.5
    settings.apply(cube.brittle, {"breaking": {"method": "impact_factor", "durability": 0.25}})
    assert settings.tables(cube.brittle)["breaking"]["jitter"] == 0.0
    assert settings.tables(cube.brittle)["breaking"]["durability"] == 0.25
    assert cube.brittle.voronoi.count == 8


def test_apply_refuses_before_it_sets_anything(module, cube, state):
    before = state()
    tables = {"pieces": {"method": "voronoi", "count": 30}, "material": {"density": -1.0}}
    with pytest.raises(module("core.errors").InputError, match="Density"):
        module("operators.settings").apply(cube.brittle, tables)
    assert state() == before


def test_settings_from_an_object_are_the_defaults_of_the_core(module, make_cube):
    pieces, breaking = module("core.pieces").PARTITIONS["voronoi"], module("core.breaking").RULES["impact_factor"]
    settings = module("operators.settings").settings_from(make_cube())
    motion = "rigid", module("core.rigid").MOTIONS["rigid"].params()
    others = (
        module("core.config.material").Material(),
        module("core.config.repair").Repair(),
        *motion,
        module("core.config.surface").Surface(quality="final"),  # Auto, where there is no window
        module("core.config.breakable").Breakable(),
        None,  # no meshes of one's own
        (),  # no fields
    )
    expected = (0, "voronoi", pieces.params(), "impact_factor", breaking.params(), *others)
    assert tuple(getattr(settings, field.name) for field in dataclasses.fields(settings)) == expected


def test_lengths_follow_the_unit_scale_of_the_scene(module, cube):
    settings = module("operators.settings")
    cube.brittle_impact.radius = 2.0
    values = module("operators.generated").values(cube.brittle_impact, settings.ImpactSettings, 0.01)
    assert values["radius"] == pytest.approx(0.02)  # Blender shows 2 cm
    assert values["strength"] == 1.0


def test_machine_code_is_kept_in_the_users_folder(module):
    folder = str(module("operators.warm_up")._cache_folder())
    assert folder.startswith(os.environ["BLENDER_USER_RESOURCES"])
    assert os.environ["NUMBA_CACHE_DIR"]


def test_a_session_without_a_window_starts_no_child(module, monkeypatch):
    monkeypatch.setattr(module("operators.warm_up").subprocess, "Popen", None)
    module("operators.warm_up").register()


def test_the_child_that_compiles_runs_to_its_end_and_says_so(module, monkeypatch, tmp_path):
    warm_up = module("operators.warm_up")
    monkeypatch.setattr(module("core.machine_code"), "CACHE_FOLDER", tmp_path)
    assert not warm_up._stamp().exists()
    assert warm_up.start().wait(timeout=900) == 0  # compiles what nothing has compiled yet
    assert warm_up._stamp().exists()
    done, known = map(int, warm_up._far().read_text().split())
    # What is found ready has no signature of the kernels that it calls, which a few others would have been told of.
    assert abs(done - (known - warm_up.LATER)) <= 4, "the share is of what the child does compile"
    share, left = warm_up.how_far()
    assert share > 0.95 and left < 5 * warm_up.SECONDS


def test_a_share_and_the_time_left_are_known_from_the_moment_compiling_begins(module, monkeypatch, tmp_path):
    warm_up = module("operators.warm_up")
    monkeypatch.setattr(module("core.machine_code"), "CACHE_FOLDER", tmp_path)
    monkeypatch.setattr(warm_up, "_began", 1000.0)
    monkeypatch.setattr(warm_up.time, "monotonic", lambda: 1060.0)
    assert warm_up.how_far() == (0.0, warm_up.KERNELS * warm_up.SECONDS)
    total = warm_up.LATER + 100
    for done, far in ((2, (0.02, 98.0 * warm_up.SECONDS)), (30, (0.3, 140.0)), (100, (0.99, 0.0))):
        warm_up._far().write_text(f"{done} {total}")
        assert warm_up.how_far() == pytest.approx(far), "30 took a minute, so 70 take 140 s"


def test_a_shatter_that_comes_too_early_waits_for_the_child(module, monkeypatch):
    warm_up = module("operators.warm_up")
    answers = [None, None, 0]
    monkeypatch.setattr(warm_up, "_running", [SimpleNamespace(poll=lambda: answers.pop(0))])
    monkeypatch.setattr(warm_up, "how_far", lambda: (0.25, 100.0))
    assert list(warm_up.waiting()) == [(0.25, 100.0)] * 2
    assert list(warm_up.waiting()) == []
