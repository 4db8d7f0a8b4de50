"""The built zip with wheels for another Python: distributions build Blender with their own."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

MANIFEST = "blender_manifest.toml"
#: Wheels of the newest locked Python, by which the versions are chosen.
NEWEST = "cp313"


def repack(built: Path, target: Path, python: str) -> Path:
    """Write the zip `built` to `target` with wheels for `python` ("3.14") in place of its own."""
    folder = target.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(built) as source:
        text = source.read(MANIFEST).decode()
        old = tomllib.loads(text)["wheels"]
        wheels = _fetch([name for name in old if f"-{NEWEST}-" in name], folder, python)
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


def _fetch(names: list[str], folder: Path, python: str) -> list[Path]:
    """The same versions for another Python."""
    pins = ["==".join(Path(name).name.split("-")[:2]) for name in names]
    platforms = ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64")
    pip = [sys.executable, "-m", "pip", "download", "-qq", "--disable-pip-version-check", "--no-deps"]
    target = ["--only-binary", ":all:", "--implementation", "cp", "--python-version", python, "--dest", str(folder)]
    target += [word for tag in platforms for word in ("--platform", tag)]
    if len(list(folder.glob("*.whl"))) < len(pins):
        subprocess.run([*pip, *target, *pins], check=True)
    return sorted(folder.glob("*.whl"))
