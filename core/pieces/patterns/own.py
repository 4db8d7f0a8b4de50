"""An artist's own fracture pattern: closed meshes that cut a cube, or any other shape, made into a division of space.

Meshes may have any form, and be the pieces of an earlier break or the cells of an earlier result. What touches to a
small tolerance is made to fit exactly; what overlaps a little is the larger one's; gaps go to the neighbour with the
largest common surface, and so does what lies between the meshes and their convex hull; beyond that the regions at the
rim go on outwards, drawn out of the hull's middle.

Reference: Su, Schroeder, Fedkiw 2009, section 4 (B2, B3 and B12 of docs/papers/su2009.md).
Limitation: a gap goes to one neighbour as a whole. Slits wider than the tolerance between many meshes become one thin
region's, so meshes with slits should be drawn together first.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...arithmetic.products import dot, multiply, norm
from ...errors import InputError
from ...geometry.mesh import bounds, cross_rows, diagonal, map_vectors, mass_properties
from ...geometry.sides import sides
from ...types import Body, Floats, Impact, Ints, OwnPattern
from ...wording import percent
from .jigsaw.beyond import extended
from .jigsaw.chambers import Walls, walls_of
from .jigsaw.flat import flat_parts
from .jigsaw.overlaps import hull, without_overlaps
from .jigsaw.patches import overlay_patches
from .jigsaw.solids import JigsawSolid, solid
from .method import PatternParams, draw_jitter, lie
from .placement import PatternExtent, Placement, place_pattern

#: Meshes that are nearer than this touch, in diagonals of all: rounding to float32 is some 1e-7 of it. Chosen: two
#: hundred roundings, since meshes were moved, turned and scaled before.
NEAR = 2e-5
#: Parts of a wall are one flat facet where they are as flat as that, in diagonals. Ten roundings to float32.
_FLAT = 1e-6
#: A gap is reported from this share of the whole on. Chosen: less is rounding of the meshes.
SLIT = 1e-6

#: Name, vertices (V,3), triangles (T,3).
NamedMesh = tuple[str, Floats, Ints]


def make_own_pattern(
    meshes: Sequence[NamedMesh], centre: Floats | None = None, axis: Floats | None = None, near: float = NEAR
) -> OwnPattern:
    """The pattern of closed meshes, with notes on what was completed.

    Args:
        meshes: name, vertices (V,3), triangles (T,3) of each, all in the same coordinates.
        centre: (3,) what is laid at the hit; the middle of the meshes' box where none is given.
        axis: (3,) of any length, what is turned to the blow; +z where none is given.
        near: tolerance to which meshes touch, relative to the diagonal of all.

    Raises InputError, which names the mesh, where one is open or flat, where two overlap much, where a mesh loses all
    of its space to others, or where the centre lies outside of all.

    """
    if len(meshes) == 0:
        raise InputError("The pattern has no meshes: give closed meshes that together fill a cube.")
    solids = [solid(*mesh) for mesh in meshes]
    points = np.concatenate([mesh.vertices for mesh in solids])
    low, high = bounds(points)
    middle = 0.5 * (low + high)
    about = middle if centre is None else np.asarray(centre, np.float64)
    size = diagonal(points)
    if np.any(about < low - near * size) or np.any(about > high + near * size):
        raise InputError("The centre of the pattern lies outside of its meshes: move it into them.")
    turn = _upright(np.array((0.0, 0.0, 1.0)) if axis is None else np.asarray(axis, np.float64))
    # The size of the meshes is 1 while they are made to fit.
    local = [JigsawSolid(s.name, map_vectors((s.vertices - about) / size, turn), s.triangles) for s in solids]
    local = without_overlaps(local, near)
    around = hull(local)
    walls = walls_of(overlay_patches([*local, around], near), len(local))
    _check_all_there(local, walls)
    inner = np.asarray(mass_properties(around.vertices, around.triangles)[1])
    pattern = _pattern(extended(walls, inner), tuple(s.name for s in local), local)
    return replace(_scaled(pattern, size), notes=_notes(walls, around))


def _upright(axis: Floats) -> Floats:
    """The rotation (3,3) that takes a vector to +z, by the smallest turn."""
    length = float(norm(axis))
    if not length > 0.0 or not np.isfinite(length):
        raise InputError("The axis of the pattern has no direction.")
    x, y, z = axis / length
    if z < -1.0 + 1e-12:
        return np.diag((1.0, -1.0, -1.0))
    v = np.array(((0.0, 0.0, -x), (0.0, 0.0, -y), (x, y, 0.0)))
    return np.asarray(np.eye(3) + v + multiply(v, v) / (1.0 + z))


def _check_all_there(meshes: Sequence[JigsawSolid], walls: Walls) -> None:
    missing = np.setdiff1d(np.arange(len(meshes)), walls.sides)
    if len(missing):
        raise InputError(
            f'"{meshes[int(missing[0])].name}" has no space of its own: other meshes of the pattern cover it, or it is '
            "thinner than the distance at which meshes touch."
        )


def _notes(walls: Walls, around: JigsawSolid) -> tuple[str, ...]:
    share = walls.gaps / mass_properties(around.vertices, around.triangles)[0]
    if share <= SLIT:
        return ()
    return (f"Gaps in the pattern ({percent(share)} of it) were given to the meshes beside them.",)


def _pattern(walls: Walls, names: tuple[str, ...], meshes: Sequence[JigsawSolid]) -> OwnPattern:
    copies, vertex = _copies(walls)
    count = len(names)
    pair = walls.sides[:, 0] * (count + 1) + walls.sides[:, 1] + 1
    low, high = bounds(np.concatenate([mesh.vertices for mesh in meshes]))
    return OwnPattern(
        vertices=walls.vertices,
        triangles=walls.triangles,
        sides=walls.sides,
        facet=flat_parts(walls.vertices, walls.triangles, pair, _FLAT),
        copies=copies,
        copy_vertex=vertex,
        site=np.array([mass_properties(mesh.vertices, mesh.triangles)[1] for mesh in meshes]),
        names=names,
        half=np.maximum(np.abs(low), np.abs(high)),
    )


def _copies(walls: Walls) -> tuple[Ints, Ints]:
    """Copies (n,2,3) of the corners for both sides of each triangle, and the vertex of each copy.

    They are numbered by region, then vertex: manifold3d turns edges by their numbers, which must not differ in order
    on the two sides of a wall.
    """
    fan = sides(walls.vertices, walls.triangles)
    region = np.full(len(fan.fan_vertex), -1)
    for k in (0, 1):
        region[fan.fan[:, k]] = walls.sides[:, k, None]
    order = np.lexsort((np.arange(len(region)), fan.fan_vertex, region))
    order = order[region[order] >= 0]
    number = np.full(len(region), -1)
    number[order] = np.arange(len(order))
    return number[fan.fan], fan.fan_vertex[order]


def _scaled(pattern: OwnPattern, size: float) -> OwnPattern:
    return replace(pattern, vertices=size * pattern.vertices, site=size * pattern.site, half=size * pattern.half)


def own_at_hit(
    body: Body, impacts: Sequence[Impact], params: PatternParams, pattern: OwnPattern, seed: int, attempt: int
) -> OwnPattern:
    """An artist's own pattern placed at the strongest hit on a closed body, as `method.build` places generated ones.

    Of the parameters, size, twist, angle and aligned count. `attempt` turns and shifts the pattern by 1e-6.
    """
    centre, turn, low, high, size = lie(body, impacts, params, seed)
    place = place_pattern(own_extent(pattern), centre, turn, low, high, size)
    aside, shift = draw_jitter(body, seed, attempt)
    return move_own_pattern(pattern, Placement(centre + shift, multiply(aside, turn), place.scale))


def move_own_pattern(pattern: OwnPattern, place: Placement) -> OwnPattern:
    """The pattern under x -> scale * turn x + centre [m]."""

    def moved(points: Floats) -> Floats:
        return place.scale * map_vectors(points, place.turn) + place.centre

    return replace(pattern, vertices=moved(pattern.vertices), site=moved(pattern.site), half=place.scale * pattern.half)


def own_extent(pattern: OwnPattern) -> PatternExtent:
    """How far an artist's own pattern reaches."""
    rim = pattern.triangles[pattern.sides[:, 1] < 0]
    a, b, c = (pattern.vertices[rim[:, k]] for k in range(3))
    normal = cross_rows(b - a, c - a)
    normal /= norm(normal)[:, None]
    return PatternExtent(pattern.half, normal, dot(normal, a))
