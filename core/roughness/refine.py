"""A body's triangles made small where their curved images in flat space meet, or nearly meet, facets of a partition.

A triangle whose longest side is L stays within err(L) = min(K L^2/8, reach) + K_chart L^2/8 of its image, the error of
linear interpolation. It is halved while err exceeds the tolerance (a share of it near partition edges, where facets
meet) and either its corners lie in different regions, or one of them lies nearer than err to a facet of its region: the
distance to the nearest facet of a convex region is a concave function, so over a triangle it is least at a corner.
Triangles away from all facets stay as they are.

Limitations: K is a quantile of the field's curvature, so the deviation may exceed the tolerance by a factor of two.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from ..cutting.complex import Complex, distance
from ..cutting.locate import walk
from ..errors import InputError
from ..jit import njit_no_refs
from ..record_arrays import Records
from ..types import Body, Floats, Frozen, Ints
from .bend import flattened
from .bisection import Bisection, ShortTable, Singles, roomy

TOO_FINE = "The rough surface is too fine for an object of this size: choose a longer wavelength or a coarser quality."
#: More triangles than this need more memory than most machines have.
MOST_TRIANGLES = 20_000_000
#: Struts are near a triangle whose corners are in three regions, or one of them nearer to two facets than this share of
#: the longest side, and the error. No point of a triangle is farther than 0.58 of it from all corners, but few are as
#: far as that: 0.3 spares some 8 % of the triangles, and no more places of rough faces pierce each other.
NEAR_PARTITION_EDGES = 0.3


class Curvature(Protocol):
    """What is read of a bend."""

    noise_curvature: float  #: K [1/m]
    chart_curvature: float  #: [1/m]
    reach: float  #: the noise moves no two points further apart than this [m]


#: Flat points (n,3) of real ones (n,3), with flat points near them.
Flatten: TypeAlias = Callable[[Any, Floats, Floats | None], Floats]


@dataclass(frozen=True, eq=False, slots=True)
class Refined(Frozen):
    """A body whose triangles are small where the bend matters."""

    vertices: Floats  #: (V,3) real [m]; the body's own come first, the same bits
    flat: Floats  #: (V,3) the same in flat space [m]
    triangles: Ints  #: (T,3)
    source: Ints  #: (T,) body triangle, never falls
    weight: Floats  #: (T,3,3) dyadic barycentric coordinates of each corner in the body triangle
    #: What is known of a body that was refined, None of one that was not:
    region: Ints | None = None  #: (V,) flat region of each vertex, negative outside of the complex
    edges: Ints | None = None  #: (E,2) smaller vertex first, in the order of their first use
    triangle_edge: Ints | None = None  #: (T,3) edge from corner k to corner k+1
    #: How many edges of the body it was made of are open. Where an edge is halved all its triangles are, and the edge
    #: between the halves of a triangle is used once each way: so it has open edges where, and only where, that has.
    open_edges: int | None = None


def refined(
    body: Body,
    bend: Any,
    cx: Complex,
    tolerance: float,
    everywhere: float = inf,
    flatten: Flatten = flattened,
    at_partition_edges: float = 1.0,
) -> Refined:
    """Halve triangles of the body until each that meets facets of `cx` deviates less than `tolerance` [m].

    `cx` is the partition in flat space; `everywhere` [m] is how much triangles may deviate where no facet is near.
    Where two facets of a region are near, and their edges may meet the body, the tolerance is its share
    `at_partition_edges`.
    Without a bend the arrays are the body's own. What lies outside of the complex is left to the cutter's checks.
    Raises InputError where the body would need too many triangles, ValueError for a tolerance that is not positive.
    """
    if not (tolerance > 0.0 and everywhere > 0.0):
        raise ValueError("a tolerance must be positive")
    if bend.noise_curvature == 0.0 and bend.chart_curvature == 0.0:
        return _unchanged(body, body.vertices)
    mesh, places = Bisection(body.vertices, body.triangles), _Places(cx)
    places.add(flatten(bend, body.vertices, None), np.full(len(body.vertices), -1))
    suspects = np.arange(mesh.triangles, dtype=np.int32)
    while len(worst := places.worst(mesh, suspects, bend, (tolerance, everywhere, at_partition_edges))):
        if mesh.triangles > MOST_TRIANGLES:
            raise InputError(TOO_FINE)
        first = mesh.points
        ends, suspects = mesh.halve(worst)
        guess = 0.5 * (places.flat[ends[:, 0]] + places.flat[ends[:, 1]])
        near = np.maximum(places.region[ends[:, 0]], places.region[ends[:, 1]])  # in the complex, if one of them is
        places.add(flatten(bend, mesh.vertices[first : mesh.points], guess), near)
    flat, region = places.flat[: mesh.points], places.region
    del places  # it may be large
    if mesh.points == len(body.vertices):
        return _unchanged(body, flat)
    made = mesh.result()
    return Refined(
        vertices=mesh.vertices[made.vertex],
        flat=flat[made.vertex],
        triangles=made.triangles,
        source=made.source,
        weight=made.weight,
        region=region[made.vertex].astype(np.int64),
        edges=made.edges,
        triangle_edge=made.triangle_edge,
        open_edges=mesh.open_edges,
    )


def _unchanged(body: Body, flat: Floats) -> Refined:
    count = len(body.triangles)
    corners = np.broadcast_to(np.eye(3), (count, 3, 3))
    return Refined(body.vertices, flat, body.triangles, np.arange(count), corners)


class _Limits(NamedTuple):
    """When a triangle is to be halved; see `refined`."""

    noise: float  #: error for each squared side [1/m]
    chart: float  #: the same, of the chart alone
    reach: float  #: most that the noise can be off [m]
    tolerance: float  #: [m]
    everywhere: float  #: [m]
    at_partition_edges: float  #: in tolerances


class _Places:
    """Where the vertices lie in flat space: rows up to `count`, and room for more."""

    def __init__(self, cx: Complex) -> None:
        self.cx = cx
        self.count = 0
        self.flat = np.empty((0, 3))
        self.region = np.empty(0, np.int32)  #: negative outside of the complex
        self.margin = np.empty((0, 2))  #: distances to the planes of the two nearest facets of the region [m]

    def add(self, flat: Floats, near: Ints | ShortTable) -> None:
        """Add vertices at these points (n,3), which lie in or near these regions (n,); -1 where none is known."""
        first, self.count = self.count, self.count + len(flat)
        self.flat, self.region = roomy(self.flat, first, self.count), roomy(self.region, first, self.count)
        self.margin = roomy(self.margin, first, self.count)
        self.flat[first : self.count], self.region[first : self.count] = flat, near
        _settle(self.cx, self.flat, first, self.count, self.region, self.margin)

    def worst(self, mesh: Bisection, suspects: ShortTable, bend: Curvature, limits: tuple[float, ...]) -> ShortTable:
        """Those of the triangles to halve; `limits`: tolerance, everywhere, at_partition_edges of `refined`."""
        found = np.empty(len(suspects), np.int32)
        noise, chart, reach = bend.noise_curvature / 8.0, bend.chart_curvature / 8.0, float(bend.reach)
        allowed = _Limits(noise, chart, reach, *map(float, limits))
        count = _judge(mesh.triangle, mesh.square, self.region, self.margin, suspects, allowed, found)
        return found[:count]


@njit_no_refs
def _settle(cx: Complex, flat: Floats, first: int, count: int, region: ShortTable, margin: Floats) -> None:
    """Turn the regions near the vertices first..count-1 into those in which they lie, and fill their margins."""
    limit = 4 * len(cx.region_start) + 64
    last = cx.facet[0].lo
    for v in range(first, count):
        x, y, z = flat[v, 0], flat[v, 1], flat[v, 2]
        home = walk(cx, x, y, z, region[v] if region[v] >= 0 else last, limit)
        region[v] = home
        least, second = np.inf, np.inf
        if home >= 0:
            last = home
            for at in range(cx.region_start[home], cx.region_start[home + 1]):
                away = abs(distance(cx.facet[cx.region_facet[at]], x, y, z))
                second = min(second, max(least, away))
                least = min(least, away)
        margin[v, 0], margin[v, 1] = least, second


@njit_no_refs
def _judge(
    triangle: Records,
    squares: Singles,
    region: ShortTable,
    margin: Floats,
    suspects: ShortTable,
    limits: _Limits,
    found: ShortTable,
) -> int:
    """Fill `found` with the suspects that must be halved; returns how many there are."""
    noise, chart, reach, tolerance, everywhere, at_partition_edges = limits
    finest = at_partition_edges * tolerance
    count = 0
    for row in range(len(suspects)):
        t = suspects[row]
        square = squares[t]
        error = min(noise * square, reach) + chart * square
        if not error > finest:
            continue
        corner = triangle[t].corner
        a, b, c = corner[0], corner[1], corner[2]
        changes = (region[a] != region[b]) + (region[b] != region[c]) + (region[c] != region[a])
        if not error > tolerance and changes < 3:
            least, most = min(margin[a, 1], margin[b, 1], margin[c, 1]), max(margin[a, 1], margin[b, 1], margin[c, 1])
            if least > NEAR_PARTITION_EDGES * np.sqrt(square) + error or most > np.sqrt(square) + error:
                continue
        if changes or min(margin[a, 0], margin[b, 0], margin[c, 0]) < error or error > everywhere:
            found[count] = t
            count += 1
    return count
