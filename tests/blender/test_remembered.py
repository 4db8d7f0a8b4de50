"""With many objects a redraw is quick: what panels and buttons ask is found once, until something changes."""

import bpy
import pytest

from tests.blender.layouts import draw, names

#: Objects, of which each question looks at every one.
MANY = 300


@pytest.fixture
def remembered(module):
    """Answers are kept, as where there is a window."""
    found = module("operators.remembered")
    found.keeps = True
    yield found
    found.keeps = False
    found.forget()


@pytest.fixture
def pieces(cube):
    """What looks like the pieces of a large break, all selected; the source is the active object."""
    home = bpy.data.collections.new("Cube Fragments")
    home["brittle_source"] = cube
    bpy.context.scene.collection.children.link(home)
    for k in range(MANY):
        piece = bpy.data.objects.new(f"Piece {k}", cube.data)
        piece["brittle_fragment"] = k
        home.objects.link(piece)
        piece.select_set(True)
    bpy.context.view_layer.update()
    return list(home.objects)


@pytest.fixture
def asked(module, monkeypatch):
    """How often each of the questions was asked that look at all objects."""
    counts = {}

    def count(place, name):
        found = getattr(module(place), name)

        def counting(*given, **named):
            counts[name] = counts.get(name, 0) + 1
            return found(*given, **named)

        monkeypatch.setattr(module(place), name, counting)

    count("operators.selection", "sources_by_piece")
    count("operators.targets", "sources_by_piece")
    count("operators.targets", "_is_marked")
    count("operators.collider", "why_collider")
    count("operators.collider", "shown_colliders")
    return counts


def redraw(module):
    """All panels, and the polls of all operators."""
    for name in module("operators.idnames").Panel:
        draw(name)
    for name in module("operators.idnames").Operator:
        getattr(bpy.ops.brittle, name.split(".")[1]).poll()


def test_a_redraw_looks_at_all_objects_at_most_once(remembered, pieces, everything, asked, module):
    redraw(module)
    first = dict(asked)
    # The objects of the scene by Simulate, the selected ones by Remove Collider; pieces by Shatter and Restore.
    assert first["_is_marked"] == len(bpy.context.scene.objects)
    assert first["why_collider"] <= len(bpy.context.selected_objects) and first["shown_colliders"] == 1
    assert first["sources_by_piece"] <= 6
    for _ in range(3):
        redraw(module)
    assert asked == first


def test_a_change_is_seen_at_the_next_redraw(remembered, pieces, cube):
    def button():
        return next(
            text for _, name, text in (one for one in draw("BRITTLE_PT_main") if len(one) == 3) if "shatter" in name
        )

    assert button() == "Shatter"  # all of the pieces stand for the whole
    cube.select_set(False)
    for piece in pieces[3:]:
        piece.select_set(False)
    bpy.context.view_layer.objects.active = pieces[0]
    bpy.context.view_layer.update()
    assert button() == "Shatter 3 Pieces"
    assert not bpy.ops.brittle.simulate.poll()
    cube.brittle.breakable.breaks = True
    assert bpy.ops.brittle.simulate.poll()
    bpy.data.objects.remove(cube)
    bpy.context.view_layer.update()
    assert not bpy.ops.brittle.simulate.poll()
    assert "brittle.simulate" not in names(draw("BRITTLE_PT_main"), "operator")


def test_the_first_target_is_that_of_all_targets(pieces, cube, module):
    targets = module("operators.targets")
    bpy.ops.brittle.impact_add()
    impact = bpy.data.objects["Impact"]
    light = bpy.data.objects.new("Light", bpy.data.lights.new("Light", "POINT"))
    bpy.context.scene.collection.objects.link(light)
    for active in (cube, pieces[7], impact, light, None):
        bpy.context.view_layer.objects.active = active
        assert targets.target(bpy.context) == targets.targets(bpy.context)[0]
    bpy.ops.object.select_all(action="DESELECT")
    assert targets.target(bpy.context) is None and targets.targets(bpy.context) == []


def test_an_account_is_read_once_for_all_redraws(module):
    account = module("operators.account")
    assert account.parsed('{"pieces": 3}') is account.parsed('{"pieces": 3}')
    with pytest.raises(TypeError):
        account.parsed('{"pieces": 3}')["pieces"] = 4
