"""Python files of the repository as syntax trees, for the tests of this folder."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def files(*folders: str) -> tuple[Path, ...]:
    """Every Python file below some folders, relative to the root."""
    return tuple(path.relative_to(ROOT) for folder in folders for path in sorted((ROOT / folder).rglob("*.py")))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text("utf-8"), str(path))


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """(dotted module, is it relative) of each import; a relative one is resolved against the root, names included.

    `from ..types import Body` in core/cutting/units.py gives "core.types.Body".
    """
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, False) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = path.parts[: len(path.parts) - node.level] if node.level else ()
            module = ".".join([*package, *filter(None, [node.module])])
            yield from ((f"{module}.{alias.name}", node.level > 0) for alias in node.names)
