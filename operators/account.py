"""The account of a Shatter as plain data, for the report panel and the command line."""

import dataclasses
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from ..core.report import Report

MANIFEST = Path(__file__).parents[1] / "blender_manifest.toml"


@cache
def version() -> str:
    """The version of Brittle, as its manifest says."""
    return tomllib.loads(MANIFEST.read_text(encoding="utf-8"))["version"]


def account(report: Report) -> dict[str, Any]:
    """What JSON can hold of a report, with the version that made it."""
    return {**dataclasses.asdict(report), "version": version()}


def counted(pieces: int) -> str:
    """A number of pieces in words."""
    return "1 piece" if pieces == 1 else f"{pieces} pieces"
