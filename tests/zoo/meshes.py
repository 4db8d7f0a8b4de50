"""The zoo: every kind of mesh that artists bring, with what must become of it.

`ZOO` names each member: how it is made, whether it must end as a body or be refused, the volume of the right answer
and why that is known, the steps that the report must name, and the artist's choices (fields of `Repair`).
Volumes are in m^3 and computed on demand; `None` where no answer is the right one. None needs Blender.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from . import architecture, broken, lettering, parts, sheets, solids, teapot
from .matter import matter
from .parts import area, bumpy, closed_by_fans, diagonal, joined, reverse, signed_volume

Solid = tuple[np.ndarray, np.ndarray]
#: A word that the sentence of each step holds, whatever else it says.
WORDS = {
    "weld": "weld",
    "twins": "double",
    "stitch": "border",
    "holes": "hole",
    "thickness": "thickness",
    "turn": "turn",
    "edges": "edge",
    "walls": "wall",
    "nested": "inside",
    "crossings": "cross",
    "unite": "overlap",
    "dropped": "dropped",
    "remesh": "remesh",
}


@dataclass(frozen=True)
class Member:
    """One mesh of the zoo."""

    make: Callable[[], Solid]
    expected: str = "body"  #: or "refused"
    volume: Callable[[], float] | None = None  #: [m^3] of the right answer
    tolerance: float = 1e-6  #: relative; what is repaired is snapped to a grid of 2^-22 = 2.4e-7 of its size
    why: str = ""  #: how the volume is known, and what the tolerance covers
    says: Mapping[str, str] = field(default_factory=dict)  #: step of the report: a word of its sentence
    options: Mapping[str, object] = field(default_factory=dict)  #: of Repair
    parts: int = 1  #: bodies that fall apart
    spacing: float = 0.0  #: [m] of the numbers in which the coordinates were stored
    advice: str = ""  #: a word of what the artist is told to do
    size: int = 0  #: triangles, to the nearest thousand, of the large ones


CLOSED = "closed form"
SIGNED = "closed, oriented, free of crossings: the signed volume"
RAYS = "stretches of parallel rays where the winding number is 1 or more; 300 x 300 rays"
SHEET = "area times thickness (1 % of the diagonal unless set); tolerance: curvature and folds"
TORN = "that of the mesh before it was torn; tolerance: what the gaps and caps take"


def steps(*names: str) -> dict[str, str]:
    return {name: WORDS[name] for name in names}


def _always(value: float) -> Callable[[], float]:
    return lambda: value


def _signed(make: Callable[[], Solid]) -> Callable[[], float]:
    return lambda: signed_volume(make())


def _rays(make: Callable[[], Solid]) -> Callable[[], float]:
    return lambda: matter(make())


def _sheet(make: Callable[[], Solid], thickness: float = 0.0, share: float = 1.0) -> Callable[[], float]:
    """`share` of the faces counts: half of those of a card that has both sides."""
    return lambda: share * area(make()) * (thickness or 0.01 * diagonal(make()))


def cube_with_sail() -> Solid:
    return sheets.cube_with_sail(solids.cube())


def inside_out() -> Solid:
    return reverse(bumpy(3, 1))


def a_kilometre_away() -> Solid:
    return broken.far_away(1e3)


def coarse_far_out() -> Solid:
    """Edges of 0.2 m at steps of 0.06 m: dented."""
    return broken.far_away(1e6)


def fine_far_out() -> Solid:
    """Edges of 0.05 m at steps of 0.06 m: nothing but dents."""
    return broken.far_away(1e6, 5)


def _thick_pipe() -> float:
    """Planes of the sides moved inward: another regular polygon, smaller by h / cos(pi / n)."""
    h = 0.01 * diagonal(sheets.pipe())
    inner = 0.5 - h / np.cos(np.pi / sheets.SEGMENTS)
    ring = parts.polygon_area(0.5, sheets.SEGMENTS) - parts.polygon_area(inner, sheets.SEGMENTS)
    return float(2.0 * ring)


def _cup(wall: float) -> float:
    """A cup of full height with a wall and a floor of this thickness."""
    outer = parts.polygon_area(sheets.CUP_RADIUS, sheets.SEGMENTS) * sheets.CUP_HEIGHT
    inner = sheets.CUP_RADIUS - wall / np.cos(np.pi / sheets.SEGMENTS)
    return float(outer - parts.polygon_area(inner, sheets.SEGMENTS) * (sheets.CUP_HEIGHT - wall))


def _cup_without_bottom() -> float:
    outer = parts.polygon_area(sheets.CUP_RADIUS, sheets.SEGMENTS) * sheets.CUP_HEIGHT
    inner = parts.polygon_area(sheets.CUP_RADIUS - sheets.CUP_WALL, sheets.SEGMENTS)
    return float(outer - inner * (sheets.CUP_HEIGHT - sheets.CUP_WALL))


def _thick_bowl() -> float:
    """A shell of a sphere between the radii 1 - h and 1, as a share of that of the surface."""
    h = 0.01 * diagonal(sheets.bowl())
    return area(sheets.bowl()) * (1.0 - (1.0 - h) ** 3) / 3.0


def _flat_letters() -> float:
    """Area of the union of the strokes (that of the extruded letters' matter) times the thickness."""
    return matter(lettering.text()) / lettering.DEPTH * 0.01 * diagonal(lettering.flat_text())


def _teapot_auto() -> float:
    pot, _, handle, spout = teapot.whole_parts()
    return matter(joined(pot, handle, spout)) + teapot.lid_as_sheet()


def _sailing_cube() -> float:
    sail = 2.0 * np.hypot(1.5, 1.5)
    return 8.0 + sail * 0.01 * diagonal(cube_with_sail())


def _sum_of_planks() -> float:
    return float(sum(np.prod(np.subtract(high, low)) for low, high in architecture.crate_boxes(True)))


CLEAN: dict[str, Member] = {
    "default cube": Member(solids.cube, volume=_always(8.0), why=CLOSED),
    "cube of 1 cm": Member(lambda: solids.cube(0.01), volume=_always(1e-6), why=CLOSED),
    "cube of 200 m": Member(lambda: solids.cube(200.0), volume=_always(8e6), why=CLOSED),
    "metaballs": Member(solids.blob, volume=_signed(solids.blob), why=SIGNED),
    "bevelled closed curve": Member(solids.curve_loop, volume=_signed(solids.curve_loop), why=SIGNED),
    "ball in a hollow ball": Member(
        solids.sphere_in_hollow_sphere, volume=_signed(solids.sphere_in_hollow_sphere), why=SIGNED
    ),
    "cube with a cavity": Member(lambda: solids.nested(False), volume=_always(7.0), why=CLOSED),
    "cubes that share an edge": Member(solids.shared_edge, volume=_always(16.0), why=CLOSED, says=steps("edges")),
    "cubes that share a vertex": Member(solids.shared_vertex, volume=_always(16.0), why=CLOSED),
    "wall with windows, no UV": Member(architecture.wall_with_windows, volume=architecture.wall_volume, why=CLOSED),
    "a kilometre away": Member(
        a_kilometre_away, volume=_signed(a_kilometre_away), why=SIGNED, spacing=broken.spacing(1e3), advice="origin"
    ),
}

OVERLAPS: dict[str, Member] = {
    "overlapping cubes": Member(
        solids.overlapping_cubes, volume=lambda: parts.union_of_boxes(solids.OVERLAPPING), why="exact union",
        says=steps("unite"),
    ),
    "overlapping cubes, kept": Member(
        solids.overlapping_cubes, volume=_always(16.0), why="both whole: the overlap counts twice",
        options={"parts": "keep"}, parts=2, says=steps("unite"),
    ),
    "nested cubes": Member(
        lambda: solids.nested(True), volume=_always(8.0), why=CLOSED, says=steps("nested")
    ),
    "nested cubes, hollow": Member(
        lambda: solids.nested(True), volume=_always(7.0), why=CLOSED, says=steps("nested"),
        options={"nested": "hollow"},
    ),
    "nested cubes, two solids": Member(
        lambda: solids.nested(True), why="whether what is shared counts twice is for the parts to say",
        says=steps("nested"), options={"nested": "solid"}, parts=2,
    ),
    "two chambers": Member(solids.shared_wall, volume=_always(16.0), why=CLOSED, says=steps("walls")),
    "two chambers, wall kept": Member(
        solids.shared_wall, volume=_always(16.0), why=CLOSED, says=steps("walls"), options={"walls": "keep"}, parts=2
    ),
    "crate of touching planks": Member(
        architecture.crate, volume=lambda: parts.union_of_boxes(architecture.crate_boxes(False)),
        why="exact union; slits of rounding", says=steps("unite"),
    ),
    "crate of overlapping planks": Member(
        lambda: architecture.crate(True), volume=lambda: parts.union_of_boxes(architecture.crate_boxes(True)),
        why="exact union; slits of rounding", says=steps("unite"),
    ),
    "crate of overlapping planks, kept": Member(
        lambda: architecture.crate(True), volume=_sum_of_planks,
        why="each plank whole: overlaps count twice", options={"parts": "keep"}, parts=24, says=steps("unite"),
    ),
    "slatted crate with inner walls": Member(
        architecture.slatted_crate, volume=lambda: parts.union_of_boxes(architecture.slatted_boxes()),
        why="exact union; slits of rounding", says=steps("unite"),
    ),
    "ladder": Member(
        architecture.ladder, volume=_rays(architecture.ladder), tolerance=1e-3, why=RAYS, says=steps("unite")
    ),
    "head with open eyes": Member(
        solids.head, volume=_rays(solids.head_with_whole_eyes), tolerance=1e-3,
        why=RAYS + "; what is missing of the eyes lies within the head", says=steps("holes", "unite"),
    ),
    "curve that crosses itself": Member(
        solids.curve_through_itself, volume=_rays(solids.curve_through_itself), tolerance=3e-3, why=RAYS,
        says=steps("crossings"),
    ),
    "figure of eight": Member(
        solids.figure_of_eight, volume=_rays(solids.figure_of_eight), tolerance=3e-3, why=RAYS,
        says=steps("crossings"),
    ),
    "text": Member(
        lettering.text, volume=_rays(lettering.text), tolerance=3e-3, why=RAYS, says=steps("crossings", "unite")
    ),
    "noisy scan": Member(
        solids.scan, volume=_rays(solids.scan), tolerance=2e-3, why=RAYS, says=steps("crossings"), size=80_000
    ),
    "dragon": Member(
        solids.dragon, volume=lambda: signed_volume(bumpy(5, 4)),
        why="membranes hold nothing: that of the mesh without them", says=steps("twins"),
    ),
}  # fmt: skip

OPEN: dict[str, Member] = {
    "plane": Member(sheets.grid, volume=_sheet(sheets.grid), why=SHEET, says=steps("thickness")),
    "three panes": Member(
        sheets.shattered_pane, volume=_sheet(sheets.shattered_pane, 0.004), why=SHEET,
        says=steps("thickness"), options={"thickness": 0.004},
    ),
    "bowl": Member(sheets.bowl, volume=_thick_bowl, tolerance=5e-3, why=SHEET, says=steps("thickness")),
    "cup without a lid": Member(
        sheets.cup, volume=lambda: signed_volume(closed_by_fans(sheets.cup())),
        why="closed form: a prism", says=steps("holes"),
    ),
    "cup without a lid, as a vessel": Member(
        sheets.cup, volume=lambda: _cup(0.01), tolerance=1e-3, why="closed form: prism in a prism",
        says=steps("thickness"), options={"open": "thicken", "thickness": 0.01},
    ),
    "cup wall without bottom": Member(
        sheets.cup_without_bottom, volume=_cup_without_bottom, why=CLOSED, says=steps("holes")
    ),
    "tube without caps": Member(
        sheets.pipe, volume=_thick_pipe, tolerance=1e-3, why=CLOSED, says=steps("thickness")
    ),
    "tube without caps, closed": Member(
        sheets.pipe, volume=lambda: 2.0 * parts.polygon_area(0.5, sheets.SEGMENTS), why=CLOSED,
        says=steps("holes"), options={"open": "close"},
    ),
    "bottle": Member(
        sheets.bottle, volume=lambda: signed_volume(closed_by_fans(sheets.bottle())), why=CLOSED,
        says=steps("holes"),
    ),
    "bottle of glass": Member(
        sheets.bottle, volume=_sheet(sheets.bottle, 0.005), tolerance=0.02, why=SHEET, says=steps("thickness"),
        options={"open": "thicken", "thickness": 0.005},
    ),
    "ball with two large holes": Member(
        sheets.bumpy_with_holes, volume=lambda: signed_volume(bumpy(4, 6)), tolerance=0.02, why=TORN,
        says=steps("holes"),
    ),
    "card with two sides": Member(
        sheets.card, volume=_sheet(sheets.card, share=0.5), why=SHEET,
        says=steps("twins", "thickness"),
    ),
    "plane with a fin": Member(
        sheets.plane_with_fin, volume=_sheet(sheets.plane_with_fin), tolerance=0.01, why=SHEET,
        says=steps("thickness"),
    ),
    "cube with a sail": Member(
        cube_with_sail, volume=_sailing_cube, tolerance=3e-3, why=CLOSED + " but for the corner where they meet",
        says=steps("thickness"),
    ),
    "Moebius strip": Member(
        sheets.moebius, volume=_sheet(sheets.moebius), tolerance=5e-3, why=SHEET, says=steps("thickness")
    ),
    "Klein bottle": Member(
        sheets.klein, volume=_sheet(sheets.klein), tolerance=0.03, why=SHEET + ", where it passes through itself",
        says=steps("thickness", "crossings"),
    ),
    "house of panels": Member(
        architecture.house, why="thick panels run into each other: no closed form", says=steps("thickness")
    ),
    "house of thin panels": Member(
        architecture.house, volume=_sheet(architecture.house, 0.003),
        why="thinner than the gaps: area times thickness", says=steps("thickness"), options={"thickness": 0.003},
    ),
    "flat text": Member(
        lettering.flat_text, volume=_flat_letters, tolerance=2e-3, why=SHEET, says=steps("thickness")
    ),
    "Utah teapot": Member(
        teapot.teapot, volume=_teapot_auto, tolerance=5e-3, why=RAYS + ", plus the lid as a sheet",
        says=steps("weld", "holes", "thickness"),
    ),
    "Utah teapot, closed": Member(
        teapot.teapot, volume=lambda: matter(joined(*teapot.whole_parts())), tolerance=1e-3,
        why=RAYS + ", flat lids on all openings", says=steps("weld", "holes", "unite"), options={"open": "close"},
    ),
}  # fmt: skip

BROKEN: dict[str, Member] = {
    "triangle soup": Member(broken.soup_cube, volume=_always(8.0), why=CLOSED, says=steps("weld")),
    "triangle soup with noise": Member(
        lambda: broken.soup_cube(1e-5), volume=_always(8.0), tolerance=1e-4, why=TORN, says=steps("stitch")
    ),
    "cube in six parts": Member(
        broken.cube_in_six_parts, volume=_always(8.0), tolerance=6e-3, why=TORN, says=steps("stitch")
    ),
    "T-junctions": Member(broken.cube_with_t_junctions, volume=_always(8.0), why=CLOSED, says=steps("stitch")),
    "sealed T-junctions": Member(broken.sealed_t_junctions, volume=_always(1.0), why=CLOSED),
    "flipped faces": Member(
        broken.some_flipped, volume=lambda: signed_volume(bumpy(3, 5)), why=SIGNED, says=steps("turn")
    ),
    "inside out": Member(inside_out, volume=lambda: signed_volume(bumpy(3, 1)), why=SIGNED, says=steps("turn")),
    "faces at random": Member(
        lambda: broken.some_flipped(0.5), volume=lambda: signed_volume(bumpy(3, 5)), why=SIGNED, says=steps("turn")
    ),
    "cube with two sides": Member(
        broken.double_sided_cube, volume=_always(8.0), why=CLOSED, says=steps("twins")
    ),
    "cube with twins": Member(broken.cube_with_twins, volume=_always(8.0), why=CLOSED, says=steps("twins")),
    "some points undefined": Member(
        broken.some_undefined, volume=lambda: signed_volume(bumpy(4, 5)), tolerance=0.01, why=TORN,
        says=steps("dropped", "holes"),
    ),
}  # fmt: skip

REFUSED: dict[str, Member] = {
    "a million metres away": Member(fine_far_out, "refused", spacing=broken.spacing(1e6)),
    "a million metres away, coarse": Member(coarse_far_out, "refused", spacing=broken.spacing(1e6)),
    "all points undefined": Member(broken.all_undefined, "refused"),
    "empty": Member(broken.empty, "refused"),
    "points without faces": Member(broken.loose_points, "refused"),
    "degenerate faces only": Member(broken.only_degenerate, "refused"),
    "collinear faces only": Member(broken.only_collinear, "refused"),
    "all in one point": Member(broken.one_point, "refused"),
}

ZOO: dict[str, Member] = {**CLEAN, **OVERLAPS, **OPEN, **BROKEN, **REFUSED}
