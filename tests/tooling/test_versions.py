"""One version everywhere, and a manifest that the extensions platform accepts."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = tomllib.loads((ROOT / "blender_manifest.toml").read_text("utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_manifest_project_and_changelog_have_one_version():
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    newest = re.search(r"^## \[(\d+\.\d+\.\d+)\]", changelog, re.MULTILINE)
    assert newest and newest[1] == MANIFEST["version"] == PROJECT["version"]


def test_manifest_names_the_licence_as_spdx_and_the_oldest_blender():
    # Blender's own validator accepts a licence without the prefix and any minimum version.
    assert MANIFEST["license"] == [f"SPDX:{PROJECT['license']}"]
    assert MANIFEST["blender_version_min"] == "4.5.0"


def test_manifest_asks_for_files_and_nothing_else():
    assert list(MANIFEST["permissions"]) == ["files"]


@pytest.mark.parametrize("key", ["wheels", "platforms"])
def test_manifest_of_the_checkout_leaves_the_platform_to_the_build(key):
    assert key not in MANIFEST


def test_licence_is_the_gpl():
    assert "GNU GENERAL PUBLIC LICENSE" in (ROOT / "LICENSE").read_text("utf-8")[:200]
