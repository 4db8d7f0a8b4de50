"""What each point, corner and face of the fragments gets from the source, for all fragments at once."""

from dataclasses import dataclass

import numpy as np

from ...core.cells import packed
from ...core.cells.corners import triangle_edge
from ...core.cells.edges import Edges
from ...core.cells.inner_uv import face_normals, inner_coordinates, texel_density, triangle_areas
from ...core.cells.spread import Spots, mixed_turns, nearest_source, outer_spots, spread
from ...core.types import Body, Fragments
from .attributes import TYPES, Layer
from .source import SourceAttributes

#: Triangles whose texel density is looked at, about.
SAMPLE = 50_000


@dataclass(frozen=True, eq=False, slots=True)
class Places:
    """Where the parts of packed fragments lie on the source."""

    row: np.ndarray  #: (F,) row of the source's triangle table, -1 on inner faces
    turned: np.ndarray  #: (F,) faces of triangles that were inside out in the source
    outer: np.ndarray  #: (Fo,) faces with a row
    normal: np.ndarray  #: (F,3) unit normals
    corners: Spots  #: corners of outer faces
    points: Spots  #: vertices of outer faces


def places(fragments: Fragments, body: Body) -> Places:
    """Find the place on the source of everything that was on its surface."""
    triangle = fragments.face_triangle
    outer = np.flatnonzero(triangle >= 0)
    row = np.full(len(triangle), -1, np.int64)
    row[outer] = body.source[triangle[outer]]
    turned = np.zeros(len(triangle), bool)
    if len(body.turned):
        turned[outer] = body.turned[triangle[outer]]
    return Places(row, turned, outer, face_normals(fragments), *outer_spots(fragments, row, turned))


def carried(layer: Layer, fragments: Fragments, place: Places, source: SourceAttributes) -> np.ndarray:
    """(n,d) values of a POINT, CORNER or FACE layer for all fragments, of the type that Blender takes fastest."""
    counts = {"POINT": len(fragments.vertices), "CORNER": len(fragments.corner_vertex), "FACE": len(place.row)}
    result = np.full((counts[layer.domain], layer.values.shape[1]), layer.fill, TYPES[layer.data_type][2])
    if layer.domain == "FACE":
        result[place.outer] = layer.values[source.triangle_polygon[place.row[place.outer]]]
        return result
    point = layer.domain == "POINT"
    table, spots = (source.triangle_vertex, place.points) if point else (source.triangle_loop, place.corners)
    if layer.data_type == "QUATERNION":
        result[spots.target] = mixed_turns(layer.values, table, spots, fragments.corner_weight)
    elif layer.mixes:
        spread(layer.values, table, spots, fragments.corner_weight, result)
    else:
        result[spots.target] = layer.values[nearest_source(table, spots, fragments.corner_weight)]
    return result


def carried_normals(fragments: Fragments, place: Places, source: SourceAttributes) -> np.ndarray:
    """(N,3) unit normals, float32: the source's corner normals on outer faces, the face's own on inner ones."""
    result = np.zeros((len(fragments.corner_vertex), 3), np.float32)
    spread(source.normal, source.triangle_loop, place.corners, fragments.corner_weight, result)
    if place.turned.any():
        result[place.corners.corner[place.corners.turned]] *= -1.0
    length = np.sqrt(np.einsum("ij,ij->i", result, result))
    # Inside there is nothing to carry; opposite normals of a crease may leave nothing in the middle between them.
    own = np.flatnonzero(length < 1e-6)
    length[own] = 1.0
    result /= length[:, None]
    face = np.searchsorted(fragments.corner_start, own, side="right") - 1
    result[own] = place.normal[face]
    return result


def carried_edges(
    layers: tuple[Layer, ...], fragments: Fragments, place: Places, source: SourceAttributes, edges: Edges
) -> list[tuple[Layer, np.ndarray]]:
    """(E,d) values of EDGE layers (sharp, seam, crease, ...) where an edge of a fragment lies on one of the source."""
    if not layers:
        return []
    corner, weight = place.corners.corner, fragments.corner_weight
    side = triangle_edge(weight[corner], weight[packed.following(fragments.corner_start)[corner]])
    # A turned triangle runs 0, 2, 1: its sides are the source's 2, 1, 0.
    side = np.where((side >= 0) & place.corners.turned, 2 - side, side)
    edge = np.where(side < 0, -1, source.triangle_edge[place.corners.row, side])
    corner, edge = corner[edge >= 0], edge[edge >= 0]
    first = np.repeat(edges.start[:-1], np.diff(fragments.corner_start[fragments.face_start]))
    at = (edges.corner + first)[corner]
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
    spread(values, source.triangle_vertex, place.points, fragments.corner_weight, result)
    return result[:, 0]


def with_inner_uv(
    values: np.ndarray, layer: Layer, corner: np.ndarray, metres: np.ndarray, body: Body, source: SourceAttributes
) -> np.ndarray:
    """Fill the inner corners `corner (n,)` of a carried UV layer: `metres (n,2)` times its median texel density."""
    # Of a sample, for large meshes: an odd step takes no two halves of quads alike.
    looked_at = slice(None, None, len(body.triangles) // SAMPLE // 2 * 2 + 1)
    loop = source.triangle_loop[body.source[looked_at]]
    area = triangle_areas(body.vertices[body.triangles[looked_at]])
    values[corner] = metres * texel_density(area, triangle_areas(layer.values[loop].astype(np.float64)))
    return values


def inner_metres(fragments: Fragments, place: Places) -> tuple[np.ndarray, np.ndarray]:
    """Corners (n,) of inner faces, and their coordinates (n,2) in metres there."""
    coordinates = inner_coordinates(fragments, place.normal)
    corner = np.flatnonzero(np.repeat(place.row < 0, np.diff(fragments.corner_start)))
    return corner, coordinates[corner]


def rest_positions(fragments: Fragments, source: SourceAttributes) -> np.ndarray:
    """(V,3) positions before the break in the source object's own coordinates."""
    return _mapped(fragments, source.rest.position)


def generated_positions(fragments: Fragments, place: Places, source: SourceAttributes) -> np.ndarray:
    """(V,3) generated coordinates of the source: 0..1 in its mesh's texture space."""
    result = _mapped(fragments, source.rest.generated)
    if source.rest.points is not None:
        spread(source.rest.points, source.triangle_vertex, place.points, fragments.corner_weight, result)
    return result


def _mapped(fragments: Fragments, affine: np.ndarray) -> np.ndarray:
    """(V,3) positions before the break through an affine map (4,3), float32."""
    centre = np.einsum("kj,ji->ki", fragments.centre, affine[:3]) + affine[3]
    result = np.einsum("nj,ji->ni", fragments.vertices, affine[:3])
    result += centre[packed.owners(fragments.vertex_start)]
    return result.astype(np.float32)
