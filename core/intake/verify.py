"""Whether what came out is what went in: closed, of positive volume, once around every point of the solids."""

import numpy as np

from ..arithmetic.products import dot, norm
from ..geometry.inside import winding_number
from ..geometry.mesh import areas, bounds, edge_table, volume
from ..geometry.winding import sample_points, winding_volume
from ..types import Bools, Floats, Ints, Made, Mesh
from ..wording import number, percent
from .account import Log
from .shaping import RawSolids
from .surface import RawSurface, products

# Points at which result and solids are compared; chosen by time: what fills a thousandth of the box is still met by
# eight.
_SAMPLES = 1 << 13
#: How far a corner may lie from its place on its source triangle and still be exact, relative to the diagonal: the
#: spacing of stored numbers, snapped.
EXACT = 2.0**-20
_ROUND_OFF = 1e-6  # of an area; chosen, for sums over many triangles
_NOTABLE = 0.05  # change of volume or surface, relative, of which an artist is warned; by eye
_TWICE = 0.4  # of the surface: so much is lost where all of it is there twice; by eye
_STRAY = 2  # samples that may fall between a surface and its jittered copy; by eye


def verify_surface(solids: RawSolids, surface: RawSurface, part: Ints, log: Log) -> None:
    """Raise MeshError where the result is not closed, empty, or differs from the solids that it was made of."""
    if edge_table(surface.triangles).surplus.any():
        raise log.refusal("could not be closed: switch on Remesh under Mesh, or clean it by hand.")
    if not volume(surface.vertices, surface.triangles) > 0.0:
        raise log.refusal("encloses no volume: give it thickness with a Solidify modifier.")
    points = _samples(surface.vertices)
    wound = winding_number(surface.vertices, surface.triangles, points)
    most = 1 if part.max(initial=0) == 0 else wound.max(initial=1)  # parts may overlap
    if int(((wound < 0) | (wound > most)).sum()) > _STRAY:
        raise log.refusal("overlaps itself after the repair: switch on Remesh under Mesh, or clean it by hand.")
    _compare(solids, wound >= 1, points, log)


def _compare(solids: RawSolids, inside: Bools, points: Floats, log: Log) -> None:
    """Points in a solid that was given outward, and in none given inward, must be matter; points in none must not."""
    inward = solids.inside_out[solids.solid]
    outer = _wound(solids.surface, ~inward, points) >= 1
    inner = _wound(solids.surface, inward, points) >= 1
    lost, grown = outer & ~inner & ~inside, ~outer & ~inner & inside
    if (log.repair.nested == "absorb" and int(lost.sum()) > _STRAY) or int(grown.sum()) > _STRAY:
        raise log.refusal(
            "would have changed its volume by the repair: switch on Remesh under Mesh, or clean it by hand."
        )


def _wound(surface: RawSurface, rows: Bools, points: Floats) -> Ints:
    if not rows.any():
        return np.zeros(len(points), np.int64)
    return winding_number(surface.vertices, surface.triangles[rows], points)


def _samples(vertices: Floats) -> Floats:
    """Points (n,3) spread evenly over the bounding box, at irrational places: none on a face along the axes."""
    low, high = bounds(vertices)
    return np.asarray(low + sample_points(_SAMPLES, 0) * (high - low))


def changes(given: RawSurface, before: float, after: float, new: float, lost: float, log: Log) -> tuple[str, ...]:
    """Warnings where the repair has changed much of the volume [m^3] or of the surface (shares `new` and `lost`).

    Sheets that get thickness because the artist or the material wants it are no change.
    """
    said, walls = [], log.open == "thicken"
    if not walls and before > 0.0 and abs(after - before) > _NOTABLE * before:
        if any(step.name == "turn" for step in log.steps):  # what was inside out counted nothing
            before = winding_volume(given.vertices, given.triangles, samples=_SAMPLES, unsigned=True)[0]
        if abs(after - before) > _NOTABLE * before:
            said.append(
                f"The mesh encloses {number(before)} m\u00b3 as it is, and {number(after)} m\u00b3 after its repair: "
                "see what was done, and choose otherwise under Mesh."
            )
    if not walls and new > _NOTABLE:
        said.append(f"{percent(new)} of the surface was made, to close or to thicken the mesh.")
    if lost > _NOTABLE:
        twice = " Is there a Mirror modifier on a whole model?" if lost > _TWICE else ""
        said.append(f"{percent(lost)} of the mesh's surface lies inside the solid or is there twice: dropped.{twice}")
    return tuple(said)


def measure_shares(mesh: Mesh, given: RawSurface, surface: RawSurface) -> tuple[float, float, float]:
    """Shares: of the area, what lies in its source triangle, and what is made; of that of the given, what is lost."""
    area = areas(surface.vertices, surface.triangles)
    total, before = float(area.sum()), float(areas(given.vertices, given.triangles).sum())
    there = products(surface.weight, mesh.vertices.take(mesh.triangles[surface.source], axis=0))
    there -= surface.vertices.take(surface.triangles, axis=0)
    off = dot(there, there)
    farthest = np.maximum(np.maximum(off[:, 0], off[:, 1]), off[:, 2])
    low, high = bounds(surface.vertices)
    made = (surface.made == Made.CAP) | (surface.made == Made.RIM)
    near = EXACT * float(norm(high - low))
    exact = (farthest <= near * near) & ~made
    kept = float(area[(surface.made == Made.OWN) | (surface.made == Made.REMESHED)].sum())
    lost = max(1.0 - kept / before, 0.0)
    return float(area[exact].sum()) / total, float(area[made].sum()) / total, lost if lost > _ROUND_OFF else 0.0
