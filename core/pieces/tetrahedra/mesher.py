"""Tetrahedra that keep every triangle of a surface, by TetGen where a user has installed it; it is never shipped.

TetGen (Si 2015) makes a constrained Delaunay tetrahedralisation, which our own does not. Its licence is the AGPL: it is
neither bundled nor required, and only imported where it is found. With it the pieces are others than without; the same
version gives the same ones.
"""

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ...arithmetic.small_matrices import determinant
from ...errors import CutError
from ...types import Floats, Ints
from ..delaunay import far_corners
from ..delaunay_complex import Tetrahedra
from .outside import FACES

#: No refinement; faces of the surface stay whole, and points are added only where there is no other way.
SWITCHES = {"plc": True, "quality": False, "nobisect": True, "quiet": True}
_FAILED = "TetGen could not use this mesh ({}), so its vertices were joined without it."
#: Faces of the large tetrahedron around all, as corners of it.
_AROUND = np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]])


def mesher() -> Any | None:
    """The optional module, None where there is none."""
    try:
        import tetgen
    except ImportError:
        return None
    return tetgen


def constrained(surface: Floats, triangles: Ints, inner: Floats) -> Tetrahedra | None:
    """Tetrahedra with every triangle of a closed surface among their faces, between four far corners and all points.

    surface (V,3), triangles (T,3), inner (n,3) points off the surface. Points may be added, after all others. None
    where there is no mesher. Raises CutError, with a sentence for the report, where it fails: its errors, surfaces that
    cross themselves, and tetrahedra that do not fill space face to face.
    """
    module = mesher()
    if module is None:
        return None
    try:
        return _checked(_meshed(module, surface, triangles, inner), surface, triangles)
    except Exception as failure:  # whatever a module raises that we do not ship
        raise CutError(_FAILED.format(str(failure).rstrip("."))) from failure


def _meshed(module: Any, surface: Floats, triangles: Ints, inner: Floats) -> tuple[Floats, Ints]:
    """Points (n,3) and corners (M,4)."""
    points = np.concatenate([surface, inner])
    far = far_corners(points)
    points = np.ascontiguousarray(np.concatenate([points, far]))
    faces = np.concatenate([triangles, len(points) - 4 + _AROUND]).astype(np.int32)
    # It prints, and leaves files with what it skipped wherever it is.
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        Path(os.devnull).open("w") as nowhere,
        contextlib.redirect_stdout(nowhere),
    ):
        made = module.TetGen(points, faces).tetrahedralize(**SWITCHES)
    vertices, corners = np.asarray(made[0], np.float64), np.asarray(made[1], np.int64)
    if not np.array_equal(vertices[: len(points)], points):
        raise CutError("points were moved")
    return vertices, corners


def _checked(made: tuple[Floats, Ints], surface: Floats, triangles: Ints) -> Tetrahedra:
    """The complex, with neighbours. Raises CutError where it does not fill the large tetrahedron, face to face."""
    vertices, corners = made
    face = _keys(corners[:, FACES].reshape(-1, 3), len(vertices))
    order = np.argsort(face, kind="stable")
    same = face[order[1:]] == face[order[:-1]]
    if (same[1:] & same[:-1]).any():
        raise CutError("three tetrahedra share a face")
    neighbours = np.full(len(face), -1)
    one, other = order[:-1][same], order[1:][same]
    neighbours[one], neighbours[other] = other // 4, one // 4
    if np.count_nonzero(neighbours < 0) != len(_AROUND):
        raise CutError("tetrahedra do not meet face to face")
    at = vertices[corners]
    volume = determinant(at[:, 1:] - at[:, :1])
    if not ((volume > 0.0).all() or (volume < 0.0).all()):
        raise CutError("a tetrahedron is flat or inside out")
    if not np.isin(_keys(triangles, len(vertices)), face).all():
        raise CutError("a triangle of the mesh was lost")
    number = np.arange(len(vertices))
    return Tetrahedra(vertices, corners.astype(np.int32), neighbours.reshape(-1, 4).astype(np.int32), number)


def _keys(faces: Ints, count: int) -> Ints:
    """A number (n,) for each set of three of `count` points (n,3)."""
    low, middle, high = np.sort(faces.astype(np.int64), axis=1).T
    return np.asarray((low * count + middle) * count + high)
