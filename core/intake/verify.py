"""Whether what came out is what went in: closed, of positive volume, once around every point of the solids."""

import numpy as np

from ..geometry.inside import winding_number
from ..geometry.mesh import areas, bounds, edge_table, volume
from ..geometry.winding import sample_points
from ..types import Bools, Floats, Ints, Made, Mesh
from .account import Log
from .shaping import Solids
from .surface import Surface, products

SAMPLES = 1 << 13  # points at which result and solids are compared
#: How far a corner may lie from its place on its source triangle and still be exact, relative to the diagonal: the
#: spacing of stored numbers, snapped.
EXACT = 2.0**-20
ROUND_OFF = 1e-6  # of an area
STRAY = 2  # samples that may fall between a surface and its jittered copy


def check(solids: Solids, surface: Surface, part: Ints, log: Log) -> None:
    """Raise MeshError where the result is not closed, empty, or differs from the solids that it was made of."""
    if edge_table(surface.triangles).surplus.any():
        raise log.refusal("could not be closed: switch on Remesh under Mesh, or clean it by hand.")
    if not volume(surface.vertices, surface.triangles) > 0.0:
        raise log.refusal("encloses no volume: give it thickness with a Solidify modifier.")
    points = _samples(surface.vertices)
    wound = winding_number(surface.vertices, surface.triangles, points)
    most = 1 if part.max(initial=0) == 0 else wound.max(initial=1)  # parts may overlap
    if int(((wound < 0) | (wound > most)).sum()) > STRAY:
        raise log.refusal("overlaps itself after the repair: switch on Remesh under Mesh, or clean it by hand.")
    _compare(solids, wound >= 1, points, log)


def _compare(solids: Solids, inside: Bools, points: Floats, log: Log) -> None:
    """Points in a solid that was given outward, and in none given inward, must be matter; points in none must not."""
    inward = solids.inside_out[solids.solid]
    outer = _wound(solids.surface, ~inward, points) >= 1
    inner = _wound(solids.surface, inward, points) >= 1
    lost, grown = outer & ~inner & ~inside, ~outer & ~inner & inside
    if (log.repair.nested == "absorb" and int(lost.sum()) > STRAY) or int(grown.sum()) > STRAY:
        raise log.refusal(
            "would have changed its volume by the repair: switch on Remesh under Mesh, or clean it by hand."
        )


def _wound(surface: Surface, rows: Bools, points: Floats) -> Ints:
    if not rows.any():
        return np.zeros(len(points), np.int64)
    return winding_number(surface.vertices, surface.triangles[rows], points)


def _samples(vertices: Floats) -> Floats:
    """Points (n,3) spread evenly over the bounding box, at irrational places: none on a face along the axes."""
    low, high = bounds(vertices)
    return np.asarray(low + sample_points(SAMPLES, 0) * (high - low))


def measured(mesh: Mesh, given: Surface, surface: Surface) -> tuple[float, float, float]:
    """Shares: of the area, what lies in its source triangle, and what is made; of that of the given, what is lost."""
    area = areas(surface.vertices, surface.triangles)
    total, before = float(area.sum()), float(areas(given.vertices, given.triangles).sum())
    there = products(surface.weight, mesh.vertices.take(mesh.triangles[surface.source], axis=0))
    there -= surface.vertices.take(surface.triangles, axis=0)
    off = np.einsum("tki,tki->tk", there, there)
    farthest = np.maximum(np.maximum(off[:, 0], off[:, 1]), off[:, 2])
    low, high = bounds(surface.vertices)
    made = (surface.made == Made.CAP) | (surface.made == Made.RIM)
    exact = (farthest <= (EXACT * float(np.linalg.norm(high - low))) ** 2) & ~made
    kept = float(area[(surface.made == Made.OWN) | (surface.made == Made.REMESHED)].sum())
    lost = max(1.0 - kept / before, 0.0)
    return float(area[exact].sum()) / total, float(area[made].sum()) / total, lost if lost > ROUND_OFF else 0.0
