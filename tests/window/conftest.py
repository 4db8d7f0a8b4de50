"""One window for all: `make test-window` says where its root and the zip are."""

import os
from pathlib import Path

import pytest

ROOT, ZIP = os.environ.get("BRITTLE_WINDOW_ROOT"), os.environ.get("BRITTLE_WINDOW_ZIP")


def pytest_ignore_collect():
    """Without them there is no window."""
    return True if not (ROOT and ZIP) else None


@pytest.fixture(scope="session")
def window():
    """Blender with a default scene, in a new profile in which the extension is installed."""
    from .blender import Window, python_of
    from .repacked import repack

    root = Path(ROOT)
    opened = Window(root)
    try:
        opened.open(repack(Path(ZIP), root / "var/cache/brittle-zip/brittle.zip", python_of(root)))
        yield opened
    finally:
        opened.close()
