"""The blow on an object for which no impact is placed: it comes from where one looks from."""

from typing import Any

import bpy
import numpy as np

from ...core.arithmetic.elementary import cos, sin
from ...core.arithmetic.products import dot, norm
from ...core.errors import InputError
from ...core.geometry.mesh import bounds
from ...core.types import Mesh
from . import names
from .surface import Placement, finite, first_along, nearest_surface

#: Turn of the blow to the right of where one looks, and its slope downward [rad]: one that goes straight in is stopped
#: by the matter behind, and one along the axis of the view is not seen. By eye.
ASIDE, DOWN = 0.35, 0.25
#: From the front, as numpad 1 shows a scene.
FRONT = np.array([0.0, 1.0, 0.0])
#: The 3D cursor is on the surface where it is nearer than this share of the object's diagonal. By eye: snapped there.
ON_SURFACE = 1e-3
#: Least share of a blow that goes into the surface at the cursor; one that grazes it is turned. By eye.
INTO = 0.7
#: An eye that looks steeper than this goes by what is up in its view. By eye: 6 degrees from upright.
LEAST_LEVEL = 0.1


def heading_of(context: bpy.types.Context) -> np.ndarray:
    """Horizontal unit direction (3,) in which one looks: into the 3D view, or as the camera does, or from the front."""
    view = getattr(context, "region_data", None)
    if isinstance(view, bpy.types.RegionView3D):
        return _level(view.view_matrix.inverted())
    return FRONT if (camera := context.scene.camera) is None else _level(camera.matrix_world)


def heading_for(context: bpy.types.Context, obj: bpy.types.Object) -> np.ndarray:
    """As `heading_of`; for an object that was broken as one looked then, until it is restored."""
    kept = np.array(getattr(obj, names.OBJECT).heading, np.float64)
    return kept if kept.any() else heading_of(context)


def _level(eye: Any) -> np.ndarray:
    """The horizontal direction in which an eye looks, along its own -Z; straight down or up, what is up in the view."""
    rows = np.array(eye, np.float64)
    for axis in (-rows[:3, 2], rows[:3, 1]):
        flat = np.array([axis[0], axis[1], 0.0])
        if np.isfinite(flat).all() and norm(flat) > LEAST_LEVEL * norm(axis):
            return flat / norm(flat)
    return FRONT


def slanted(heading: np.ndarray) -> np.ndarray:
    """The direction (3,) of a blow from the side of a viewer who looks along a horizontal direction (3,)."""
    x, y = heading[0] * cos(ASIDE) + heading[1] * sin(ASIDE), heading[1] * cos(ASIDE) - heading[0] * sin(ASIDE)
    return np.array([x * cos(DOWN), y * cos(DOWN), -sin(DOWN)])


def aim_from_viewer(
    context: bpy.types.Context, mesh: Mesh, placed: Placement, heading: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Point and unit direction (3,) of a blow from the side of the viewer, in body coordinates.

    It lands at the 3D cursor where that was put on the surface, else where it comes to the middle of the object. A
    cursor at the world's origin is one that nobody has put anywhere: what stands there would be hit through the
    ground. Raises InputError for a cursor without a place.
    """
    direction = slanted(heading)
    low, high = bounds(finite(mesh)[0])
    size = float(norm(high - low))
    cursor = np.array(context.scene.cursor.location, np.float64)
    if not np.isfinite(cursor).all():
        raise InputError("The 3D cursor, at which an object may be hit, has no place: reset it (Shift+C).")
    wanted = (cursor - placed.origin) * placed.unit_scale
    point, normal = nearest_surface(mesh, wanted)
    if cursor.any() and norm(point - wanted) <= ON_SURFACE * size:
        return point, _turned_into(direction, normal)
    centre = (low + high) / 2.0
    found = first_along(mesh, centre, direction)
    return nearest_surface(mesh, centre - size * direction)[0] if found is None else found, direction


def _turned_into(direction: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """A direction (3,), turned toward the inside of a surface as far as `INTO` asks."""
    depth = -dot(direction, normal)
    along = direction + depth * normal
    length = norm(along)
    if depth >= INTO or length == 0.0:
        return direction if depth >= INTO else -normal
    return np.asarray(np.sqrt(1.0 - INTO * INTO) * along / length - INTO * normal)
