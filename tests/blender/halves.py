"""A convex object broken in two by a plane: the smallest thing that the bridge can be asked to write."""

from types import SimpleNamespace

import numpy as np

DENSITY = 1000.0


def broken_in_two(module, mesh, normal=(0.3, 0.2, 1.0), frames=5, births=(0, 0), deaths=None, repair=None):
    """What the pipeline would return: the halves below and above a plane through the middle, drifting and turning.

    `repair` makes a body of the mesh, with the help of the one that is taken in.
    """
    types, fragments, intake = module("core.types"), module("core.fragments.build"), module("core.intake.ladder").intake
    body = repair(mesh, intake) if repair else intake(mesh).body
    cells = cut_by_plane(types, body, np.asarray(normal, float))
    built = fragments.build_fragments(cells, [np.array([0]), np.array([1])], DENSITY, body)
    time = np.arange(frames) / 24.0
    angle = np.column_stack([0.3 * time, -0.5 * time])
    rotation = np.zeros((frames, 2, 4))
    rotation[..., 0], rotation[..., 3] = np.cos(angle), np.sin(angle)
    drift = np.array([[0.1, 0.0, -0.4], [0.0, 0.2, 0.5]])
    position = built.centre[None] + time[:, None, None] * drift
    motion = SimpleNamespace(time=time, position=position, rotation=rotation)  # all that is written of it
    fracture = SimpleNamespace(
        parent=np.array([-1, -1]), birth=np.array(births), death=np.array(deaths or (frames, frames))
    )
    return SimpleNamespace(
        body=body,
        diagram=SimpleNamespace(key="a key", cells=cells, rough=None),
        fragments=built,
        fracture=fracture,
        motion=motion,
        tracks=(),
    )


def quartered(mesh, intake):
    """The body with its triangles cut at the middles of their sides, which of the corners comes first by chance."""
    body, middle = intake(mesh).body, {}
    points, triangles, weights = list(body.vertices), [], []
    rng = np.random.default_rng(0)
    for t, triangle in enumerate(body.triangles):
        own = body.weight[t] if len(body.weight) else np.eye(3)
        corner, weight = list(triangle), list(own)
        for k in range(3):
            a, b = int(triangle[k]), int(triangle[(k + 1) % 3])
            if (min(a, b), max(a, b)) not in middle:
                middle[min(a, b), max(a, b)] = len(points)
                points.append((body.vertices[a] + body.vertices[b]) / 2.0)
            corner.append(middle[min(a, b), max(a, b)])
            weight.append((own[k] + own[(k + 1) % 3]) / 2.0)
        for part in ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)):
            order = np.roll(part, rng.integers(3))
            triangles.append([corner[i] for i in order])
            weights.append([weight[i] for i in order])
    source = np.repeat(body.source, 4)
    return type(body)(np.array(points), np.array(triangles), source, weight=np.array(weights))


def cut_by_plane(types, body, normal):
    """Cells 0 (below) and 1 (above) of a convex body; no vertex may lie on the plane."""
    points = list(body.vertices)
    middle = (body.vertices.min(axis=0) + body.vertices.max(axis=0)) / 2.0
    side = (body.vertices - middle) @ normal
    assert np.all(np.abs(side) > 1e-9)
    new = {}
    follows = {}
    outer = []  # (cell, triangle, corners, weights)
    for t, triangle in enumerate(body.triangles):
        for cell, sign in ((0, -1.0), (1, 1.0)):
            corners, weights, entry, leave = [], [], None, None
            for k in range(3):
                a, b = triangle[k], triangle[(k + 1) % 3]
                inside_a, inside_b = sign * side[a] > 0, sign * side[b] > 0
                if inside_a:
                    corners.append(a)
                    weights.append(np.eye(3)[k])
                if inside_a != inside_b:
                    low, high = min(a, b), max(a, b)
                    s = side[low] / (side[low] - side[high])
                    if (low, high) not in new:
                        new[low, high] = len(points)
                        points.append(body.vertices[low] + s * (body.vertices[high] - body.vertices[low]))
                    corners.append(new[low, high])
                    s = s if low == a else 1.0 - s
                    weights.append((1.0 - s) * np.eye(3)[k] + s * np.eye(3)[(k + 1) % 3])
                    leave, entry = (new[low, high], entry) if inside_a else (leave, new[low, high])
            if corners:
                outer.append((cell, t, corners, weights))
            if cell == 0 and entry is not None:
                # The lower half leaves the plane at `leave`: the cap, seen from above, runs the other way.
                follows[entry] = leave
    loop = [next(iter(follows))]
    while follows[loop[-1]] != loop[0]:
        loop.append(follows[loop[-1]])
    return _cells(types, np.array(points), outer, _seen_from(np.array(points), loop, normal), normal)


def _seen_from(points, loop, normal):
    ring = points[loop] - points[loop[0]]
    area = np.cross(ring, np.roll(ring, -1, axis=0)).sum(axis=0)
    return loop if area @ normal > 0 else loop[::-1]


def _cells(types, points, outer, loop, normal):
    volume, moment = np.zeros(2), np.zeros((2, 3))
    second = np.zeros((2, 3, 3))
    faces = [(cell, corners) for cell, _, corners, _ in outer] + [(0, loop), (1, loop[::-1])]
    for cell, corners in faces:
        for i in range(1, len(corners) - 1):
            a, b, c = points[corners[0]], points[corners[i]], points[corners[i + 1]]
            v = a @ np.cross(b, c) / 6.0
            total = a + b + c
            volume[cell] += v
            moment[cell] += v * total / 4.0
            # Second moment of a tetrahedron with a corner at the origin: V/20 (sum of x x^T + total total^T).
            second[cell] += v / 20.0 * (sum(np.outer(x, x) for x in (a, b, c)) + np.outer(total, total))
    centroid = moment / volume[:, None]
    second -= volume[:, None, None] * np.einsum("ci,cj->cij", centroid, centroid)
    lengths = [len(corners) for _, _, corners, _ in outer]
    return types.Cells(
        vertices=points,
        outer_start=np.concatenate([[0], np.cumsum(lengths)]),
        outer_vertex=np.concatenate([corners for _, _, corners, _ in outer]).astype(np.int64),
        outer_weight=np.concatenate([weights for _, _, _, weights in outer]),
        outer_triangle=np.array([t for _, t, _, _ in outer]),
        outer_cell=np.array([cell for cell, _, _, _ in outer]),
        inner_start=np.array([0, len(loop)]),
        inner_vertex=np.array(loop),
        inner_bond=np.array([0]),
        bond_cells=np.array([[0, 1]]),
        bond_area=np.ones(1),
        bond_normal=(normal / np.linalg.norm(normal))[None],
        bond_centroid=points[loop].mean(axis=0)[None],
        bond_strength=np.ones(1),
        volume=volume,
        centroid=centroid,
        second_moment=second,
        region=np.arange(2),
        site=centroid,
        unit=np.arange(2),
        crumb=np.zeros(2, bool),
    )
