"""What the intake may do to a mesh that cannot be cut: choices that geometry cannot make, and what is allowed."""

from dataclasses import dataclass
from typing import Any, Literal

from .params import Choice, param

_OPEN = (
    Choice(
        1,
        "auto",
        "Auto",
        "Close small and hidden holes; a mesh that is open as a whole, or of a thin-walled material, gets thickness",
    ),
    Choice(2, "close", "Close Holes", "Close every hole: the object is solid"),
    Choice(3, "thicken", "Give Thickness", "Open meshes are walls: a bottle stays a vessel, a plane becomes a pane"),
)
_SIDE = (
    Choice(1, "inward", "Inward", "The faces stay where they are, the thickness goes inward"),
    Choice(2, "centred", "Centred", "The faces move outward by half of the thickness"),
)
_PARTS = (
    Choice(1, "fuse", "Fuse Parts", "Parts that overlap or touch become one solid"),
    Choice(2, "keep", "Keep Parts", "Parts that overlap or touch stay apart and fall apart; overlaps count twice"),
)
_NESTED = (
    Choice(
        1,
        "absorb",
        "Absorbed",
        "A shell inside the solid is ignored, unless its faces point inward: then it is a hollow",
    ),
    Choice(2, "hollow", "Hollow", "A shell inside the solid is a hollow, whichever way its faces point"),
    Choice(3, "solid", "Own Solid", "A shell inside the solid is a part of its own that fills a hollow"),
)
WALLS = (
    Choice(1, "remove", "Remove", "Walls between chambers are removed: the object is solid"),
    Choice(2, "keep", "Keep", "Walls between chambers stay: each chamber is a part of its own"),
)


def _allowed(label: str, doc: str) -> Any:
    return param(True, label, f"{doc}; without it such a mesh is refused")


@dataclass(frozen=True, slots=True)
class Repair:
    """Choices and permissions; each `allow_<step>` belongs to a step of the ladder (intake/ladder.py)."""

    # The default resolution is by eye: it makes solids 1 to 2 % smaller (docs/decisions.md, Intake).
    open: Literal["auto", "close", "thicken"] = param(
        "auto", "Open Meshes", "What becomes of a mesh that is not closed", choices=_OPEN
    )
    thickness: float = param(
        0.0,
        "Thickness",
        "Thickness of open meshes; Auto takes a hundredth of the object's size",
        zero="Auto",
        instead=lambda size: 0.01 * size,
        unit="m",
        limits=(0.0, 1e6),
        soft=(0.0, 1.0),
        needs=("open", ("auto", "thicken")),
    )
    side: Literal["inward", "centred"] = param(
        "inward", "Offset", "Where the thickness goes", choices=_SIDE, needs=("open", ("auto", "thicken"))
    )
    parts: Literal["fuse", "keep"] = param(
        "fuse", "Parts", "What becomes of parts that overlap or touch", choices=_PARTS
    )
    nested: Literal["absorb", "hollow", "solid"] = param(
        "absorb", "Inner Shells", "What becomes of closed shells inside the solid", choices=_NESTED
    )
    walls: Literal["remove", "keep"] = param(
        "remove", "Inner Walls", "What becomes of walls between chambers", choices=WALLS
    )
    remesh: bool = param(
        False,
        "Remesh",
        "Make a new surface on a grid, which loses detail: for a mesh that nothing else can repair. Edges are rounded, "
        "small parts vanish",
    )
    resolution: int = param(
        64,
        "Resolution",
        "Cells of the grid along the longest side",
        limits=(8, 512),
        soft=(16, 128),
        needs=("remesh", (True,)),
    )
    allow_dropped: bool = _allowed("Drop Damaged Faces", "Faces without three corners or with undefined points go")
    allow_weld: bool = _allowed("Weld Points", "Points at the same place become one")
    allow_twins: bool = _allowed("Remove Double Faces", "Of faces on the same points one or none stays")
    allow_stitch: bool = _allowed("Join Borders", "Borders a hair's breadth apart are joined")
    allow_holes: bool = _allowed("Close Holes", "Holes get a cap")
    allow_thickness: bool = _allowed("Thicken Sheets", "Sheets and fins get a second side")
    allow_turn: bool = _allowed("Turn Faces", "Faces that point the wrong way are turned")
    allow_edges: bool = _allowed("Part Crowded Edges", "Solids that meet in an edge are parted there")
    allow_walls: bool = _allowed("Inner Walls", "Walls inside the solid are removed or kept, as chosen above")
    allow_nested: bool = _allowed("Inner Shells", "Shells inside the solid are treated as chosen above")
    allow_crossings: bool = _allowed("Resolve Crossings", "Where a surface passes through itself the inner parts go")
    allow_unite: bool = _allowed("Overlapping Parts", "Parts that overlap are fused or kept, as chosen above")
