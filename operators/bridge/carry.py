"""What each point, corner and face of the fragments gets from the source, for all fragments at once."""

from dataclasses import dataclass

import numpy as np

from ...core.arithmetic.products import apply, multiply, norm
from ...core.fragments.edges import FragmentEdges
from ...core.fragments.inner_uv import (
    broken_normals,
    cap_normals,
    face_normals,
    planar_coordinates,
    texel_density,
    triangle_areas,
)
from ...core.fragments.joined import own_triangles
from ...core.fragments.spread import (
    Spots,
    against_source,
    corner_triangles,
    following_weights,
    mixed_turns,
    nearest_source,
    outer_spots,
    source_weights,
    spread_values,
)
from ...core.geometry import packed
from ...core.geometry.corner_values import triangle_edge
from ...core.types import Body, Fragments, Made
from .attributes import TYPES, Layer
from .source import SourceAttributes

#: Triangles whose texel density is looked at, about. By time.
SAMPLE = 50_000
#: What `Places.made` says of inner faces, which are of no triangle of the body.
INSIDE = -1


@dataclass(frozen=True, eq=False, slots=True)
class Places:
    """Where the parts of packed fragments lie on the source."""

    made: np.ndarray  #: (F,) a `Made`, INSIDE on inner faces
    row: np.ndarray  #: (F,) row of the source's triangle table, -1 on what was not there: inner faces and caps
    outer: np.ndarray  #: (Fo,) faces with a row
    against: np.ndarray  #: (F,) faces that look to the other side than their source triangle
    normal: np.ndarray  #: (F,3) unit normals
    weight: np.ndarray  #: (N,3) barycentric coordinates of each corner in its source triangle
    corners: Spots  #: corners of outer faces
    points: Spots  #: vertices of outer faces


def places(fragments: Fragments, body: Body) -> Places:
    """Find the place on the source of everything that was on its surface."""
    skin = np.flatnonzero(fragments.face_triangle >= 0)
    triangle = fragments.face_triangle[skin]
    made = np.full(len(fragments.face_triangle), INSIDE)
    made[skin] = body.made[triangle] if len(body.made) else Made.OWN
    row, against = np.full(len(made), -1), np.zeros(len(made), bool)
    row[skin] = body.source[triangle]
    row[made == Made.CAP] = -1
    against[skin] = against_source(body)[triangle]
    weight = source_weights(fragments, body)
    outer = np.flatnonzero(row >= 0)
    corner_row = np.where(corners_of(row >= 0, fragments), body.source[corner_triangles(fragments)], -1)
    return Places(made, row, outer, against, face_normals(fragments), weight, *outer_spots(fragments, corner_row))


def corners_of(faces: np.ndarray, fragments: Fragments) -> np.ndarray:
    """(N,) the corners of the chosen faces (F,), both as flags."""
    return np.repeat(faces, np.diff(fragments.corner_start))


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
        result[spots.target] = mixed_turns(layer.values, table, spots, place.weight)
    elif layer.mixes:
        spread_values(layer.values, table, spots, place.weight, result)
    else:
        result[spots.target] = layer.values[nearest_source(table, spots, place.weight)]
    return result


def carried_normals(fragments: Fragments, place: Places, source: SourceAttributes) -> np.ndarray:
    """(N,3) unit normals, float32: the source's corner normals, the face's own inside, on caps and on rims."""
    result = np.zeros((len(fragments.corner_vertex), 3), np.float32)
    spread_values(source.normal, source.triangle_loop, place.corners, place.weight, result)
    if place.against.any():
        result[corners_of(place.against, fragments)] *= -1.0
    if (place.made == Made.RIM).any():
        result[corners_of(place.made == Made.RIM, fragments)] = 0.0
    length = norm(result)
    # There may be nothing to carry; opposite normals of a crease may leave nothing in the middle between them.
    own = np.flatnonzero(length < 1e-6)
    length[own] = 1.0
    result /= length[:, None]
    face = np.searchsorted(fragments.corner_start, own, side="right") - 1
    result[own] = place.normal[face]
    return result


def carried_edges(
    layers: tuple[Layer, ...],
    fragments: Fragments,
    place: Places,
    body: Body,
    source: SourceAttributes,
    edges: FragmentEdges,
) -> list[tuple[Layer, np.ndarray]]:
    """(E,d) values of EDGE layers (sharp, seam, crease, ...) where an edge of a fragment lies on one of the source."""
    if not layers:
        return []
    corner, end = place.corners.corner, following_weights(fragments, body, place.weight)
    side = triangle_edge(place.weight[corner], end[corner])
    # A rim lies on an edge of the source with its diagonals too; what it shares with the two sides, these tell.
    known = (side >= 0) & ~corners_of(place.made == Made.RIM, fragments)[corner]
    edge = np.where(known, source.triangle_edge[place.corners.row, side], -1)
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
    spread_values(values, source.triangle_vertex, place.points, place.weight, result)
    return result[:, 0]


def with_planar_uv(
    values: np.ndarray, layer: Layer, corner: np.ndarray, metres: np.ndarray, body: Body, source: SourceAttributes
) -> np.ndarray:
    """Fill the corners `corner (n,)` of a carried UV layer: `metres (n,2)` times its median texel density."""
    # Of a sample, for large meshes: an odd step takes no two halves of quads alike.
    own = own_triangles(body)
    looked_at = np.arange(0, own, own // SAMPLE // 2 * 2 + 1)
    if len(body.made):
        looked_at = looked_at[~np.isin(body.made[looked_at], (Made.RIM, Made.CAP, Made.BROKEN))]
    area = triangle_areas(body.vertices[body.triangles[looked_at]])
    texture = layer.values[source.triangle_loop[body.source[looked_at]]].astype(np.float64)
    if len(body.weight):
        texture = multiply(body.weight[looked_at], texture)
    values[corner] = metres * texel_density(area, triangle_areas(texture))
    return values


def planar_metres(fragments: Fragments, place: Places, body: Body) -> tuple[np.ndarray, np.ndarray]:
    """Corners (n,) of inner faces and caps, and their coordinates (n,2) in metres there."""
    face = np.flatnonzero(place.row < 0)
    normal = broken_normals(fragments, face, place.normal[face])
    cap = np.flatnonzero(place.made[face] == Made.CAP)
    if len(cap):
        normal[cap] = cap_normals(body)[fragments.face_triangle[face[cap]]]
    corner = np.flatnonzero(corners_of(place.row < 0, fragments))
    return corner, planar_coordinates(fragments, face, normal)[corner]


def rest_positions(fragments: Fragments, source: SourceAttributes) -> np.ndarray:
    """(V,3) positions before the break in the source object's own coordinates."""
    return _mapped(fragments, source.rest.position)


def generated_positions(fragments: Fragments, place: Places, source: SourceAttributes) -> np.ndarray:
    """(V,3) generated coordinates of the source: 0..1 in its mesh's texture space."""
    result = _mapped(fragments, source.rest.generated)
    if source.rest.points is not None:
        spread_values(source.rest.points, source.triangle_vertex, place.points, place.weight, result)
    return result


def _mapped(fragments: Fragments, affine: np.ndarray) -> np.ndarray:
    """(V,3) positions before the break through an affine map (4,3), float32."""
    centre = apply(affine[:3].T, fragments.centre) + affine[3]
    result = apply(affine[:3].T, fragments.vertices)
    result += centre[packed.owners(fragments.vertex_start)]
    return result.astype(np.float32)
