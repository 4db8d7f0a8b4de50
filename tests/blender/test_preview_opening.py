"""Preview Cracks: what opens is what Shatter opens; only what has changed is made anew, and nothing of it is kept."""

import threading
import time

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.blender.pieces import pieces_of


@pytest.fixture
def blow(cube):
    """A blow from the side that breaks some of the cube and leaves the rest."""
    cube.brittle.voronoi.count = 30
    bpy.ops.brittle.impact_add(location=(-1.0, 0.1, 1.2), direction=(1.0, 0.1, -0.2), owner="Cube")
    bpy.data.objects["Impact"].brittle_impact.strength = 0.3
    bpy.context.view_layer.update()
    return bpy.data.objects["Impact"].brittle_impact


def settled(preview):
    """What is known once everything has been found out: the cut of the result, its cracks, and what comes of them."""
    for _ in range(4):
        preview.cracks.wait()
        preview.live.refresh(bpy.context)
    assert not preview.cracks.is_busy()
    cut = preview.quick_cut.cut_of(bpy.context, bpy.context.object)
    assert cut.exact
    return cut, preview.cracks.of(bpy.context, cut)


def run(module):
    """The fracture of a Shatter that writes nothing."""
    shatter = module("operators.shatter")
    job = shatter.steps(bpy.context, [bpy.context.object], shatter.Request())
    return module("operators.job").run_blocking(job)[0].shattered.fracture


def ends(preview):
    """Closed and open cracks."""
    return [layer.ends for layer in preview.live.overlay.layers if hasattr(layer, "ends")]


def hues(faces):
    """The colours, whatever the light."""
    colours = faces.colours[:, :3]
    return np.unique((colours / colours.max(axis=1, keepdims=True)).round(6), axis=0)


@pytest.mark.parametrize("preset", ["Standard Glass", "Concrete", "Brick Wall", "Plaster (Lattice)"])
def test_the_preview_is_the_result(cube, blow, preview, module, preset):
    bpy.context.scene.brittle.frames = 1
    assert bpy.ops.brittle.preset_apply(name=preset) == {"FINISHED"}
    module("operators.settings").method_group(cube.brittle, "pieces").count = 24
    bpy.ops.brittle.preview()
    cut, opening = settled(preview)
    made = run(module)
    assert set(np.flatnonzero(opening.cracked)) == set(made.crack_link.tolist())
    last = np.flatnonzero(made.death == 1)
    assert opening.count == len(last) > 1
    assert made.cells[0] is cut.cells, "the result takes the cut of the preview"
    closed, opened = ends(preview)
    sides = preview._seen.sides
    apart = (opening.fragment[sides[:, 0]] != opening.fragment[sides[:, 1]]) | (opening.fragment[sides] < 0).any(axis=1)
    assert (len(opened), len(closed)) == (apart.sum(), (~apart).sum())
    assert preview.status()[0][0] == f"{opening.count} fragments of {cut.cells.unit.max() + 1} pieces"


def test_whatever_is_set_the_preview_is_the_result(cube, blow, preview, module):
    """The blow from the viewer, one that is placed and changed, several at once, and what is painted or held."""
    bpy.context.scene.brittle.frames = 1
    weak = cube.vertex_groups.new(name="Weak")
    weak.add([0, 1, 2], 1.0, "REPLACE")

    def second():
        bpy.ops.brittle.impact_add(location=(0.2, 0.3, 2.0), direction=(0.0, 0.1, -1.0), owner="Cube")
        bpy.data.objects["Impact.001"].brittle_impact.radius = 0.6

    def painted():
        bpy.ops.brittle.field_add(kind="painted")
        cube.brittle.fields[0].painted.name = "Weak"

    steps = {
        "placed": lambda: None,
        "strength": lambda: setattr(blow, "strength", 0.8),
        "radius": lambda: setattr(blow, "radius", 0.4),
        "several": second,
        "painted": painted,
        "held": lambda: setattr(cube.brittle, "anchored_group", "Weak"),
        "viewer": lambda: [bpy.data.objects.remove(bpy.data.objects[name]) for name in ("Impact", "Impact.001")],
    }
    bpy.ops.brittle.preview()
    seen = set()
    for name, change in steps.items():
        change()
        bpy.context.view_layer.objects.active = cube
        bpy.context.view_layer.update()
        cut, opening = settled(preview)
        cracked = np.flatnonzero(opening.cracked).tolist()
        made = run(module)
        assert cracked == sorted(set(made.crack_link.tolist())), name
        assert opening.count == (made.death == 1).sum() and made.cells[0] is cut.cells, name
        seen.add((cut.diagram.key, cut.influence.anchored.tobytes(), *cracked))
    assert len(seen) == len(steps), "or a change has done nothing"


