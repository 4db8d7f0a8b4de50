"""Brittle without a window: one `main`, behind Blender's own command line and behind a script.

    blender -b scene.blend --command brittle shatter --object Vase --preset "Clay" --seed 1 --output out.blend

The same through `-P`, with this script (replace user_default by the repository from which Brittle was installed):

    # blender -b scene.blend --python-exit-code 1 -P shatter.py -- shatter --object Vase --output out.blend
    import sys
    from bl_ext.user_default.brittle.operators.command_line import main
    sys.exit(main(sys.argv[sys.argv.index("--") + 1 :]))

Exit code 0 is done, 1 failed (one sentence on stderr), 2 wrong usage.
"""

import argparse
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bpy

from ..core.config.params import declared
from ..core.config.repair import Repair
from ..core.config.surface import QUALITY
from ..core.errors import BrittleError, InputError
from ..core.rigid import MOTIONS
from ..core.strength.fields import FIELDS
from . import idnames, preset
from .shatter import shatter_object
from .simulate import simulate

#: Exit codes.
DONE, FAILED, USAGE = 0, 1, 2


def main(argv: list[str]) -> int:
    """Run a command line without the program's name and return its exit code."""
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as stop:  # argparse has said what is wrong, or printed its help
        return DONE if not stop.code else USAGE
    try:
        return arguments.run(arguments)
    except BrittleError as error:
        sys.stderr.write(f"brittle: {error}\n")
        return FAILED


def _shatter(arguments: argparse.Namespace) -> int:
    if arguments.list_presets:
        sys.stdout.write("".join(f"{name}\n" for name in preset.names()))
        return DONE
    obj = _object(arguments.object)
    if arguments.frame is not None:
        bpy.context.scene.frame_set(arguments.frame)
    if arguments.triangles:
        getattr(obj, idnames.OBJECT).faces = "TRIANGLES"
    result = shatter_object(
        bpy.context,
        obj,
        preset=arguments.preset,
        count=arguments.count,
        seed=arguments.seed,
        repair=dict(arguments.repair),
        colliders=False if arguments.no_colliders else None,
        motion=arguments.motion,
        quality=arguments.quality,
        pattern=arguments.pattern,
        fields=arguments.field,
    )
    if arguments.output is not None:
        _save(arguments.output)
    if arguments.report is not None:
        _write(arguments.report, result.account)
    return DONE


def _simulate(arguments: argparse.Namespace) -> int:
    objects = [_object(name) for name in dict.fromkeys(arguments.object)] or None
    frames = None if arguments.frames is None else tuple(arguments.frames)
    how = {"seed": arguments.seed, "pattern": arguments.pattern, "fields": arguments.field}
    results = simulate(bpy.context, objects=objects, frames=frames, **how)
    if arguments.output is not None:
        _save(arguments.output)
    if arguments.report is not None:
        _write(arguments.report, [{"object": result.source.name, **result.account} for result in results])
    return DONE


def _object(name: str) -> bpy.types.Object:
    obj = bpy.data.objects.get(name)
    if obj is None:
        raise InputError(f'There is no object "{name}" in this file.')
    return obj


