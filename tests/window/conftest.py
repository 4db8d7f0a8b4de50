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
    from .repacked import NoWheelError, repack

    root = Path(ROOT)
    try:
        extension = repack(Path(ZIP), root / "var/cache/brittle-zip/brittle.zip", python_of(root))
    except NoWheelError as error:  # the newest Blender of a distribution may be ahead of them
        pytest.skip(f"No window to test in: {error}.")
    opened = Window(root)
    try:
        opened.open(extension)
        yield opened
    finally:
        opened.close()


@pytest.fixture(autouse=True)
def nothing_wrong(window):
    """No traceback is printed by any of it."""
    yield
    assert "Traceback" not in window.log()
