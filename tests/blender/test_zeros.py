"""Where 0 is no number but a choice, a word stands in place of the number; files and scripts have the 0."""

import bpy
import pytest

from tests.blender.layouts import draw, names

pytestmark = pytest.mark.usefixtures("everything")


@pytest.fixture
def groups(module):
    """A function that gives every group of settings there is: of objects, impacts, fields and the scene."""
    settings = module("operators.settings")

    def found(cube):
        for method in module("core.strength.fields").FIELDS:
            bpy.ops.brittle.field_add(kind=method.id)
        methods = [method.id for registry in settings.REGISTRIES.values() for method in registry]
        own = [getattr(cube.brittle, name) for name in (*methods, *settings.PARAMS, "blow")]
        return [*own, *(getattr(item, item.kind) for item in cube.brittle.fields), bpy.context.scene.brittle]

    return found


def test_each_zero_that_is_a_word_has_a_switch_and_a_number_instead(cube, groups, module):
    declared, zeros = module("core.config.params").declared, module("operators.zeros")
    seen = 0
    for group in groups(cube):
        for field in declared(group.params):
            name, switch = field.name, zeros.switch_of(field.name)
            assert (switch in group.bl_rna.properties) == bool(field.param.zero)
            if not field.param.zero:
                assert "all zero" not in field.param.doc, "that is a choice, so it has a word"
                continue
            seen += 1
            assert group.bl_rna.properties[switch].name == field.param.zero
            assert field.param.zero in field.param.doc, "the tooltip says what the word does"
            setattr(group, switch, True)
            assert zeros.is_chosen(group, name)
            setattr(group, switch, False)
            assert not zeros.is_chosen(group, name), (name, "there is a number to begin with")
            before = module("operators.generated").values(group, group.params)
            setattr(group, switch, False)
            assert module("operators.generated").values(group, group.params) == before
            module("core.config.params").from_mapping(group.params, before)  # it is within its limits
            setattr(group, switch, True)
            assert zeros.is_chosen(group, name)
    assert seen >= 15


def test_the_number_is_seen_only_where_it_is_one(cube):
    assert names(draw("BRITTLE_PT_impacts"), "prop") == ["strength", "speed_auto", "radius_auto", "frame_auto"]
    assert {"Speed", "Radius", "Frame"} <= set(names(draw("BRITTLE_PT_impacts"), "label"))
    cube.brittle.blow.speed = 2.0
    cube.brittle.blow.frame = 7
    shown = ["strength", "speed_auto", "speed", "radius_auto", "frame_auto", "frame"]
    assert names(draw("BRITTLE_PT_impacts"), "prop") == shown
    cube.brittle.breaks_until, cube.brittle.breakable.breaks = 9, True
    shown = names(draw("BRITTLE_PT_breakable"), "prop")
    assert "breaks_from" not in shown and "breaks_until" in shown


def test_a_number_begins_with_what_suits_the_object(cube):
    """A tenth of the diagonal of a cube of edge 2, as Auto takes it; a frame is that of the playhead."""
    blow = cube.brittle.blow
    blow.radius_auto = blow.frame_auto = False
    assert blow.radius == pytest.approx(0.1 * 12.0**0.5)
    assert blow.frame == bpy.context.scene.frame_current == 1
    bpy.ops.brittle.impact_add(owner="Cube", location=(0.0, 0.0, 2.0))
    impact = bpy.data.objects["Impact"].brittle_impact
    impact.radius_auto = False
    assert impact.radius == pytest.approx(blow.radius), "that of the object which it hits"
    cube.brittle.wood.grain_auto = False
    assert tuple(cube.brittle.wood.grain) == (0.0, 0.0, 1.0)
    cube.brittle.wood.grain_auto = True
    assert tuple(cube.brittle.wood.grain) == (0.0, 0.0, 0.0)
    cube.brittle.breaks_from_auto = False
    assert cube.brittle.breaks_from == bpy.context.scene.frame_start


def test_switches_store_nothing_and_go_to_all_selected(cube, make_cube, module):
    untouched = module("operators.generated").is_untouched
    other = make_cube("Other")
    bpy.context.view_layer.objects.active = cube
    assert untouched(other.brittle)
    cube.brittle.blow.speed_auto = False
    assert not untouched(cube.brittle.blow) and not [key for key in cube.brittle.blow.keys() if "auto" in key]  # noqa: SIM118
    module("operators.alike").share(cube.brittle.blow, "speed", bpy.context)
    assert other.brittle.blow.speed == cube.brittle.blow.speed > 0.0
    give_back = module("operators.generated").remember(cube.brittle)
    cube.brittle.blow.speed_auto = True
    give_back()
    assert not cube.brittle.blow.speed_auto


def test_one_word_has_one_meaning(cube, groups, module):
    """Labels that stand for different things are different; those below mean the same wherever they stand."""
    same = {"Pieces", "Layout", "Grading", "Rays", "Branching", "Grain", "Seed", "Size", "Detail", "Jitter", "Weakest"}
    same |= {"Strongest", "Edge", "Direction", "Radius", "Force", "Resolution", "Threshold", "Length", "Across"}
    # Of both kinds of matter that deforms.
    same |= {"Modulus", "Damping", "Variation", "Let Go", "Rigid Below", "Most Substeps", "Stepping"}
    same |= {"Inner Walls", "Inner Shells"}  # what becomes of them, and whether that is allowed
    where = {}
    for group in groups(cube):
        for field in module("core.config.params").declared(group.params):
            where.setdefault(field.param.label, set()).add((type(group).__name__, field.name))
    panels = [cls.bl_label for cls in module("panels").CLASSES if issubclass(cls, bpy.types.Panel)]
    assert not set(panels) & (set(where) - {"Pieces", "Breaks on Contact"})
    assert {label for label, used in where.items() if len(used) > 1} <= same
