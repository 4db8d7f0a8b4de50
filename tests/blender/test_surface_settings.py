"""How rough broken faces are, from every place where an artist can say it to the settings that the core gets."""

import dataclasses

import bpy
import pytest


@pytest.fixture
def surface(module):
    return module("core.config.surface").Surface


@pytest.fixture
def given(module, monkeypatch, surface):
    """The surfaces that the core was given; what it then breaks is flat, which is quicker."""
    pipeline, seen = module("core.pipeline"), []
    steps = pipeline.steps_together

    def note(items, loads, *offer):
        seen.extend(item.settings.surface for item in items)
        flat = [dataclasses.replace(i, settings=dataclasses.replace(i.settings, surface=surface())) for i in items]
        return steps(flat, loads, *offer)

    monkeypatch.setattr(pipeline, "steps_together", note)
    return seen


@pytest.fixture
def rough(cube):
    """A cube whose five values of the surface all differ from the defaults."""
    own = cube.brittle.surface
    own.octaves, own.amplitude, own.wavelength, own.quality, own.wrap = 3, 0.035, 0.7, "final", "sphere"
    return cube


def test_without_a_word_faces_are_flat(cube, given, surface):
    bpy.ops.brittle.shatter()
    assert given == [surface(quality="final")] and given[0].octaves == 0


def test_all_values_of_the_object_reach_the_core(rough, given, surface):
    bpy.ops.brittle.shatter()
    assert given == [surface(3, 0.035, 0.7, "final", "sphere")]


def test_values_of_a_preset_reach_the_core_and_the_object(cube, given, module, surface):
    wanted = module("core.presets").load(module("operators.preset").names()["Clay"]).surface
    bpy.ops.brittle.shatter(preset="Clay", count=6)
    assert given == [dataclasses.replace(wanted, quality="final")] and wanted != surface()
    assert cube.brittle.surface.quality == wanted.quality == "auto"
    bpy.ops.brittle.preset_apply(name="Standard Glass")
    assert cube.brittle.surface.octaves == 0
    bpy.ops.brittle.preset_apply(name="Clay")
    settings = module("operators.settings").settings_from(cube)
    assert settings.surface == dataclasses.replace(wanted, quality="final")


def test_auto_is_decided_where_the_settings_are_read(cube, given, module, monkeypatch):
    settings = module("operators.settings")
    assert not settings.in_window(), "Blender has no window here"
    monkeypatch.setattr(settings, "in_window", lambda: True)
    bpy.ops.brittle.shatter(preset="Clay", count=6)
    assert (given[-1].quality, given[-1].octaves) == ("preview", 4)
    assert cube.brittle.surface.quality == "auto", "what was chosen stays"
    for chosen in ("final", "preview"):
        cube.brittle.surface.quality = chosen
        bpy.ops.brittle.shatter()
        assert given[-1].quality == cube.brittle.surface.quality == chosen
    bpy.ops.brittle.preset_apply(name="Clay")
    assert cube.brittle.surface.quality == "auto", "materials do not say how finely they are shown"


def test_files_store_a_quality_by_its_number(cube):
    items = cube.brittle.surface.bl_rna.properties["quality"].enum_items
    assert [(item.identifier, item.value) for item in items] == [("auto", 3), ("preview", 1), ("final", 2)]


def test_a_quality_goes_before_object_and_preset(rough, given, module):
    operator = bpy.ops.brittle.shatter.get_rna_type().properties["quality"]
    assert [(item.identifier, item.value) for item in operator.enum_items] == [("own", 0), ("preview", 1), ("final", 2)]
    bpy.ops.brittle.shatter(quality="preview")
    assert (given[-1].quality, given[-1].octaves) == ("preview", 3)
    assert rough.brittle.surface.quality == "preview", "as the number of pieces, it is the object's from then on"
    bpy.ops.brittle.shatter(preset="Clay", count=6, quality="final")
    assert given[-1].quality == "final"
    with pytest.raises(module("core.errors").InputError, match='Quality is "best"'):
        module("operators.shatter").shatter_object(bpy.context, rough, quality="best")


def test_the_command_line_chooses_the_quality(rough, given, module, capsys):
    main = module("operators.command_line").main
    arguments = ["shatter", "--object", "Cube", "--count", "6"]
    assert main([*arguments]) == 0
    assert main([*arguments, "--quality", "preview"]) == 0
    assert main([*arguments, "--quality", "final", "--preset", "Clay"]) == 0
    assert [item.quality for item in given] == ["final", "preview", "final"]
    assert main([*arguments, "--quality", "best"]) == 2
    assert main(["shatter", "--help"]) == 0
    assert "--quality {preview,final}" in capsys.readouterr().out


def test_a_saved_preset_keeps_the_surface(rough, module):
    settings = module("operators.settings")
    saved = settings.tables(rough.brittle)["surface"]
    bpy.ops.brittle.preset_save(name="Rough Rock")
    try:
        bpy.ops.brittle.preset_apply(name="Standard Glass")
        assert settings.tables(rough.brittle)["surface"] != saved
        bpy.ops.brittle.preset_apply(name="Rough Rock")
        assert settings.tables(rough.brittle)["surface"] == saved
    finally:
        bpy.ops.brittle.preset_remove(name="Rough Rock")


def test_a_file_keeps_the_surface(rough, module, tmp_path):
    before = module("operators.settings").tables(rough.brittle)["surface"]
    path = str(tmp_path / "rough.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert module("operators.settings").tables(bpy.data.objects["Cube"].brittle)["surface"] == before
