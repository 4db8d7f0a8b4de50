"""What each point, corner and face of the fragments gets from the source, for all fragments at once."""

from dataclasses import dataclass

import numpy as np

from ...core.cells import packed
from ...core.cells.corners import triangle_edge
from ...core.cells.edges import Edges
from ...core.cells.inner_uv import face_normals, inner_coordinates, texel_density, triangle_areas
from ...core.cells.spread import corner_points, nearest_source, spread
from ...core.types import Body, Fragments
from .attributes import TYPES, Layer
from .source import SourceAttributes


@dataclass(frozen=True, eq=False, slots=True)
class Places:
    """Where the faces of packed fragments lie on the source, and which point each corner is."""

    row: np.ndarray  #: (F,) row of the source's triangle table, -1 on inner faces
    turned: np.ndarray  #: (F,) faces of triangles that were inside out in the source
    outer: np.ndarray  #: (Fo,) faces with a row
    inner: np.ndarray  #: (Fi,) the others
    corner: np.ndarray  #: (N,) 0, 1, 2, ...
    point: np.ndarray  #: (N,) packed vertex of each corner


def places(fragments: Fragments, body: Body) -> Places:
    """Find the place on the source of everything that was on its surface."""
    triangle = fragments.face_triangle
    outer = np.flatnonzero(triangle >= 0)
    row = np.full(len(triangle), -1, np.int64)
    row[outer] = body.source[triangle[outer]]
    turned = np.zeros(len(triangle), bool)
    if len(body.turned):
        turned[outer] = body.turned[triangle[outer]]
    corner = np.arange(len(fragments.corner_vertex))
    return Places(row, turned, outer, np.flatnonzero(triangle < 0), corner, corner_points(fragments))


def carried(layer: Layer, fragments: Fragments, place: Places, source: SourceAttributes) -> np.ndarray:
    """(n,d) values of a POINT, CORNER or FACE layer for all fragments, of the type that Blender takes fastest."""
    counts = {"POINT": len(fragments.vertices), "CORNER": len(place.corner), "FACE": len(place.row)}
    result = np.full((counts[layer.domain], layer.values.shape[1]), layer.fill, TYPES[layer.data_type][2])
    if layer.domain == "FACE":
        result[place.outer] = layer.values[source.triangle_polygon[place.row[place.outer]]]
        return result
    point = layer.domain == "POINT"
    table = source.triangle_vertex if point else source.triangle_loop
    target = place.point if point else place.corner
    if layer.mixes:
        spread(layer.values, table, place.row, place.turned, fragments, target, result)
    else:
        nearest = nearest_source(table, place.row, place.turned, fragments, target, len(result))
        known = nearest >= 0
        result[known] = layer.values[nearest[known]]
    return result


def carried_normals(fragments: Fragments, place: Places, source: SourceAttributes) -> np.ndarray:
    """(N,3) unit normals, float32: the source's corner normals on outer faces, the face's own on inner ones."""
    result = np.zeros((len(place.corner), 3), np.float32)
    spread(source.normal, source.triangle_loop, place.row, place.turned, fragments, place.corner, result)
    length = np.sqrt(np.einsum("ij,ij->i", result, result))
    face = packed.owners(fragments.corner_start)
    # Inside there is nothing to carry; opposite normals of a crease may leave nothing in the middle between them.
    own = np.flatnonzero(length < 1e-6)
    length[own] = 1.0
    result /= length[:, None]
    if place.turned.any():
        result[place.turned[face]] *= -1.0
    faces, which = np.unique(face[own], return_inverse=True)
    result[own] = face_normals(fragments, faces)[which]
    return result


def carried_edges(
    layers: tuple[Layer, ...], fragments: Fragments, place: Places, source: SourceAttributes, edges: Edges
) -> list[tuple[Layer, np.ndarray]]:
    """(E,d) values of EDGE layers (sharp, seam, crease, ...) where an edge of a fragment lies on one of the source."""
    if not layers:
        return []
    face = packed.owners(fragments.corner_start)
    corner = np.flatnonzero(place.row[face] >= 0)
    weight = fragments.corner_weight
    side = triangle_edge(weight[corner], weight[packed.following(fragments.corner_start)[corner]])
    # A turned triangle runs 0, 2, 1: its sides are the source's 2, 1, 0.
    side = np.where((side >= 0) & place.turned[face[corner]], 2 - side, side)
    edge = np.where(side < 0, -1, source.triangle_edge[place.row[face[corner]], side])
    corner, edge = corner[edge >= 0], edge[edge >= 0]
    at = edges.corner[corner] + edges.start[packed.owners(fragments.face_start)[face[corner]]]
    result = []
    for layer in layers:
        values = np.full((len(edges.vertices), layer.values.shape[1]), layer.fill, TYPES[layer.data_type][2])
        values[at] = layer.values[edge]
        result.append((layer, values))
    return result


def carried_weights(
    vertex: np.ndarray, weight: np.ndarray, fragments: Fragments, place: Places, source: SourceAttributes
) -> np.ndarray:
    """(V,) weights of all points in a vertex group that gives `weight (n,)` to the source's points `vertex (n,)`."""
    count = int(source.triangle_vertex.max()) + 1
    values = np.zeros((count, 1), np.float32)
    known = vertex < count
    values[vertex[known], 0] = weight[known]
    result = np.zeros((len(fragments.vertices), 1), np.float32)
    spread(values, source.triangle_vertex, place.row, place.turned, fragments, place.point, result)
    return result[:, 0]


def with_inner_uv(
    values: np.ndarray,
    layer: Layer,
    inner_corner: np.ndarray,
    metres: np.ndarray,
    source: SourceAttributes,
    area: np.ndarray,
) -> np.ndarray:
    """Fill the inner corners of a carried UV layer: `metres (N,2)` times the layer's median texel density."""
    uv_area = triangle_areas(layer.values.astype(np.float64)[source.triangle_loop])
    values[inner_corner] = metres[inner_corner] * texel_density(area, uv_area)
    return values


def inner_metres(fragments: Fragments, place: Places) -> np.ndarray:
    """(N,2) coordinates in metres on inner faces."""
    normal = np.zeros((len(place.row), 3))
    normal[place.inner] = face_normals(fragments, place.inner)
    return inner_coordinates(fragments, normal)


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
