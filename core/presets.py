"""Presets: materials as data files, so a preset that a stranger sent can choose numbers and run nothing.

A file is TOML: `name`, `description`, where it is listed (`group`, or `variant_of` the name of the material of which it
is another way to break), the name that it had `formerly`, and the flat tables [pieces], [breaking] and [motion] (a
`method` of the registry and declared values of its params), [material], [surface], [look], a table [[fields]] for each
field of the stack (a `kind` of the registry, declared values, and `on = false` for one that does not count now), and
[sources] (where a number comes from, under "table.key", or "fields.1.key" for the first field). What a file leaves
out keeps its default: without [motion] the pieces are rigid bodies, without [surface] broken faces are flat, without
[[fields]] the matter is even, without [look] it brings no shader.
"""

import dataclasses
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from .config.look import Look
from .config.material import Material
from .config.params import declared, from_mapping
from .config.registry import Registry
from .config.surface import Surface
from .errors import InputError
from .methods import BREAKINGS
from .pieces import PARTITIONS
from .rigid import MOTIONS
from .strength.choice import FieldChoice, fields_from, tables_of

#: A preset is a page of numbers; anything larger is not one. The shipped ones have 3 kB.
SIZE_LIMIT = 64 * 1024

TEXTS = ("name", "description", "group", "variant_of", "formerly")
TABLES = ("pieces", "breaking", "motion", "material", "surface", "look", "sources")

FIELDS_KEY = "fields"

#: The motion of a preset that names none.
_MOTION = "rigid"


@dataclass(frozen=True)
class Preset:
    """One material: pieces, breaking rule, motion, and their values as far as they differ from the defaults."""

    name: str
    description: str
    pieces: str  #: id in PARTITIONS
    breaking: str  #: id in BREAKINGS
    pieces_params: Mapping[str, Any] = field(default_factory=dict)
    breaking_params: Mapping[str, Any] = field(default_factory=dict)
    material: Material = field(default_factory=Material)
    sources: Mapping[str, str] = field(default_factory=dict)  #: "table.key" -> where the number comes from
    motion: str = _MOTION  #: id in MOTIONS
    motion_params: Mapping[str, Any] = field(default_factory=dict)
    surface: Surface = field(default_factory=Surface)
    look: Look | None = None
    fields: tuple[FieldChoice, ...] = ()
    group: str = ""  #: of materials among which it is listed
    variant_of: str = ""  #: name of the material of which it is another way to break
    formerly: str = ""  #: name under which older files know it


@dataclass(frozen=True, slots=True)
class Entry:
    """A preset in a list of them; without texts where its file cannot be read."""

    name: str
    path: Path
    description: str = ""
    group: str = ""
    variant_of: str = ""
    formerly: str = ""
    breaking: str = ""  #: id in BREAKINGS, as the file says it

    def is_called(self, name: str) -> bool:
        """Whether a name means it, in any case: its own, the one that it had formerly, or that of its file."""
        return name.casefold() in {known.casefold() for known in (self.name, self.path.stem, self.formerly) if known}


def load(path: Path) -> Preset:
    """Read and check the preset in a file.

    Raises InputError that names the file, and the table and key where one is wrong: a file that cannot be read or
    is larger than SIZE_LIMIT, bad TOML, an unknown table, method or setting, a value outside of its limits.
    """
    try:
        return from_data(_read(path))
    except InputError as error:
        raise InputError(f'The preset "{path.name}" cannot be used: {error}') from error


def from_data(data: Mapping[str, Any]) -> Preset:
    """Check plain nested data and make a preset of it. Raises InputError that names the table and key."""
    every = (*TEXTS, *TABLES, FIELDS_KEY)
    unknown = [key for key in data if key not in every]
    if unknown:
        raise InputError(f'there is no table or key "{unknown[0]}"; known are {", ".join(every)}.')
    name, description, *listed = (_text(data.get(key, ""), key) for key in TEXTS)
    if not name.strip():
        raise InputError('it has no name; add a line like name = "My Glass".')
    tables = {key: _table(data.get(key, {}), key) for key in TABLES}
    pieces, pieces_params = _method(tables["pieces"], "pieces", PARTITIONS)
    breaking, breaking_params = _method(tables["breaking"], "breaking", BREAKINGS)
    motion, motion_params = _method({"method": _MOTION, **tables["motion"]}, "motion", MOTIONS)
    material = Material(**_values(tables["material"], "material", Material))
    surface = Surface(**_values(tables["surface"], "surface", Surface))
    look = Look(**_values(tables["look"], "look", Look)) if tables["look"] else None
    fields = fields_from(data.get(FIELDS_KEY, ()))
    known = {
        *(f"pieces.{item.name}" for item in declared(PARTITIONS[pieces].params)),
        *(f"breaking.{item.name}" for item in declared(BREAKINGS[breaking].params)),
        *(f"motion.{item.name}" for item in declared(MOTIONS[motion].params)),
        *(f"material.{item.name}" for item in declared(Material)),
        *(f"surface.{item.name}" for item in declared(Surface)),
        *(f"look.{item.name}" for item in declared(Look) if look is not None),
        *(f"fields.{number}.{item.name}" for number, one in enumerate(fields, 1) for item in declared(one.params)),
    }
    for key, source in tables["sources"].items():
        _text(source, f"sources.{key}")
        if key not in known:
            raise InputError(f'[sources] speaks of "{key}", which is no setting of this preset.')
    chosen = pieces, breaking, pieces_params, breaking_params, material, tables["sources"], motion, motion_params
    return Preset(name, description, *chosen, surface, look, fields, *listed)


