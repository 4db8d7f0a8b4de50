"""Runs inside Blender: does what is asked for by files in a folder, and answers beside them."""

import json
import sys
import traceback
from pathlib import Path

import bpy

FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
#: [s] between two looks.
PAUSE = 0.03


def listen() -> float:
    """Run each question, an expression or statements that set `answer`, and write what it gives as JSON."""
    for question in sorted(FOLDER.glob("*.py")):
        text = question.read_text("utf-8")
        question.unlink()
        names = {"bpy": bpy}
        try:
            exec(text, names)
            reply = {"answer": names.get("answer")}
        except Exception:
            reply = {"error": traceback.format_exc()}
        ready = question.with_suffix(".part")
        ready.write_text(json.dumps(reply), "utf-8")
        ready.rename(question.with_suffix(".json"))
    return PAUSE


bpy.app.timers.register(listen, first_interval=0.5, persistent=True)
