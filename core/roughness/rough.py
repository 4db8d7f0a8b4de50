"""The wrapper around the planar cutter: space is bent, cut flat, and bent back.

Outer faces lie on the artist's triangles exactly, by barycentric coordinates. Inner faces are the flat facets, cut into
small triangles once for both sides and carried by the bend, so mates share bits.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..cutting.checks import VOLUME_TOLERANCE
from ..cutting.complex import Complex, as_complex
from ..cutting.crumbs import region_sites, region_units
from ..cutting.cut import divide
from ..cutting.prepared import Prepared, with_edges
from ..cutting.retry import Hopeless
from ..errors import CutError
from ..geometry import packed
from ..geometry.corner_values import EDGE_ROUND_OFF
from ..geometry.mesh import diagonal
from ..geometry.mesh import volume as volume_of
from ..types import Body, Cells, Floats, Partition
from .bend import Bend, bent, bent_checked, flattened
from .boundary import bond_boundary, subdivided, with_rim_points
from .closing import count_unbalanced_edges
from .facets import FacetMeshes, facet_meshes
from .measures import measure_rough_cells
from .outer import joined_outer
from .refine import Refined, refined
from .rim import project_rim

#: Cuts a closed body of which something may be known. Areas and centroids of bonds, and units are not read.
FlatCut = Callable[[Body, Partition, Prepared | None], Cells]


class Grain(NamedTuple):
    """How finely the bend is followed."""

    tolerance: float  #: [m] between the triangles that are cut and their true images
    spacing: float  #: [m] of the points of inner faces
    everywhere: float = np.inf  #: [m] tolerance away from the cuts too
    rim: float = np.inf  #: [m] largest distance of points on the rim
    #: Where partition edges meet the body the tolerance is this share: what is smaller than the deviation might
    #: turn around when it is set right.
    at_partition_edges: float = 0.125


#: Flat places of a body's triangles, which are made small enough for the grain.
Refine = Callable[[Body, Bend, Complex, Grain], Refined]


class Folded(Hopeless):
    """Space is turned inside out somewhere: the field is too rough for its wavelength."""


def _refined(body: Body, bend: Bend, cx: Complex, grain: Grain) -> Refined:
    return refined(body, bend, cx, grain.tolerance, grain.everywhere, at_partition_edges=grain.at_partition_edges)


def rough_cut(
    body: Body,
    partition: Partition,
    bend: Bend,
    grain: Grain,
    flat_cut: FlatCut = divide,
    refine: Refine = _refined,
) -> Cells:
    """Cut a closed body into cells with a partition of flat space.

    Outer faces are whole polygons of the body's triangles, one for each triangle and cell where they have no holes;
    `outer_triangle` and `outer_weight` are the body's. Inner faces are triangles. Areas of bonds are seen along their
    mean normals. Mass properties are those of the rough cells. `flat_cut` cuts in flat space; `refine` finds the flat
    places of the body's triangles and makes them small.
    Raises Folded, or CutError where a self-check fails. Faces may still pierce each other in a few places where facets
    come nearer to each other than triangles stay to the warped ones, see `piercing.py`.
    """
    flat = _flat_cells(body, partition, bend, grain, flat_cut, refine)
    flat, boundary = with_rim_points(flat, bond_boundary(flat), grain.rim)
    place, real, weight = project_rim(flat, boundary, body, bend, grain.tolerance)
    boundary, partition_edges = subdivided(boundary, place, grain.spacing)
    place = np.concatenate([place, partition_edges])
    mesh = facet_meshes(
        boundary.start, boundary.vertex, boundary.bond, boundary.side, place, flat.bond_normal, grain.spacing
    )
    inside, folded = bent_checked(bend, np.concatenate([partition_edges, mesh.interior]))
    if folded:
        raise Folded("Broken faces as rough as that would pass through each other.")
    cells = replace(flat, outer_weight=weight)
    cells = _finished(cells, partition, bend, np.concatenate([real, inside]), mesh, body)
    _check(cells, body)
    return cells


def _flat_cells(body: Body, partition: Partition, bend: Bend, grain: Grain, flat_cut: FlatCut, refine: Refine) -> Cells:
    """The cells in flat space, with outer faces in the triangles of the body."""
    if bend.chart is None and bend.reach <= min(grain.tolerance, grain.everywhere):
        return _on_edges(flat_cut(replace(body, vertices=flattened(bend, body.vertices)), partition, None))
    fine = refine(body, bend, as_complex(partition), grain)
    flat = Body(fine.flat, fine.triangles, np.arange(len(fine.triangles)))
    cells = flat_cut(flat, partition, _known(fine, flat))
    return _on_edges(joined_outer(cells, fine.source, fine.weight))


def _known(fine: Refined, flat: Body) -> Prepared | None:
    """What is known of the flat refined body; None where nothing was refined."""
    if fine.edges is None or fine.triangle_edge is None or fine.open_edges is None:
        return None
    return with_edges(flat, fine.triangle_edge, len(fine.edges), fine.open_edges, fine.region)


def _on_edges(cells: Cells) -> Cells:
    """Cells whose corners on edges of the body are exactly there: the second method leaves round-off beside them."""
    weight = np.where(cells.outer_weight < EDGE_ROUND_OFF, 0.0, cells.outer_weight)
    return replace(cells, outer_weight=weight / (weight[:, 0] + weight[:, 1] + weight[:, 2])[:, None])


def _check(cells: Cells, body: Body) -> None:
    """Raise CutError unless all cells are closed and their volumes sum to the body's."""
    whole = volume_of(body.vertices, body.triangles)
    if count_unbalanced_edges(cells):
        raise CutError("Rough cells are not closed.")
    if not abs(float(cells.volume.sum()) - whole) <= VOLUME_TOLERANCE * whole:
        raise CutError("The volumes of rough cells do not sum to that of the mesh.")


def _finished(flat: Cells, partition: Partition, bend: Bend, real: Floats, mesh: FacetMeshes, body: Body) -> Cells:
    """The cells with all that is measured on their real shape."""
    size = diagonal(body.vertices)
    masses, (area, normal, middle) = measure_rough_cells(flat, real, mesh.triangles, mesh.triangle_start, size * size)
    volume, centroid, second, skin = masses
    unit, crumb = region_units(partition, flat.region, flat.bond_cells, area, volume, skin)
    return replace(
        flat,
        vertices=real,
        inner_start=3 * np.arange(len(mesh.triangles) + 1),
        inner_vertex=mesh.triangles.reshape(-1),
        inner_bond=packed.owners(mesh.triangle_start),
        bond_area=area,
        bond_normal=normal,
        bond_centroid=middle,
        volume=volume,
        centroid=centroid,
        second_moment=second,
        site=region_sites(bent(bend, flat.site), flat.region, centroid),
        unit=unit,
        crumb=crumb,
    )
