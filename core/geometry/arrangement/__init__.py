"""The outer skin of closed shells that cross themselves or each other: the border of what they wind around.

Only triangles that cross are cut; where a triangle ends up inside it is left out. The method is an arrangement, as in
Zhou, Grinspun, Zorin and Jacobson, "Mesh arrangements for solid geometry" (ACM TOG 35, 2016), with its topology
decided by signs of determinants (`points`): which triangles cross, in which order points lie along a side,
which face comes after which around a point. Coordinates are rounded last, and nothing depends on them.

1. `find_triangle_contacts`: pairs of triangles that cross, and pairs that only touch.
2. `graph`: nodes and half-edges in each crossed triangle. 3. `faces`: faces, filled.
4. `levels`: winding numbers. 5. `find_winding_skin`: the sheets with winding number 0 in front and more behind.

What touches (corners on faces, faces in one plane) is first moved apart: the vertices concerned go outward and a
little aside by 1e-9 of the diagonal, so that solids which touch become one. Where anything contradicts anything, or a
sign is unknown, the next try moves them ten times as far. A result is returned only where everything agreed.
"""

import math
from typing import NamedTuple

import numpy as np

from ...jit import sealed_floats
from ...types import Floats, Ints
from ..mesh import area, count_open_edges, cross_rows, diagonal, volume
from ..rings import exact_rings
from .contacts import Crowded, Unsettled, find_triangle_contacts
from .edges import Shells, counted, ring_ranks, shells_of
from .faces import filled_faces
from .fans import SkinPieces, split_vertices
from .graph import crossed_graph
from .levels import TriangleSheets, levels

#: Names the random numbers of the jitter beside the seed.
STREAM = 401
# Of the diagonal. On a prototype 351 of 400 random unions needed none and 49 the first; boxes on a lattice went up to
# the last.
JITTERS = (0.0, 1e-9, 1e-8, 1e-7, 1e-6)
_VOLUME = 1e-12  # error of a volume, relative to the area times the diagonal; room for ten thousand roundings


class TangleError(Exception):
    """Triangles that could not be separated: `rows` of the input."""

    def __init__(self, rows: Ints) -> None:
        super().__init__(f"{len(rows)} triangles could not be separated")
        self.rows = rows


class CrowdedError(TangleError):
    """More triangles cross than are separated; of these, `rows` are some."""


class WindingSkin(NamedTuple):
    """The border of {winding number >= 1}."""

    vertices: Floats  #: (V',3) [m]; what is left of the input's keeps its bits where it was not moved
    #: (n,3) closed, outward. Edges and vertices at which parts of the skin only meet are split.
    triangles: Ints
    parent: Ints  #: (n,) input triangle in whose plane each lies, facing the same way; ascending
    crossings: int  #: pairs of triangles that crossed
    winding: tuple[int, int]  #: lowest and highest winding number met


def find_winding_skin(vertices: Floats, triangles: Ints, seed: int = 0, tries: int = len(JITTERS)) -> WindingSkin:
    """The skin of closed, oriented shells (V,3), (T,3) [m]: what they wind around at least once.

    Doubly covered space counts once; loops that are inside out (winding number below 0) and pockets between an outward
    and an inward shell (0) are outside. Nothing is left of a mesh that is inside out as a whole.
    Every directed edge needs its opposite; edges may have four triangles and more, and triangles with the same three
    vertices count as often as they occur. `seed` decides how what touches is moved; with one of `tries` nothing
    is, and what touches cannot be resolved.
    Raises ValueError for a mesh that is not closed, has a triangle with a vertex twice or a coordinate that is not
    finite, IndexError for a vertex that does not exist, TangleError where no try succeeded, CrowdedError where there is
    nothing to try.
    """
    positions, corners = np.asarray(vertices, np.float64), np.asarray(triangles, np.int64).reshape(-1, 3)
    count = len(corners)
    positions, corners = _used(positions, corners)
    size = diagonal(positions)
    scale = math.ldexp(1.0, -math.frexp(size)[1])  # a power of two: a product with it is exact
    shells = shells_of(positions * scale, corners, np.ones(count, np.int64), np.arange(count))
    open_edges = count_open_edges(shells.edges)
    if open_edges > 0:
        raise ValueError(f"{open_edges} edges are not used equally often in both directions")
    shells, rows = _untwinned(shells), np.empty(0, np.int64)
    for attempt, jitter in enumerate(JITTERS[:tries]):
        moved = shells
        if attempt > 0:
            rng = np.random.default_rng([seed, STREAM, attempt])
            moved = shells._replace(vertices=_moved(shells, rows, jitter * size * scale, rng))
        try:
            result = _resolved(moved)
        except Crowded as failure:
            raise CrowdedError(np.unique(shells.source[failure.rows])) from failure
        except Unsettled as failure:
            rows = np.union1d(rows, failure.rows)
            continue
        return result._replace(vertices=result.vertices / scale)
    raise TangleError(np.unique(shells.source[rows]))


