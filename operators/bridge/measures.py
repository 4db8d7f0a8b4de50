"""What can be measured of a piece that was written: size, where it was, generation, whether it moves."""

import json

import bpy
import numpy as np

from ...core.types import Fracture
from . import actions, names
from .whole import first_fragment

#: A piece rests at a frame where it goes no farther to the next one than this part of its size. By eye: not seen from
#: one frame to the next.
STILL = 1e-4

Places = np.ndarray  #: (n,3) in the world, in Blender's units


def size_of(piece: bpy.types.Object) -> float:
    """The diagonal of the box around a piece in its own axes, in Blender's units; keys of size do not count."""
    corners = np.array(piece.bound_box, np.float64)
    return float(np.sqrt(np.square(corners.max(axis=0) - corners.min(axis=0)).sum()))


def place_at_birth(piece: bpy.types.Object) -> np.ndarray:
    """(3,) where the centre of mass was when the piece came to be."""
    curves = _moves(piece)[:3]
    if len(curves) < 3:
        return np.array(piece.location, np.float64)
    return np.array([curve.keyframe_points[0].co[1] for curve in curves], np.float64)


def rests(piece: bpy.types.Object, scene: bpy.types.Scene) -> bool:
    """Whether a piece stays where it is on the way from the current frame to the next one."""
    now, then = actions.on_curves(scene, scene.frame_current + np.arange(2)).tolist()
    way = np.array([curve.evaluate(then) - curve.evaluate(now) for curve in _moves(piece)], np.float64)
    # A turn by a quaternion moves the rim of the piece by no more than its size times twice the change.
    reach = np.abs(way) * np.where(np.arange(len(way)) < 3, 1.0, size_of(piece))
    return bool((reach <= STILL * size_of(piece)).all())


def generation_of(piece: bpy.types.Object) -> int:
    """How often something had to break for a piece to come to be; older files do not say it."""
    return int(piece.get(names.GENERATION, 1))


def generations(fracture: Fracture, obj: bpy.types.Object) -> list[int]:
    """(K,) the same for fragments of an object: 1 for those that break from a whole one, of a piece its own and 1."""
    whole, before = first_fragment(fracture), generation_of(obj) if names.FRAGMENT in obj else 0
    found: list[int] = []
    for k, parent in enumerate(fracture.parent.tolist()):  # what breaks is numbered before its pieces
        found.append(before if k == whole else (found[parent] if parent >= 0 else before) + 1)
    return found


def hits_of(collection: bpy.types.Collection) -> Places:
    """(n,3) where the object of some pieces was hit; none where an older version broke it."""
    return np.array(json.loads(collection.get(names.HITS, "[]")), np.float64).reshape(-1, 3)


def home_of(piece: bpy.types.Object) -> bpy.types.Collection | None:
    """The collection of fragments in which a piece lies; None for anything else."""
    return next((item for item in piece.users_collection if names.SOURCE in item), None)


def _moves(piece: bpy.types.Object) -> list[bpy.types.FCurve]:
    """The curves that move a piece: those of its location, then those of its rotation."""
    bag = actions.followed_bag(piece)
    found = [bag.fcurves.find(path, index=index) for path, index in actions.MOTION] if bag is not None else []
    return [curve for curve in found if curve is not None]
