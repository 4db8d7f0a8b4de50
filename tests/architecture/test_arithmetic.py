"""What decides a result has the same bits on every processor (see core/arithmetic): by the names that the code uses.

BLAS, LAPACK, the C library and numpy's own code for AVX2 and AVX-512 round in different ways, and sort equal numbers in
different orders. Here none of their names may stand outside of the exceptions below.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from .source import files, tree

ROOMS = files("core", "operators/bridge")

#: (file, what it uses): why it is harmless.
EXCEPTIONS = {
    ("core/cutting/own_pattern/cut.py", "@"): "a sparse product that counts common vertices, of whole numbers",
    (
        "core/breaking/constraint_lattice/factor.py",
        "scipy.sparse.linalg",
    ): "only an order of elimination is taken from it",
}

PRODUCTS = {"dot", "vdot", "inner", "matmul", "einsum", "einsum_path", "tensordot", "kron", "convolve", "correlate"}
FITS = {"cov", "corrcoef", "polyfit", "roots", "poly"}
ELEMENTARY = {
    *(
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "logaddexp",
        "logaddexp2",
        "power",
        "float_power",
        "pow",
    ),
    *("sin", "cos", "tan", "sinc", "arcsin", "arccos", "arctan", "arctan2", "asin", "acos", "atan", "atan2", "hypot"),
    *("sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "asinh", "acosh", "atanh", "cbrt", "angle", "unwrap"),
    *("gamma", "lgamma", "erf", "erfc", "dist", "geomspace", "logspace", "i0", "fft"),
}
OF_NUMPY = PRODUCTS | FITS | ELEMENTARY | {"linalg", "argpartition"}
OF_MATH = ELEMENTARY | {"sumprod", "fma"}
NUMBER = (ast.Constant, ast.UnaryOp, ast.USub)
#: Drawn with a logarithm of the C library somewhere, in one case or in all.
LAWS = {
    *(
        "normal",
        "standard_normal",
        "exponential",
        "standard_exponential",
        "gamma",
        "standard_gamma",
        "beta",
        "dirichlet",
    ),
    *(
        "lognormal",
        "weibull",
        "poisson",
        "binomial",
        "geometric",
        "laplace",
        "rayleigh",
        "vonmises",
        "multivariate_normal",
    ),
    *("logistic", "gumbel", "pareto", "triangular", "chisquare", "standard_t", "zipf", "hypergeometric"),
}
FREE = {"scipy.spatial", "scipy.sparse", "scipy.sparse.csgraph"}  # compiled once for all processors, and without BLAS


def uses(path: Path) -> Iterator[tuple[str, int]]:
    """(what, line) of each use of something whose bits hang on the processor."""
    numpy, math, own = {"np", "numpy"}, {"math", "cmath"}, _own_names(path)
    for node in ast.walk(tree(path)):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.BinOp | ast.AugAssign):
            yield from ((what, line) for what in _operator(node))
        elif isinstance(node, ast.ImportFrom | ast.Import):
            yield from ((what, line) for what in _imported(node))
        elif isinstance(node, ast.Attribute):
            base = node.value.id if isinstance(node.value, ast.Name) else ""
            if (base in numpy and node.attr in OF_NUMPY) or (base in math and node.attr in OF_MATH):
                yield f"{base}.{node.attr}", line
            elif base not in numpy | math | own and node.attr in {"dot", "argpartition"}:
                yield f".{node.attr}", line
        elif isinstance(node, ast.Call):
            yield from ((what, line) for what in _call(node, own))
        elif isinstance(node, ast.Constant) and isinstance(node.value, complex):
            yield "complex number", line


def _operator(node: ast.BinOp | ast.AugAssign) -> Iterator[str]:
    if isinstance(node.op, ast.MatMult):
        yield "@"
    # Of floats it calls pow, whose last bit differs, also with exponent 2: only powers of whole numbers, and of 2 with
    # a number written out, are exact.
    if isinstance(node.op, ast.Pow):
        base = node.left if isinstance(node, ast.BinOp) else node.target
        while isinstance(base, ast.UnaryOp):
            base = base.operand
        base = base.value if isinstance(base, ast.Constant) else None
        written = isinstance(node, ast.BinOp) and all(isinstance(part, NUMBER) for part in ast.walk(node.right))
        if not (isinstance(base, int) or (base == 2.0 and written)):
            yield "**"


def _imported(node: ast.ImportFrom | ast.Import) -> Iterator[str]:
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level:
        return
    for module in modules:
        if module in {"math", "cmath", "numpy", "numpy.linalg", "numpy.fft"} and isinstance(node, ast.ImportFrom):
            yield from (f"{module}.{a.name}" for a in node.names if a.name in OF_NUMPY | OF_MATH or "." in module)
        elif module.startswith("scipy") and module not in FREE:
            yield module


def _call(node: ast.Call, own: set[str]) -> Iterator[str]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name == "argsort" and not any(
        k.arg == "kind" and getattr(k.value, "value", "") == "stable" for k in node.keywords
    ):
        yield "argsort without kind=stable"
    if name in LAWS and isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") not in own:
        yield f".{name}()"
    if name in {"pow", "complex"} and isinstance(node.func, ast.Name):
        yield name


def _own_names(path: Path) -> set[str]:
    """Names of modules of this package: `vectors.dot3` is our own."""
    return {
        alias.asname or alias.name
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }


@pytest.mark.parametrize("path", ROOMS, ids=str)
def test_nothing_hangs_on_the_processor(path):
    found = [f"{path}:{line}: {what}" for what, line in uses(path) if (path.as_posix(), what) not in EXCEPTIONS]
    assert not found, "\n".join(found)


def test_each_exception_is_one():
    there = {(path.as_posix(), what) for path in ROOMS for what, _ in uses(path)}
    assert set(EXCEPTIONS) <= there
