"""Panels drawn onto a layout that checks each name: properties, operators, icons and panels must exist."""

import json
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from tests.blender.layouts import ICONS, Layout, draw, names, values

pytestmark = pytest.mark.usefixtures("everything")


@pytest.fixture
def panel_names(module):
    return [cls.bl_idname for cls in module("panels").CLASSES if issubclass(cls, bpy.types.Panel)]


def test_all_panels_lie_in_the_tab(panel_names):
    assert len(panel_names) == 12
    for name in panel_names:
        cls = getattr(bpy.types, name)
        assert (cls.bl_space_type, cls.bl_region_type, cls.bl_category) == ("VIEW_3D", "UI", "Brittle")
        assert name == "BRITTLE_PT_main" or cls.bl_parent_id == "BRITTLE_PT_main"


def test_without_an_object_the_tab_says_what_to_do():
    drawn = draw("BRITTLE_PT_main")
    assert names(drawn, "label") == ["Select a mesh, curve, surface, text or metaball"]
    assert names(drawn, "operator") == ["brittle.shatter", "brittle.preview", "brittle.restore"]
    assert draw("BRITTLE_PT_pieces") is None


def test_the_main_panel_has_material_count_seed_and_the_two_buttons(cube):
    drawn = draw("BRITTLE_PT_main")
    assert values(drawn) == ["look", "count", "seed"]
    assert ("menu", "BRITTLE_MT_presets", "Choose a Material") in drawn
    assert names(drawn, "operator") == ["brittle.shatter", "brittle.preview", "brittle.restore"]
    cube.brittle.preset = "Clay"
    assert ("menu", "BRITTLE_MT_presets", "Clay") in draw("BRITTLE_PT_main")


def counting(group, fields):
    """The names of those values of a group that count under its present choices."""
    needs = {field.name: field.param.needs or (field.name, (getattr(group, field.name),)) for field in fields}
    return [name for name, (other, useful) in needs.items() if getattr(group, other) in useful]


@pytest.mark.parametrize("kind", ["pieces", "breaking"])
def test_each_declared_value_of_a_method_is_drawn(cube, module, kind):
    declared = module("core.config.params").declared
    for method in module("operators.settings").REGISTRIES[kind]:
        setattr(cube.brittle, kind, method.id)
        counts = counting(getattr(cube.brittle, method.id), declared(method.params))
        expected = [kind, *(name for name in counts if name != "count")]
        assert values(draw(f"BRITTLE_PT_{kind}")) == expected


def test_strength_draws_the_list_and_the_settings_of_the_active_field(cube, module):
    drawn = draw("BRITTLE_PT_strength")
    assert ("list", "fields") in drawn and names(drawn, "label")[0].startswith("None")
    buttons = ["brittle.field_add", "brittle.field_remove", "brittle.field_move", "brittle.field_move"]
    assert names(drawn, "operator") == buttons, "there is nothing to preview"
    declared = module("core.config.params").declared
    for method in module("core.strength.fields").FIELDS:
        bpy.ops.brittle.field_add(kind=method.id)
        drawn = draw("BRITTLE_PT_strength")
        group = getattr(cube.brittle.fields[-1], method.id)
        assert values(drawn) == ["kind", *counting(group, declared(method.params))]
        assert names(drawn, "operator") == [*buttons, "brittle.preview_strength", "brittle.preview_strength"]


@pytest.mark.parametrize(
    ("source", "collection"), [("group", "vertex_groups"), ("image", "images"), ("attribute", "attributes")]
)
def test_paint_is_searched_for_by_its_source(cube, source, collection):
    bpy.ops.brittle.field_add(kind="painted")
    cube.brittle.fields[0].painted.source = source
    Layout.searched.clear()
    draw("BRITTLE_PT_strength")
    assert Layout.searched == [collection]


def test_a_curve_has_no_list_of_attributes_to_search(cube):
    curve = bpy.data.objects.new("Bow", bpy.data.curves.new("Bow", "CURVE"))
    bpy.context.scene.collection.objects.link(curve)
    bpy.context.view_layer.objects.active = curve
    bpy.ops.brittle.field_add(kind="painted")
    curve.brittle.fields[0].painted.source = "attribute"
    Layout.searched.clear()
    assert "name" in values(draw("BRITTLE_PT_strength")) and not Layout.searched


def test_the_list_names_fields_by_kind_and_paint_and_has_their_switch(cube):
    for kind in ("noise", "painted"):
        bpy.ops.brittle.field_add(kind=kind)
    cube.brittle.fields[1].painted.name = "Weak"
    cube.brittle.fields[1].on = False
    told = []
    for item in cube.brittle.fields:
        layout = Layout()
        bpy.types.BRITTLE_UL_fields.draw_item(None, bpy.context, layout, cube.brittle, item, 0, cube.brittle, "")
        told.append(layout.drawn)
    assert told == [[("label", "Noise"), ("prop", "on")], [("label", "Painted: Weak"), ("prop", "on")]]


