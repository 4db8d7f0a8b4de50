"""The parts of the Utah teapot as lattices, in the units of its published control points (M. Newell 1975)."""

from typing import NamedTuple

import numpy as np

from ...arithmetic.products import norm
from ...types import Bools, Floats, Ints
from ..spring_lattice.blocks import grid_complex
from ..spring_lattice.hexahedra import HexahedralComplex
from .bezier import bezier_points, even_places
from .discs import disc_grid
from .gluing import select_cells
from .revolution import AROUND_A_RING, revolve_profiles

#: Control points (radius, height) of the profile from the middle of the bottom to the rim, three curves; of the rim,
#: from inside to outside; of the lid from its knob's neck to its edge, and of the knob from its top to that neck.
#: The teapot is flattened by 1.3, as is usual.
_BODY = np.array(
    [
        [(0.0, 0.0), (1.425, 0.0), (1.5, 0.075), (1.5, 0.15)],
        [(1.5, 0.15), (1.5, 0.225), (2.0, 0.45), (2.0, 0.9)],
        [(2.0, 0.9), (2.0, 1.35), (1.75, 1.875), (1.5, 2.4)],
    ]
)
_RIM = np.array([(1.4, 2.4), (1.3375, 2.53125), (1.4375, 2.53125), (1.5, 2.4)])  # as above
_LID = np.array([(0.2, 2.7), (0.4, 2.55), (1.3, 2.55), (1.3, 2.4)])  # as above
_KNOB = np.array([(0.0, 3.15), (0.8, 3.15), (0.0, 2.85), (0.2, 2.7)])  # as above
#: Rows of control points of handle and spout, two curves each: x and z on one side of the bend, x and z on the other,
#: and half of the width of the net. Published, as above.
HANDLE = np.array(
    [
        (-1.6, 2.025, -1.5, 2.25, 0.3),
        (-2.3, 2.025, -2.5, 2.25, 0.3),
        (-2.7, 2.025, -3.0, 2.25, 0.3),
        (-2.7, 1.8, -3.0, 1.8, 0.3),
        (-2.7, 1.575, -3.0, 1.35, 0.3),
        (-2.5, 1.125, -2.65, 0.9375, 0.3),
        (-2.0, 0.9, -1.9, 0.6, 0.3),
    ]
)
SPOUT = np.array(  # published, as above
    [
        (1.7, 1.425, 1.7, 0.6, 0.66),
        (2.6, 1.425, 3.1, 0.825, 0.66),
        (2.3, 2.1, 2.4, 2.025, 0.25),
        (2.7, 2.4, 3.3, 2.4, 0.25),
        (2.8, 2.475, 3.525, 2.49375, 0.25),
        (2.9, 2.475, 3.45, 2.5125, 0.15),
        (2.8, 2.4, 3.2, 2.4, 0.15),
    ]
)
#: Thickness of all walls. Chosen: that of the rim where it stands on the body, 0.1; 3 mm at a width of 20 cm.
WALL = 0.1
#: How far the rim goes up and down its curve on either side. By eye: it leaves a flat top of half a wall.
_RIM_PARTS = 0.36
#: Share of the curve of the lid that is seen, and how far beyond the rim's middle its edge lies. By eye: from there
#: on it lies flat, as a lid that only fits into the opening, as the published one does, would fall in.
_LID_PARTS, _BRIM = 0.7, 1.42
#: Air between rim and lid. Chosen: they are apart, and it is not seen.
_AIR = 0.01
#: Share of the curve of the knob that is its top. By eye.
_KNOB_TOP = 0.3
_FINE = 400  # points of curves of which lengths are measured; chosen beyond what is seen
#: Over how many walls the normal of the body is averaged. By eye: the edge of the bottom is bent more sharply than a
#: wall is thick, and its inner side would fold.
_SMOOTH = 1.5


class PotBody(NamedTuple):
    """The body, of revolution, and its ring of nodes."""

    solid: HexahedralComplex
    ring: Ints  #: (around, rows + 1, through + 1) nodes, from the bottom up, the last direction outward