def _used(vertices: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """The same without the vertices that no triangle uses."""
    if triangles.size and (triangles.min() < 0 or triangles.max() >= len(vertices)):
        raise IndexError("a triangle has a vertex that does not exist")
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    if ((a == b) | (b == c) | (c == a)).any():
        raise ValueError("a triangle uses a vertex twice")
    used = np.zeros(len(vertices), np.bool_)
    used[triangles] = True
    if not used.all():
        vertices, triangles = vertices[used], (np.cumsum(used) - 1)[triangles]
    if not np.isfinite(vertices).all():
        raise ValueError("a coordinate is not finite")
    return vertices, triangles


def _untwinned(shells: Shells) -> Shells:
    """Triangles with the same three vertices become one that counts several times, or none where they cancel."""
    row, last = np.arange(len(shells.triangles)), np.argmax(shells.triangles, axis=1)
    key = shells.triangle_edge[row, (last + 1) % 3] * len(shells.vertices) + shells.triangles[row, last]
    ascending = np.sort(key)
    if (ascending[1:] != ascending[:-1]).all():
        return shells
    some, first, group = np.unique(key, return_index=True, return_inverse=True)
    following = shells.triangles[row, (last + 1) % 3]
    sign = np.where(following == following[first[group]], 1, -1)
    net = np.bincount(group, sign, len(some)).astype(np.int64)
    # The first triangle that faces as the sum of its group does.
    agrees = np.flatnonzero(sign == np.sign(net)[group])
    keep = np.full(len(some), -1, np.int64)
    keep[group[agrees[::-1]]] = agrees[::-1]
    keep = np.sort(keep[net != 0])
    return shells_of(shells.vertices, shells.triangles[keep], np.abs(net)[group[keep]], shells.source[keep])


def _moved(shells: Shells, rows: Ints, size: float, rng: np.random.Generator) -> Floats:
    """The vertices; those of some triangles a step of about `size` outward, and half as much anywhere."""
    a, b, c = (shells.vertices[shells.triangles[:, k]] for k in range(3))
    weight = cross_rows(b - a, c - a)
    normal = np.stack(
        [np.bincount(shells.triangles.T.reshape(-1), np.tile(weight[:, k], 3), len(shells.vertices)) for k in range(3)],
        axis=1,
    )
    length = np.sqrt(np.square(normal).sum(axis=1))
    normal = normal / np.where(length > 0.0, length, 1.0)[:, None]
    step = size * (normal + rng.uniform(-0.5, 0.5, normal.shape))
    some = np.unique(shells.triangles[rows])
    vertices = shells.vertices.copy()
    vertices[some] += step[some]
    return sealed_floats(vertices)


def _resolved(shells: Shells) -> WindingSkin:
    """The skin of shells, or Unsettled."""
    found = find_triangle_contacts(shells.vertices, shells.triangles)
    if len(found.touching) > 0:
        raise Unsettled(np.unique(found.touching))
    if len(shells.triangles) == 0:
        return WindingSkin(np.empty((0, 3)), np.empty((0, 3), np.int64), np.empty(0, np.int64), 0, (0, 0))
    around = exact_rings(shells.vertices, shells.triangles, shells.edges)
    rank = ring_ranks(around)
    graph = crossed_graph(shells, rank, found)
    faces = filled_faces(graph, shells.vertices[shells.triangles[graph.rows]])
    crossed = np.zeros(len(shells.triangles), np.bool_)
    crossed[graph.rows] = True
    whole = np.flatnonzero(~crossed)
    sheets = TriangleSheets(
        np.append(whole, graph.rows[faces.row]),
        whole,
        graph.position,
        np.concatenate([shells.triangles.take(whole, axis=0), faces.triangles]),
        np.append(np.arange(len(whole)), faces.face + len(whole)),
    )
    _check_volume(shells, sheets)
    level = levels(sheets, shells, around, graph, faces)
    behind = level + shells.multiple[sheets.parent]
    kept = np.flatnonzero(((level < 1) & (behind >= 1))[sheets.sheet])
    kept = kept[np.argsort(sheets.parent[sheets.sheet[kept]], kind="stable")]
    parent = sheets.parent[sheets.sheet[kept]]
    side = graph.side_piece.take(shells.triangle_edge.take(whole, axis=0))
    skin_of = SkinPieces(
        sheets.triangles.take(kept, axis=0), np.concatenate([side, faces.piece]).take(kept, axis=0), parent
    )
    triangles, node = split_vertices(skin_of, shells, rank, graph.side_piece)
    winding = (int(min(level.min(), 0)), int(max(behind.max(), 0)))
    return WindingSkin(graph.position.take(node, axis=0), triangles, shells.source[parent], len(found.pairs), winding)


def _check_volume(shells: Shells, sheets: TriangleSheets) -> None:
    """Cut or whole, the triangles enclose the same volume."""
    before = volume(shells.vertices, counted(shells.triangles, shells.multiple))
    after = volume(sheets.position, counted(sheets.triangles, shells.multiple[sheets.parent[sheets.sheet]]))
    if abs(after - before) > _VOLUME * area(shells.vertices, shells.triangles):
        raise Unsettled(np.arange(len(shells.triangles)))
