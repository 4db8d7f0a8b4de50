"""The account of the last Shatter, in words."""

from collections.abc import Mapping
from typing import Any

import bpy

from ..core.wording import number, percent
from ..operators import idnames
from ..operators.account import counted, joules, parsed, still_moving
from ..operators.final import PREVIEW
from ..operators.targets import report_of, target
from .sidebar import SimpleSection, draw_text

#: Relative change of volume that is round-off. Of cuts, see `VOLUME_TOLERANCE`.
ROUND_OFF = 1e-9
#: Share of the surface from which on it counts as all of it. By eye: what is told as 100 %.
EXACT = 0.9995


def headline(account: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The result in one line with an icon, and the first thing that is wrong with it or could be better."""
    pieces, moving = account["pieces"], still_moving(account)
    good = account["closed_pieces"] == pieces and _lost(account) <= ROUND_OFF
    coarse = ["preview faces"] if account.get("quality") == PREVIEW else []  # older files do not say it
    parts = [counted(pieces), "nothing lost" if good else "see the Report", *coarse, *([moving] if moving else [])]
    wrong = [(text, "ERROR") for text in account["warnings"][:1]]
    hint = [(text, "INFO") for text in account.get("advice", ())[-1:]]  # what the motion says comes last
    return [(", ".join(parts), _mark(good)), *(wrong or hint)]


def _lost(account: Mapping[str, Any]) -> float:
    """Relative change of the volume."""
    return abs(account["volume_out"] - account["volume_in"]) / account["volume_in"]


def in_words(account: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Lines with an icon each for an account of the work (see operators/account.py)."""
    pieces, closed = account["pieces"], account["closed_pieces"]
    change = _lost(account)
    whole = account.get("pattern", pieces) - pieces  # older files do not say it
    return [
        (
            f"{counted(pieces)}, all closed"
            if closed == pieces
            else f"{counted(pieces)}, {pieces - closed} of them open",
            _mark(closed == pieces),
        ),
        (
            "No volume lost" if change <= ROUND_OFF else f"Volume differs by {percent(change, 1)} of the whole",
            _mark(change <= ROUND_OFF),
        ),
        (f"{number(sum(account['seconds'].values()))} s, seed {account['seed']}", "TIME"),
        *_energy_lines(account),
        *([(f"{whole} fewer than the pattern has: the blow left them together", "BLANK1")] if whole > 0 else []),
        *((text, "BLANK1") for text in account.get("counted", ())),
        *((text, "MODIFIER") for text in account["repaired"]),
        *_mesh_lines(account),
        *((text, "ERROR") for text in account["warnings"]),
        *((text, "INFO") for text in account.get("advice", ())),
    ]


def _energy_lines(account: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the motion began and ended with; nothing where an older version reports."""
    if "energy" not in account:
        return []
    start, end = (joules(account["energy"][when]) for when in ("start", "end"))
    return [(f"Energy: {start} at the start, {end} at the end", "BLANK1")]


def _mesh_lines(account: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the repair did to volume and surface; nothing where there was none, or where an older version reports."""
    if not account.get("steps"):
        return []
    before, after = account["volume_before"], account["volume_in"]
    exact, new = account["area_exact"], account["area_new"]
    lines = [(f"Volume {number(before, 4)} m³ as given, {number(after, 4)} m³ repaired", "BLANK1")]
    if exact < EXACT:
        made = f", {percent(new, 3)} is new" if new > 1.0 - EXACT else ""
        lines.append((f"{percent(exact, 3)} of the surface is exactly yours{made}", "BLANK1"))
    if account["area_lost"] > 1.0 - EXACT:
        lines.append((f"{percent(account['area_lost'], 3)} of your surface is gone: doubled, or inside", "BLANK1"))
    return lines


def _mark(good: bool) -> str:
    return "CHECKMARK" if good else "ERROR"


class BRITTLE_PT_report(SimpleSection, bpy.types.Panel):
    """What the last Shatter did."""

    bl_idname = idnames.Panel.REPORT
    bl_label = "Report"

    @classmethod
    def poll(cls, context):
        return (found := target(context)) is not None and bool(report_of(found))

    def draw(self, context):
        col = self.layout.column(align=True)
        for text, icon in in_words(parsed(report_of(target(context)))):
            draw_text(col, context, text, icon)


CLASSES = (BRITTLE_PT_report,)
