"""Numbers in sentences come from `core/wording.py`: no f-string formats one by itself."""

import ast
from pathlib import Path

import pytest

from .source import files, tree

#: Not sentences: a progress bar in Blender's status line, numbers in names of objects, code points.
ELSEWHERE = {
    Path("operators/job.py"): {".0%"},
    Path("operators/bridge/write.py"): {"0", "d"},
    Path("core/presets.py"): {"04X"},
    Path("core/wording.py"): {"e", ",f"},
}


@pytest.mark.parametrize("path", files("core", "operators", "panels"), ids=str)
def test_no_f_string_formats_a_number_by_itself(path):
    specs = {
        part.value
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FormattedValue) and isinstance(node.format_spec, ast.JoinedStr)
        for part in node.format_spec.values
        if isinstance(part, ast.Constant)
    }
    assert specs <= ELSEWHERE.get(path, set()), "take number, percent, length or count of core/wording.py"
