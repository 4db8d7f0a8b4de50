"""A Blender with its window on a screen without a monitor, driven by mouse and keys as a person drives it."""

import itertools
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

DISPLAY = ":77"
SIZE = 1280, 800
HERE = Path(__file__).parent
#: [s] after which a start, an answer, or something that is waited for has failed.
PATIENCE = 180.0


class Window:
    """Blender in a root; places are pixels from the upper left."""

    def __init__(self, root: Path, extension: Path) -> None:
        self.root, self._numbers = root, itertools.count()
        self._mail, self._home = root / "tmp/brittle-mail", root / "tmp/brittle-home"
        for folder in (self._mail, self._home):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        shutil.copy(HERE / "listener.py", self._mail.parent / "listener.py")
        shutil.copy(extension, self._mail.parent / "brittle.zip")
        self._run("blender", "--command", "extension", "install-file", "-r", "user_default", "-e", "/tmp/brittle.zip")
        self._screen = self._start("Xvfb", DISPLAY, "-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24", "+extension", "GLX")
        time.sleep(2.0)
        geometry = ["--window-geometry", "0", "0", *map(str, SIZE)]
        script = ["--python", "/tmp/listener.py", "--", "/tmp/brittle-mail"]
        self._blender = self._start("blender", *geometry, *script)
        self.ask("bpy.context.preferences.view.show_splash = False")
        self.keys("Escape")

    def close(self) -> None:
        """End both."""
        for process in (self._blender, self._screen):
            process.terminate()
            process.wait()

    def ask(self, text: str) -> Any:
        """Run Python in Blender; what it sets `answer` to."""
        name = f"{next(self._numbers):06d}"
        part = self._mail / f"{name}.part"
        part.write_text(text, "utf-8")
        part.rename(self._mail / f"{name}.py")
        answered = self._mail / f"{name}.json"
        self.wait(answered.exists, f"Blender does not answer: {text}")
        reply = json.loads(answered.read_text("utf-8"))
        assert "error" not in reply, reply["error"]
        return reply["answer"]

    def value(self, expression: str) -> Any:
        """What an expression gives in Blender."""
        return self.ask(f"answer = {expression}")

    def wait(self, until: Callable[[], Any], otherwise: str, patience: float = PATIENCE) -> Any:
        """Wait until something is true; what it gave."""
        end = time.monotonic() + patience
        while not (found := until()):
            assert time.monotonic() < end, otherwise
            assert self._blender.poll() is None, "Blender has ended"
            time.sleep(0.1)
        return found

    def move(self, x: int, y: int) -> None:
        """Move the mouse there; what is under it notices."""
        self._tool("mousemove", str(x - 1), str(y))
        self._tool("mousemove", str(x), str(y))
        time.sleep(0.4)

    def click(self, x: int, y: int, button: int = 1) -> None:
        """Click there."""
        self.move(x, y)
        self._tool("click", str(button))
        time.sleep(0.4)

    def drag(self, start: tuple[int, int], end: tuple[int, int], steps: int = 6) -> None:
        """Pull with the left button."""
        self.move(*start)
        self._tool("mousedown", "1")
        for k in range(1, steps + 1):
            x, y = (round(a + (b - a) * k / steps) for a, b in zip(start, end, strict=True))
            self._tool("mousemove", str(x), str(y))
            time.sleep(0.15)
        self._tool("mouseup", "1")
        time.sleep(0.6)

    def keys(self, *names: str) -> None:
        """Press keys, where the mouse is."""
        for name in names:
            self._tool("key", name)
            time.sleep(0.3)

    def shot(self, path: Path) -> Image.Image:
        """A picture of the screen, kept in a file."""
        self._run("import", "-window", "root", "/tmp/shot.png")
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.root / "tmp/shot.png", path)
        return Image.open(path).convert("RGB")

    def _tool(self, *words: str) -> None:
        self._run("xdotool", *words)

    def _run(self, *command: str) -> None:
        subprocess.run(self._within(command), env=self._environment(), check=True, capture_output=True)

    def _start(self, *command: str) -> subprocess.Popen:
        log = (self.root / f"tmp/{Path(command[0]).name}.log").open("w")
        return subprocess.Popen(self._within(command), env=self._environment(), stdout=log, stderr=log)

    def _within(self, command: tuple[str, ...]) -> list[str]:
        return ["chroot", str(self.root), *command]

    def _environment(self) -> dict[str, str]:
        known = {"HOME": "/tmp/brittle-home", "DISPLAY": DISPLAY, "LIBGL_ALWAYS_SOFTWARE": "1"}
        # Machine code is kept from run to run: what compiles is tested elsewhere.
        return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "NUMBA_CACHE_DIR": "/var/cache/brittle", **known}


def python_of(root: Path) -> str:
    """The Python of the root's Blender, as "3.14"."""
    expression = "import sys; print('PYTHON %d.%d' % sys.version_info[:2])"
    command = ["chroot", str(root), "blender", "-b", "--factory-startup", "--python-expr", expression]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return next(line.split()[1] for line in told.splitlines() if line.startswith("PYTHON "))
