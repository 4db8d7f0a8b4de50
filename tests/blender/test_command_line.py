"""`main` behind the command line: exit codes, the report, and the file that it saves."""

import json
import math

import bpy
import pytest

from tests.blender.pieces import pieces_of


@pytest.fixture
def main(module):
    return module("operators.command_line").main


def test_shatter_saves_the_file_and_the_report(cube, main, tmp_path):
    output, report = tmp_path / "new" / "out.blend", tmp_path / "new" / "out.json"
    arguments = ["--object", "Cube", "--preset", "Clay", "--seed", "1", "--count", "9"]
    assert main(["shatter", *arguments, "--output", str(output), "--report", str(report)]) == 0
    account = json.loads(report.read_text("utf-8"))
    expected = {
        "asked",
        "pattern",
        "pieces",
        "volume_before",
        "volume_in",
        "volume_out",
        "closed_pieces",
        "quality",
        "area_exact",
        "area_new",
        "area_lost",
        "steps",
        "repaired",
        "counted",
        "warnings",
        "advice",
        "seed",
        "energy",
        "frames",
        "moving",
        "version",
        "seconds",
    }
    assert set(account) == expected
    assert account["seed"] == 1
    assert account["version"] == "0.1.0"
    assert account["quality"] == "final", "nobody looks on"
    assert account["closed_pieces"] == account["pieces"]
    assert account["energy"]["start"] >= account["energy"]["end"] >= 0.0
    assert math.isclose(account["volume_in"], 8.0, rel_tol=1e-9)
    assert math.isclose(account["volume_out"], 8.0, rel_tol=1e-9)
    assert all(seconds >= 0.0 for seconds in account["seconds"].values())
    bpy.ops.wm.open_mainfile(filepath=str(output))
    assert len(pieces_of(bpy.data.collections["Cube Fragments"])) >= account["pieces"]
    assert bpy.data.objects["Cube"].brittle.voronoi.count == 9


def test_repairs_are_chosen_and_reported(make_object, main, tmp_path, capsys):
    vertices = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (0.0, 2.0)]
    make_object("Box", vertices, [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4)])
    report = tmp_path / "out.json"
    arguments = ["shatter", "--object", "Box", "--count", "9", "--report", str(report)]
    assert main([*arguments, "--repair", "open=thicken", "--repair", "thickness=0.1"]) == 0
    account = json.loads(report.read_text("utf-8"))
    assert [(step["name"], step["counts"]["faces"]) for step in account["steps"]] == [("thickness", 10)]
    assert 0.4 < account["area_exact"] < 0.6 and 0.0 < account["area_new"] < 0.1
    assert math.isclose(account["volume_in"], 8.0 - 1.8 * 1.8 * 1.9, rel_tol=1e-6)  # a box in a box; floats of Blender
    assert main([*arguments, "--repair", "open=close", "--repair", "allow_holes=false"]) == 1
    assert "allow Close Holes under Mesh" in capsys.readouterr().err
    for wrong in ("lid=close", "remesh=perhaps", "thickness=thick"):
        assert main([*arguments, "--repair", wrong]) == 2
    assert main([*arguments, "--repair", "open=ajar"]) == 1


def test_the_object_need_not_be_selected_and_the_frame_can_be_given(cube, main):
    cube.select_set(False)
    bpy.context.view_layer.objects.active = None
    assert main(["shatter", "--object", "Cube", "--frame", "30"]) == 0
    for frame, hidden in ((29, False), (30, True)):
        bpy.context.scene.frame_set(frame)
        assert cube.hide_render == hidden


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["shatter"],
        ["smash"],
        ["shatter", "--object", "Cube", "--seed", "many"],
        ["shatter", "--list-presets", "--object", "Cube"],
        ["shatter", "--object", "Cube", "--motion", "float"],
    ],
)
def test_wrong_usage_is_exit_code_2(main, arguments, capsys):
    assert main(arguments) == 2
    assert "usage: brittle" in capsys.readouterr().err


