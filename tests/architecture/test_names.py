"""One name has one meaning: no two modules of the core have the same public name, but for the contracts below."""

import ast
from collections import defaultdict

from .source import files, tree

# The same thing behind the same contract in each module that has it.
CONTRACTS = {
    "METHOD": "the entry of a registry, in each module that is a method",
    "STREAM": "the random stream of a module: no two are equal, see CONTRIBUTING.md",
    "build": "how a partition is made, see `pieces.convention`",
    "run": "how a motion moves bodies through a frame, see `rigid.contract`",
    "values": "what a field says of a place, see `strength.fields.contract`",
}


def public_names(path):
    """Names that a module binds at its top level: functions, classes, values; no type variables."""
    for node in tree(path).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign) and not is_type_variable(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))


def is_type_variable(value):
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "TypeVar"


def test_public_names_of_the_core_are_unique():
    homes = defaultdict(list)
    for path in files("core"):
        for name in set(public_names(path)):
            if not name.startswith("_"):
                homes[name].append(str(path))
    assert len(homes) > 1000, "this test looks in the wrong place"
    twice = {name: paths for name, paths in homes.items() if len(paths) > 1}
    assert set(twice) <= CONTRACTS.keys()
    assert set(twice) >= CONTRACTS.keys(), "a contract of one module only needs no exception"
