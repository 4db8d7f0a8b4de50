"""The built zip with wheels for another Python: distributions build Blender with their own."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

MANIFEST = "blender_manifest.toml"
#: Wheels of the newest locked Python, by which the versions are chosen.
NEWEST = "cp313"
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64")


class NoWheelError(Exception):
    """A library cannot be had for the Python of a distribution's Blender."""


def repack(built: Path, target: Path, python: str) -> Path:
    """Write the zip `built` to `target` with wheels for `python` ("3.14") in place of its own. Raises NoWheelError."""
    folder = target.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(built) as source:
        text = source.read(MANIFEST).decode()
        pins = [_pin(name) for name in tomllib.loads(text)["wheels"] if f"-{NEWEST}-" in name]
        wheels = [_wheel(pin, folder, python) for pin in pins]
        with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as zipped:
            for item in source.infolist():
                if not item.filename.endswith((".whl", MANIFEST)):
                    zipped.writestr(item, source.read(item))
            begin, end = text.index("wheels = ["), text.index("]", text.index("wheels = [")) + 1
            listed = "".join(f'  "./wheels/{path.name}",\n' for path in wheels)
            zipped.writestr(MANIFEST, f"{text[:begin]}wheels = [\n{listed}]{text[end:]}")
            for path in wheels:
                zipped.write(path, f"wheels/{path.name}")
    return target


def _pin(name: str) -> tuple[str, str]:
    """Package and version of a wheel."""
    package, version = Path(name).name.split("-")[:2]
    return package, version


def _wheel(pin: tuple[str, str], folder: Path, python: str) -> Path:
    """The wheel of the same version for another Python, kept in a folder."""
    kept = f"{pin[0]}-{pin[1]}-cp{python.replace('.', '')}-*.whl"
    if not list(folder.glob(kept)):
        pip = [sys.executable, "-m", "pip", "download", "-qq", "--disable-pip-version-check", "--no-deps"]
        target = ["--only-binary", ":all:", "--implementation", "cp", "--python-version", python, "--dest", str(folder)]
        target += [word for tag in PLATFORMS for word in ("--platform", tag)]
        if subprocess.run([*pip, *target, "==".join(pin)]).returncode:
            raise NoWheelError(f"there is no wheel of {' '.join(pin)} for Python {python}, or no network")
    return next(folder.glob(kept))
