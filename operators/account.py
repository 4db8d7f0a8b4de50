"""The account of a Shatter as plain data, for the report panel and the command line."""

import dataclasses
import json
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ..core.report import Report
from ..core.types import Motion
from ..core.wording import count, number

MANIFEST = Path(__file__).parents[1] / "blender_manifest.toml"


@cache
def version() -> str:
    """The version of Brittle, as its manifest says."""
    return tomllib.loads(MANIFEST.read_text(encoding="utf-8"))["version"]


def account(report: Report, motion: Motion, start_frame: int) -> dict[str, Any]:
    """What JSON can hold of a report, with what the motion ended with and the version that made it.

    `start_frame` is the frame of the scene at which stored frame 0 lies.
    """
    last = start_frame + len(motion.time) - 1
    ended = {"energy": energies(motion), "moving": moving(motion), "frames": [start_frame, last]}
    return {**dataclasses.asdict(report), **ended, "version": version()}


@lru_cache(maxsize=8)
def parsed(text: str) -> Mapping[str, Any]:
    """An account from JSON; read once for all redraws."""
    return MappingProxyType(json.loads(text))


def moving(motion: Motion) -> int:
    """How many pieces still move at the end: what sleeps does not change by a bit."""
    there = motion.alive[-1] & motion.alive[-2:][0]
    ends = np.concatenate([motion.position[-2:], motion.rotation[-2:]], axis=2)
    return int((there & (ends[0] != ends[-1]).any(axis=1)).sum())


def still_moving(data: Mapping[str, Any]) -> str:
    """What an account says of pieces that are stopped in their movement: "3 still moving at frame 120", "" of none."""
    if not data.get("moving"):  # older files do not say it
        return ""
    when = f"frame {data['frames'][1]}" if "frames" in data else "the end"
    return f"{data['moving']} still moving at {when}"


def summary(accounts: Sequence[Mapping[str, Any]]) -> str:
    """What came of all in one sentence: "76 pieces, 3 still moving at frame 120."."""
    pieces = counted(sum(one["pieces"] for one in accounts))
    frame = max(one["frames"][1] for one in accounts)
    moves = still_moving({"moving": sum(one["moving"] for one in accounts), "frames": (0, frame)})
    return f"{pieces}, {moves}." if moves else f"{pieces}."


def energies(motion: Motion) -> dict[str, float]:
    """Energy of all pieces at the start, after the hit, and at the end [J].

    Of motion and of height together; heights count from the lowest that the pieces reach as a whole, so that nothing is
    negative.
    """
    total = motion.energy.sum(axis=1) - motion.energy[:, 2].min()
    return {"start": float(total[0]), "end": float(total[-1])}


def joules(energy: float) -> str:
    """An energy in words, with three digits."""
    for unit, size in (("GJ", 1e9), ("MJ", 1e6), ("kJ", 1e3)):
        if energy >= 0.9995 * size:
            return f"{number(energy / size)} {unit}"
    return f"{number(energy)} J"


def counted(pieces: int) -> str:
    """A number of pieces in words."""
    return count(pieces, "piece")