def body_part(around: int, rows: int, through: int) -> PotBody:
    """The body, closed below by a disc of around/8 rings, with so many rows of cells up its wall."""
    rings = around // AROUND_A_RING
    line = _joined_curves(_BODY)
    whole = float(norm(line[1:] - line[:-1]).sum())
    # The disc ends where the wall begins to rise: its cells at the corners of the square are flat already.
    flat = 0.85 * float(_BODY[0, 3, 0])  # by eye, of the radius of the foot
    cut = round(flat / whole * _FINE)
    fine = _even(line, _FINE)
    outer = np.concatenate([_even(fine[: cut + 1], rings), _even(fine[cut:], rows)[1:]])
    inner = outer - WALL * _upward_normals(fine, outer)
    inner[0, 0] = 0.0
    solid = revolve_profiles(inner, outer, around, through)
    return PotBody(solid, np.arange(around * (rows + 1) * (through + 1)).reshape(around, rows + 1, through + 1))


def rim_part(top: Floats, levels: int) -> HexahedralComplex:
    """The rim upon the places (around,through+1,3) of the top of the body, from inside to outside."""
    around, points = top.shape[:2]
    up = _RIM_PARTS * (np.arange(levels + 1) / levels)
    inner, outer = bezier_points(_RIM, up), bezier_points(_RIM, 1.0 - up)
    share = np.arange(points) / (points - 1)
    wall = inner[:, None] + share[:, None] * (outer - inner)[:, None]
    plan = top[:, :1, :2] / norm(top[:, :1, :2])[..., None]
    place = np.empty((around, levels + 1, points, 3))
    place[..., :2] = plan[:, :, None] * wall[None, ..., :1]
    place[..., 2] = wall[..., 1]
    place[:, 0] = top
    return grid_complex(place, closed=True)


def lid_part(rings: int, knob: int, through: int) -> tuple[HexahedralComplex, Floats, Ints]:
    """The lid without its knob; places (2 knob + 1, 2 knob + 1, 3) and nodes on which that stands.

    It is lifted so that its brim lies upon the rim, but for some air. The knob has `knob` of the rings.
    """
    rim_top = float(bezier_points(_RIM, np.array([_RIM_PARTS]))[0, 1])
    curve = bezier_points(_LID, _LID_PARTS * (np.arange(_FINE + 1) / _FINE))
    lift = rim_top + _AIR + WALL - float(curve[-1, 1])
    brim = np.array([(_BRIM, float(curve[-1, 1]))])
    neck = _LID[0] * np.stack([np.arange(knob + 1) / knob, np.ones(knob + 1)], axis=1)
    outer = np.concatenate([neck, _even(curve, rings - knob - 1)[1:], brim]) + np.array([0.0, lift])
    inner = outer - np.array([0.0, WALL])
    wall = inner[:, None] + (np.arange(through + 1) / through)[:, None] * (outer - inner)[:, None]
    grid = disc_grid(rings)
    row = wall[grid.ring]
    place = np.concatenate([grid.direction[:, :, None] * row[..., :1], row[..., 1:]], axis=-1)
    node = np.arange(place[..., 0].size).reshape(place.shape[:3])
    middle = slice(rings - knob, rings + knob + 1)
    return grid_complex(place), place[middle, middle, -1], node[middle, middle, -1]