def test_the_material_draws_its_values(cube, module):
    fields = [field.name for field in module("core.config.params").declared(module("core.config.material").Material)]
    assert values(draw("BRITTLE_PT_material")) == fields


def test_the_surface_draws_the_values_that_count(cube, module):
    fields = [field.name for field in module("core.config.params").declared(module("core.config.surface").Surface)]
    fields = ["inner_material", "faces", *fields]
    hidden = ["amplitude", "wavelength", "resolution"]
    assert values(draw("BRITTLE_PT_surface")) == [name for name in fields if name not in hidden]
    cube.brittle.surface.octaves = 1
    assert values(draw("BRITTLE_PT_surface")) == [name for name in fields if name != "resolution"]
    cube.brittle.surface.cutter = "level_set"
    assert values(draw("BRITTLE_PT_surface")) == fields


def test_springs_draw_the_bumps_of_broken_faces_where_these_are_rough(cube):
    bpy.ops.brittle.preset_apply(name="Porcelain")
    bumps = {"octaves", "quality"}
    assert not bumps & set(values(draw("BRITTLE_PT_surface")))
    cube.brittle.spring_lattice.borders = "rough"
    assert bumps <= set(values(draw("BRITTLE_PT_surface")))


def test_the_motion_is_chosen_above_ground_and_length(cube, module):
    declared = module("core.config.params").declared
    for method in module("operators.settings").REGISTRIES["motion"]:
        cube.brittle.motion = method.id
        own = [field.name for field in declared(method.params)]
        around = ["use_ground", "ground_height", "frames", "reduce_keys"]
        assert values(draw("BRITTLE_PT_motion")) == ["motion", *own, *around]


def test_values_that_do_not_count_are_hidden(cube):
    def drawn(panel):
        return values(draw(panel))

    cube.brittle.voronoi.layout = "graded"
    assert not {"rays", "branching", "ring_spacing"} & set(drawn("BRITTLE_PT_pieces"))
    assert "grading" in drawn("BRITTLE_PT_pieces")
    cube.brittle.voronoi.layout = "spider"
    assert {"rays", "branching", "ring_spacing"} <= set(drawn("BRITTLE_PT_pieces"))
    assert "grading" not in drawn("BRITTLE_PT_pieces")
    assert "ground_height" in drawn("BRITTLE_PT_motion")
    bpy.context.scene.brittle.use_ground = False
    assert "ground_height" not in drawn("BRITTLE_PT_motion")


def test_what_needs_another_value_names_one_that_there_is(module):
    declared = module("core.config.params").declared
    settings = module("operators.settings")
    methods = [method.params for registry in settings.REGISTRIES.values() for method in registry]
    for params in (*methods, *settings.PARAMS.values(), settings.SceneSettings, settings.ImpactSettings):
        fields = {field.name: field for field in declared(params)}
        for field in fields.values():
            name, useful = field.param.needs or (field.name, ())
            assert set(useful) <= possible(fields[name])


def possible(field):
    """The values that another value may need."""
    if field.param.choices:
        return {choice.id for choice in field.param.choices}
    if isinstance(field.default, bool):
        return {True, False}
    low, high = field.param.limits
    return set(range(low, high + 1)) if isinstance(field.default, int) else set()


def test_a_job_takes_the_place_of_the_button(cube, module, monkeypatch):
    progress = module("core.types").Progress(0.4, "Cutting")
    monkeypatch.setattr(module("operators.job").JobOperator, "shown", progress)
    drawn = draw("BRITTLE_PT_main")
    assert names(drawn, "progress") == ["Cutting"]
    assert names(drawn, "operator") == ["brittle.preview", "brittle.restore"]


def test_an_impact_shows_the_object_that_it_hits(cube):
    bpy.ops.brittle.impact_add()
    bpy.context.view_layer.objects.active = bpy.data.objects["Impact"]
    cube.select_set(False)
    assert values(draw("BRITTLE_PT_main")) == ["look", "count", "seed"]


def test_colliders_are_listed_with_why_they_are(cube, make_cube):
    assert values(draw("BRITTLE_PT_collisions")) == ["use_colliders"]
    assert names(draw("BRITTLE_PT_collisions"), "operator") == ["brittle.collider_add", "brittle.collider_remove"]
    assert names(draw("BRITTLE_PT_collisions"), "label")[0].startswith("None")
    bpy.context.scene.brittle.use_colliders = False
    assert not names(draw("BRITTLE_PT_collisions"), "operator"), "none counts"
    bpy.context.scene.brittle.use_colliders = True
    for number in range(14):
        make_cube(f"Wall {number:02d}").brittle.collider = True
    bpy.context.view_layer.objects.active = cube
    labels = names(draw("BRITTLE_PT_collisions"), "label")
    assert labels == [*(f"Wall {number:02d} (Marked)" for number in range(12)), "and 2 more"]


