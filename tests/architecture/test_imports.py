"""Imports point one way, Blender stays out of the core, and files stay short (see docs/map.md, "The house")."""

import ast
import sys
from pathlib import Path

import pytest

from .source import ROOT, files, imports, tree

# From the top of the house down; a room imports only from the rows below its own, and from itself.
ROWS = (
    ("pipeline", "presets"),
    ("object_simulation", "remake"),
    ("results", "setup", "expected"),
    ("diagram", "diagram_store", "parting"),
    ("own_meshes",),
    ("wrap",),
    ("methods", "simulation"),
    ("breaking", "continuum", "rigid"),
    ("settings",),
    ("unroll",),
    ("roughness",),
    ("intake", "pieces", "cutting", "strength"),
    ("fragments",),
    ("geometry",),
    ("planar",),
    ("report", "polyline", "path", "stepwise"),
    ("arithmetic",),
    ("types", "config"),
    ("errors", "jit", "record_arrays", "wording"),
    ("machine_code",),
)
ROW_OF = {room: row for row, rooms in enumerate(ROWS) for room in rooms}
LIBRARIES = {"numpy", "scipy", "numba", "manifold3d"}
# Never shipped, never required: used where a user has installed it, and only behind this one door.
OPTIONAL = {Path("core/pieces/tetrahedra/mesher.py"): {"tetgen"}}
BLENDER = {
    "bpy",
    "bpy_extras",
    "bl_operators",
    "bl_ui",
    "bmesh",
    "mathutils",
    "gpu",
    "gpu_extras",
    "blf",
    "addon_utils",
}
HOMES_OF_BLENDER = (
    "operators/",
    "panels/",
    "tests/blender/",
    "tests/default_break/",
    "tests/fuzz_scenes/",
    "tests/fuzz_settings/",
    "tests/bench/",
    "tests/window/listener.py",
    "tools/",
)
PANELS_MAY_IMPORT = (
    "core.wording",
    "operators.account",
    "operators.blow_view",
    "operators.cache_files",
    "operators.check",
    "operators.collider",
    "operators.curves",
    "operators.drawn",
    "operators.export_view",
    "operators.field_groups",
    "operators.final",
    "operators.generated",
    "operators.help",
    "operators.idnames",
    "operators.influence",
    "operators.job",
    "operators.pattern",
    "operators.pictures",
    "operators.preferences",
    "operators.preset",
    "operators.preview",
    "operators.preview_strength",
    "operators.registering",
    "operators.selection",
    "operators.settings",
    "operators.shard_size",
    "operators.soft_matter.",
    "operators.targets",
    "operators.warm_up",
    "operators.zeros",
    "panels.",
)
EVERYTHING = files("core", "operators", "panels", "tests", "tools")
SHIPPED = files("core", "operators", "panels")
CORE = files("core")


def room(path: Path) -> str:
    """ "cutting" for core/cutting/cut.py, "types" for core/types.py."""
    return path.with_suffix("").parts[1]


@pytest.mark.parametrize("path", [path for path in CORE if path != Path("core/__init__.py")], ids=str)
def test_a_room_imports_only_from_the_rows_below(path):
    for name, relative in imports(path):
        if relative:
            top, other, *_ = name.split(".")
            assert top == "core", f"{path} reaches out of the core: {name}"
            assert other == room(path) or ROW_OF[other] > ROW_OF[room(path)], f"{path} imports upward: {name}"


@pytest.mark.parametrize("path", CORE, ids=str)
def test_core_imports_the_listed_libraries_and_the_standard_library(path):
    absolute = {name.split(".")[0] for name, relative in imports(path) if not relative}
    assert absolute <= LIBRARIES | OPTIONAL.get(path, set()) | sys.stdlib_module_names


@pytest.mark.parametrize("path", EVERYTHING, ids=str)
def test_blender_is_imported_in_its_homes_only(path):
    if not path.as_posix().startswith(HOMES_OF_BLENDER):
        assert not {name.split(".")[0] for name, _ in imports(path)} & BLENDER


@pytest.mark.parametrize("path", files("operators", "panels"), ids=str)
def test_operators_and_panels_import_relatively_and_downward(path):
    for name, relative in imports(path):
        # An absolute import of the own rooms would put modules called "core" or "operators" into everyone's Blender.
        assert relative or name.split(".")[0] not in {"core", "operators", "panels"}
        if relative and path.parts[0] == "panels":
            assert name.startswith(PANELS_MAY_IMPORT), f"panels only draw: {name}"
        if relative and path.parts[0] == "operators" and path != Path("operators/__init__.py"):
            assert not name.startswith("panels")


def test_the_root_imports_nothing_until_it_registers():
    root = tree(Path("__init__.py"))
    assert not [node for node in root.body if isinstance(node, ast.Import | ast.ImportFrom)]


def test_methods_do_not_import_each_other():
    methods = [path for path in CORE if _declares_method(path)]
    assert methods, "no module of the core declares a METHOD: this test looks in the wrong place"
    names = {
        path: ".".join((path.parent if path.name == "__init__.py" else path.with_suffix("")).parts) for path in methods
    }
    for path in methods:
        folder = path.parent if path.name == "__init__.py" else None
        own = [path] if folder is None else [file for file in CORE if folder in file.parents]
        for other, name in names.items():
            reached = {used for file in own for used, _ in imports(file)}
            assert other == path or not [used for used in reached if f"{used}.".startswith(f"{name}.")]


@pytest.mark.parametrize("path", EVERYTHING, ids=str)
def test_a_file_has_a_name_that_says_something_and_a_readable_length(path):
    assert path.stem not in {"utils", "util", "helpers", "misc", "common"}
    assert len((ROOT / path).read_text("utf-8").splitlines()) <= 400
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno - node.lineno < 80, f"{node.name} is too long"


def _declares_method(path: Path) -> bool:
    targets = [target for node in tree(path).body if isinstance(node, ast.Assign) for target in node.targets]
    targets += [node.target for node in tree(path).body if isinstance(node, ast.AnnAssign)]
    return any(isinstance(target, ast.Name) and target.id == "METHOD" for target in targets)