def knob_part(base: Floats, rows: int) -> HexahedralComplex:
    """The knob upon places (2 k + 1, 2 k + 1, 3) of the lid, in rows of cells."""
    grid = disc_grid(len(base) // 2)
    lift = base[0, 0, 2] - _KNOB[3, 1]
    at = 1.0 - (1.0 - _KNOB_TOP) * (np.arange(rows + 1) / rows)
    share = grid.ring / float(len(base) // 2)
    dome = bezier_points(_KNOB, _KNOB_TOP * share.ravel()).reshape(*share.shape, 2)
    levels = [base]
    for level, (radius, height) in enumerate(bezier_points(_KNOB, at).tolist()):
        if level == 0:
            continue
        up = level / rows
        # Within, rings go from even ones at the neck to those of the top.
        place = np.empty_like(base)
        reach = radius * ((1.0 - up) * share + up * dome[..., 0] / dome[0, 0, 0])
        place[..., :2] = grid.direction * reach[..., None]
        place[..., 2] = height + lift + up * (dome[..., 1] - dome[0, 0, 1])
        levels.append(place)
    return grid_complex(np.stack(levels))


def bent_tube(rows: Floats, span: tuple[float, float], cells: int, rings: int, wall: float = 0.0) -> Floats:
    """Places (cells+1, 2 rings + 1, 2 rings + 1, 3) of a tube along curves of rows (3 n + 1,5) of control points.

    span: where it begins and ends, 1 for each curve. The grids go to y, and from the first side of the bend to the
    second. With a wall the second ring from outside lies that far within.
    """
    curve = np.stack([rows[3 * k : 3 * k + 4] for k in range(len(rows) // 3)])
    at = span[0] + (span[1] - span[0]) * (np.arange(_FINE + 1) / _FINE)
    piece = np.minimum(at.astype(np.int64), len(curve) - 1)
    section = np.concatenate([bezier_points(one, at[piece == k] - k) for k, one in enumerate(curve)])
    middle = 0.5 * (section[:, :2] + section[:, 2:4])
    section = _between(section, even_places(middle, cells))
    grid = disc_grid(rings)
    t, side = grid.along, grid.side
    across = 3.0 * (t * (1.0 - t)) * side
    ahead = t * t * (3.0 - 2.0 * t) - 0.5
    half = section[:, 2:4] - section[:, :2]
    ray = np.empty((cells + 1, *t.shape, 3))
    ray[..., 0], ray[..., 2] = half[:, 0, None, None] * ahead, half[:, 1, None, None] * ahead
    ray[..., 1] = section[:, 4, None, None] * across
    share = np.broadcast_to(grid.ring / float(rings), ray.shape[:-1]).copy()
    if wall > 0.0:
        second = grid.ring == rings - 1
        share[:, second] = 1.0 - wall / norm(ray[:, second])
    place = share[..., None] * ray
    place[..., [0, 2]] += 0.5 * (section[:, :2] + section[:, 2:4])[:, None, None]
    return place


def halves_of_border(place: Floats) -> tuple[HexahedralComplex, HexahedralComplex]:
    """The slabs y < 0 and y > 0 of the outermost cells around a tube of places (n,2 m + 1,2 m + 1,3)."""
    solid = grid_complex(place)
    width = place.shape[1] - 1
    _, i, j = np.indices([count - 1 for count in place.shape[:3]]).reshape(3, -1)
    border: Bools = (i == 0) | (j == 0) | (i == width - 1) | (j == width - 1)
    near = border & (i < width // 2)
    return select_cells(solid, near)[0], select_cells(solid, border & ~near)[0]


def _joined_curves(curves: Floats) -> Floats:
    t = np.arange(_FINE + 1) / _FINE
    parts = [bezier_points(curve, t) for curve in curves]
    return np.concatenate([parts[0], *(part[1:] for part in parts[1:])])


def _even(line: Floats, cells: int) -> Floats:
    """Points (cells+1,2) evenly along a polyline."""
    return _between(line, even_places(line, cells))


def _between(rows: Floats, place: Floats) -> Floats:
    """Rows (n,k) at places between them."""
    first = np.minimum(place.astype(np.int64), len(rows) - 2)
    share = (place - first)[:, None]
    return np.asarray((1.0 - share) * rows[first] + share * rows[first + 1])


def _upward_normals(line: Floats, points: Floats) -> Floats:
    """Unit normals (n,2), to the right of the way, of an even line at some of its points, smoothed over some walls."""
    step = float(norm(line[1] - line[0]))
    reach = max(1, round(_SMOOTH * WALL / step))
    x, y = points[:, :1] - line[None, :, 0], points[:, 1:] - line[None, :, 1]
    row = (x * x + y * y).argmin(axis=1)
    along = line[np.minimum(row + reach, len(line) - 1)] - line[np.maximum(row - reach, 0)]
    along[0, 1] = 0.0  # level on the axis
    normal = np.stack([along[:, 1], -along[:, 0]], axis=1)
    return np.asarray(normal / norm(normal)[:, None])
