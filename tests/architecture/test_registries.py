"""A method is finished when artists can find it, read about it, and when a test holds it against its source."""

import ast
import tomllib
from pathlib import Path

import pytest

from core.breaking import RULES
from core.continuum import CONTINUA
from core.pieces import PARTITIONS
from core.rigid import MOTIONS
from core.strength.fields import FIELDS

from .source import ROOT, files, tree

REGISTRIES = {
    "core/pieces": PARTITIONS,
    "core/breaking": RULES,
    "core/rigid": MOTIONS,
    "core/continuum": CONTINUA,
    "core/strength/fields": FIELDS,
}
TABLE_OF = {"core/pieces": "pieces", "core/breaking": "breaking", "core/continuum": "breaking"}
ENTRIES = [(room, method) for room, registry in REGISTRIES.items() for method in registry]
PRESETS = [tomllib.loads(path.read_text("utf-8")) for path in sorted((ROOT / "presets/brittle").glob("*.toml"))]
entry = pytest.mark.parametrize(("room", "method"), ENTRIES, ids=[method.id for _, method in ENTRIES])


@pytest.mark.parametrize(
    ("room", "method"), [(room, method) for room, method in ENTRIES if room in TABLE_OF], ids=lambda item: str(item)
)
def test_a_preset_uses_it(room, method):
    """But for motions and fields, which are the artist's choice: a preset may leave them out."""
    used = [preset.get(TABLE_OF[room], {}).get("method") for preset in PRESETS]
    assert method.id in used, f"no preset in presets/brittle chooses {method.id}"


@entry
def test_the_page_of_methods_lists_it(room, method):
    rows = [line for line in (ROOT / "docs/methods.md").read_text("utf-8").splitlines() if line.startswith("|")]
    assert [row for row in rows if f"`{method.id}`" in row], f"docs/methods.md has no row for `{method.id}`"


@entry
def test_a_verification_or_contract_file_tests_it(room, method):
    homes = [path for path in files("tests/verification", "tests/contract") if path.name.startswith("test_")]
    assert [path for path in homes if _speaks_of(path, room, method)], f"nothing verifies {method.id}"


@entry
def test_it_says_what_it_follows_and_what_it_does(room, method):
    assert method.label and method.doc and method.reference


@pytest.mark.parametrize("room", REGISTRIES)
def test_numbers_are_positive_and_listed_once(room):
    # A dict keeps only the last of two equal keys, silently: look at the source.
    dicts = [node for node in ast.walk(tree(Path(room, "__init__.py"))) if isinstance(node, ast.Dict)]
    numbers = [key.value for node in dicts for key in node.keys if isinstance(key, ast.Constant)]
    assert len(numbers) == len(list(REGISTRIES[room]))
    assert len(set(numbers)) == len(numbers) and all(isinstance(n, int) and n > 0 for n in numbers)


def test_ids_are_unique_over_all_registries():
    ids = [method.id for _, method in ENTRIES]
    assert len(set(ids)) == len(ids)


def _speaks_of(path: Path, room: str, method) -> bool:
    """A contract test runs over the whole registry; a verification file imports the method's module or names its id."""
    text = (ROOT / path).read_text("utf-8")
    whole = {
        "core/pieces": "PARTITIONS",
        "core/breaking": "RULES",
        "core/rigid": "MOTIONS",
        "core/continuum": "CONTINUA",
        "core/strength/fields": "FIELDS",
    }[room]
    return method.id in text or (path.parts[1] == "contract" and whole in text)
