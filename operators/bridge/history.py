"""How the pieces of an object were cut, kept with them: enough to make their faces anew."""

import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ...core.simulation.cut_history import from_plain, to_plain
from ...core.simulation.spec import CutHistory
from ...core.types import Floats
from . import names


@dataclass(frozen=True, eq=False, slots=True)
class Past:
    """What a break was made of, beside the object itself."""

    history: CutHistory
    tables: Mapping[str, Any]  #: of the settings, see ../settings.py
    seed: int
    frame: int  #: of the scene at which the object was taken
    triangles: bool  #: whether all faces were cut into triangles
    shift: Floats  #: (K,3) as of `write.left_over`


def packed(past: Past) -> str:
    """A text for a custom property: exporters stumble over bytes there."""
    data = {
        "history": to_plain(past.history),
        "tables": past.tables,
        "seed": past.seed,
        "frame": past.frame,
        "triangles": past.triangles,
        "shift": past.shift.tolist(),
    }
    return base64.b64encode(zlib.compress(json.dumps(data).encode(), 1)).decode()


def read_past(collection: bpy.types.Collection) -> Past | None:
    """How the pieces in a collection were cut; None: it does not say it."""
    text = collection.get(names.HISTORY)
    if not isinstance(text, str):
        return None
    data = json.loads(zlib.decompress(base64.b64decode(text)))
    shift = np.array(data["shift"], np.float64).reshape(-1, 3)
    rest = (data[name] for name in ("tables", "seed", "frame", "triangles"))
    return Past(from_plain(data["history"]), *rest, shift)
