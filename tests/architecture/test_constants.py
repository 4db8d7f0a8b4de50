"""Numbers at the top of the core's modules say what they are: in a comment on their line, or directly above."""

import ast
import io
import tokenize

from .source import ROOT, files

#: Numbers in calls of these are the names under which files store a choice or a method: no others would do less well.
STORED = {"Choice", "Registry"}


def numbers(node: ast.AST) -> bool:
    """Whether an expression has a number in it, apart from those that files store."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in STORED:
        return False
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float | complex) and not isinstance(node.value, bool)
    return any(numbers(child) for child in ast.iter_child_nodes(node))


def constants(source: str) -> list[ast.Assign | ast.AnnAssign]:
    """The assignments at the top level of a module that have a number in their value."""
    body = ast.parse(source).body
    return [
        node
        for node in body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and numbers(node.value)
    ]


def silent(source: str) -> list[int]:
    """The lines of constants without a comment."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    said = {token.start[0]: token.line for token in tokens if token.type == tokenize.COMMENT}
    return [
        node.lineno
        for node in constants(source)
        if not said.keys() & set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        and not said.get(node.lineno - 1, "").startswith("#")
    ]


def test_numbers_of_the_core_say_what_they_are():
    sources = {path: (ROOT / path).read_text("utf-8") for path in files("core")}
    assert sum(len(constants(source)) for source in sources.values()) > 600, "this test looks in the wrong place"
    without = [f"{path}:{line}" for path, source in sources.items() for line in silent(source)]
    assert not without, f"say where these numbers come from: {', '.join(without)}"


def test_a_number_without_a_comment_is_found():
    assert silent("A = 1\nB: float = -0.5\n\nC = {'x': (2.0, 'y')}\n") == [1, 2, 4]
    assert silent("A = 1  # by eye\nB = 2\n") == [2], "the comment of another number is not its own"
    assert silent("#: By eye.\n\nA = 1\n") == [3], "what stands apart belongs to something else"
    assert silent("x = 'text'  # text\nA = f(\n    1,\n)\n") == [2]


def test_numbers_that_say_something_and_what_is_no_number_are_let_by():
    assert not silent("#: By eye.\nA = 1\nB = 2  #: measured\nC = (\n    3,  # rows\n)\n")
    assert not silent("A = (Choice(1, 'a'), Choice(2, 'b'))\nB = Registry('kind', {1: A})\nC = True\nD = 'x'\nE: int\n")
    assert not silent("def f():\n    a = 1\n\n\nclass C:\n    b = 2\n")
