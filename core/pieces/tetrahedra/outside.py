"""Which tetrahedra are no part of a body: the paper's two tests (Smith, Witkin, Baraff 2001, section 2.1)."""

import numpy as np

from ...arithmetic.products import norm
from ...arithmetic.small_matrices import determinant
from ...geometry.inside import inside
from ...geometry.nearest import nearest
from ...types import Body, Bools, Floats, Ints

#: Too far outside, in smallest dimensions of a tetrahedron; this is its smallest altitude, which the paper leaves open.
#: By eye: less leaves notches in the outline, more leaves tetrahedra that stand out.
TOO_FAR = 0.25
#: Tetrahedra whose smallest altitude is less than this share of their longest side have no inside. Chosen: what the
#: jitter makes of four corners in one plane.
_FLAT = 1e-6
#: What is thinner than this share of the median joins a neighbour. This room knows nothing of the cutter, whose number
#: `CRUMB_THICKNESS` it is: a test holds the two together.
THIN_PIECE = 0.05
#: The corners of the face opposite to each corner.
FACES = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])


def outside(body: Body, place: Floats, corners: Ints) -> Bools:
    """Which of the tetrahedra `corners (M,4)` between points `place (n,3)` do not belong to a closed body.

    Dropped is (1) what has its centroid outside, (2) of the rest, what has a face whose centre is outside by more than
    a quarter of the smallest altitude; and what is flat. Corners that have been moved off the skin are given where they
    were on it: so the tests are those of the paper, and no tetrahedron at the skin is lost for the move. Corners from n
    on are far away: their tetrahedra are dropped.
    """
    dropped = np.ones(len(corners), np.bool_)
    near = np.flatnonzero((corners < len(place)).all(axis=1))
    at = place[corners[near]]
    near, at = _where(inside(body, at.mean(axis=1)), near, at)
    altitude, longest = _altitude(at)
    stout = altitude > _FLAT * longest
    near, at = _where(stout, near, at)
    centre = at[:, FACES].mean(axis=2)
    out = ~inside(body, centre.reshape(-1, 3)).reshape(-1, 4)
    row, face = np.nonzero(out)
    far = np.zeros(len(near), np.bool_)
    if len(row):
        distance = nearest(body.vertices, body.triangles, centre[row, face])[2]
        far[row[distance > TOO_FAR * altitude[stout][row]]] = True
    dropped[near[~far]] = False
    return dropped


def stout(place: Floats, corners: Ints) -> int:
    """How many of the tetrahedra `corners (M,4)` are pieces of their own, by the rule for crumbs in `cutting.crumbs`.

    Thickness 3 V / A of at least THIN_PIECE of its median by volume.
    """
    if len(corners) == 0:
        return 0
    volume, areas = _volume_and_areas(place[corners])
    thickness = 3.0 * volume / np.maximum(areas.sum(axis=1), np.finfo(np.float64).tiny)
    order = np.argsort(thickness, kind="stable")
    total = np.cumsum(volume[order])
    median = thickness[order[np.searchsorted(total, 0.5 * total[-1])]]
    return int(np.count_nonzero(thickness >= THIN_PIECE * median))


def _where(keep: Bools, rows: Ints, at: Floats) -> tuple[Ints, Floats]:
    return rows[keep], at[keep]


def _altitude(at: Floats) -> tuple[Floats, Floats]:
    """Smallest altitude 3 V / A and longest side (n,) of tetrahedra (n,4,3)."""
    volume, areas = _volume_and_areas(at)
    longest = norm(at[:, [0, 0, 0, 1, 1, 2]] - at[:, [1, 2, 3, 2, 3, 3]]).max(axis=1)
    return 3.0 * volume / np.maximum(areas.max(axis=1), np.finfo(np.float64).tiny), longest


def _volume_and_areas(at: Floats) -> tuple[Floats, Floats]:
    """Volume (n,) and the areas of the faces (n,4) of tetrahedra (n,4,3)."""
    side = at[:, FACES]
    twice = norm(np.cross(side[:, :, 1] - side[:, :, 0], side[:, :, 2] - side[:, :, 0]))
    return np.abs(determinant(at[:, 1:] - at[:, :1])) / 6.0, 0.5 * twice
