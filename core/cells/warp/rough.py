"""The wrapper around the planar cutter: space is bent, cut flat, and bent back.

Outer faces lie on the artist's triangles exactly, by barycentric coordinates. Inner faces are the flat facets, cut into
small triangles once for both sides and carried by the bend, so mates share bits.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...errors import CutError
from ...geometry.mesh import cross
from ...geometry.mesh import volume as volume_of
from ...types import Body, Cells, Floats, Ints, Partition
from .. import packed
from ..checks import SLIVER, VOLUME_TOLERANCE
from ..complex import Complex, as_complex
from ..components import Sides
from ..crumbs import units_of_cells
from ..cut import cut
from ..moments import cell_moments
from ..retry import Hopeless
from .bend import Bend, bent, folding
from .boundary import bond_boundary, subdivided
from .closing import unbalanced_edges
from .facets import facet_meshes
from .outer import joined_outer
from .refine import Refined, refined
from .rim import settled


class Grain(NamedTuple):
    """How finely the bend is followed."""

    tolerance: float  #: [m] between the triangles that are cut and their true images
    spacing: float  #: [m] of the points of inner faces
    everywhere: float = np.inf  #: [m] tolerance away from the cuts too


class Folded(Hopeless):
    """Space is turned inside out somewhere: the field is too rough for its wavelength."""


def _refined(body: Body, bend: Bend, cx: Complex, grain: Grain) -> Refined:
    return refined(body, bend, cx, grain.tolerance, grain.everywhere)


def rough_cut(
    body: Body,
    partition: Partition,
    bend: Bend,
    grain: Grain,
    flat_cut: Callable[[Body, Partition], Cells] = cut,
    refine: Callable[[Body, Bend, Complex, Grain], Refined] = _refined,
) -> Cells:
    """Cut a closed body into cells with a partition of flat space.

    Outer faces are whole polygons of the body's triangles, one for each triangle and cell where they have no holes;
    `outer_triangle` and `outer_weight` are the body's. Inner faces are triangles. Areas of bonds are seen along their
    mean normals. Mass properties are those of the rough cells. `flat_cut` cuts in flat space; `refine` finds the flat
    places of the body's triangles and makes them small.
    Raises Folded, or CutError where a self-check fails.
    """
    fine = refine(body, bend, as_complex(partition), grain)
    flat = flat_cut(Body(fine.flat, fine.triangles, np.arange(len(fine.triangles))), partition)
    flat = joined_outer(flat, fine.source, fine.weight)
    boundary = bond_boundary(flat)
    place, real, weight = settled(flat, boundary, body, bend, grain.tolerance)
    boundary, struts = subdivided(boundary, place, grain.spacing)
    place = np.concatenate([place, struts])
    mesh = facet_meshes(
        boundary.start, boundary.vertex, boundary.bond, boundary.side, place, flat.bond_normal, grain.spacing
    )
    inside = np.concatenate([struts, mesh.interior])
    if folding(bend, inside):
        raise Folded("Broken faces as rough as that would pass through each other.")
    real = np.concatenate([real, bent(bend, inside)])
    bond = packed.owners(mesh.triangle_start)
    cells = _finished(replace(flat, outer_weight=weight), partition, bend, real, mesh.triangles, bond)
    _check(cells, body)
    return cells


def _check(cells: Cells, body: Body) -> None:
    """Raise CutError unless all cells are closed and their volumes sum to the body's."""
    whole = volume_of(body.vertices, body.triangles)
    if unbalanced_edges(cells):
        raise CutError("Rough cells are not closed.")
    if not abs(float(cells.volume.sum()) - whole) <= VOLUME_TOLERANCE * whole:
        raise CutError("The volumes of rough cells do not sum to that of the mesh.")


def _finished(flat: Cells, partition: Partition, bend: Bend, real: Floats, triangles: Ints, bond: Ints) -> Cells:
    """The cells with all that is measured on their real shape."""
    cell = np.concatenate([flat.outer_cell, flat.bond_cells[bond, 0], flat.bond_cells[bond, 1]])
    sides = Sides(
        start=flat.outer_start,
        vertex=flat.outer_vertex,
        region=flat.outer_cell,
        loop_start=3 * np.arange(len(triangles) + 1),
        loop_vertex=triangles.reshape(-1),
        loop_region=cell[len(flat.outer_cell) :],
        home=np.zeros(0, np.int64),
        whole=0,
    )
    volume, centroid, second, skin = cell_moments(sides, cell, real, len(flat.volume))
    area, normal, middle = _bond_measures(flat, real, triangles, bond)
    unit, crumb = units_of_cells(flat.bond_cells, area, volume, skin, partition.group[flat.region])
    alone = np.bincount(flat.region, minlength=len(partition.site))[flat.region] == 1
    return replace(
        flat,
        vertices=real,
        inner_start=sides.loop_start,
        inner_vertex=sides.loop_vertex,
        inner_bond=bond,
        bond_area=area,
        bond_normal=normal,
        bond_centroid=middle,
        volume=volume,
        centroid=centroid,
        second_moment=second,
        site=np.where(alone[:, None], bent(bend, flat.site), centroid),
        unit=unit,
        crumb=crumb,
    )


def _bond_measures(flat: Cells, real: Floats, triangles: Ints, bond: Ints) -> tuple[Floats, Floats, Floats]:
    """Area of each bond as seen along its mean normal (its vector area), this normal, and the centroid of its faces.

    A bond without area keeps the normal of its facet.
    """
    count = len(flat.bond_cells)
    a, b, c = (real[triangles[:, k]] for k in range(3))
    vector = 0.5 * cross(b - a, c - a)
    total = np.stack([np.bincount(bond, vector[:, k], count) for k in range(3)], axis=1)
    area = np.sqrt((total**2).sum(axis=1))
    weight = np.sqrt((vector**2).sum(axis=1)) + np.finfo(np.float64).tiny
    middle = (a + b + c) * (weight / 3.0)[:, None]
    whole = np.maximum(np.bincount(bond, weight, count), np.finfo(np.float64).tiny)
    centroid = np.stack([np.bincount(bond, middle[:, k], count) for k in range(3)], axis=1) / whole[:, None]
    reach = float((np.ptp(real, axis=0) ** 2).sum())
    seen = area > SLIVER * reach
    normal = np.where(seen[:, None], total / np.where(seen, area, 1.0)[:, None], flat.bond_normal)
    return np.maximum(area, 1e-30 * reach), normal, centroid