def _save(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        bpy.ops.wm.save_as_mainfile(filepath=str(path.absolute()), copy=True)
    except (OSError, RuntimeError) as error:
        raise InputError(f'The file cannot be saved to "{path}": {error}') from error


def _write(path: Path, account: Any) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(account, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f'The report cannot be written to "{path}": {error.strerror}.') from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=idnames.COMMAND, description="Break objects where they are hit.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_shatter(commands)
    _add_simulate(commands)
    return parser


def _add_simulate(commands: Any) -> None:
    parser = commands.add_parser("simulate", help="let things that break on contact move and break")
    parser.set_defaults(run=_simulate)
    parser.add_argument(
        "--object",
        action="append",
        default=[],
        metavar="NAME",
        help="an object that takes part, may be repeated; without, all visible ones that break on contact",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of all randomness")
    parser.add_argument(
        "--frames", type=int, nargs=2, metavar=("START", "END"), help="first and last frame; without, the scene's"
    )
    _add_common(parser)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pattern", default="", metavar="COLLECTION", help="cut with the closed meshes of a collection"
    )
    kinds = ", ".join(method.id for method in FIELDS)
    parser.add_argument(
        "--field",
        type=_field,
        action="append",
        default=[],
        metavar="KIND:NAME=VALUE,...",
        help="put a field of strength, density or prestress on top of the object's or the preset's, as "
        f"noise:size=0.1,low=0.2 or painted:name=Weak; may be repeated; kinds are {kinds}",
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="save the result as a .blend file")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write an account as JSON")


def _add_shatter(commands: Any) -> None:
    shatter = commands.add_parser("shatter", help="break one object of the open file")
    shatter.set_defaults(run=_shatter)
    what = shatter.add_mutually_exclusive_group(required=True)
    what.add_argument("--object", metavar="NAME", help="the object to break")
    what.add_argument("--list-presets", action="store_true", help="print the names of all presets and stop")
    shatter.add_argument("--preset", default="", metavar="NAME", help="material preset; without, the object's settings")
    shatter.add_argument("--count", type=int, metavar="N", help="number of pieces")
    shatter.add_argument("--seed", type=int, metavar="N", help="seed of all randomness")
    shatter.add_argument(
        "--repair",
        type=_repair,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="how the mesh is repaired, as open=thicken, thickness=0.01, parts=keep, remesh=true; may be repeated",
    )
    motions = [method.id for method in MOTIONS]
    shatter.add_argument("--motion", default="", choices=motions, help="how pieces move; without, as the preset says")
    qualities = [choice.id for choice in QUALITY]
    shatter.add_argument(
        "--quality", default="", choices=qualities, help="how finely broken faces are made; without, as the preset says"
    )
    shatter.add_argument("--no-colliders", action="store_true", help="pieces pass through everything but the ground")
    shatter.add_argument("--triangles", action="store_true", help="pieces of triangles instead of n-gons")
    shatter.add_argument("--frame", type=int, metavar="N", help="frame of the hit; without, the file's current frame")
    _add_common(shatter)


def _repair(text: str) -> tuple[str, Any]:
    """A name and value of `core.config.repair.Repair`; the value is checked with all others."""
    return _named(text, {item.name: item.default for item in declared(Repair)})


def _field(text: str) -> dict[str, Any]:
    """The table of a field, see core/strength/choice.py; its values are checked with all others.

    A comma parts two settings where a name and "=" follow, so that names may hold commas, and directions are 0,0,1.
    """
    kind, _, rest = text.partition(":")
    kinds = {method.id: method for method in FIELDS}
    if kind not in kinds:
        raise argparse.ArgumentTypeError(f"there is no field {kind!r}; known are {', '.join(kinds)}")
    defaults = {"on": True, **{item.name: item.default for item in declared(kinds[kind].params)}}
    settings = re.split(r",(?=\w+=)", rest) if rest else []
    return {"kind": kind, **dict(_named(setting, defaults) for setting in settings)}


def _named(text: str, defaults: Mapping[str, Any]) -> tuple[str, Any]:
    """A name and its value of the type of its default, from NAME=VALUE."""
    name, _, value = text.partition("=")
    if name not in defaults:
        raise argparse.ArgumentTypeError(f"there is no {name!r}; known are {', '.join(defaults)}")
    default = defaults[name]
    try:
        if isinstance(default, bool):
            return name, {"true": True, "false": False}[value.lower()]
        if isinstance(default, tuple):
            x, y, z = (float(number) for number in value.replace(",", " ").split())
            return name, (x, y, z)
        return name, type(default)(value)
    except (KeyError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{name} cannot be {value!r}; give a value like {default!r}") from error


_commands: list[Any] = []


def register() -> None:
    """Make `blender --command brittle` known."""
    _commands.append(bpy.utils.register_cli_command(idnames.COMMAND, main))


def unregister() -> None:
    """Forget the command."""
    bpy.utils.unregister_cli_command(_commands.pop())
