"""What an artist has keyframed of a continuum method, at each stored frame."""

from collections.abc import Sequence

import bpy
import numpy as np

from ...core.config.params import Declared, declared
from ...core.continuum import CONTINUA
from ...core.types import Course
from . import names
from .actions import curves_of, on_curves


def read_courses(
    scene: bpy.types.Scene, obj: bpy.types.Object, breaking: str, start: int, frames: int
) -> tuple[Course, ...]:
    """The courses of the values of a breaking method that may change, from frame `start` on through so many frames.

    Only keys of the object's own Action count. Beyond the limits of a value its course goes along them.
    """
    keyed = _keyed(obj, breaking) if breaking in CONTINUA else []
    at = on_curves(scene, np.arange(start, start + frames))
    return tuple(Course(field.name, _values(field, curve, at)) for field, curve in keyed)


def path_of(method: str, name: str) -> str:
    """Where a curve finds a value of a method among the settings of an object."""
    return f"{names.OBJECT}.{method}.{name}"


def _keyed(obj: bpy.types.Object, method: str) -> Sequence[tuple[Declared, bpy.types.FCurve]]:
    animation = obj.animation_data
    curves = {curve.data_path: curve for curve in curves_of(animation) if not curve.mute} if animation else {}
    fields = [field for field in declared(CONTINUA[method].params) if field.param.over_time]
    paths = [(field, path_of(method, field.name)) for field in fields]
    return [(field, curves[path]) for field, path in paths if path in curves]


def _values(field: Declared, curve: bpy.types.FCurve, at: np.ndarray) -> np.ndarray:
    low, high = field.param.limits
    return np.clip(np.array([curve.evaluate(frame) for frame in at.tolist()], np.float64), low, high)
