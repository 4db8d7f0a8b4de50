"""Write the locks: requirements/blender-*.lock with uv, then requirements/wheels.toml from the versions in them.

Run after a change to requirements/*.in. Needs uv on the path; downloads the wheels of all platforms (about 500 MB).
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import wheels

REQUIREMENTS = Path(__file__).resolve().parents[1] / "requirements"
PYTHON_OF = {"blender-4.5": "3.11", "blender-5.0": "3.11", "blender-5.3": "3.13"}
PLATFORM_TAGS = {
    "linux-x64": ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64"),
    "macos-arm64": ("macosx_12_0_arm64", "macosx_11_0_arm64"),
    "windows-x64": ("win_amd64",),
}
HEADER = "# Written by tools/lock.py: the wheels of each extension zip, by platform and Python, with their sha256.\n"


def main() -> None:
    """Write every lock."""
    for name, python in PYTHON_OF.items():
        command = ["uv", "pip", "compile", "--quiet", "--generate-hashes", "--universal", "--no-header"]
        files = ["--output-file", f"{name}.lock", f"{name}.in"]
        subprocess.run([*command, "--python-version", python, *files], cwd=REQUIREMENTS, check=True)
    tables = []
    for platform in PLATFORM_TAGS:
        for python, lock in {python: lock for lock, python in PYTHON_OF.items()}.items():
            files = _files(platform, python, _pinned(REQUIREMENTS / f"{lock}.lock"))
            lines = [f'"{name}" = "{sha256}"' for name, sha256 in files.items()]
            tables.append("\n".join([f"[{platform}.cp{python.replace('.', '')}]", *lines]))
    wheels.LOCK.write_text(HEADER + "\n" + "\n\n".join(tables) + "\n", "utf-8")


def _pinned(lock: Path) -> list[str]:
    pins = re.findall(r"^([a-z0-9-]+==[^ ;]+)", lock.read_text("utf-8"), re.MULTILINE)
    return [pin for pin in pins if pin.split("==")[0] in wheels.SHIPPED]


def _files(platform: str, python: str, pins: list[str]) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "-qq", "--disable-pip-version-check", "--no-deps"]
        target = ["--only-binary", ":all:", "--implementation", "cp", "--python-version", python, "--dest", folder]
        target += [word for tag in PLATFORM_TAGS[platform] for word in ("--platform", tag)]
        subprocess.run([*pip, *target, *pins], check=True)
        return {path.name: wheels.digest(path) for path in sorted(Path(folder).iterdir())}


if __name__ == "__main__":
    main()
