"""The pages that the question marks on panels open: they ship with the extension, so they fit its version."""

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "help"


def page_of(panel: str) -> Path:
    """The page of a panel, by its `bl_idname`."""
    return FOLDER / f"{panel.removeprefix('BRITTLE_PT_')}.html"
