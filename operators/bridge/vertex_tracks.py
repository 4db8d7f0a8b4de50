"""The writer of vertex tracks: fragments that deform get forms in time, on top of which go the poses of their keys.

Forms are in a cache file beside the .blend, which a Mesh Cache modifier plays, or they are absolute shape keys of the
mesh. Both have the form at rest first and then that of each stored frame in which the fragment deforms, and both are
played by one curve of the row that is seen, linear, in the Action of the fragments: whoever moves or scales keys, or
uses the NLA, re-times form and pose together, and between frames both go straight, as for motion blur.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...core.types import Floats, Progress, VertexTrack
from . import actions, names
from .cache_folders import new_folder, parent_folder, remove_folder
from .changes import Changes
from .source import SourceAttributes
from .vertex_cache import SUFFIX, write_cache

#: Where forms are kept, as files store the choice.
AUTO, CACHE_FILE, SHAPE_KEYS = "AUTO", "CACHE_FILE", "SHAPE_KEYS"
#: What a job says that writes forms.
WRITING = "Writing forms"


@dataclass(frozen=True, eq=False, slots=True)
class Form:
    """The forms of one fragment in its life."""

    track: VertexTrack
    rest: Floats  #: (V,3) as of `Fragments.vertices` [m]
    bent: bool  #: from its birth on: it is never seen at rest
    unit_scale: float  #: metres of a Blender unit
    shift: Floats  #: (3,) of all points, in Blender's units
    file: Path | None = None  #: where the forms are; None for shape keys

    @property
    def rows(self) -> np.ndarray:
        """(1+F,V,3) float32: at rest, then at each stored frame of the track, in Blender's units."""
        result = np.empty((1 + len(self.track.vertices), *self.rest.shape), np.float32)
        result[0] = self.rest / self.unit_scale + self.shift
        result[1:] = self.track.vertices / self.unit_scale + self.shift
        return result

    @property
    def keys(self) -> tuple[np.ndarray, np.ndarray]:
        """Stored frames (n,) and which row is seen then (n,)."""
        rows = np.arange(int(self.bent), 1 + len(self.track.vertices))
        return self.track.first - 1 + rows, rows


@dataclass(frozen=True, eq=False, slots=True)
class Forms:
    """The forms of all fragments of an object that deform."""

    of: dict[int, Form] = field(default_factory=dict)  #: by fragment
    warning: str = ""  #: why they are not where the artist wants them


def forms_of(shattered: Any, source: SourceAttributes, shift: Floats) -> Forms:
    """The forms of what deforms, for shape keys; `shift (K,3)` as of `meshes.pack`. Nothing is written."""
    fragments, start, of = shattered.fragments, shattered.fragments.vertex_start, {}
    births, deaths = shattered.fracture.birth, shattered.fracture.death
    for track in shattered.tracks:
        k = track.fragment
        if (lived := _in_life(track, int(births[k]), int(deaths[k]))) is not None:
            rest = fragments.vertices[start[k] : start[k + 1]]
            of[k] = Form(lived, rest, lived.first <= births[k], source.unit_scale, shift[k])
    return Forms(of)


def _in_life(track: VertexTrack, birth: int, death: int) -> VertexTrack | None:
    """What of a track is seen from `birth` to before `death`; None for nothing."""
    count = len(track.vertices)
    if count == 0 or death <= track.first:
        return None
    low = min(max(birth - track.first, 0), count - 1)
    return VertexTrack(track.fragment, max(track.first, birth), track.vertices[low : death - track.first])