def test_impacts_are_listed_with_their_values(cube):
    assert "None" in names(draw("BRITTLE_PT_impacts"), "label")[0]
    assert all(len(line) < 36 for line in names(draw("BRITTLE_PT_impacts"), "label")), "the sidebar is narrow"
    bpy.ops.brittle.impact_add()
    drawn = draw("BRITTLE_PT_impacts")
    assert names(drawn, "label") == ["Speed", "Radius", "Frame"], "of values that are chosen by a word"
    assert values(drawn) == ["name", "strength", "speed", "radius", "frame"]


def test_the_report_is_shown_in_words(module):
    account = {
        "asked": 20,
        "pattern": 15,
        "pieces": 12,
        "closed_pieces": 12,
        "volume_in": 8.0,
        "volume_out": 8.0,
        "repaired": ["2 doubled faces were removed."],
        "counted": ["The pattern has 15 pieces for 20 asked."],
        "warnings": [],
        "seed": 3,
        "seconds": {"cut": 0.25, "break and move": 0.5},
    }
    in_words = module("panels.report").in_words
    lines = [text for text, _ in in_words(account)]
    assert lines == [
        "12 pieces, all closed",
        "No volume lost",
        "0.75 s, seed 3",
        "3 fewer than the pattern has: the blow left them together",
        "The pattern has 15 pieces for 20 asked.",
        "2 doubled faces were removed.",
    ]
    told = in_words({**account, "energy": {"start": 1234.5, "end": 0.0}})
    assert told[3] == ("Energy: 1.23 kJ at the start, 0 J at the end", "BLANK1")
    worse = in_words({**account, "closed_pieces": 10, "volume_out": 7.0, "warnings": ["Nothing broke."]})
    assert worse[0] == ("12 pieces, 2 of them open", "ERROR")
    assert worse[1] == ("Volume differs by 10 % of the whole", "ERROR")
    assert worse[-1] == ("Nothing broke.", "ERROR")
    assert all(icon in ICONS for _, icon in worse)
    assert in_words({**account, "pieces": 1, "closed_pieces": 1})[0][0] == "1 piece, all closed"


def test_the_result_stands_under_the_button_in_a_line(cube, module):
    assert not [text for text in names(draw("BRITTLE_PT_main"), "label") if "pieces" in text]
    bpy.ops.brittle.shatter()
    account = json.loads(bpy.data.collections["Cube Fragments"]["brittle_report"])
    assert account["moving"] > 0, "ten frames are too few to come to rest"
    line = f"{account['pieces']} pieces, nothing lost, {account['moving']} still moving at frame 10"
    assert line in " ".join(names(draw("BRITTLE_PT_main"), "label"))
    headline = module("panels.report").headline
    assert headline({**account, "moving": 0})[0] == (f"{account['pieces']} pieces, nothing lost", "CHECKMARK")
    worse = headline({**account, "closed_pieces": 0, "warnings": ["It is thin."], "advice": ["Make it thicker."]})
    assert worse[0][0].startswith(f"{account['pieces']} pieces, see the Report") and worse[0][1] == "ERROR"
    assert worse[1:] == [("It is thin.", "ERROR")]
    assert headline({**account, "advice": ["Lift it."]})[1:] == [("Lift it.", "INFO")]


@pytest.mark.parametrize(
    ("energy", "words"),
    [(0.01234, "0.0123 J"), (999.4, "999 J"), (999.6, "1 kJ"), (2.5e6, "2.5 MJ"), (4e12, "4,000 GJ")],
)
def test_energies_are_told_with_three_digits(module, energy, words):
    assert module("operators.account").joules(energy) == words


def test_heights_count_from_the_lowest_that_is_reached(module):
    energy = np.array([[3.0, 1.0, -50.0], [20.0, 2.0, -70.0], [0.0, 0.0, -60.0]])
    assert module("operators.account").energies(SimpleNamespace(energy=energy)) == {"start": 24.0, "end": 10.0}


def test_the_report_appears_after_a_shatter_and_goes_with_restore(cube):
    assert draw("BRITTLE_PT_report") is None
    bpy.ops.brittle.shatter()
    lines = names(draw("BRITTLE_PT_report"), "label")
    account = json.loads(bpy.data.collections["Cube Fragments"]["brittle_report"])
    assert lines[0].startswith(f"{account['pieces']} pieces")
    bpy.ops.brittle.restore()
    assert draw("BRITTLE_PT_report") is None


