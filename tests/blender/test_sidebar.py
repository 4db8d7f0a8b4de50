"""The tab as a whole: the two looks, the order of the panels, and labels that fit."""

import html
import re
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlparse
from urllib.request import url2pathname

import bpy

from tests.blender.layouts import draw, values


def test_the_order_is_that_of_the_tasks(module):
    shown = [cls.bl_idname for cls in module("panels").CLASSES if issubclass(cls, bpy.types.Panel)]
    assert shown[:5] == [f"BRITTLE_PT_{name}" for name in ("main", "impacts", "report", "pieces", "breaking")]


def test_each_panel_has_a_page_that_its_question_mark_opens(module):
    panels = [cls for cls in module("panels").CLASSES if issubclass(cls, bpy.types.Panel)]
    pages = {module("operators.help").page_of(cls.bl_idname) for cls in panels}
    assert pages == set(module("operators.help").FOLDER.iterdir())
    for cls in panels:
        opened = SimpleNamespace(url="")
        layout = SimpleNamespace(operator=lambda name, opened=opened, **_: opened if name == "wm.url_open" else None)
        cls.draw_header_preset(SimpleNamespace(layout=layout, bl_idname=cls.bl_idname), bpy.context)
        page = Path(url2pathname(urlparse(opened.url).path))
        text = page.read_text("utf-8")
        assert f"<h1>{html.escape(cls.bl_label)}</h1>" in text
        assert all((page.parent / link).is_file() for link in re.findall(r'href="(.*?)"', text))


def test_the_simple_look_has_the_blow_and_few_panels(cube, everything, module):
    panels = [cls.bl_idname for cls in module("panels").CLASSES if issubclass(cls, bpy.types.Panel)]
    everything.look = "SIMPLE"
    assert values(draw("BRITTLE_PT_main")) == ["look", "count", "grading", "shard_size", "strength", "seed"]
    shown = [name for name in panels if draw(name) is not None]
    assert values(draw("BRITTLE_PT_impacts")) == ["speed", "radius", "frame"], "the head has the force"
    assert shown == ["BRITTLE_PT_main", "BRITTLE_PT_impacts", "BRITTLE_PT_motion"]
    bpy.ops.brittle.shatter()
    assert draw("BRITTLE_PT_report")


def test_the_simple_look_has_the_force_of_the_first_impact(cube, make_cube, module):
    first_blow = module("operators.targets").first_blow
    assert first_blow(bpy.context, cube) == cube.brittle.blow
    other = make_cube("Other")
    for owner, name in (("Cube", "B"), ("Cube", "A"), ("Other", "0")):
        bpy.ops.brittle.impact_add(owner=owner, location=(0.0, 0.0, 2.0))
        bpy.data.objects["Impact"].name = name
    assert first_blow(bpy.context, cube) == bpy.data.objects["A"].brittle_impact
    assert first_blow(bpy.context, other) == bpy.data.objects["0"].brittle_impact
    bpy.data.objects["A"].parent = None
    assert first_blow(bpy.context, other) == bpy.data.objects["0"].brittle_impact
    bpy.data.objects["0"].parent = None
    assert first_blow(bpy.context, cube) == bpy.data.objects["0"].brittle_impact


def test_a_pattern_brings_the_rule_that_opens_it(cube):
    own = cube.brittle
    own.pieces = "pattern"
    assert own.breaking == "placed_pattern"
    own.pieces, own.breaking = "cubes", "constraint_lattice"
    own.pieces = "pattern"
    assert own.breaking == "constraint_lattice", "what was chosen stays"


def test_labels_say_units_and_fit_into_the_sidebar(cube, module):
    settings, declared = module("operators.settings"), module("core.config.params").declared
    shown, fields = module("operators.generated").shown, module("core.strength.fields").FIELDS
    assert "Density (kg/m³)" in dict(shown(cube.brittle.material)).values()
    for method in fields:
        bpy.ops.brittle.field_add(kind=method.id)
    methods = [method.id for registry in settings.REGISTRIES.values() for method in registry]
    groups = [getattr(cube.brittle, name) for name in (*methods, *settings.PARAMS, "blow")]
    groups += [getattr(item, item.kind) for item in cube.brittle.fields] + [bpy.context.scene.brittle]
    for group in groups:
        switches = [field.name for field in declared(group.params) if isinstance(field.default, bool)]
        # Two fifths of the sidebar's default width have room for as many letters; switches have the other three.
        assert not [label for name, label in shown(group) if len(label) > 16 and name not in switches]
