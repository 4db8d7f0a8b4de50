"""What the members of the zoo are built of. A solid is (vertices (V,3) float64, triangles (T,3) int64)."""

import numpy as np

from tests.core.geometry.solids import box, bumpy, joined, moved, soup, sphere, subdivided, torus

__all__ = ["box", "bumpy", "joined", "moved", "soup", "sphere", "subdivided", "torus"]


def reverse(solid):
    """Inside out."""
    return solid[0], np.ascontiguousarray(solid[1][:, ::-1])


def without(solid, rows):
    """Without some triangles; their vertices stay."""
    return solid[0], np.delete(solid[1], rows, axis=0)


def signed_volume(solid):
    """Sum of tetrahedra: the exact volume of a closed mesh that is oriented and does not cross itself."""
    vertices, triangles = solid
    p = vertices[triangles] - vertices.mean(axis=0)
    return float(np.einsum("ni,ni->n", p[:, 0], np.cross(p[:, 1], p[:, 2])).sum() / 6.0)


def area(solid):
    p = solid[0][solid[1]]
    return float(0.5 * np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1).sum())


def diagonal(solid):
    return float(np.linalg.norm(np.ptp(solid[0], axis=0)))


def quads(index):
    """Triangles of a grid of vertex numbers (m,n): (m-1)(n-1) quads, counter-clockwise where row x column is up."""
    a, b, c, d = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
    four = np.stack([a, b, c, d], axis=-1).reshape(-1, 4)
    return np.concatenate([four[:, [0, 1, 2]], four[:, [0, 2, 3]]]).astype(np.int64)


def surface(points):
    """An open grid of points (m,n,3)."""
    m, n = points.shape[:2]
    return points.reshape(-1, 3), quads(np.arange(m * n).reshape(m, n))


def turned_about_z(profile, segments):
    """An open surface of revolution: `profile (n,2)` of (r, z), r > 0; outward where it runs upwards on the outside."""
    profile = np.asarray(profile, float)
    angle = 2.0 * np.pi * np.arange(segments) / segments
    points = np.stack(
        [
            np.multiply.outer(np.cos(angle), profile[:, 0]),
            np.multiply.outer(np.sin(angle), profile[:, 0]),
            np.broadcast_to(profile[:, 1], (segments, len(profile))),
        ],
        axis=-1,
    )
    index = np.arange(segments * len(profile)).reshape(segments, -1)
    return points.reshape(-1, 3), quads(np.concatenate([index, index[:1]]))


def disc(radius, z, segments, up=True):
    """A fan; its rim has the bits of `turned_about_z`."""
    angle = 2.0 * np.pi * np.arange(segments) / segments
    rim = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(segments, z)], axis=1)
    k = np.arange(segments)
    fan = np.stack([np.full(segments, segments), k, (k + 1) % segments], axis=1)
    return np.concatenate([rim, [[0.0, 0.0, z]]]), fan if up else fan[:, ::-1]


def polygon_area(radius, segments):
    """Of a regular polygon with this circumradius."""
    return 0.5 * segments * np.sin(2.0 * np.pi / segments) * radius**2


def frusta_volume(profile, segments):
    """Exact volume within a polygonal surface of revolution with flat ends: a sum of prismatoids (r, z) to (r, z)."""
    (r, z), (s, y) = np.asarray(profile, float)[:-1].T, np.asarray(profile, float)[1:].T
    return float((polygon_area(1.0, segments) * (r * r + r * s + s * s) / 3.0 * (y - z)).sum())


def welded(solid):
    """Bit-equal vertices become one."""
    vertices, inverse = np.unique(solid[0], axis=0, return_inverse=True)
    return vertices, inverse.reshape(-1)[solid[1]]


def tube(path, radius, across, closed):
    """A bevelled curve: circles along `path (n,3)`, square to it; with fans at the ends, or joined to a ring."""
    path = np.asarray(path, float)
    step = np.roll(path, -1, axis=0) - np.roll(path, 1, axis=0)
    if not closed:
        step[0], step[-1] = path[1] - path[0], path[-1] - path[-2]
    tangent = step / np.linalg.norm(step, axis=1)[:, None]
    side = np.cross(tangent, [0.0, 0.0, 1.0])
    side /= np.linalg.norm(side, axis=1)[:, None]
    rise = np.cross(side, tangent)
    angle = 2.0 * np.pi * np.arange(across) / across
    ring = np.cos(angle)[:, None] * side[:, None] + np.sin(angle)[:, None] * rise[:, None]
    index = np.arange(len(path) * across).reshape(len(path), across)
    index = np.concatenate([index, index[:, :1]], axis=1)
    if closed:
        index = np.concatenate([index, index[:1]])
    vertices, triangles = (path[:, None] + radius * ring).reshape(-1, 3), quads(index)
    if closed:
        return vertices, triangles
    first, last = len(vertices), len(vertices) + 1
    k, n = np.arange(across), (np.arange(across) + 1) % across
    begin = np.stack([np.full(across, first), k, n], axis=1)
    end = np.stack([np.full(across, last), n + first - across, k + first - across], axis=1)
    solid = np.concatenate([vertices, path[[0, -1]]]), np.concatenate([triangles, begin, end])
    return solid if signed_volume(solid) > 0.0 else reverse(solid)


def union_of_boxes(boxes):
    """Exact volume of a union of boxes [(low, high), ...], by the grid of all their coordinates."""
    low, high = (np.array([b[k] for b in boxes], float) for k in range(2))
    lines = [np.unique(np.concatenate([low[:, k], high[:, k]])) for k in range(3)]
    middle = [0.5 * (line[1:] + line[:-1]) for line in lines]
    full = np.zeros([len(m) for m in middle], bool)
    for a, b in zip(low, high, strict=True):
        x, y, z = ((m > a[k]) & (m < b[k]) for k, m in enumerate(middle))
        full |= x[:, None, None] & y[:, None] & z
    return float(np.einsum("xyz,x,y,z->", full, *(np.diff(line) for line in lines)))


def closed_by_fans(solid, near=1e-9):
    """Vertices within about `near` [m] welded, each border loop closed by a fan round its mean."""
    keys, inverse = np.unique(np.round(solid[0] / near), axis=0, return_inverse=True)
    vertices, triangles = keys * near, inverse.reshape(-1)[solid[1]]
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    half = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    there = set(map(tuple, half.tolist()))
    follow = {b: a for a, b in there if (b, a) not in there}  # the missing half-edges, by their first vertex
    fans = []
    while follow:
        start, loop = next(iter(follow)), []
        at = start
        while at in follow:
            loop.append(at)
            at = follow.pop(at)
        middle = len(vertices)
        vertices = np.concatenate([vertices, vertices[loop].mean(axis=0)[None]])
        fans += [[a, b, middle] for a, b in zip(loop, [*loop[1:], loop[0]], strict=True)]
    return vertices, np.concatenate([triangles, np.array(fans, np.int64).reshape(-1, 3)])
