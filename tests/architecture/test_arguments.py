"""No function of the core takes more than about eight arguments: what belongs together is one record.

Kernels take NamedTuples of arrays. numba takes these apart as it does arguments one by one: machine code and bits are
the same, and so is the time.
"""

import ast

from .source import files, tree

MOST = 9

#: What takes more, and why.
EXCEPTIONS = {
    "orient3d": "the coordinates of four points are the field's own signature (Shewchuk 1997)",
    "_orient3d_exact": "as `orient3d`",
    "param": "what a declaration may say of a field: keywords, all but three with a default",
}


def arguments(function):
    given = function.args
    return len([*given.posonlyargs, *given.args, *given.kwonlyargs])


def functions(path):
    return (node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef))


def test_no_function_takes_more_than_about_eight_arguments():
    found = {(str(path), one.name) for path in files("core") for one in functions(path) if arguments(one) > MOST}
    more = {(path, name) for path, name in found if name not in EXCEPTIONS}
    assert not more, "make a record of what belongs together"
    assert EXCEPTIONS.keys() <= {name for _, name in found}