def entries(folders: Iterable[Path]) -> list[Entry]:
    """The presets in the folders by name; a later folder replaces equal names of an earlier one.

    A file that cannot be read is listed under its file name, so that choosing it tells what is wrong with it.
    Folders that do not exist hold no presets.
    """
    paths = [path for folder in folders for path in sorted(folder.glob("*.toml"))]
    found = [_entry(path, _state(path)) for path in paths]
    return sorted({entry.name: entry for entry in found}.values(), key=lambda entry: entry.name)


def _state(path: Path) -> tuple[int, int]:
    """What changes when a file is written: its time and its size; zeros where there is none behind a link."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


@cache
def _entry(path: Path, _state: tuple[int, int]) -> Entry:
    """What a file says of itself, read once for each state of it: panels ask at every redraw."""
    try:
        data = _read(path)
    except InputError:
        return Entry(path.stem, path)
    texts = {key: text for key in TEXTS if isinstance(text := data.get(key), str)}
    table = data.get("breaking")
    method = table.get("method") if isinstance(table, dict) else None
    texts["name"] = texts.get("name") or path.stem
    return Entry(path=path, breaking=method if isinstance(method, str) else "", **texts)


def names(folders: Iterable[Path]) -> dict[str, Path]:
    """Name and file of each preset in the folders, as `entries`."""
    return {entry.name: entry.path for entry in entries(folders)}


def find(name: str, folders: Iterable[Path]) -> Preset:
    """The preset that a name means, see `Entry.is_called`. Raises InputError that lists the known names."""
    known = entries(folders)
    for entry in known:
        if entry.is_called(name):
            return load(entry.path)
    raise InputError(f'There is no preset "{name}"; choose one of {", ".join(entry.name for entry in known)}.')


def to_toml(preset: Preset) -> str:
    """The text of a preset file. `load` of this text gives an equal preset."""
    texts = {key: getattr(preset, key) for key in TEXTS}
    blocks = [[f"{key} = {_toml(text)}" for key, text in texts.items() if text or key in TEXTS[:2]]]
    tables: dict[str, Mapping[str, Any]] = {
        "pieces": {"method": preset.pieces, **preset.pieces_params},
        "breaking": {"method": preset.breaking, **preset.breaking_params},
        "motion": {"method": preset.motion, **preset.motion_params},
        "material": dataclasses.asdict(preset.material),
        "surface": dataclasses.asdict(preset.surface),
        "look": dataclasses.asdict(preset.look) if preset.look is not None else {},
    }
    titled = [(f"[{title}]", table) for title, table in tables.items()]
    titled += [(f"[[{FIELDS_KEY}]]", table) for table in tables_of(preset.fields)]
    for title, table in [*titled, ("[sources]", preset.sources)]:
        if table:
            blocks.append([title, *(f"{_toml_key(key)} = {_toml(value)}" for key, value in table.items())])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            content = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror}).") from error
    if len(content) > SIZE_LIMIT:
        raise InputError(f"it is larger than {SIZE_LIMIT // 1024} KiB, which no preset is.")
    try:
        return tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"it is not valid TOML ({error}).") from error


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{key} must be a text in quotes, not {value!r}.")
    return value


def _table(value: Any, key: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{key} must be a table: a line [{key}] with its settings below.")
    return value


def _method(table: Mapping[str, Any], title: str, registry: Registry[Any]) -> tuple[str, dict[str, Any]]:
    """The method that a table names and its checked values."""
    if "method" not in table:
        raise InputError(f'[{title}] has no method; add a line like method = "{next(iter(registry)).id}".')
    method_id = _text(table["method"], f"{title}.method")
    values = {key: value for key, value in table.items() if key != "method"}
    return method_id, _values(values, title, registry[method_id].params)


def _values(values: Mapping[str, Any], title: str, kind: type[Any]) -> dict[str, Any]:
    """The values, converted to the declared types; checked one by one so that the message can name the key."""
    checked = {}
    for key, value in values.items():
        try:
            checked[key] = getattr(from_mapping(kind, {key: value}), key)
        except InputError as error:
            raise InputError(f"{title}.{key}: {error}") from error
    return checked


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _toml(key)


def _toml(value: Any) -> str:
    """A scalar or a list of scalars in TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        escaped = "".join(
            f"\\u{ord(letter):04X}" if letter in '"\\' or ord(letter) < 0x20 or ord(letter) == 0x7F else letter
            for letter in value
        )
        return f'"{escaped}"'
    return "[" + ", ".join(_toml(item) for item in value) + "]"
