"""The checkout, enabled as an extension in a Blender (the module bpy) that sees nothing of the user's own.

Import it before anything imports bpy: Blender reads its folders once, when it is loaded.
"""

import contextlib
import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "bl_ext.dev.brittle"
#: A fixed place: machine code is kept by the path of its source, and is used again by every later run.
REPOSITORY = ROOT / "build" / "repository"

USER_FOLDER = tempfile.TemporaryDirectory(prefix="brittle-user-")
os.environ["BLENDER_USER_RESOURCES"] = USER_FOLDER.name
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / "build" / "machine-code"))

import bpy  # noqa: E402

# isort: split
# addon_utils comes with bpy and cannot be found before it.
import addon_utils  # noqa: E402


def enable() -> None:
    """Enable the checkout as an artist would have it: from a repository whose folder is named after its id."""
    REPOSITORY.mkdir(parents=True, exist_ok=True)
    link = REPOSITORY / "brittle"
    with contextlib.suppress(FileExistsError):  # from an earlier run, or one beside this one
        link.symlink_to(ROOT, target_is_directory=True)
    repositories = bpy.context.preferences.extensions.repos
    repositories.new(name="dev", module="dev", custom_directory=str(REPOSITORY), source="USER")
    if addon_utils.enable(PACKAGE, default_set=True) is None:
        raise SystemExit("The extension could not be enabled; the reason stands above.")


def disable() -> None:
    """Disable it: what is left registered at exit crashes some versions of Blender."""
    addon_utils.disable(PACKAGE)
    USER_FOLDER.cleanup()
