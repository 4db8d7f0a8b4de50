"""A Blender with its window on a screen without a monitor, driven by mouse and keys as a person drives it.

Places are pixels from the upper left of the screen.
"""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from .reading import Line, Place, read

SIZE = 1280, 800
HERE = Path(__file__).parent
#: [s] after which a start, an answer, or something that is waited for has failed.
PATIENCE = 180.0
#: [s] between two looks at the screen, and the most until nothing on it moves any more.
GLANCE, SETTLED = 0.3, 6.0
#: More colours than there are before Blender has drawn.
COLOURS = 200
#: Pixels of a text cursor, which come and go all the time.
BLINKING = 60

#: No welcome; and the pointer stays where it is put while something is pulled: here nothing moves it but places.
UNUSUAL = """
bpy.context.preferences.view.show_splash = False
bpy.context.preferences.inputs.use_mouse_continuous = False
"""


class Window:
    """Blender in a root, with one window."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._display = ""
        self._mail, self._home, self._frames = (root / f"tmp/brittle-{name}" for name in ("mail", "home", "frames"))

    def open(self, extension: Path) -> None:
        """Install an extension in a new profile and start Blender with a new file."""
        for folder in (self._mail, self._home, self._frames):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        shutil.copy(HERE / "listener.py", self.root / "tmp/listener.py")
        shutil.copy(extension, self.root / "tmp/brittle.zip")
        self._run("blender", "--command", "extension", "install-file", "-r", "user_default", "-e", "/tmp/brittle.zip")
        screen = ("-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24", "+extension", "GLX", "-nolisten", "tcp")
        self._screen = self._start("Xvfb", "-displayfd", "1", "-nocursor", "-fbdir", "/tmp/brittle-frames", *screen)
        log = self.root / "tmp/Xvfb.log"
        self._display = ":" + self.wait(lambda: _number(log), "there is no screen", 30.0)
        geometry = ["--window-geometry", "0", "0", *map(str, SIZE)]
        self._blender = self._start("blender", *geometry, "--python", "/tmp/listener.py", "--", "/tmp/brittle-mail")
        self.ask(UNUSUAL)
        self.wait(lambda: self.look().getcolors(COLOURS) is None, "nothing is drawn")
        self.move(SIZE[0] // 3, SIZE[1] // 2)
        self.keys("Escape")

    def close(self) -> None:
        """End both."""
        for process in (self._blender, self._screen):
            process.terminate()
            process.wait()

    def log(self) -> str:
        """What Blender has printed."""
        return (self.root / "tmp/blender.log").read_text("utf-8", errors="replace")

    def ask(self, text: str) -> Any:
        """Run Python in Blender; what it sets `answer` to."""
        name = f"{time.monotonic_ns():020d}"
        part, answered = self._mail / f"{name}.part", self._mail / f"{name}.json"
        part.write_text(text, "utf-8")
        part.rename(self._mail / f"{name}.py")
        self.wait(answered.exists, f"Blender does not answer: {text}")
        reply = json.loads(answered.read_text("utf-8"))
        assert "error" not in reply, reply["error"]
        return reply["answer"]

    def value(self, expression: str) -> Any:
        """What an expression gives in Blender."""
        return self.ask(f"answer = {expression}")

    def until(self, expression: str, wanted: Any) -> None:
        """Wait until an expression has a value in Blender: what was pressed is done as soon as there is time for it."""
        self.wait(lambda: self.value(expression) == wanted, f"{expression} does not become {wanted!r}", PATIENCE)

    def wait(
        self,
        until: Callable[[], Any],
        otherwise: str,
        patience: float = PATIENCE,
        moving: Callable[[], Any] = lambda: None,
    ) -> Any:
        """Wait until something is true; what it gave.

        Patience begins anew whenever what is `moving` has changed: work may take as long as it goes on.
        """
        end, seen = time.monotonic() + patience, moving()
        while not (found := until()):
            if (now := moving()) != seen:
                end, seen = time.monotonic() + patience, now
            assert time.monotonic() < end, otherwise
            assert not hasattr(self, "_blender") or self._blender.poll() is None, f"Blender has ended: {self.log()}"
            time.sleep(0.05)
        return found

    def move(self, x: int, y: int) -> None:
        """Move the mouse there; what is under it notices."""
        for step in (-3, 0):  # the first leaves what was under it, the second enters what is there
            self._mouse("mousemove", str(x + step), str(y + step))
            self._handled()

    def click(self, x: int, y: int, button: int = 1) -> None:
        """Click there."""
        self.move(x, y)
        self._mouse("click", str(button))
        self._handled()

    def drag(self, start: tuple[int, int], end: tuple[int, int], button: int = 1, steps: int = 8) -> None:
        """Pull with a button held."""
        self.move(*start)
        self._mouse("mousedown", str(button))
        self._handled()
        for k in range(1, steps + 1):
            x, y = (round(a + (b - a) * k / steps) for a, b in zip(start, end, strict=True))
            self._mouse("mousemove", str(x), str(y))
            self._handled()
        self._mouse("mouseup", str(button))
        self._handled()

    def scroll(self, button: int, notches: int) -> None:
        """Turn the wheel where the mouse is: button 4 is up, 5 is down."""
        self._mouse("click", "--repeat", str(notches), "--delay", "40", str(button))
        self._handled()

    def keys(self, *names: str) -> None:
        """Press keys, where the mouse is."""
        for name in names:
            self._mouse("key", name)
            self._handled()

    def write(self, text: str) -> None:
        """Type a text."""
        self._mouse("type", "--delay", "60", text)
        self._handled()

    def look(self) -> Image.Image:
        """The screen as it is."""
        whole = np.fromfile(self._frames / "Xvfb_screen0", np.uint8)
        header = whole[:100].view(">u4")
        width, height, line = int(header[4]), int(header[5]), int(header[12])
        # After the header of X's own format (XWDFile.h) and its table of colours: blue, green, red and nothing.
        first = int(header[0]) + 12 * int(header[19])
        rows = whole[first : first + height * line].reshape(height, line)[:, : 4 * width]
        return Image.fromarray(np.ascontiguousarray(rows.reshape(height, width, 4)[..., 2::-1]))

    def draw(self) -> None:
        """Let Blender draw what has changed, now."""
        self.ask("bpy.ops.wm.redraw_timer(type='DRAW_WIN_SWAP', iterations=1)")

    def settled(self) -> Image.Image:
        """The screen as soon as nothing moves on it: panels slide, and what is behind is drawn later.

        Blender answers before each look: it had the time to draw since the last one, however busy the machine is.
        """
        time.sleep(GLANCE)
        self._handled()
        before, end = self.look(), time.monotonic() + SETTLED
        while time.monotonic() < end:
            time.sleep(GLANCE)
            self._handled()
            now = self.look()
            if (np.asarray(before) != np.asarray(now)).any(axis=2).sum() <= BLINKING:
                return now
            before = now
        return before

    def read(self, place: Place, turned: int = 0) -> list[Line]:
        """What is written in a part of the screen, or across it, `turned` by so many degrees."""
        return read(self._run, self.root / "tmp", self.settled(), place, turned)

    def _handled(self) -> None:
        """Wait until Blender has handled mouse and keys: it answers before it looks at them, so the second comes after.

        What comes together is taken together: a click right after a move may find nothing under the pointer.
        """
        for _ in range(2):
            self.value("None")

    def _mouse(self, *words: str) -> None:
        self._run("xdotool", *words)

    def _run(self, *command: str) -> str:
        done = subprocess.run(self._within(command), env=self._environment(), capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def _start(self, *command: str) -> subprocess.Popen[bytes]:
        log = (self.root / f"tmp/{command[0]}.log").open("w")
        return subprocess.Popen(self._within(command), env=self._environment(), stdout=log, stderr=log)

    def _within(self, command: tuple[str, ...]) -> list[str]:
        return ["chroot", str(self.root), *command]

    def _environment(self) -> dict[str, str]:
        known = {"HOME": "/tmp/brittle-home", "DISPLAY": self._display, "LIBGL_ALWAYS_SOFTWARE": "1"}
        known["OMP_THREAD_LIMIT"] = "1"  # else what reads the screen waits for a core that Blender has
        # Machine code is kept from run to run: what compiles is tested elsewhere.
        return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "NUMBA_CACHE_DIR": "/var/cache/brittle", **known}


def _number(log: Path) -> str:
    """The number of the screen, once it is there, which Xvfb writes on a line of its own."""
    lines = log.read_text("utf-8", errors="replace").splitlines()
    return next((line for line in lines if line.isdecimal()), "")


def python_of(root: Path) -> str:
    """The Python of the root's Blender, as "3.14"."""
    expression = "import sys; print('PYTHON %d.%d' % sys.version_info[:2])"
    command = ["chroot", str(root), "blender", "-b", "--factory-startup", "--python-expr", expression]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return next(line.split()[1] for line in told.splitlines() if line.startswith("PYTHON "))
