"""Where points are in elements, so that they move with the nodes: barycentric coordinates, which are their weights."""

import numpy as np

from ...arithmetic.products import dot, norm
from ...geometry.nearest import square_to_box
from ...jit import device_inlined, njit_no_refs, sealed_floats
from ...types import Floats, Ints
from ..finite_element.elements import TetrahedralMesh, measure_elements
from ..lattice_embedding.box_bins import BoxBins, bin_of_point, sort_into_bins

#: An element is asked about points in its box, which is larger by this share of its size on each side [1]. By
#: derivation: outer faces are within a fifth of a size of the surface; by more than twice as much for flat ones.
_SLACK = 0.5


def weigh_points(nodes: Floats, elements: Ints, points: Floats, element: Ints) -> Floats:
    """Weights (n,4) of the nodes of each point's own element (n,): sums of nodes by weight are the points (n,3).

    They add up to 1. Outside of the element some are below 0: every affine map of its nodes is that of the point.
    """
    gradient = measure_elements(TetrahedralMesh(nodes, elements)).gradient
    arm = points - 0.25 * _sum_of_four(nodes[elements[element]])
    weight = 0.25 + dot(gradient[element], arm[:, None, :])
    weight[:, 0] = 1.0 - (weight[:, 1] + weight[:, 2] + weight[:, 3])
    return np.asarray(weight)


def locate_in_elements(nodes: Floats, elements: Ints, points: Floats, allowed: Ints) -> tuple[Ints, Floats]:
    """The element (n,) of the `allowed` ones in which each point (n,3) lies, or is nearest to, and its weights (n,4).

    Nearest is that whose planes it is least outside of. Of several the first in `allowed`.
    """
    corner = nodes[elements[allowed]]
    gradient = measure_elements(TetrahedralMesh(nodes, elements[allowed])).gradient
    low, high = corner.min(axis=1), corner.max(axis=1)
    slack = _SLACK * (high - low)
    boxes = sealed_floats(np.concatenate([low - slack, high + slack], axis=1))
    queries = sealed_floats(np.asarray(points, np.float64).reshape(-1, 3))
    found = np.zeros(len(queries), np.int64)
    if len(queries):
        # how far a point is outside of the plane of a face grows with 1/|gradient| as the coordinate falls
        plane = np.concatenate([gradient, 1.0 / norm(gradient)[:, :, None]], axis=2)
        middle = 0.25 * _sum_of_four(corner)
        _locate(sealed_floats(middle), sealed_floats(plane), boxes, sort_into_bins(boxes), queries, found)
    element = np.asarray(allowed, np.int64)[found]
    return element, weigh_points(nodes, elements, queries, element)


def _sum_of_four(corner: Floats) -> Floats:
    return np.asarray(corner[:, 0] + corner[:, 1] + corner[:, 2] + corner[:, 3])


@device_inlined
def _outside(middle: Floats, plane: Floats, h: int, points: Floats, n: int) -> float:
    """How far a point is beyond the face of an element that it is farthest beyond [m]; below 0 inside."""
    x, y, z = points[n, 0] - middle[h, 0], points[n, 1] - middle[h, 1], points[n, 2] - middle[h, 2]
    far = -np.inf
    for k in range(4):
        weight = 0.25 + plane[h, k, 0] * x + plane[h, k, 1] * y + plane[h, k, 2] * z
        far = max(far, -weight * plane[h, k, 3])
    return far


@device_inlined
def _nearest_middle(middle: Floats, points: Floats, n: int) -> int:
    best, least = 0, np.inf
    for h in range(len(middle)):
        x, y, z = points[n, 0] - middle[h, 0], points[n, 1] - middle[h, 1], points[n, 2] - middle[h, 2]
        square = x * x + y * y + z * z
        if square < least:
            best, least = h, square
    return best


@njit_no_refs
def _locate(middle: Floats, plane: Floats, boxes: Floats, bins: BoxBins, points: Floats, found: Ints) -> None:
    """Fill `found (n,)`."""
    box_low, box_high = boxes[:, :3], boxes[:, 3:]
    for n in range(len(points)):
        best, least = -1, np.inf
        one = bin_of_point(bins, points, n)
        for at in range(bins.start[one], bins.start[one + 1]):
            h = bins.item[at]
            if square_to_box(box_low, box_high, h, points, n) > 0.0:
                continue
            far = _outside(middle, plane, h, points, n)
            if far < least:
                best, least = h, far
            if far <= 0.0:
                break
        found[n] = best if best >= 0 else _nearest_middle(middle, points, n)
