"""The constraint lattice from the panel: texts that cannot be read, what its report says, and paint that it follows."""

import json

import bpy
import pytest


@pytest.fixture
def lattice(cube):
    cube.brittle.breaking = "constraint_lattice"
    cube.brittle.constraint_lattice.steps = 5
    return cube


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("schedule", "up and down", 'Schedule cannot be read: "up and down"'),
        ("schedule", "0 0, 1", "Schedule cannot be read"),
        ("schedule", "", "Schedule cannot be read"),
        ("schedule", "0 0, 1 1, 0.5 0", "Schedule goes back"),
        ("schedule", "0 0, 1 0", "Schedule must have"),
        ("growth_curve", "0; 1", "Growth Curve cannot be read"),
    ],
)
def test_a_text_that_cannot_be_read_gives_one_sentence_and_changes_nothing(lattice, state, name, text, sentence):
    lattice.brittle.constraint_lattice.growth = "curve"
    setattr(lattice.brittle.constraint_lattice, name, text)
    before = state()
    with pytest.raises(RuntimeError, match=sentence) as raised:
        bpy.ops.brittle.shatter()
    assert str(raised.value).strip().count("\n") == 0
    assert state() == before


def test_a_curve_that_does_not_count_is_not_read(lattice):
    lattice.brittle.constraint_lattice.growth_curve = "nothing"
    assert bpy.ops.brittle.shatter() == {"FINISHED"}


def test_the_report_says_what_the_rule_noted(lattice):
    lattice.brittle.constraint_lattice.most_solutions = 1
    lattice.brittle.material.tensile = 0.1
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    account = json.loads(bpy.data.collections["Cube Fragments"]["brittle_report"])
    assert any("raise Most Solutions" in text for text in account["warnings"])


def test_all_of_an_object_held_gives_one_sentence(lattice, state):
    """Painted fast all over: there is nothing that could break off."""
    group = lattice.vertex_groups.new(name="Fast")
    group.add(list(range(8)), 1.0, "REPLACE")
    lattice.brittle.anchored_group = "Fast"
    lattice.brittle.voronoi.count = 4
    before = state()
    with pytest.raises(RuntimeError, match="All of the object is anchored"):
        bpy.ops.brittle.shatter()
    assert state() == before
