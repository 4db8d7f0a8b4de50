"""Build an installable extension zip: a staged copy with its wheels, validated and packed by Blender's own builder.

The zip holds the wheels of one platform for both Pythons of the supported Blenders, unmodified and checked by hash.
"""

import argparse
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import wheels

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
PACKED = ("__init__.py", "core", "help", "operators", "panels", "presets", "CHANGELOG.md", "LICENSE", "README.md")
MANIFEST = "blender_manifest.toml"
LIMIT_BYTES = 200 * 10**6  # the extensions platform refuses larger files
SYSTEMS = {"Linux": "linux-x64", "Darwin": "macos-arm64", "Windows": "windows-x64"}


def main() -> None:
    """Build the zip that the command line asks for and print where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--platform", choices=wheels.platforms(), default=SYSTEMS.get(platform.system()))
    print(build(parser.parse_args().platform))


def build(target: str) -> Path:
    """Stage, validate and pack for one platform; SystemExit with a reason when anything is wrong."""
    staged = stage(target, BUILD / "stage" / target)
    _builder("validate", f"--valid-tags={_tags()}", str(staged))
    manifest = tomllib.loads((staged / MANIFEST).read_text("utf-8"))
    path = BUILD / f"{manifest['id']}-{manifest['version']}-{target.replace('-', '_')}.zip"
    _builder("build", f"--source-dir={staged}", f"--output-filepath={path}")
    if path.stat().st_size >= LIMIT_BYTES:
        raise SystemExit(f"{path.name} has {path.stat().st_size / 1e6:.1f} MB; the limit is {LIMIT_BYTES / 1e6:.0f} MB")
    print(f"{path.stat().st_size / 1e6:.1f} MB, {len(manifest['wheels'])} wheels")
    return path


def stage(target: str, folder: Path) -> Path:
    """A fresh copy of what ships in `folder`, with the wheels of the platform and a manifest that lists them."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in PACKED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
        else:
            shutil.copy2(source, folder / name)
    (folder / "wheels").mkdir()
    names = []
    for path in wheels.fetch(target, BUILD / "wheels"):
        shutil.copy2(path, folder / "wheels" / path.name)
        names.append(f"./wheels/{path.name}")
    text = (ROOT / MANIFEST).read_text("utf-8")
    (folder / MANIFEST).write_text(filled(text, target, names), "utf-8")
    return folder


def filled(manifest: str, target: str, wheel_paths: list[str]) -> str:
    """The manifest's text with `platforms` and `wheels` for one platform, and without build rules for a checkout."""
    before = tomllib.loads(manifest)
    if "wheels" in before or "platforms" in before:
        raise SystemExit(f"{MANIFEST} of the checkout must not name wheels or platforms: the build writes them")
    listed = "".join(f'  "{path}",\n' for path in wheel_paths)
    added = f'platforms = ["{target}"]\nwheels = [\n{listed}]\n\n'
    tables = re.search(r"^\[", manifest, re.MULTILINE)
    place = tables.start() if tables else len(manifest)
    text = manifest[:place] + added + manifest[place:]
    if tomllib.loads(text) != {**before, "platforms": [target], "wheels": wheel_paths}:
        raise SystemExit(f"{MANIFEST} could not be filled: a key would land in the wrong table")
    return text


def _builder(*arguments: str) -> None:
    program = _blender_file("scripts/addons_core/bl_pkg/cli/blender_ext.py")
    result = subprocess.run([sys.executable, program, *arguments], capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"Blender's builder refused to {arguments[0]}:\n{result.stdout}{result.stderr}")


def _tags() -> Path:
    return _blender_file("scripts/modules/_bpy_internal/extensions/tags.py")


def _blender_file(path: str) -> Path:
    found = sorted(Path(sysconfig.get_path("purelib"), "bpy").glob(f"[0-9]*/{path}"))
    if not found:
        raise SystemExit("Blender's module is not installed in this environment; run `make venv`")
    return found[-1]


if __name__ == "__main__":
    main()
