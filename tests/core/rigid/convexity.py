"""What every convex part must be, and measures of parts that share nothing with the code that makes them."""

from collections import Counter

import numpy as np

from core.rigid.shapes.convex_parts import ConvexParts
from core.types import Bools, Floats, Ints


def corners_of(shapes: ConvexParts, part: int) -> Floats:
    begin, end = shapes.geometry.parts.vertex[part]
    return shapes.vertices[begin:end]


def faces_of(shapes: ConvexParts, part: int):
    """Normal, offset and loop, counted within the part, of each face."""
    g = shapes.geometry
    for f in range(*g.parts.face[part]):
        yield g.faces.normal[f], g.faces.offset[f], g.loop[slice(*g.faces.loop[f])]


def volume_of(shapes: ConvexParts, part: int) -> float:
    """Divergence theorem: height over the origin times area of each face."""
    place = corners_of(shapes, part)
    place = place - place.mean(axis=0)
    total = 0.0
    for _, _, loop in faces_of(shapes, part):
        p = place[loop]
        for i in range(1, len(p) - 1):
            total += p[0] @ np.cross(p[i], p[i + 1]) / 6.0
    return total


def height_over(shapes: ConvexParts, part: int, points: Floats) -> Floats:
    """Of each point over the face whose plane it is farthest above; negative inside."""
    g = shapes.geometry
    faces = g.faces[slice(*g.parts.face[part])]
    return (points @ faces.normal.T - faces.offset).max(axis=1)


def inside_some(shapes: ConvexParts, points: Floats, slack: float = 0.0) -> Bools:
    found = np.zeros(len(points), bool)
    for part in range(len(shapes.parts)):
        found |= height_over(shapes, part, points) <= slack
    return found


def points_in(shapes: ConvexParts, each: int, seed: int = 0) -> tuple[Floats, Ints]:
    """Random points of the parts, as convex combinations of their corners, and their parts."""
    rng = np.random.default_rng(seed)
    points = []
    for part in range(len(shapes.parts)):
        corner = corners_of(shapes, part)
        points.append(rng.dirichlet(np.full(len(corner), 2.0 / len(corner)), each) @ corner)
    return np.concatenate(points), np.repeat(np.arange(len(shapes.parts)), each)


def assert_sound(shapes: ConvexParts) -> None:
    """Closed convex polyhedra: Euler's formula, edges between two faces, planes that bound, loops that run right."""
    g = shapes.geometry
    for table, column in (
        (shapes.vertices, g.parts.vertex),
        (shapes.faces, g.parts.face),
        (shapes.edges, g.parts.edge),
    ):
        assert np.array_equal(column.ravel(), np.repeat(np.append(column[:, 0], len(table)), 2)[1:-1])
        assert column[0, 0] == 0
    assert g.faces.loop[0, 0] == 0
    assert np.array_equal(g.faces.loop[1:, 0], g.faces.loop[:-1, 1])
    for part in range(len(shapes.parts)):
        _assert_convex(shapes, part)


def _assert_convex(shapes: ConvexParts, part: int) -> None:
    g = shapes.geometry
    place = corners_of(shapes, part)
    record = g.parts[part]
    edges = g.edges[slice(*record.edge)]
    faces = list(faces_of(shapes, part))
    size = 2.0 * record.radius
    assert len(place) - len(edges) + len(faces) == 2
    directed = Counter()
    for normal, offset, loop in faces:
        assert abs(normal @ normal - 1.0) < 1e-14
        assert len(loop) >= 3
        assert len(set(loop.tolist())) == len(loop)
        # what counts as one plane is 1e-9 of the size
        assert np.abs(place[loop] @ normal - offset).max() <= 2e-9 * size + 1e-15 * np.abs(place).max()
        assert (place @ normal - offset).max() <= 2e-9 * size + 1e-15 * np.abs(place).max()
        p = place[loop] - place[loop[0]]
        area = sum(np.cross(p[i], p[i + 1]) for i in range(1, len(p) - 1))
        assert area @ normal > 0.0
        directed.update(zip(loop.tolist(), np.roll(loop, -1).tolist(), strict=True))
    assert set(directed.values()) == {1}
    assert len(directed) == 2 * len(edges)
    for a, b, f0, f1 in edges.tolist():
        for face, ends in ((f0, (a, b)), (f1, (b, a))):
            loop = faces[face][2].tolist()
            assert ends in zip(loop, loop[1:] + loop[:1], strict=True)
    assert np.linalg.norm(place - record.centre, axis=1).max() <= record.radius * (1 + 1e-14)
    assert volume_of(shapes, part) > 0.0
