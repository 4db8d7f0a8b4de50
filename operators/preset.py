"""Materials as presets: data files in the folders that Blender knows as `presets/brittle`; they can run nothing."""

import dataclasses
from pathlib import Path
from typing import Any

import bpy

from ..core import presets
from ..core.errors import BrittleError, InputError
from . import idnames, settings
from .targets import poll_targets, targets

ROOT = Path(__file__).parents[1]


def folders() -> list[Path]:
    """Folders that hold presets, Brittle's own first: a later one replaces equal names of an earlier one."""
    return [Path(folder) for folder in reversed(bpy.utils.preset_paths(idnames.PRESETS))]


def user_folder() -> Path:
    """The folder of the presets that the artist saved; it may not exist yet."""
    return Path(bpy.utils.user_resource("SCRIPTS", path=f"presets/{idnames.PRESETS}"))


def names() -> dict[str, Path]:
    """Name and file of every preset."""
    return presets.names(folders())


def is_own(path: Path) -> bool:
    """Whether the artist saved this preset, and so may remove it."""
    return path.parent == user_folder()


def tables(name: str) -> dict[str, dict[str, Any]]:
    """The tables of a preset (see settings.py). Raises InputError for a name or file that cannot be used."""
    preset = presets.find(name, folders())
    return {
        "pieces": {"method": preset.pieces, **preset.pieces_params},
        "breaking": {"method": preset.breaking, **preset.breaking_params},
        "motion": {"method": preset.motion, **preset.motion_params},
        "material": dataclasses.asdict(preset.material),
        "surface": dataclasses.asdict(preset.surface),
    }


def save(name: str, obj: bpy.types.Object, scale_length: float = 1.0) -> Path:
    """Save the settings of an object as a preset. Raises InputError for an empty name or a folder that is locked."""
    if not name.strip():
        raise InputError("Give the preset a name.")
    data = settings.tables(getattr(obj, idnames.OBJECT), scale_length)
    for own in ("repair", "breakable"):  # what a mesh needs and when it breaks is not a material's
        del data[own]
    preset = presets.from_data({"name": name.strip(), "description": f"Saved from {obj.name}", **data})
    path = user_folder() / f"{bpy.path.clean_name(name.strip())}.toml"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(presets.to_toml(preset), encoding="utf-8")
    except OSError as error:
        raise InputError(f'The preset cannot be saved to "{path}": {error.strerror}.') from error
    return path


def remove(name: str) -> None:
    """Remove a preset that the artist saved. Raises InputError for any other."""
    path = names().get(name)
    if path is None:
        raise InputError(f'There is no preset "{name}".')
    if not is_own(path):
        raise InputError(f'"{name}" comes with Brittle and cannot be removed.')
    try:
        path.unlink()
    except OSError as error:
        raise InputError(f'"{path}" cannot be removed: {error.strerror}.') from error


def search_names(_self: Any, _context: Any, text: str) -> list[str]:
    """Names for a text field with search."""
    return [name for name in names() if text.casefold() in name.casefold()]


class BRITTLE_OT_preset_apply(bpy.types.Operator):
    """Take all settings of the selected objects from a material preset"""

    bl_idname = idnames.Operator.PRESET_APPLY
    bl_label = "Apply Material Preset"
    bl_options = {"REGISTER", "UNDO"}

    name: bpy.props.StringProperty(name="Preset", search=search_names)

    @classmethod
    def poll(cls, context):
        return poll_targets(cls, context)

    def execute(self, context):
        try:
            data = tables(self.name)
        except BrittleError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for obj in targets(context):
            settings.apply(getattr(obj, idnames.OBJECT), data, context.scene.unit_settings.scale_length)
            getattr(obj, idnames.OBJECT).preset = self.name
        return {"FINISHED"}


class BRITTLE_OT_preset_save(bpy.types.Operator):
    """Save the settings of the active object as a material preset"""

    bl_idname = idnames.Operator.PRESET_SAVE
    bl_label = "Save Material Preset"
    bl_options = {"REGISTER"}

    name: bpy.props.StringProperty(name="Name", default="My Material")

    @classmethod
    def poll(cls, context):
        return poll_targets(cls, context)

    def invoke(self, context, event):
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context):
        obj = targets(context)[0]
        try:
            save(self.name, obj, context.scene.unit_settings.scale_length)
        except BrittleError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        getattr(obj, idnames.OBJECT).preset = self.name.strip()
        return {"FINISHED"}


class BRITTLE_OT_preset_remove(bpy.types.Operator):
    """Remove a material preset that you saved"""

    bl_idname = idnames.Operator.PRESET_REMOVE
    bl_label = "Remove Material Preset"
    bl_options = {"REGISTER"}

    name: bpy.props.StringProperty(name="Preset", search=search_names)

    def execute(self, context):
        try:
            remove(self.name)
        except BrittleError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


CLASSES = (BRITTLE_OT_preset_apply, BRITTLE_OT_preset_save, BRITTLE_OT_preset_remove)


def register() -> None:
    """Register the operators and the folder of Brittle's own presets."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.utils.register_preset_path(str(ROOT))


def unregister() -> None:
    """Take operators and folder away."""
    bpy.utils.unregister_preset_path(str(ROOT))
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