def store_steps(forms: Forms, title: str, storage: str, changes: Changes) -> Generator[Progress, None, Forms]:
    """Write forms into cache files, where these are wanted and can be; the changes take them back.

    `title` begins the name of their folder. Where there can be no files the forms stay for shape keys, with a sentence
    that says why.
    """
    wanted = storage == CACHE_FILE or (storage == AUTO and parent_folder() is not None)
    if not forms.of or not wanted:
        return forms
    if parent_folder() is None:
        return replace(forms, warning=_kept_inside("the file is not saved yet: save it and shatter again"))
    folder = None
    try:
        folder = new_folder(title)
        changes.undo_by(lambda: remove_folder(folder))
        files = {k: folder / f"{str(k + 1).zfill(3)}{SUFFIX}" for k in forms.of}
        for number, (k, form) in enumerate(forms.of.items()):
            yield Progress(number / len(files), WRITING)
            write_cache(files[k], form.rows)
    except OSError as error:
        if folder is not None:
            remove_folder(folder)
        return replace(forms, warning=_kept_inside(f"'{parent_folder()}' cannot be written ({error.strerror})"))
    return Forms({k: replace(form, file=files[k]) for k, form in forms.of.items()})


def _kept_inside(reason: str) -> str:
    return f"How pieces deform is kept as shape keys in the file, not in cache files, because {reason}."


def write_forms(
    scene: bpy.types.Scene,
    objects: Sequence[bpy.types.Object],
    action: bpy.types.Action,
    forms: Forms,
    start_frame: int,
) -> Generator[Progress, None, None]:
    """Let the objects of fragments that deform do so; they follow slots of `action` already."""
    inside = [k for k, form in forms.of.items() if form.file is None]
    slots = dict(zip(inside, actions.new_slots(action, [objects[k].name for k in inside], "KEY"), strict=True))
    for number, (k, form) in enumerate(forms.of.items()):
        yield Progress(number / len(forms.of), WRITING)
        obj, (frames, rows) = objects[k], form.keys
        now = float(np.interp(scene.frame_current - start_frame, frames, rows))
        if form.file is not None:
            path, bag = _play_file(obj, form.file, now), actions.followed_bag(obj)
        else:
            _add_shape_keys(obj, form.rows, (start_frame + frames[rows > 0]).tolist(), now)
            path, bag = "eval_time", actions.assign_slot(obj.data.shape_keys, action, slots[k])
        _turn_normals(obj.data)
        at = actions.on_curves(scene, start_frame + frames)
        actions.write_curve(bag, path, 0, np.column_stack([at, rows.astype(np.float32)]), actions.LINEAR)


def _play_file(obj: bpy.types.Object, file: Path, row: float) -> str:
    """Let a modifier play a cache file; returns the path of the curve of the row that is seen, `row` now."""
    modifier = obj.modifiers.new(names.FORM, "MESH_CACHE")
    modifier.cache_format, modifier.filepath = "PC2", bpy.path.relpath(str(file))
    # By rows of its own: scene time would know neither Time Stretching of a part, nor what the artist re-times.
    modifier.play_mode, modifier.time_mode, modifier.interpolation = "CUSTOM", "FRAME", "LINEAR"
    modifier.eval_frame = row
    return f'modifiers["{names.FORM}"].eval_frame'


def _add_shape_keys(obj: bpy.types.Object, forms: np.ndarray, frames: list[int], row: float) -> None:
    """Absolute shape keys: the mesh as it is at time 0, and each further row of `forms` at the time of its number."""
    obj.shape_key_add(name="Rest", from_mix=False)
    keys = obj.data.shape_keys
    keys.name, keys.use_relative = obj.name, False
    for number, frame in enumerate(frames, 1):
        keys.eval_time = number  # where Blender puts a new key of these
        block = obj.shape_key_add(name=f"Frame {frame}", from_mix=False)
        block.interpolation = "KEY_LINEAR"
        block.points.foreach_set("co", forms[number].reshape(-1))
    obj.active_shape_key_index = 0
    keys.eval_time = row


def _turn_normals(mesh: bpy.types.Mesh) -> None:
    """Let custom normals turn with the surface: as vectors they would point where they did at rest."""
    attribute = mesh.attributes.get("custom_normal")
    if attribute is None or attribute.data_type != "FLOAT_VECTOR":
        return
    values = np.empty(3 * len(mesh.loops), np.float32)
    attribute.data.foreach_get("vector", values)
    mesh.attributes.remove(attribute)
    mesh.normals_split_custom_set(values.reshape(-1, 3))