def test_what_is_not_shown_is_said(cube, blow, preview, make_cube):
    blow.frame = 7
    make_cube("Other").location.x = 5.0
    bpy.context.view_layer.objects.active = cube
    bpy.context.view_layer.update()
    bpy.ops.brittle.preview()
    said = " ".join(text for text, _ in preview.status())
    assert '"Cube" alone' in said and "2 objects" in said and "frame 1: the hit is at frame 7" in said
    bpy.data.objects["Other"].select_set(False)
    bpy.context.scene.frame_set(7)
    preview.live.refresh(bpy.context)
    said = " ".join(text for text, _ in preview.status())
    assert "alone" not in said and "the hit is at" not in said


def test_strength_is_followed_without_a_cut_and_what_is_known_is_not_asked_again(
    cube, blow, preview, module, monkeypatch
):
    bpy.ops.brittle.preview()
    few = len(ends(preview)[1])
    monkeypatch.setattr(
        module("operators.quick_cut"), "repair_steps", lambda *_: pytest.fail("looked at the mesh again")
    )
    monkeypatch.setattr(module("core.diagram"), "cut_with_retry", lambda *_: pytest.fail("cut again"))
    monkeypatch.setattr(preview, "find_outline", lambda *_: pytest.fail("made the lines again"))
    blow.strength = 3.0
    preview.live.refresh_soon()
    assert len(ends(preview)[1]) > few > 0
    monkeypatch.setattr(module("core.pipeline"), "opened", lambda *_: pytest.fail("asked the rule again"))
    preview.live.refresh_soon()
    blow.strength = 0.3
    preview.live.refresh_soon()
    assert len(ends(preview)[1]) == few
    blow.strength = 0.0
    monkeypatch.undo()
    preview.live.refresh_soon()
    assert len(ends(preview)[1]) == 0 and "of the impact is 0" in preview.status()[0][0]


def test_radius_direction_place_and_material_are_followed(cube, blow, preview):
    def shown():
        bpy.context.view_layer.update()
        preview.live.refresh_soon()
        return ends(preview)[1].tobytes()

    blow.strength = 1.0
    bpy.ops.brittle.preview()
    seen = {shown()}
    blow.radius = 0.5
    seen.add(shown())
    cube.brittle.impact_factor.durability = 0.05
    seen.add(shown())
    bpy.data.objects["Impact"].location.x = 0.9
    seen.add(shown())
    cube.brittle.breaking, cube.brittle.placed_pattern.reach = "placed_pattern", 1.0
    seen.add(shown())
    assert len(seen) == 5


def test_exploded_fragments_stand_around_the_middle_and_nothing_in_the_file_changes(cube, blow, preview, state):
    cube.matrix_world = Matrix.Translation((5.0, 0.0, 1.0)) @ Matrix.Rotation(0.5, 4, "Z")
    bpy.context.view_layer.update()
    before, shown = state(), bpy.context.window_manager.brittle_preview
    bpy.ops.brittle.preview()
    at_rest = [some.tobytes() for some in ends(preview)]
    shown.colours = True
    preview.live.refresh_soon()
    (faces,) = (layer for layer in preview.live.overlay.layers if hasattr(layer, "corners"))
    assert not faces.over and [some.tobytes() for some in ends(preview)] == at_rest
    opening = preview.cracks.of(bpy.context, preview.quick_cut.cut_of(bpy.context, cube))
    assert len(hues(faces)) <= opening.count
    again = faces.colours.tobytes()
    preview.live.refresh_soon()
    assert preview.live.overlay.layers[0].colours.tobytes() == again
    shown.explode = 1.0
    preview.live.refresh_soon()
    cover, apart = (layer for layer in preview.live.overlay.layers if hasattr(layer, "corners"))
    assert cover.colours is None and apart.over and len(apart.corners) > len(faces.corners)
    assert len(hues(apart)) == opening.count, "what lies inside is seen as well"
    wide, narrow = (np.ptp(layer.corners.reshape(-1, 3), axis=0) for layer in (apart, faces))
    assert (wide > 1.2 * narrow).all()
    shown.explode, shown.colours = 0.0, False
    preview.live.refresh_soon()
    assert [some.tobytes() for some in ends(preview)] == at_rest
    bpy.ops.brittle.preview()
    assert state() == before


