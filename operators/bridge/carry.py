"""What each point, corner and face of the fragments gets from the source, for all fragments at once."""

from dataclasses import dataclass

import numpy as np

from ...core.cells import packed
from ...core.cells.corners import blend, nearest_row, normalized, triangle_edge
from ...core.cells.inner_uv import face_normals, inner_coordinates, texel_density, triangle_areas
from ...core.geometry.intake import source_corners
from ...core.types import Body, Fragments
from .attributes import TYPES, Layer
from .source import SourceAttributes


@dataclass(frozen=True, eq=False, slots=True)
class Places:
    """Where the parts of packed fragments lie on the source: rows of its triangle table and weights of its corners."""

    corner: np.ndarray  #: (No,) corners of outer faces
    corner_row: np.ndarray  #: (No,)
    corner_weight: np.ndarray  #: (No,3)
    corner_turned: np.ndarray  #: (No,) corners of triangles that were inside out in the source
    vertex: np.ndarray  #: (Vo,) vertices that lie on the source's surface
    vertex_row: np.ndarray  #: (Vo,)
    vertex_weight: np.ndarray  #: (Vo,3)
    face: np.ndarray  #: (Fo,) outer faces
    face_row: np.ndarray  #: (Fo,)
    edge_corner: np.ndarray  #: (E,) corners whose edge to the next corner lies on an edge of the source mesh
    edge: np.ndarray  #: (E,) that edge


def places(fragments: Fragments, body: Body, source: SourceAttributes) -> Places:
    """Find the place on the source of everything that was on its surface."""
    face = np.flatnonzero(fragments.face_triangle >= 0)
    face_row = body.source[fragments.face_triangle[face]]
    corner_face = packed.owners(fragments.corner_start)
    row = np.full(len(fragments.face_triangle), -1, np.int64)
    row[face] = face_row
    corner = np.flatnonzero(row[corner_face] >= 0)
    corner_row = row[corner_face[corner]]
    # Turned triangles have their corners in another order than their source.
    order = source_corners(body)[fragments.face_triangle[corner_face]]
    source_weight = np.take_along_axis(fragments.corner_weight, order, axis=1)
    weight = source_weight[corner]
    turned = order[corner, 1] == 2
    fragment = packed.owners(fragments.face_start)[corner_face[corner]]
    of_vertex = np.full(int(fragments.vertex_start[-1]), -1, np.int64)
    # Backwards, so that the first corner of a vertex wins.
    of_vertex[(fragments.corner_vertex[corner] + fragments.vertex_start[fragment])[::-1]] = np.arange(len(corner))[::-1]
    vertex = np.flatnonzero(of_vertex >= 0)
    chosen = of_vertex[vertex]
    next_weight = source_weight[packed.following(fragments.corner_start)[corner]]
    side = triangle_edge(weight, next_weight)
    edge = np.where(side < 0, -1, source.triangle_edge[corner_row, side])
    on_edge = np.flatnonzero(edge >= 0)
    return Places(
        corner,
        corner_row,
        weight,
        turned,
        vertex,
        corner_row[chosen],
        weight[chosen],
        face,
        face_row,
        corner[on_edge],
        edge[on_edge],
    )


def carried(layer: Layer, fragments: Fragments, place: Places, source: SourceAttributes) -> np.ndarray:
    """(n,d) values of a POINT, CORNER or FACE layer for all fragments, of the type that Blender takes fastest."""
    kind = TYPES[layer.data_type][2]
    if layer.domain == "FACE":
        index = place.face
        count = len(fragments.face_triangle)
        values = layer.values[source.triangle_polygon[place.face_row]]
    else:
        point = layer.domain == "POINT"
        index = place.vertex if point else place.corner
        row, weight = (place.vertex_row, place.vertex_weight) if point else (place.corner_row, place.corner_weight)
        count = len(fragments.vertices) if point else len(fragments.corner_vertex)
        table = (source.triangle_vertex if point else source.triangle_loop)[row]
        values = blend(layer.values, table, weight) if layer.mixes else layer.values[nearest_row(table, weight)]
    result = np.full((count, layer.values.shape[1]), layer.fill, kind)
    result[index] = values
    return result


def carried_normals(fragments: Fragments, place: Places, source: SourceAttributes) -> np.ndarray:
    """(N,3) unit normals: the source's corner normals on outer faces, the face's own on inner ones."""
    result = face_normals(fragments)[packed.owners(fragments.corner_start)]
    outer = normalized(blend(source.normal, source.triangle_loop[place.corner_row], place.corner_weight))
    outer[place.corner_turned] *= -1.0
    usable = np.any(outer != 0.0, axis=1)
    result[place.corner[usable]] = outer[usable]
    return result


def with_inner_uv(
    values: np.ndarray,
    layer: Layer,
    fragments: Fragments,
    inner: np.ndarray,
    source: SourceAttributes,
    area: np.ndarray,
) -> np.ndarray:
    """Fill the inner corners of a carried UV layer: `inner (N,2)` in metres, at the layer's median texel density."""
    corner = np.flatnonzero(fragments.face_bond[packed.owners(fragments.corner_start)] >= 0)
    uv_area = triangle_areas(layer.values[source.triangle_loop])
    values[corner] = inner[corner] * texel_density(area, uv_area)
    return values


def inner_metres(fragments: Fragments) -> np.ndarray:
    """(N,2) coordinates in metres on inner faces."""
    return inner_coordinates(fragments, face_normals(fragments))


def source_areas(body: Body, source: SourceAttributes) -> np.ndarray:
    """(T,) areas of the source's triangles [m^2], 0 for those that the body does not have."""
    area = np.zeros(len(source.triangle_loop))
    area[body.source] = triangle_areas(body.vertices[body.triangles])
    return area


def rest_positions(fragments: Fragments, source: SourceAttributes) -> np.ndarray:
    """(V,3) positions before the break in the source object's own coordinates."""
    body = fragments.vertices + fragments.centre[packed.owners(fragments.vertex_start)]
    inverse = np.linalg.inv(source.matrix * source.unit_scale)
    return np.einsum("ij,nj->ni", inverse, body)
