"""The faces that can be used at all, and whether the numbers of a mesh are fine enough to tell its points apart."""

import numpy as np

from ..errors import InputError
from ..geometry.mesh import diagonal
from ..jit import sealed_ints
from ..types import Bools, Ints, Mesh
from ..wording import count, length, percent
from .account import Log
from .weld import collapsed

# Spacing of the stored numbers, relative to the size, beyond which its shape is gone; by eye: a thousand places along
# it.
_COARSE = 1e-3
NOTICEABLE = 1e-5  # beyond which its shape is visibly rough; by eye


def usable_rows(mesh: Mesh, log: Log) -> Ints | None:
    """Rows of the triangles with three different, finite vertices; None for all of them.

    Raises InputError where none is left or the data is damaged.
    """
    triangles = sealed_ints(mesh.triangles).reshape(-1, 3)
    if len(triangles) > 0 and (triangles.min() < 0 or triangles.max() >= len(mesh.vertices)):
        raise InputError(
            f'"{mesh.name}" has faces that point to missing vertices: its data is damaged, import it again.'
        )
    bad = collapsed(triangles)
    cornerless = int(bad.sum())
    if cornerless:
        log.did(
            "dropped",
            f"{count(cornerless, 'face')} without three different corners dropped.",
            f"has {count(cornerless, 'face')} without three different corners",
            "dissolve them (Mesh > Clean Up > Degenerate Dissolve)",
            np.flatnonzero(bad),
            cornerless=cornerless,
        )
    finite = np.isfinite(mesh.vertices).all(axis=1)
    if not finite.all():
        undefined = ~finite[triangles].all(axis=1) & ~bad
        if undefined.any():
            bad |= undefined
            _note_undefined(undefined, log)
    if bad.all():
        raise InputError(
            f'"{mesh.name}" has no usable faces: choose an object with a surface, or convert it to a mesh first '
            "(Object > Convert > Mesh)."
        )
    return np.flatnonzero(~bad) if bad.any() else None


def _note_undefined(undefined: Bools, log: Log) -> None:
    number = int(undefined.sum())
    log.did(
        "dropped",
        f"{count(number, 'face')} with points at infinite or undefined coordinates dropped.",
        f"has {count(number, 'face')} with points at infinite or undefined coordinates",
        "delete them, or turn off the modifier that makes them",
        np.flatnonzero(undefined),
        undefined=number,
    )


def check_precision(mesh: Mesh, log: Log) -> None:
    """Whether the points can lie where they should: far from its origin a mesh has coarse numbers.

    Raises MeshError where that has spoilt its shape; a rough one gets advice.
    """
    size = diagonal(mesh.vertices[np.isfinite(mesh.vertices).all(axis=1)])
    spacing = max(mesh.spacing, _spacing(mesh))
    if size == 0.0 or spacing <= NOTICEABLE * size:
        return
    fact = (
        f"stores its points only to {length(spacing)} at this distance from its origin, "
        f"{percent(spacing / size)} of its size"
    )
    if spacing > _COARSE * size:
        raise log.refusal(f"{fact}: move the origin to the mesh before you model (Object > Set Origin).")
    log.advice.append(f"The object {fact}: move its origin to the mesh before you model (Object > Set Origin).")


def _spacing(mesh: Mesh) -> float:
    """Distance between neighbouring numbers at the largest coordinate, as float32 where all are of that kind."""
    values = mesh.vertices[np.isfinite(mesh.vertices)]
    largest = float(np.abs(values).max(initial=0.0))
    single = largest < 1e38 and np.array_equal(values, values.astype(np.float32))
    return float(np.spacing(np.float32(largest)) if single else np.spacing(largest))
