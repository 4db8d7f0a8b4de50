"""Install a built zip into an untouched Blender, shatter the default cube, and check what came out.

The Blender sees numpy and what bpy itself needs, nothing else of this environment: scipy, numba and manifold3d can
only come from the wheels in the zip.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

PACKAGE = "bl_ext.user_default.brittle"
SHIPPED = ("scipy", "numba", "llvmlite", "manifold3d")
SECONDS = 600  # without stored machine code the first Shatter compiles for a minute or two


def main() -> int:
    """Run the check in a bare child process; 0 when everything held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("zip", type=Path)
    parser.add_argument("--machine-code", type=Path, help="a folder of machine code, of which it gets a copy")
    parser.add_argument("--bare", type=Path, help=argparse.SUPPRESS)  # set for the child: its folder of packages
    arguments = parser.parse_args()
    if arguments.bare:
        sys.path.insert(0, str(arguments.bare))
        check(arguments.zip, arguments.machine_code)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        bare = bare_packages(Path(folder, "packages"))
        # -I and -S: no site-packages, no user packages, no PYTHONPATH.
        command = [sys.executable, "-I", "-S", __file__, str(arguments.zip.resolve()), "--bare", str(bare)]
        if arguments.machine_code:
            command += ["--machine-code", str(arguments.machine_code.resolve())]
        environment = {**os.environ, "BLENDER_USER_RESOURCES": str(Path(folder, "blender"))}
        environment.pop("NUMBA_CACHE_DIR", None)  # the extension chooses its own place, as for a user
        return subprocess.run(command, env=environment, timeout=SECONDS).returncode


def bare_packages(folder: Path) -> Path:
    """A folder of links to bpy and the packages that it requires."""
    folder.mkdir()
    for name in required("bpy"):
        files = metadata.distribution(name).files or []
        for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
            (folder / top).symlink_to(metadata.distribution(name).locate_file(top))
    return folder


def required(name: str) -> set[str]:
    """A distribution and all that it requires, without extras."""
    found, waiting = set(), [name]
    while waiting:
        current = waiting.pop()
        if current in found:
            continue
        found.add(current)
        needs = [need for need in metadata.requires(current) or [] if ";" not in need]
        waiting += [re.match(r"[A-Za-z0-9._-]+", need)[0].lower() for need in needs]
    return found


def check(path: Path, machine_code: Path | None) -> None:
    """Install, shatter, compare, restore; AssertionError says what did not hold."""
    import bpy

    bpy.ops.wm.read_factory_settings()
    bpy.ops.extensions.package_install_files(filepath=str(path), repo="user_default", enable_on_install=False)
    if machine_code:
        kept = bpy.utils.extension_path_user(PACKAGE, path="cache", create=True)
        shutil.copytree(machine_code, kept, dirs_exist_ok=True)
    bpy.ops.preferences.addon_enable(module=PACKAGE)
    cube = bpy.data.objects["Cube"]
    bpy.context.view_layer.objects.active = cube
    cube.select_set(True)
    finished = bpy.ops.brittle.shatter(preset="Standard Glass", count=20, seed=1)
    assert finished == {"FINISHED"}, finished

    pieces = [item for item in bpy.data.collections["Cube Fragments"].objects if item.type == "MESH"]
    total = sum(closed_volume(piece) for piece in pieces)
    assert len(pieces) > 1, f"the cube stayed in {len(pieces)} piece"
    assert abs(total - 8.0) < 1e-4, f"the pieces hold {total} m^3 of the cube's 8"
    for name in SHIPPED:
        origin = getattr(sys.modules.get(name), "__file__", None) or str(__import__(name).__file__)
        assert Path(origin).is_relative_to(os.environ["BLENDER_USER_RESOURCES"]), f"{name} came from {origin}"

    assert bpy.ops.brittle.restore() == {"FINISHED"}
    assert "Cube Fragments" not in bpy.data.collections and not cube.hide_render
    bpy.ops.preferences.addon_disable(module=PACKAGE)
    version = bpy.app.version_string
    print(f"{path.name} in Blender {version}: {len(pieces)} pieces, {total:.6f} m^3, wheels from the zip", flush=True)


def closed_volume(piece) -> float:
    """The volume of a fragment in world space; AssertionError when it has an open edge."""
    import bmesh

    mesh = bmesh.new()
    mesh.from_mesh(piece.data)
    assert all(edge.is_manifold for edge in mesh.edges), f"{piece.name} is not closed"
    mesh.transform(piece.matrix_world)
    volume = mesh.calc_volume()
    mesh.free()
    return volume


if __name__ == "__main__":
    sys.exit(main())
