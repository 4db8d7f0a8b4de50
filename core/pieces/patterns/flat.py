"""Patterns that are the same all along their axis: a plan of polygons, drawn in the plane and carried through space."""

from collections.abc import Sequence

import numpy as np

from ...arithmetic.elementary import hypot
from ...types import Floats, Ints
from ..prism_complex import Frame, prism_complex
from .pattern import REACH, Pattern, in_block

#: How far the prisms reach along the axis, in half extents across it. Chosen: cells beyond it are endless, see `REACH`.
_LENGTH = 4.0 * REACH
#: What a corner that was moved away counts for a site, by the share of the way that is left. Chosen by eye.
NEARBY = 0.25
#: Half extents of a pattern in the plane, endless along the axis.
_HALF = (1.0, 1.0, np.inf)


def flat_pattern(
    points: Floats, polygons: Sequence[Sequence[int]], runs: Sequence[Sequence[int]], rim: Ints, group: Ints
) -> Pattern:
    """The prisms over a plan whose outermost points are moved far away, each along its ray from the centre.

    points (P,2), polygons and runs as in prism_complex; rim: the points on the outline; group (A,) of each polygon.
    Sites are means of corners, of which those far away hardly count: so they lie where the pattern has its detail.
    """
    far, weight = points.copy(), np.ones(len(points))
    stretch = REACH * np.sqrt(2.0) / hypot(*far[rim].T)
    far[rim] *= stretch[:, None]
    weight[rim] = NEARBY / stretch
    sites = np.array([np.average(far[polygon], axis=0, weights=weight[polygon]) for polygon in map(list, polygons)])
    partition = prism_complex(
        far,
        polygons,
        np.array((-_LENGTH, _LENGTH)),
        Frame(np.zeros(3), np.eye(3)),
        runs=runs,
        group=group,
        site=np.column_stack((sites, np.zeros(len(sites)))),
    )
    return Pattern(partition, np.array(_HALF))


def groups_shown(points: Floats, polygons: Sequence[Sequence[int]], group: Ints) -> int:
    """About how many groups (A,) of polygons have a part in the typical body: those with a corner or middle in it."""
    inside = in_block(points, np.array(_HALF))
    middle = np.array([points[np.asarray(polygon)].mean(axis=0) for polygon in polygons])
    shown = in_block(middle, np.array(_HALF))
    shown = shown | np.array([bool(inside[np.asarray(polygon)].all()) for polygon in polygons])
    return len(np.unique(group[shown]))
