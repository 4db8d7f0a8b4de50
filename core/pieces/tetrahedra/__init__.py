"""Tetrahedra: faceted splinters between scattered points, as crystals, ice and brittle plastic leave them.

Their corners lie in and around the body, or on its skin and inside, as in the paper.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...arithmetic.products import norm
from ...config.registry import Method
from ...types import Body, Floats, Impact, Partition
from ..convention import AUTOMATIC_RADIUS, JITTER
from ..delaunay_complex import as_partition, delaunay_complex
from ..layouts.graded import hit_lengths
from ..layouts.shape import measure
from .around import place_points, spacing_for
from .fitted import scale_tetrahedra, with_corners_on_skin
from .parameters import TetrahedraParams
from .sizes import Sizes

if TYPE_CHECKING:
    from .. import Build

__all__ = ["METHOD", "TetrahedraParams", "build", "spacing_for"]

#: Names this module's streams of random numbers beside the seed.
STREAM = 208


def build(body: Body, impacts: Sequence[Impact], params: TetrahedraParams, seed: int, attempt: int) -> Partition:
    """Tetrahedra of points in and around a closed body, or on its skin and inside; see `TetrahedraParams`.

    The layout follows `seed` alone; `attempt` only changes a jitter of 1e-6 of the diagonal. Without a hit the
    pattern is laid around the middle of the body. The same body at any size gives the same pattern. Corners at the
    vertices of the mesh give other pieces where TetGen is installed than where it is not, unless `mesher` forbids it.
    Raises CutError when the partition is invalid for this jitter: try another attempt. Raises InputError where a mesh
    has too many vertices for corners.
    """
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    origin, scale = 0.5 * (low + high), float(norm(high - low))
    shape = measure(Body((body.vertices - origin) / scale, body.triangles, body.source))
    hits = np.array([(impact.point - origin) / scale for impact in impacts] or [shape.centre])
    radius = [impact.radius / scale or AUTOMATIC_RADIUS for impact in impacts] or [AUTOMATIC_RADIUS]
    reach = hit_lengths(shape, radius)
    if params.corners != "around":
        sizes = Sizes(hits, reach, params.grading, params.layout)
        fitted = with_corners_on_skin(shape, sizes, params, seed, attempt)
        whole = as_partition(scale_tetrahedra(fitted.made, origin, scale))
        return replace(whole, dropped=fitted.dropped, notes=fitted.notes)
    points = place_points(shape, hits, reach, params, np.random.default_rng([seed, STREAM]))
    return delaunay_complex((points + JITTER * _jitter(seed, attempt, len(points))) * scale + origin, low, high)


def _jitter(seed: int, attempt: int, count: int) -> Floats:
    return np.random.default_rng([seed, STREAM, 1, attempt]).uniform(-1.0, 1.0, (count, 3))


METHOD: "Method[Build]" = Method(
    id="tetrahedra",
    label="Tetrahedra",
    doc="Faceted splinters with flat faces and sharp tips: crystals, ice, hard plastic",
    reference="Smith, Witkin, Baraff 2001, section 2.1 (corners on the skin, outside tests); layouts ours",
    params=TetrahedraParams,
    run=build,
)
