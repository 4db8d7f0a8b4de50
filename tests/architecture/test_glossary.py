"""What the pages for newcomers say is so: words stand where the glossary says, files and links are there."""

import re
from pathlib import Path

import pytest

from .source import ROOT

DOCS = tuple(path.relative_to(ROOT) for path in sorted((ROOT / "docs").rglob("*.md")))
PAGES = (*DOCS, Path("README.md"), Path("CONTRIBUTING.md"))
SECTIONS = ("Words of the field", "Words of our own")


def text_of(page):
    return (ROOT / page).read_text("utf-8")


def section(page, title):
    """What stands below a heading of the second level, up to the next one."""
    return text_of(page).split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def rows(text):
    """The cells of each row of the tables in a text, without the rows of their heads."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return [cells[i] for i in range(2, len(cells)) if not {cells[i][0], cells[min(i + 1, len(cells) - 1)][0]} & {"---"}]


def plain(text):
    """Words in small letters, one blank between them; names are taken apart: `find_static_loads`, `EnlargedBoxes`."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return " ".join(re.findall(r"[a-z0-9]+", apart.lower()))


TERMS = [(row[0], row[2]) for title in SECTIONS for row in rows(section(Path("docs/glossary.md"), title))]


@pytest.mark.parametrize(("term", "place"), TERMS, ids=[term for term, _ in TERMS])
def test_a_word_of_the_glossary_stands_where_the_thing_is_done(term, place):
    path = ROOT / place.strip("`")
    assert path.is_file(), f"docs/glossary.md sends readers of {term!r} to {place}, which is not there"
    word = plain(term.split(" (")[0])
    assert re.search(rf"\b{word}s?\b", plain(path.read_text("utf-8"))), f"{place} does not say {term!r}"


def test_the_glossary_was_found():
    assert len(TERMS) > 60
    assert len({term for term, _ in TERMS}) == len(TERMS), "a word has two lines"


def anchors(page):
    """The names under which headings of a page can be linked to."""
    heads = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)]+)\)", text_of(page)):
        file, _, anchor = target.partition("#")
        if not file.startswith("http"):
            there = (ROOT / page.parent / file).resolve() if file else ROOT / page
            assert there.is_file(), f"{page} links to {target}"
            assert not anchor or anchor in anchors(there.relative_to(ROOT)), f"{page} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_files_that_are_named_exist(page):
    named = re.findall(r"`((?:core|operators|panels|tests|tools|presets|help|docs)/[\w./-]*)`", text_of(page))
    missing = [name for name in named if not (ROOT / name).exists()]
    assert not missing, f"{page} names what is not there: {missing}"


def test_the_map_has_every_room():
    page = text_of(Path("docs/map.md"))
    for top in ("core", "core/rigid", "tests"):
        for room in (ROOT / top).iterdir():
            if room.is_dir() and list(room.rglob("*.py")):
                assert f"`{room.name}/`" in page or f"`{top}/{room.name}/`" in page, (
                    f"docs/map.md has no {top}/{room.name}"
                )


def test_the_road_on_the_map_has_the_functions_of_today():
    road = [line.split(maxsplit=2) for line in section(Path("docs/map.md"), "From a click to keyframes").splitlines()]
    steps = [line for line in road if line and re.match(r"(core|operators)/[\w/.]+$", line[0])]
    assert len(steps) > 20
    for file, name, *_ in steps:
        path = ROOT / (file if file.endswith(".py") else f"{file}.py")
        last = name.strip(",").rpartition(".")[2]
        assert re.search(rf"\b(def|class) {last}\b", path.read_text("utf-8")), f"docs/map.md: no {name} in {file}"
