"""Materials as presets: data files in the folders that Blender knows as `presets/brittle`; they can run nothing."""

import dataclasses
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ..core import presets
from ..core.config.look import Look
from ..core.config.params import declared
from ..core.errors import BrittleError, InputError
from ..core.methods import BREAKINGS
from ..core.strength.choice import tables_of
from . import idnames, settings
from .bridge.shader import bring_shader
from .generated import metres_per_unit
from .preferences import brings_shaders
from .registering import register_classes, unregister_classes
from .targets import poll_targets, target, targets

ROOT = Path(__file__).parents[1]


def folders() -> list[Path]:
    """Folders that hold presets, Brittle's own first: a later one replaces equal names of an earlier one."""
    return [Path(folder) for folder in reversed(bpy.utils.preset_paths(idnames.PRESETS))]


def user_folder() -> Path:
    """The folder of the presets that the artist saved; it may not exist yet."""
    return Path(bpy.utils.user_resource("SCRIPTS", path=f"presets/{idnames.PRESETS}"))


def entries() -> list[presets.Entry]:
    """Every preset."""
    return presets.entries(folders())


def names() -> dict[str, Path]:
    """Name and file of every preset."""
    return presets.names(folders())


def own() -> list[presets.Entry]:
    """The presets that the artist saved."""
    return [entry for entry in entries() if is_own(entry.path)]


def ways(name: str) -> list[presets.Entry]:
    """The preset of this name with all other ways in which its material breaks; none where there is a single one."""
    known = entries()
    chosen = next((entry for entry in known if name and entry.is_called(name)), None)
    if chosen is None:
        return []
    first = chosen.variant_of or chosen.name
    found = [entry for entry in known if first in (entry.name, entry.variant_of)]
    return sorted(found, key=lambda entry: entry.name != first) if len(found) > 1 else []


def way_of(entry: presets.Entry) -> str:
    """The name of the way in which a preset breaks its material."""
    return BREAKINGS[entry.breaking].label if entry.breaking in BREAKINGS else entry.name


def is_own(path: Path) -> bool:
    """Whether the artist saved this preset, and so may remove it."""
    return path.parent == user_folder()


def tables(name: str) -> dict[str, Any]:
    """The tables of a preset (see settings.py). Raises InputError for a name or file that cannot be used."""
    return _tables_of(presets.find(name, folders()))


def _tables_of(preset: presets.Preset) -> dict[str, Any]:
    return {
        "pieces": {"method": preset.pieces, **preset.pieces_params},
        "breaking": {"method": preset.breaking, **preset.breaking_params},
        "motion": {"method": preset.motion, **preset.motion_params},
        "material": dataclasses.asdict(preset.material),
        "surface": dataclasses.asdict(preset.surface),
        settings.FIELDS: tables_of(preset.fields),
    }


def save(name: str, obj: bpy.types.Object, scale_length: float = 1.0) -> Path:
    """Save the settings of an object as a preset; what is still as in the preset that it comes from keeps its source.

    Raises InputError for an empty name or a folder that is locked.
    """
    if not name.strip():
        raise InputError("Give the preset a name.")
    own = getattr(obj, idnames.OBJECT)
    data = settings.tables(own, scale_length)
    for title in ("repair", "breakable"):  # what a mesh needs and when it breaks is not a material's
        del data[title]
    preset = presets.from_data({"name": name.strip(), "description": f"Saved from {obj.name}", **data})
    preset = dataclasses.replace(preset, look=look_of(own.preset))
    preset = dataclasses.replace(preset, sources=_sources_kept(own.preset, preset))
    path = user_folder() / f"{bpy.path.clean_name(name.strip())}.toml"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(presets.to_toml(preset), encoding="utf-8")
    except OSError as error:
        raise InputError(f'The preset cannot be saved to "{path}": {error.strerror}.') from error
    return path


def look_of(name: str) -> Look | None:
    """How the material called `name` looks, or that of which it is another way to break; None where none says it."""
    try:
        preset = presets.find(name, folders())
        return preset.look or (presets.find(preset.variant_of, folders()).look if preset.variant_of else None)
    except BrittleError:  # none was applied, or it is gone
        return None


def _sources_kept(origin: str, preset: presets.Preset) -> dict[str, str]:
    """The sources of the preset called `origin` for those values that another one still has."""
    try:
        before = presets.find(origin, folders())
    except BrittleError:  # none was applied, or it is gone
        return {}
    old, new = _values_of(before), _values_of(preset)
    return {key: source for key, source in before.sources.items() if key in new and _same(old[key], new[key])}


def _values_of(preset: presets.Preset) -> dict[str, tuple[type, Any]]:
    """Every value of a preset under the key that its source has, and of what it is one."""
    tables = [("material", preset.material), ("surface", preset.surface)]
    tables += [("look", preset.look)] if preset.look is not None else []
    for kind, registry in settings.REGISTRIES.items():
        params = registry[getattr(preset, kind)].params
        tables.append((kind, params(**getattr(preset, f"{kind}_params"))))
    tables += [(f"{settings.FIELDS}.{number}", one.params) for number, one in enumerate(preset.fields, 1)]
    return {
        f"{title}.{item.name}": (type(params), getattr(params, item.name))
        for title, params in tables
        for item in declared(params)
    }


def _same(old: tuple[type, Any], new: tuple[type, Any]) -> bool:
    """Whether a value is what it was, to the 32 bits of Blender's numbers."""
    if old[0] is not new[0] or type(old[1]) is not type(new[1]):
        return False
    if isinstance(old[1], float | tuple):
        return np.allclose(old[1], new[1], rtol=1e-6, atol=0.0)
    return bool(old[1] == new[1])


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


def plain(own: bpy.types.PropertyGroup) -> dict[str, Any]:
    """The tables of an object to which no preset was applied."""
    chosen = {kind: {"method": own.bl_rna.properties[kind].default} for kind in settings.REGISTRIES}
    return {**chosen, "material": {}, "surface": {}, settings.FIELDS: []}


class BRITTLE_OT_preset_apply(bpy.types.Operator):
    """Take all settings of the selected objects from a material preset"""

    bl_idname = idnames.Operator.PRESET_APPLY
    bl_label = "Apply Material Preset"
    bl_options = {"REGISTER", "UNDO"}

    name: bpy.props.StringProperty(
        name="Preset", description="Name of the preset; empty gives the defaults back", search=search_names
    )

    @classmethod
    def poll(cls, context):
        return poll_targets(cls, context)

    @classmethod
    def description(cls, context, properties):
        """What the preset says of itself."""
        if not properties.name:
            return "Give all settings of the selected objects their defaults back"
        return next((entry.description for entry in entries() if entry.name == properties.name), "") or cls.__doc__

    def execute(self, context):
        try:
            data = tables(self.name) if self.name else {}
        except BrittleError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for obj in targets(context):
            own = getattr(obj, idnames.OBJECT)
            settings.apply(own, data or plain(own), metres_per_unit(context))
            own.preset = self.name
            self._bring_shader(context, obj)
        return {"FINISHED"}

    def _bring_shader(self, context, obj):
        look = look_of(self.name)
        if look is not None and brings_shaders(context):
            bring_shader(obj, next(entry.name for entry in entries() if entry.is_called(self.name)), look)


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
        obj = target(context)
        try:
            save(self.name, obj, metres_per_unit(context))
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
    register_classes(CLASSES)
    bpy.utils.register_preset_path(str(ROOT))


def unregister() -> None:
    """Take operators and folder away."""
    bpy.utils.unregister_preset_path(str(ROOT))
    unregister_classes(CLASSES)
