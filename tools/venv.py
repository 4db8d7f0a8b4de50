"""Make a virtual environment from a lock file; an environment that already holds this lock is left alone.

Runs on any Python 3.11 or 3.13 with nothing installed.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

LOCKS = Path(__file__).resolve().parents[1] / "requirements"
NEWEST = {(3, 11): "blender-5.0.lock", (3, 13): "blender-5.3.lock"}  # the newest bpy for each Python
LIBRARIES = "libgl1 libegl1 libsm6 libice6 libxfixes3 libxi6 libxkbcommon0 libxrender1 libxxf86vm1"


def main() -> int:
    """Make or keep the environment; 0 when it can load Blender's module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lock", type=Path, default=LOCKS / NEWEST.get(sys.version_info[:2], "unknown"))
    arguments = parser.parse_args()
    if not arguments.lock.is_file():
        parser.error(f"there is no lock for Python {sys.version_info[0]}.{sys.version_info[1]}; use 3.11 or 3.13")
    installed = arguments.folder / "installed.lock"
    if installed.is_file() and installed.read_bytes() == arguments.lock.read_bytes():
        return 0
    make(arguments.folder, arguments.lock)
    if not loads_blender(python_of(arguments.folder)):
        return 1
    shutil.copyfile(arguments.lock, installed)
    return 0


def make(folder: Path, lock: Path) -> None:
    """Create `folder` anew and install exactly what `lock` lists."""
    print(f"Making {folder} from {lock.name} (about 1 GB on disk)", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    # Python compiles what is imported, when it is: of a gigabyte of packages that is little.
    options = ["-qq", "--disable-pip-version-check", "--no-compile", "--no-deps", "--only-binary", ":all:"]
    subprocess.run([python_of(folder), "-m", "pip", "install", *options, "--require-hashes", "-r", lock], check=True)


def python_of(folder: Path) -> Path:
    """The interpreter of an environment."""
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def loads_blender(python: Path) -> bool:
    """True when bpy can be imported; else say which system libraries it needs."""
    try:
        result = subprocess.run([python, "-c", "import bpy"], capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        print("Blender's module did not load within 300 s.", file=sys.stderr)
        return False
    if result.returncode:
        print(result.stderr, file=sys.stderr)
        print(f"Blender's module cannot be loaded. On Debian: apt-get install {LIBRARIES}", file=sys.stderr)
    return result.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
