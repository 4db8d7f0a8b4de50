"""Directions that a body has by itself: its flat sides and its longest axis.

A body arrives in the axes of the world, so a turned box would be cut askew without them.
"""

from itertools import permutations

import numpy as np

from ..arithmetic.elementary import cos
from ..arithmetic.products import dot, norm, sum_outer, sum_rows
from ..arithmetic.small_matrices import determinant, eigen_symmetric
from ..geometry.mesh import map_vectors
from ..types import Body, Bools, Floats
from .layouts.shape import measure_skin

#: Sides count as parallel, or as square to each other, within this angle [rad]. Half a degree, chosen by eye: sides
#: that are modelled by hand, or scanned, are not quite square.
_ALIKE = 0.01
_PARALLEL = float(cos(_ALIKE))
#: Normals are counted in boxes of this size, and those of the fullest boxes are tried. Boxes are twice as wide as what
#: counts as parallel, so that a side falls into few of them. Chosen by eye; before, the normals of the 64 largest
#: triangles were tried, which missed sides of many small ones.
BOX, TRIED = 0.02, 8
#: Share of the skin that must lie on sides square to each other for a body to have a frame of its own. Chosen by eye:
#: half, a majority.
_FLAT = 0.5
#: Closer than this to an axis of the world, a direction is that axis: cubes of an upright box are exactly upright.
#: Chosen between the round-off of fitted axes, some 1e-15, and what could be seen.
_SNAP = 1e-7
#: A body is longer than wide when its second moments differ by this factor. Chosen by eye: a tenth more is 5 % in
#: length.
LONGER = 1.1


def flat_axes(body: Body) -> Floats | None:
    """Rows (3,3) of the right-handed frame of a body's flat sides, next to the world's; None for a round body."""
    area, normal = _sides(body)
    first = _dominant(area, normal)
    across = np.abs(map_vectors(normal, first[None])[:, 0]) < _ALIKE
    if not across.any():
        return None
    second = _dominant(area[across], normal[across])
    second = second - dot(second, first) * first
    second = second / norm(second)
    frame = np.stack((first, second, np.cross(first, second)))
    square = (np.abs(map_vectors(normal, frame)) > _PARALLEL).any(axis=1)
    if area[square].sum() < _FLAT * area.sum():
        return None
    return _near_the_world(frame)


def upright_axes(body: Body) -> Floats:
    """Rows (3,3): along a wall, through it (the thinner of the two), and up; right-handed.

    The wall runs along its largest upright side; a body without flat upright sides is taken along the world's axes.
    """
    area, normal = _sides(body)
    upright = np.abs(normal[:, 2]) < _ALIKE
    up, through = np.array((0.0, 0.0, 1.0)), np.array((0.0, 1.0, 0.0))
    if upright.any():
        side = _dominant(area[upright], normal[upright]) * (1.0, 1.0, 0.0)
        side /= norm(side)
        flat = _parallel(normal, side) & upright
        if area[flat].sum() >= 0.5 * _FLAT * area[upright].sum():
            through = side
    frame = _near_the_world(np.stack((np.cross(through, up), through, up)))
    width = np.round(np.ptp(map_vectors(body.vertices, frame), axis=0) / np.ptp(body.vertices, axis=0).max(), 6)
    return frame if width[0] >= width[1] else np.stack((frame[1], -frame[0], frame[2]))


def longest_axis(body: Body) -> Floats:
    """Unit vector (3,) along which a body is longest; where two are equally long, the one nearest to upright."""
    frame = flat_axes(body)
    if frame is None:
        area, _ = measure_skin(body)
        corner = body.vertices[body.triangles]
        corner = corner - np.average(corner.mean(axis=1), axis=0, weights=area)
        middle = corner.mean(axis=1)
        # of a triangle abc with centroid g about the origin: A (aa + bb + cc + 9 gg)/12
        moment = 9.0 * sum_outer(area, middle, middle)
        for k in range(3):
            moment += sum_outer(area, corner[:, k], corner[:, k])
        value, vector = eigen_symmetric(moment)
        if value[2] > LONGER * value[1]:
            longest = vector[:, 2]
            size = np.round(np.abs(longest), 6)  # ties must not be decided by round-off
            return _snapped(longest * np.sign(longest[size.argmax()]))
        frame = np.eye(3)
    extent = np.ptp(map_vectors(body.vertices, frame), axis=0)
    return np.asarray(frame[2 - int(np.round(extent / extent.max(), 6)[::-1].argmax())])


def _sides(body: Body) -> tuple[Floats, Floats]:
    """Areas and unit normals of the triangles that have any."""
    area, normal = measure_skin(body)
    return area[area > 0.0], normal[area > 0.0]


def _dominant(area: Floats, normal: Floats) -> Floats:
    """The direction (3,) square to the largest flat part of the skin, of whatever sign."""
    box = np.round(normal / BOX)
    key = dot(box, (1.0, 1e3, 1e6))  # the two sides of a wall have opposite boxes
    _, of = np.unique(np.abs(key), return_inverse=True)
    held = np.round(np.bincount(of.ravel(), area) / area.sum(), 6)
    tried = [_mean(area, normal, of.ravel() == k) for k in np.argsort(-held, kind="stable")[:TRIED]]
    total = [np.round(area[_parallel(normal, direction)].sum() / area.sum(), 6) for direction in tried]
    best = tried[int(np.argmax(total))]
    alike = _parallel(normal, best)  # of round bodies, nothing need be parallel to the mean of a box
    return _mean(area, normal, alike) if alike.any() else best


def _mean(area: Floats, normal: Floats, chosen: Bools) -> Floats:
    """Mean direction (3,) of the chosen normals, which are alike but for their signs."""
    own = normal[chosen]
    turn = np.sign(dot(own, own[0]))
    mean = sum_rows(area[chosen] * turn, own)
    return np.asarray(mean / norm(mean))


def _parallel(normal: Floats, direction: Floats) -> Bools:
    return np.asarray(np.abs(dot(normal, direction)) > _PARALLEL)


def _near_the_world(frame: Floats) -> Floats:
    """The same directions, ordered and turned so that each row is close to an axis of the world; right-handed."""
    size = np.round(np.abs(frame), 6)  # ties must not be decided by round-off
    best = max(permutations(range(3)), key=lambda rows: (sum(size[rows[k], k] for k in range(3)), [-r for r in rows]))
    ordered = frame[list(best)]
    ordered = ordered * np.where(np.diag(ordered) < 0.0, -1.0, 1.0)[:, None]
    if determinant(ordered) < 0.0:
        ordered[np.diag(ordered).argmin()] *= -1.0
    return np.eye(3) if np.abs(ordered - np.eye(3)).max() < _SNAP else np.asarray(ordered)


def _snapped(direction: Floats) -> Floats:
    axis = np.eye(3)[int(np.abs(direction).argmax())]
    return axis if np.abs(direction - axis).max() < _SNAP else direction