def test_cracks_that_take_long_come_later_and_the_cut_is_there_at_once(cube, blow, preview, module, monkeypatch):
    monkeypatch.setattr(module("operators.cracks"), "BLINK", 0.0)
    cube.brittle.breaking = "constraint_lattice"
    bpy.ops.brittle.preview()
    (unknown,) = preview.live.overlay.layers
    assert len(unknown.ends) and preview.status() == (("Finding the cracks…", "SORTTIME"),)
    assert bpy.app.timers.is_registered(preview._found)
    _, opening = settled(preview)
    assert len(preview.live.overlay.layers) == 2 and opening.count == int(preview.status()[0][0].split()[0])
    assert preview._found() is None and bpy.app.timers.is_registered(preview.live.refresh_soon)


def test_what_is_being_found_out_is_dropped_with_what_it_was_for(cube, blow, preview, module, monkeypatch):
    monkeypatch.setattr(module("operators.cracks"), "BLINK", 0.0)

    def endless(*_):
        while True:
            time.sleep(0.001)
            yield

    monkeypatch.setattr(module("core.pipeline"), "opened", endless)
    bpy.ops.brittle.preview()
    assert preview.cracks.is_busy()
    bpy.ops.object.mode_set(mode="EDIT")
    preview.live.refresh(bpy.context)
    assert not preview.cracks.is_busy() and preview.status() == () and not preview.live.overlay.layers
    bpy.ops.object.mode_set(mode="OBJECT")
    preview.live.refresh(bpy.context)
    assert preview.cracks.is_busy()
    cube.name = "Else"
    bpy.data.objects.remove(cube)
    preview.live.refresh(bpy.context)
    assert not preview.cracks.is_busy()
    preview.cracks.wait()
    assert "Brittle" not in {thread.name for thread in threading.enumerate()}
    preview.stop()
    assert not any(map(bpy.app.timers.is_registered, (preview._found, preview._steady, preview.live.refresh_soon)))


def test_a_refusal_is_said_and_what_a_field_misses_too(cube, blow, preview):
    bpy.ops.brittle.field_add(kind="painted")
    cube.brittle.fields[0].painted.name = "Weak"
    bpy.ops.brittle.preview()
    assert 'vertex group "Weak" of field 1 is not on "Cube"' in preview.live.note
    group = cube.vertex_groups.new(name="Weak")
    group.add([0, 1, 2, 3], 1.0, "REPLACE")
    cube.brittle.anchored_group = "Weak"
    bpy.context.view_layer.update()
    preview.live.refresh(bpy.context)
    assert preview.live.note == "" and len(ends(preview)) == 2
    cube.brittle.anchored_group = "Gone"
    preview.live.refresh(bpy.context)
    assert '"Gone"' in preview.live.note


def test_faces_and_time_stand_beside_it_and_the_time_is_learnt(cube, blow, preview, module):
    pace = module("operators.pace")
    bpy.ops.brittle.preview()
    settled(preview)
    text, icon = preview.status()[-1]
    assert icon == "TIME" and text.endswith("1 s to shatter")
    before = pace._known.pace.factor
    assert pace._known.diagram is preview._seen.diagram
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    pieces = pieces_of(bpy.data.collections["Cube Fragments"])
    faces = sum(len(piece.data.polygons) for piece in pieces if not piece.hide_render)
    assert int(text.split()[0].replace(",", "")) == pytest.approx(faces, rel=0.1)  # told with two digits
    assert pace._known.pace.factor != before and pace._known.diagram is None
    pace._known.pace = type(pace._known.pace)()


def test_short_times_are_told_to_the_second(preview):
    times = (0.2, 2.4, 7.4, 8.0, 90.0)
    assert [preview.told_seconds(time) for time in times] == ["1 s", "2 s", "7 s", "10 s", "90 s"]
