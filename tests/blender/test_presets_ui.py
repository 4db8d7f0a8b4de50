"""Presets from the artist's side: apply, save, remove; a file from a stranger can choose numbers and nothing else."""

from pathlib import Path

import bpy
import pytest


@pytest.fixture
def folder(module):
    """The folder of the artist's own presets, empty before and after."""
    path = module("operators.preset").user_folder()
    yield path
    for file in path.glob("*") if path.exists() else ():
        file.unlink()


@pytest.fixture
def tables(module):
    return module("operators.settings").tables


def write(folder, text, name="strange.toml"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def test_the_shipped_materials_are_there(module):
    assert {"Standard Glass", "Tempered Glass", "Clay"} <= set(module("operators.preset").names())


SHIPPED = sorted((Path(__file__).parents[2] / "presets/brittle").glob("*.toml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_applying_a_preset_sets_all_its_values(cube, module, tables, path):
    name = module("core.presets").load(path).name
    cube.brittle.impact_factor.jitter = 0.9
    assert bpy.ops.brittle.preset_apply(name=name) == {"FINISHED"}
    build = module("operators.settings").build
    assert build(tables(cube.brittle), 0) == build(module("operators.preset").tables(name), 0)
    assert cube.brittle.preset == name


def test_a_preset_is_applied_to_all_selected_objects(make_cube):
    first, second = make_cube("First"), make_cube("Second")
    bpy.ops.brittle.preset_apply(name="Clay")
    assert first.brittle.preset == second.brittle.preset == "Clay"


def test_none_gives_the_defaults_back(cube, tables):
    before = tables(cube.brittle)
    bpy.ops.brittle.preset_apply(name="Stone (Lattice)")
    assert tables(cube.brittle) != before
    bpy.ops.brittle.preset_apply(name="")
    assert cube.brittle.preset == ""
    after = tables(cube.brittle)
    assert {**after, "pieces": None} == {**before, "pieces": None} and after["pieces"]["method"] == "voronoi"


def test_a_preset_says_in_its_tooltip_what_it_is(cube, module):
    for entry in module("operators.preset").entries():
        said = module("operators.preset").BRITTLE_OT_preset_apply.description(bpy.context, entry)
        assert said == entry.description and len(said) > 20, entry.name


def test_save_apply_and_remove(cube, folder, tables, module):
    cube.brittle.voronoi.count = 23
    cube.brittle.material.friction = 0.7
    saved = tables(cube.brittle)
    assert bpy.ops.brittle.preset_save(name="My Stone") == {"FINISHED"}
    assert [path.name for path in folder.iterdir()] == ["My_Stone.toml"]
    bpy.ops.brittle.preset_apply(name="Clay")
    assert tables(cube.brittle) != saved
    bpy.ops.brittle.preset_apply(name="My Stone")
    assert tables(cube.brittle) == saved
    assert bpy.ops.brittle.preset_remove(name="My Stone") == {"FINISHED"}
    assert list(folder.iterdir()) == []
    assert "My Stone" not in module("operators.preset").names()


def test_a_preset_may_choose_the_motion(cube, folder, tables):
    text = 'name = "Still"\n' + PIECES + BREAKING + '[motion]\nmethod = "rigid"\n'
    write(folder, text)
    bpy.ops.brittle.preset_apply(name="Still")
    assert tables(cube.brittle)["motion"] == {"method": "rigid"}
    write(folder, text.replace("rigid", "float"))
    with pytest.raises(RuntimeError, match='no motion "float"'):
        bpy.ops.brittle.preset_apply(name="Still")


def test_ones_own_preset_goes_before_a_shipped_one_and_gives_it_back(cube, folder, module):
    cube.brittle.material.density = 4321.0
    bpy.ops.brittle.preset_save(name="Clay")
    names = module("operators.preset").names()
    assert Path(names["Clay"]).parent == folder
    bpy.ops.brittle.preset_remove(name="Clay")
    assert "Clay" in module("operators.preset").names()


def test_a_shipped_preset_cannot_be_removed(folder):
    with pytest.raises(RuntimeError, match="comes with Brittle"):
        bpy.ops.brittle.preset_remove(name="Clay")
    with pytest.raises(RuntimeError, match="There is no preset"):
        bpy.ops.brittle.preset_remove(name="Cheese")


def test_a_preset_needs_a_name(cube, folder):
    with pytest.raises(RuntimeError, match="Give the preset a name"):
        bpy.ops.brittle.preset_save(name="  ")
    assert not folder.exists() or not list(folder.iterdir())


@pytest.mark.parametrize("name", ["../../escape", "a/b", "über Glas", 'quote " and \\'])
def test_any_name_becomes_a_file_in_the_folder(cube, folder, name):
    bpy.ops.brittle.preset_save(name=name)
    (path,) = folder.iterdir()
    assert path.parent == folder and path.suffix == ".toml"
    assert bpy.ops.brittle.preset_apply(name=name) == {"FINISHED"}


PIECES = '[pieces]\nmethod = "voronoi"\n'
BREAKING = '[breaking]\nmethod = "impact_factor"\n'
BAD_FILES = {
    "no TOML": "import os",
    "unknown method": PIECES.replace("voronoi", "__import__") + BREAKING,
    "count too small": PIECES + "count = 1\n" + BREAKING,
    "unknown setting": PIECES + BREAKING + 'shell = "rm"\n',
    "not finite": PIECES + BREAKING + "[material]\ndensity = nan\n",
    "too rough": PIECES + BREAKING + "[surface]\namplitude = 0.5\n",
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_a_bad_preset_is_refused_and_changes_nothing(cube, folder, state, kind):
    write(folder, 'name = "Strange"\n' + BAD_FILES[kind])
    before = state()
    with pytest.raises(RuntimeError, match="cannot be used"):
        bpy.ops.brittle.preset_apply(name="strange")
    assert state() == before


def test_the_search_field_offers_what_matches(module):
    search = module("operators.preset").search_names
    assert search(None, None, "sTANDARD") == ["Standard Glass", "Standard Glass (Elements)"]
    known = module("operators.preset").names()
    glass = search(None, None, "glass")
    assert glass == [name for name in known if "Glass" in name] and 2 <= len(glass) < len(known)


def test_each_material_of_the_menu_has_a_picture(module):
    for entry in module("operators.preset").entries():
        picture = entry.path.with_suffix(".png")
        assert picture.is_file() != bool(entry.variant_of), entry.name
        assert picture.stat().st_size < 16 * 1024 if picture.is_file() else True
    assert module("operators.pictures").icon_of(picture.with_name("nothing.toml")) == 0
