"""What a zip holds: the locked wheels of one platform, what ships, and nothing else."""

import re
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = str(ROOT / "tools")
LOCK_OF = {"cp311": ("blender-4.5.lock", "blender-5.0.lock"), "cp313": ("blender-5.3.lock",)}
WHEELS = tomllib.loads((ROOT / "requirements/wheels.toml").read_text("utf-8"))
SETS = [(platform, tag) for platform, tags in WHEELS.items() for tag in tags]


@pytest.fixture
def tools(monkeypatch):
    """The scripts of tools/ are not a package; they find each other beside themselves."""
    monkeypatch.syspath_prepend(TOOLS)
    import build
    import wheels

    yield build, wheels
    for name in ("build", "wheels"):
        sys.modules.pop(name)


def pinned(lock: str) -> dict[str, str]:
    """Distribution -> its whole entry of a lock."""
    text = (ROOT / "requirements" / lock).read_text("utf-8")
    entries = re.split(r"\n(?=[a-z0-9])", text)
    return {entry.split("==")[0]: entry for entry in entries}


def test_three_platforms_for_two_pythons():
    expected = {"linux-x64", "macos-arm64", "windows-x64"}
    assert set(WHEELS) == expected
    assert set(SETS) == {(platform, tag) for platform in expected for tag in LOCK_OF}


@pytest.mark.parametrize(("platform", "tag"), SETS)
def test_the_wheels_are_those_of_the_test_environments(platform, tag):
    wheels = WHEELS[platform][tag]
    assert sorted(name.split("-")[0] for name in wheels) == ["llvmlite", "manifold3d", "numba", "scipy"]
    for lock in LOCK_OF[tag]:
        entries = pinned(lock)
        for name, sha256 in wheels.items():
            distribution, version, python, *_ = name.split("-")
            assert entries[distribution].startswith(f"{distribution}=={version} ")
            assert f"sha256:{sha256}" in entries[distribution]
            assert python in (tag, "py3")


def test_locks_name_no_host():
    for lock in (ROOT / "requirements").iterdir():
        assert "://" not in lock.read_text("utf-8") and "index-url" not in lock.read_text("utf-8")


def test_filling_a_manifest_keeps_it_and_adds_two_keys(tools):
    text = (ROOT / "blender_manifest.toml").read_text("utf-8")
    filled = tools[0].filled(text, "linux-x64", ["./wheels/a.whl"])
    assert tomllib.loads(filled) == {**tomllib.loads(text), "platforms": ["linux-x64"], "wheels": ["./wheels/a.whl"]}


def test_filling_a_filled_manifest_is_refused(tools):
    with pytest.raises(SystemExit, match="must not name wheels"):
        tools[0].filled('id = "brittle"\nwheels = []\n', "linux-x64", [])


def test_a_changed_wheel_is_refused(tools, tmp_path):
    for wheels in WHEELS["linux-x64"].values():
        for name in wheels:
            (tmp_path / name).write_bytes(b"not the wheel")
    with pytest.raises(SystemExit, match="not the locked file"):
        tools[1].fetch("linux-x64", tmp_path)


@pytest.mark.parametrize("platform", WHEELS)
def test_a_built_zip_holds_what_ships_and_nothing_else(platform):
    paths = list((ROOT / "build").glob(f"brittle-*-{platform.replace('-', '_')}.zip"))
    if not paths:
        pytest.skip("run `make build` first")
    for path in paths:
        assert path.stat().st_size < 200e6
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
        listed = {name for wheels in WHEELS[platform].values() for name in wheels}
        assert {name for name in names if name.startswith("wheels/")} == {f"wheels/{name}" for name in listed}
        assert set(manifest["wheels"]) == {f"./wheels/{name}" for name in listed}
        assert manifest["platforms"] == [platform]
        tops = {name.split("/")[0] for name in names}
        assert tops == {
            *("__init__.py", "blender_manifest.toml", "core", "help", "operators", "panels", "presets", "wheels"),
            *("CHANGELOG.md", "LICENSE", "README.md"),
        }
        assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