def test_help_is_exit_code_0(main, capsys):
    assert main(["shatter", "--help"]) == 0
    assert "--object" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--object", "Nothing"], 'There is no object "Nothing" in this file.'),
        (["--object", "Cube", "--preset", "Cheese"], 'There is no preset "Cheese"'),
        (["--object", "Cube", "--count", "1"], "must be at least 2"),
        (["--object", "Cube", "--seed", "-1"], "Seed is -1"),
    ],
)
def test_failure_is_exit_code_1_with_one_sentence_and_no_files(
    cube, main, state, capsys, tmp_path, arguments, sentence
):
    output, report = tmp_path / "out.blend", tmp_path / "out.json"
    before = state()
    assert main(["shatter", *arguments, "--output", str(output), "--report", str(report)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("brittle: ") and sentence in error and error.count("\n") == 1
    assert state() == before
    assert not output.exists() and not report.exists()


def test_a_place_that_cannot_be_written_is_exit_code_1(cube, main, tmp_path, capsys):
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert main(["shatter", "--object", "Cube", "--report", str(blocked / "out.json")]) == 1
    assert "cannot be written" in capsys.readouterr().err


def test_list_presets_prints_the_names(main, capsys):
    assert main(["shatter", "--list-presets"]) == 0
    assert {"Standard Glass", "Tempered Glass", "Clay"} <= set(capsys.readouterr().out.splitlines())


def test_every_motion_can_be_chosen(cube, main, module):
    for method in module("core.rigid").MOTIONS:
        assert main(["shatter", "--object", "Cube", "--preset", "Clay", "--motion", method.id]) == 0
        assert cube.brittle.motion == method.id


def test_colliders_can_be_left_out(cube, make_cube, main, module, monkeypatch):
    make_cube("Wall").brittle.collider = True
    shatter, seen = module("operators.shatter"), []
    read = shatter.read_steps

    def note(*arguments, colliders, **named):
        seen.append([obj.name for obj in colliders])
        return read(*arguments, colliders=colliders, **named)

    monkeypatch.setattr(shatter, "read_steps", note)
    assert main(["shatter", "--object", "Cube"]) == 0
    assert main(["shatter", "--object", "Cube", "--no-colliders"]) == 0
    assert seen == [["Wall"], []]


def test_pieces_of_triangles(cube, main):
    assert main(["shatter", "--object", "Cube", "--triangles", "--count", "9"]) == 0
    pieces = [obj.data for obj in bpy.data.objects if "brittle_fragment" in obj]
    assert {polygon.loop_total for mesh in pieces for polygon in mesh.polygons} == {3}


def fields_of(name="Cube"):
    return [(item.kind, item.on) for item in bpy.data.objects[name].brittle.fields]


def test_fields_are_put_on_top_of_those_of_the_object(cube, main, module):
    cube.brittle.fields.add().kind = "size"
    arguments = [
        "--field",
        "noise:size=0.1,low=0.25,on=false",
        "--field",
        "cleaving:direction=0,0,1",
        "--field",
        "bands",
    ]
    assert main(["shatter", "--object", "Cube", *arguments]) == 0
    assert fields_of() == [("size", True), ("noise", False), ("cleaving", True), ("bands", True)]
    noise, cleaving = (module("operators.settings").settings_from(cube).fields[k].params for k in (1, 2))
    assert (noise.size, noise.low, cleaving.direction) == (0.1, 0.25, (0.0, 0.0, 1.0))


def test_a_painted_field_breaks_where_it_is_weak(cube, main, tmp_path, capsys):
    """Through the command line as a whole: the paint of the file counts, and goes into the file that is saved."""
    group = cube.vertex_groups.new(name="Rows, upper")
    group.add([vertex.index for vertex in cube.data.vertices if vertex.co.z > 1.0], 1.0, "REPLACE")
    output, report = tmp_path / "out.blend", tmp_path / "out.json"
    files = ["--output", str(output), "--report", str(report)]
    command = ["shatter", "--object", "Cube", "--count", "9", *files]
    assert main([*command, "--field", "painted:name=Rows, upper,low=1e6,high=1e6"]) == 0
    assert json.loads(report.read_text("utf-8"))["pieces"] == 1, "a million times as strong"
    assert main([*command, "--field", "painted:name=Rows, upper,low=1e-6,high=1e-6"]) == 0
    assert json.loads(report.read_text("utf-8"))["pieces"] > 1, "both count: it is as it was"
    bpy.ops.wm.open_mainfile(filepath=str(output))
    assert fields_of() == [("painted", True), ("painted", True)]
    assert [item.painted.name for item in bpy.data.objects["Cube"].brittle.fields] == ["Rows, upper"] * 2


def test_simulate_takes_fields_as_well(cube, main):
    cube.brittle.breakable.breaks = True
    assert main(["simulate", "--frames", "1", "3", "--field", "density:low=0.5", "--field", "size"]) == 0
    assert fields_of() == [("density", True), ("size", True)]


@pytest.mark.parametrize(
    "wrong", ["fog:size=1", "noise:colour=1", "noise:size=large", "noise:on=perhaps", "cleaving:direction=0,1", ""]
)
def test_fields_that_cannot_be_read_are_wrong_usage(cube, main, state, wrong):
    before = state()
    assert main(["shatter", "--object", "Cube", "--field", wrong]) == 2
    assert state() == before


@pytest.mark.parametrize(
    ("field", "sentence"),
    [
        ("noise:size=-1", "Field 1 (Noise), size: Size is -1.0"),
        ("painted:name=Weak", 'The vertex group "Weak" of field 1 is not on "Cube"'),
    ],
)
def test_fields_out_of_their_limits_fail_with_one_sentence(cube, main, state, capsys, field, sentence):
    before = state()
    assert main(["shatter", "--object", "Cube", "--field", field]) == 1
    error = capsys.readouterr().err
    assert sentence in error and error.count("\n") == 1
    assert state() == before
