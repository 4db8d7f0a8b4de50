"""Keys for a motion, as Shatter writes them.

`python -m tests.bench.bake run.npz` in a process of its own, under a limit, prints a line of JSON: the CPU seconds, the
best of three runs, from the stored motion to curves in Blender. The file is that of `falling.save_run`.
"""

import importlib
import json
import os
import sys
from typing import Any

from tools import checkout

# isort: split
# Blender's module comes after it, see there.
import bpy
import numpy as np

from tests.bench.measure import seconds


def main(path: str) -> None:
    """Write the keys of all pieces in every frame."""
    given = np.load(path)
    position, rotation = given["position"], given["rotation"]
    checkout.enable()
    pieces = [_piece() for _ in range(position.shape[1])]
    spent = seconds(lambda: _write(pieces, position, rotation))
    print(json.dumps({"bake_s": spent}))
    sys.stdout.flush()
    os._exit(0)  # Blender's module may hang at exit


def _piece() -> Any:
    piece = bpy.data.objects.new("Piece", bpy.data.meshes.new("Piece"))
    piece.rotation_mode = "QUATERNION"
    bpy.context.collection.objects.link(piece)
    return piece


def _write(pieces: list[Any], position: np.ndarray, rotation: np.ndarray) -> None:
    actions = importlib.import_module(f"{checkout.PACKAGE}.operators.bridge.actions")
    keys = importlib.import_module(f"{checkout.PACKAGE}.operators.bridge.keys")
    frames, count = position.shape[:2]
    values = keys.channels(np.ascontiguousarray(position.transpose(1, 0, 2)), rotation)
    keyed = np.ones((count, len(actions.MOTION), frames), bool)
    action = actions.new_action("Fall")
    slots = actions.new_slots(action, [piece.name for piece in pieces])
    times = 1.0 + np.arange(frames, dtype=np.float32)
    for k, piece in enumerate(pieces):
        actions.write_motion(actions.assign_slot(piece, action, slots[k]), times, values[k], keyed[k])


if __name__ == "__main__":
    main(sys.argv[1])