def test_the_menu_of_materials_has_one_entry_each_by_groups(cube):
    drawn = draw("BRITTLE_MT_presets")
    offered = [entry[2] for entry in drawn if entry[1] == "brittle.preset_apply"]
    assert {"Clay", "Window Pane", "Ice", "None"} <= set(offered) and len(offered) == len(set(offered))
    assert not [name for name in offered if "Lattice" in name], "how it breaks is chosen in the panel Breaking"
    assert names(drawn, "label") == ["Glass", "Ceramic", "Stone", "Masonry", "Wood", "Soft"]
    assert "BRITTLE_MT_presets_own" not in names(drawn, "menu"), "shipped ones cannot be removed"
    bpy.ops.brittle.preset_save(name="Mine")
    drawn = draw("BRITTLE_MT_presets")
    assert names(drawn, "label")[-1] == "Own" and "BRITTLE_MT_presets_own" in names(drawn, "menu")
    assert names(draw("BRITTLE_MT_presets_own"), "operator") == ["brittle.preset_remove"]
    bpy.ops.brittle.preset_remove(name="Mine")


def test_the_panel_of_breaking_has_the_ways_of_the_material(cube):
    assert "brittle.preset_apply" not in names(draw("BRITTLE_PT_breaking"), "operator")
    for name in ("Stone", "Stone (Lattice)"):
        bpy.ops.brittle.preset_apply(name=name)
        ways = [entry[2] for entry in draw("BRITTLE_PT_breaking") if entry[1] == "brittle.preset_apply"]
        assert ways == ["Around the Hit", "By Forces"]
    assert cube.brittle.breaking == "constraint_lattice"


def test_breaking_on_contact_draws_its_switch_and_all_its_values(cube, module):
    assert values(draw("BRITTLE_PT_breakable")) == ["stands", "anchored_group"], "the rest does not count yet"
    cube.brittle.breakable.breaks = True
    declared = counting(
        cube.brittle.breakable, module("core.config.params").declared(module("core.config.breakable").Breakable)
    )
    fields = ["weak_group", "weak_image", "breaks_from", "breaks_until", "most_pieces"]
    held = ["stands", "anchored_group"]
    drawn = draw("BRITTLE_PT_breakable")
    assert values(drawn) == [*(name for name in declared if name not in ("breaks", "stands")), *fields, *held]
    header = SimpleNamespace(layout=Layout())
    bpy.types.BRITTLE_PT_breakable.draw_header(header, bpy.context)
    assert header.layout.drawn == [("prop", "breaks")]
    bpy.ops.brittle.influence_add()
    bpy.context.view_layer.objects.active = cube
    assert values(draw("BRITTLE_PT_breakable"))[-5:-2] == ["name", "empty_display_size", "most_pieces"]


def test_simulate_stands_in_the_head_where_something_breaks_on_contact(cube, make_cube, module, monkeypatch):
    cube.brittle.breakable.breaks = True
    assert ("operator", "brittle.simulate", "Simulate 1 Object") in draw("BRITTLE_PT_main")
    other = make_cube("Other")
    other.brittle.breakable.breaks = True
    assert ("operator", "brittle.simulate", "Simulate 2 Objects") in draw("BRITTLE_PT_main")
    other.hide_set(True)
    assert ("operator", "brittle.simulate", "Simulate 1 Object") in draw("BRITTLE_PT_main")
    progress = module("core.types").Progress(0.4, "Moving 7 pieces")
    monkeypatch.setattr(module("operators.job").JobOperator, "shown", progress)
    assert "brittle.simulate" not in names(draw("BRITTLE_PT_main"), "operator")


def test_own_meshes_are_chosen_with_the_pieces(cube):
    own = cube.brittle
    own.pieces = "pattern"
    assert "own_meshes" not in values(draw("BRITTLE_PT_pieces"))
    own.pattern.kind = "own"
    drawn = draw("BRITTLE_PT_pieces")
    assert "own_meshes" in values(drawn)
    assert {"brittle.pattern_mark", "brittle.pattern_asset"} <= set(names(drawn, "operator"))
    assert "count" not in values(draw("BRITTLE_PT_main")), "meshes are as many as they are"
    assert not any("Not marked" in text for text in names(drawn, "label"))
    own.own_meshes = bpy.data.collections.new("Meshes")
    assert any("Not marked" in text for text in names(draw("BRITTLE_PT_pieces"), "label"))
    mark = bpy.data.objects.new("Centre", None)
    mark.brittle.pattern_mark = True
    own.own_meshes.objects.link(mark)
    assert not any("Not marked" in text for text in names(draw("BRITTLE_PT_pieces"), "label"))
