"""What is cited from docs/ stands there: pages by their paths, and the labels of the pages on papers."""

import io
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest

from .source import ROOT, files

PAGE = re.compile(r"docs/[\w/]+\.md")
#: An item of a checklist or a vector (B10, V2), a scene (UW; not UI and SI, which are words as well), and what is done
#: about a mistake (resolution 4.2; docs/....md, 4.2).
LABEL = re.compile(
    r"(?<![\w.^])(?:[ABNORSV]\d{1,2}|N[BCLSX]|O[BCEGIMSTW]|R[DGMORTVZ]|S[BCDGP]|U[BCEFPQRSTW])(?!\w)"
    r"|(?<=esolution )4\.\d+|(?<=\.md, )4\.\d+"
)
CITING = files("core", "operators", "panels", "tests", "tools")


@cache
def remarks(path: Path) -> str:
    """The comments of a file, and its strings in triple quotes."""
    tokens = tokenize.generate_tokens(io.StringIO((ROOT / path).read_text("utf-8")).readline)
    return "\n".join(
        token.string for token in tokens if token.type == tokenize.COMMENT or token.string.startswith('"""')
    )


@cache
def pages_of(path: Path) -> frozenset[str]:
    """The pages that a file names, or the start page of its folder."""
    start = path.parent / "__init__.py"
    both = remarks(path) + (remarks(start) if (ROOT / start).exists() else "")
    return frozenset(PAGE.findall(both))


@cache
def labels(page: str) -> frozenset[str]:
    """What stands in bold on a page."""
    return frozenset(re.findall(r"\*\*([\w.]+)\*\*", (ROOT / page).read_text("utf-8")))


@pytest.mark.parametrize("path", [path for path in CITING if PAGE.search(remarks(path))], ids=str)
def test_pages_that_are_cited_exist(path):
    for page in PAGE.findall(remarks(path)):
        assert (ROOT / page).exists(), f"there is no {page}"


@pytest.mark.parametrize("path", [path for path in CITING if any("papers" in page for page in pages_of(path))], ids=str)
def test_labels_that_are_cited_stand_on_a_page(path):
    known = frozenset().union(*(labels(page) for page in pages_of(path)))
    missing = set(LABEL.findall(remarks(path))) - known
    assert not missing, f"{sorted(missing)} stand on none of {sorted(pages_of(path))}"


@pytest.mark.parametrize("page", sorted((ROOT / "docs/papers").glob("*.md")), ids=lambda page: page.name)
def test_files_that_a_page_names_exist(page):
    named = re.findall(r"`((?:core|operators|presets|tests)/[\w/.]+)`", page.read_text("utf-8"))
    assert not [name for name in named if not (ROOT / name).exists()]
