"""Folders of cache files beside the .blend: one for each run, and when they may go.

A run writes into a folder of its own, of a name that was never used before: what an undo step or another file plays is
never overwritten. In the folder is a list of the files that were saved while they named it. So a folder goes

- at once, where the run that made it is taken back;
- when another file is loaded, which ends what can be undone: where this Blender knew it and no saved file names it;
- when a later run writes beside it: where no saved file names it, this Blender does not know it, and nothing was
  written to it for `LEFT` seconds: another Blender, or one that crashed, has left it.

Restore, Shatter and saving remove none: undo may need it. Files that are copied or saved without Brittle are in no
list until they are loaded with it.
"""

import contextlib
import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import bpy

from . import names
from .vertex_cache import SUFFIX

#: The list in each folder, of paths relative to it, a line each; it marks the folder as Brittle's.
SAVED_IN = "saved in.txt"
#: How the folder of a file's runs begins; what follows is the file's name.
PARENT = "brittle_"
#: [s] for which what nobody names is left alone. A day, chosen: no job takes as long.
LEFT = 86_400.0
#: Most letters of the object's name in that of a folder, for the sake of systems with short paths. By eye: enough to
#: know it by.
LETTERS = 24

#: The folders that this Blender made, or has seen named since a file was loaded.
_known: set[Path] = set()


def parent_folder() -> Path | None:
    """Where runs of the open file have their folders; None where it is not saved."""
    file = Path(os.path.normpath(bpy.data.filepath))
    return file.parent / f"{PARENT}{file.stem}" if bpy.data.filepath else None


def new_folder(title: str) -> Path:
    """A new folder beside the open file, which is saved. Raises OSError where there can be none."""
    parent = parent_folder()
    assert parent is not None
    parent.mkdir(exist_ok=True)
    _remove_left(parent)
    folder = parent / f"{bpy.path.clean_name(title)[:LETTERS]}-{uuid.uuid4().hex[:12]}"
    folder.mkdir()
    _known.add(folder)
    _write_list(folder, set())
    return folder


def remove_folder(folder: Path) -> None:
    """Remove a folder with its cache files, as far as that can be, and nothing else that may lie there."""
    with contextlib.suppress(OSError):
        for file in [*folder.glob(f"*{SUFFIX}"), folder / SAVED_IN]:
            file.unlink(missing_ok=True)
        folder.rmdir()
        folder.parent.rmdir()  # as the last one of its file
    _known.discard(folder)


def cache_of(obj: bpy.types.Object) -> Path | None:
    """The cache file that a piece plays; None where it plays none. Of a linked piece it lies beside its own file."""
    modifier = obj.modifiers.get(names.FORM) if obj.modifiers else None
    if modifier is None or modifier.type != "MESH_CACHE" or not modifier.filepath:
        return None
    return Path(os.path.normpath(bpy.path.abspath(modifier.filepath, library=obj.library)))


def named_folders() -> set[Path]:
    """The folders from which anything in the open file plays."""
    return {path.parent for obj in bpy.data.objects if (path := cache_of(obj)) is not None}


def note_saved(file: str) -> None:
    """A file was saved: the lists say which folders it names."""
    named = named_folders()
    _known.update(named)
    for folder in _known:
        saved = _read_list(folder)
        now = saved | {Path(file)} if folder in named else saved - {Path(file)}
        if now != saved:
            _write_list(folder, now)


def note_loaded(file: str) -> None:
    """A file was loaded, "" a new one: nothing can be undone any more, so what nobody names goes."""
    named = named_folders()
    for folder in _known - named:
        if not _read_list(folder):
            remove_folder(folder)
    _known.clear()
    _known.update(named)
    for folder in named if file else ():
        saved = _read_list(folder)
        if Path(file) not in saved:
            _write_list(folder, saved | {Path(file)})


def _remove_left(parent: Path) -> None:
    """Remove what was left beside a new folder."""
    for folder in list(_runs(parent)):
        with contextlib.suppress(OSError):
            unused = folder not in _known and not _read_list(folder)
            if unused and time.time() - (folder / SAVED_IN).stat().st_mtime > LEFT:
                remove_folder(folder)


def _runs(parent: Path) -> Iterator[Path]:
    return (folder for folder in parent.iterdir() if (folder / SAVED_IN).is_file())


def _read_list(folder: Path) -> set[Path]:
    """The files that were saved while they named a folder."""
    try:
        lines = (folder / SAVED_IN).read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    return {Path(os.path.normpath(folder / line)) for line in lines if line}


def _write_list(folder: Path, files: set[Path]) -> None:
    """Say which files name a folder, where there is one and it can be written to."""
    if not folder.is_dir():
        return
    with contextlib.suppress(OSError):
        lines = sorted(_relative(file, folder) for file in files)
        (folder / SAVED_IN).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _relative(file: Path, folder: Path) -> str:
    """The path of a file as seen from a folder, so that both may move; the whole path where they share no drive."""
    try:
        return os.path.relpath(file, folder)
    except ValueError:
        return str(file)
