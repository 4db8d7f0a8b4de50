"""Breaking by stress from the artist's side: a material is chosen, a blow cracks it, and it comes back."""

import json

import bpy
import pytest


@pytest.fixture
def pane(cube):
    """An upright pane of a metre that is struck at its middle."""
    cube.scale = (0.5, 0.02, 0.5)
    cube.location.z = 0.5
    bpy.context.view_layer.update()
    bpy.ops.brittle.impact_add(location=(0.0, -0.02, 0.5), direction=(0.0, 1.0, 0.0), owner="Cube")
    bpy.ops.brittle.preset_apply(name="Standard Glass (Elements)")
    cube.brittle.finite_element.elements = 800
    bpy.context.scene.brittle.frames = 6
    bpy.context.view_layer.update()
    return cube


def pieces():
    return [item for item in bpy.data.objects if "brittle_fragment" in item]


def test_a_blow_breaks_a_pane_by_stress_and_it_comes_back(pane):
    assert pane.brittle.breaking == "finite_element"
    assert bpy.ops.brittle.shatter(seed=1) == {"FINISHED"}
    found = pieces()
    assert len(found) > 2
    report = json.loads(bpy.data.collections["Cube Fragments"]["brittle_report"])
    assert report["closed_pieces"] == report["pieces"] and not report["warnings"]
    assert report["volume_out"] == pytest.approx(report["volume_in"], rel=1e-9)
    assert bpy.ops.brittle.restore() == {"FINISHED"}
    assert not pieces() and not pane.hide_render


def test_the_ways_of_a_material_are_named(pane, module):
    ways = module("operators.preset").ways("Concrete")
    named = [module("operators.preset").way_of(entry) for entry in ways]
    assert named[0] == "Around the Hit" and {"By Forces", "By Stress"} == set(named[1:])


def test_what_takes_for_ever_is_refused_in_a_sentence_and_changes_nothing(pane):
    own = pane.brittle.finite_element
    own.most_substeps, own.youngs_modulus, pane.brittle.material.density = 0, 1e7, 1e-3
    with pytest.raises(RuntimeError, match="substeps a frame: choose a softer"):
        bpy.ops.brittle.shatter(seed=1)
    assert not pieces() and not pane.hide_render


def test_the_preview_tells_how_long_it_will_take(pane, preview):
    bpy.ops.brittle.preview()
    told = {icon: text for text, icon in preview.status()}
    assert told["MESH_GRID"].startswith("About 800 elements, ") and not preview.live.note
