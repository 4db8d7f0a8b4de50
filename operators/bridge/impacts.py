"""Blows on an object: the impact empties that are meant for it, or one where the 3D cursor is nearest."""

from dataclasses import dataclass
from typing import Protocol

import bpy
import numpy as np

from ...core.arithmetic.products import dot, norm
from ...core.cells.corners import normalized
from ...core.errors import InputError
from ...core.geometry.mesh import bounds, rotated
from ...core.geometry.nearest import nearest
from ...core.types import Impact, Mesh
from . import names
from .refusals import BREAKABLE
from .undefined import refuse_undefined

#: An impact without an owner hits the objects whose bounding box is nearer than this part of their diagonal.
REACH = 0.1


class Placed(Protocol):
    """Where an object stands."""

    @property
    def origin(self) -> np.ndarray:
        """(3,) where body coordinates are 0, in the world, in Blender's units."""

    @property
    def unit_scale(self) -> float:
        """Metres per Blender unit."""


@dataclass(frozen=True, slots=True)
class Blow:
    """How hard a hit is that no empty stands for."""

    strength: float = 1.0  #: force in the material's own measure
    speed: float = 5.0  #: [m/s]
    radius: float = 0.0  #: [m], 0 = automatic


def impact_empties(context: bpy.types.Context, obj: bpy.types.Object, mesh: Mesh, placed: Placed) -> list:
    """The scene's impact empties that are meant for `obj`, by name.

    An empty belongs to the breakable object it is parented to (directly or further up), and hits nothing else. Without
    one it hits every object within its radius, or within a tenth of the object's diagonal.
    """
    low, high = bounds(rotated(mesh.vertices, mesh.turn))
    found = []
    for empty in context.scene.objects:
        if empty.type != "EMPTY" or not getattr(getattr(empty, names.IMPACT, None), "is_impact", False):
            continue
        found_owner = owner(empty)
        if found_owner is None:
            point = _point(empty, placed)
            distance = float(norm(point - np.clip(point, low, high)))
            radius = getattr(empty, names.IMPACT).radius * placed.unit_scale
            # One without a place counts as near: it is refused by name.
            if not distance > max(radius, REACH * float(norm(high - low))):
                found.append(empty)
        elif found_owner == obj:
            found.append(empty)
    return sorted(found, key=lambda empty: empty.name)


def impacts_on(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    mesh: Mesh,
    placed: Placed,
    fps: float,
    blow: Blow,
    now: int,
    begin: int | None = None,
) -> tuple[tuple[Impact, ...], int]:
    """Blows on the object in body coordinates, first hit first, and the frame of time 0: that of the first one.

    A hit keeps its frame, wherever the playhead is; one without a frame (0) happens at the frame `now`. With a frame
    `begin` that one is time 0: hits without a frame, and those that have passed by then, happen there, and there may be
    no hit at all.
    """
    now = now if begin is None else begin
    empties = impact_empties(context, obj, mesh, placed)
    if not empties:
        return () if begin is not None else (_blow_at_cursor(context, mesh, placed, blow),), now
    frames = [int(getattr(empty, names.IMPACT).frame) or now for empty in empties]
    start = min(frames) if begin is None else begin
    frames = [max(frame, start) for frame in frames]
    order = sorted(range(len(empties)), key=lambda i: frames[i])
    return tuple(_impact(empties[i], placed, (frames[i] - start) / fps) for i in order), start


def _impact(empty: bpy.types.Object, placed: Placed, time: float) -> Impact:
    group = getattr(empty, names.IMPACT)
    refuse_undefined(empty, np.array(empty.matrix_world, np.float64))
    direction = np.array(empty.matrix_world.col[2], np.float64)[:3]
    length = norm(direction)
    return Impact(
        point=_point(empty, placed),
        direction=direction / length if length > 0.0 else np.array([0.0, 0.0, -1.0]),
        strength=_decimal(group.strength),
        speed=_decimal(group.speed) * placed.unit_scale,
        radius=_decimal(group.radius) * placed.unit_scale,
        time=time,
    )


def _blow_at_cursor(context: bpy.types.Context, mesh: Mesh, placed: Placed, blow: Blow) -> Impact:
    """A hit on the surface point nearest to the 3D cursor, toward the centre of the bounding box."""
    cursor = np.array(context.scene.cursor.location, np.float64)
    if not np.isfinite(cursor).all():
        raise InputError("The 3D cursor, nearest to which the object is hit, has no place: reset it (Shift+C).")
    point, _ = nearest_surface(mesh, (cursor - placed.origin) * placed.unit_scale)
    low, high = bounds(_finite(mesh)[0])
    centre = (low + high) / 2.0
    direction = centre - point
    length = norm(direction)
    direction = direction / length if length > 0.0 else np.array([0.0, 0.0, -1.0])
    return Impact(point, direction, blow.strength, blow.speed, blow.radius, 0.0)


def nearest_surface(mesh: Mesh, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The point (3,) of a mesh nearest to another, in body coordinates, and the unit normal (3,) of its triangle."""
    vertices, triangles = _finite(mesh)
    triangles = _candidates(vertices, triangles, target)
    point, row, _ = nearest(vertices, triangles, target[None])
    a, b, c = vertices[triangles[row[0]]]
    return point[0], normalized(np.cross(b - a, c - a)[None])[0]


def _finite(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Vertices in body coordinates, those without a place at 0, and the triangles that need none of these.

    The core drops the others as well; where none is left it refuses the mesh, so any triangle will do here.
    """
    vertices = rotated(mesh.vertices, mesh.turn)
    placed = np.isfinite(vertices).all(axis=1)
    if placed.all():
        return vertices, mesh.triangles
    triangles = mesh.triangles[placed[mesh.triangles].all(axis=1)]
    return np.where(placed[:, None], vertices, 0.0), triangles if len(triangles) else mesh.triangles


def _candidates(vertices: np.ndarray, triangles: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The triangles among which the one nearest to a point is: for one point that is quicker than a search tree.

    No point of a triangle is farther from its first corner than its longer edge there.
    """
    away = norm(vertices - target)
    a, b, c = triangles.T
    u, v = vertices[b] - vertices[a], vertices[c] - vertices[a]
    reach = np.sqrt(np.maximum(dot(u, u), dot(v, v)))
    # An upper bound, with room for rounding.
    bound = 1.000001 * away[a].min()
    return triangles[away[a] - reach <= bound]


def owner(empty: bpy.types.Object) -> bpy.types.Object | None:
    """The breakable object that an impact is parented to, directly or further up; None without one."""
    parent = empty.parent
    while parent is not None and parent.type not in BREAKABLE:
        parent = parent.parent
    return parent


def _point(empty: bpy.types.Object, placed: Placed) -> np.ndarray:
    return (np.array(empty.matrix_world.translation, np.float64) - placed.origin) * placed.unit_scale


def _decimal(value: float) -> float:
    """The shortest decimal that names a 32-bit number: what the artist typed (0.3, not 0.30000001192)."""
    return float(str(np.float32(value)))
