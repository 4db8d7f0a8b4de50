"""Convex parts for tests of the narrow phase: shapes from hulls of points, bodies and pairs with poses."""

import numpy as np
from scipy.spatial import ConvexHull, Voronoi
from scipy.spatial.transform import Rotation

from core.jit import sealed_ints
from core.record_arrays import zero_records
from core.rigid.narrow.manifold import find_manifolds
from core.rigid.narrow.owned_parts import OwnedParts
from core.rigid.narrow.scratch import scratch_of
from core.rigid.records import BODY, FACE_RECORD, MANIFOLD, PART
from core.rigid.shapes.convex_parts import ConvexParts

CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def part_of(points):
    """The hull of points (n,3) as `ConvexParts` of one part, coplanar triangles joined into one face."""
    points = np.asarray(points, np.float64)
    hull = ConvexHull(points)
    used = hull.vertices
    number = np.full(len(points), -1)
    number[used] = np.arange(len(used))
    corner = points[used]
    size = np.ptp(corner, axis=0).max()
    # Neighbouring triangles in one plane are one face.
    group = np.arange(len(hull.simplices))
    for t, others in enumerate(hull.neighbors):
        for n in others:
            same = np.abs(hull.equations[t] - hull.equations[n])
            if same[:3].max() < 1e-9 and same[3] < 1e-9 * size:
                group[group == group[n]] = group[t]
    faces, loops, edge_of = [], [], {}
    for row, g in enumerate(np.unique(group)):
        members = np.flatnonzero(group == g)
        corners = np.unique(number[hull.simplices[members]])
        normal = hull.equations[members[0], :3]
        centre = corner[corners].mean(0)
        u = corner[corners[0]] - centre
        u /= np.linalg.norm(u)
        flat = (corner[corners] - centre) @ np.stack([u, np.cross(normal, u)], 1)
        loop = corners[np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))]
        for s, t in zip(loop, np.roll(loop, -1), strict=True):
            edge_of.setdefault((min(s, t), max(s, t)), []).append(row)
        offset = (corner[loop] @ normal).mean()
        faces.append((normal, offset, loop))
        loops.append(loop)
    assert all(len(two) == 2 for two in edge_of.values())
    start = np.cumsum([0] + [len(loop) for loop in loops])
    shape = zero_records(FACE_RECORD, len(faces))
    for k, (normal, offset, _) in enumerate(faces):
        shape[k].normal, shape[k].offset, shape[k].loop, shape[k].adjacent = normal, offset, start[k : k + 2], -1
    edges = np.array([[*ends, *two] for ends, two in edge_of.items()], np.int64)
    part = zero_records(PART, 1)
    centre = corner.mean(0)
    part[0].vertex, part[0].face, part[0].edge = (0, len(corner)), (0, len(faces)), (0, len(edges))
    part[0].centre, part[0].radius = centre, np.linalg.norm(corner - centre, axis=1).max()
    return ConvexParts(part, corner, shape, np.concatenate(loops).astype(np.int64), edges)


def parts_of(*clouds):
    """The hulls of several clouds of points as parts."""
    each = [part_of(points) for points in clouds]
    offset = np.cumsum(
        [[0] * 5] + [[len(s.vertices), len(s.faces), len(s.edges), len(s.loop), 1] for s in each], axis=0
    )
    parts, faces = (np.concatenate([getattr(s, name) for s in each]) for name in ("parts", "faces"))
    for column, name in enumerate(("vertex", "face", "edge")):
        parts[name] += offset[:-1, column, None]
    faces["loop"] += np.repeat(offset[:-1, 3], [len(s.faces) for s in each])[:, None]
    vertices, loop, edges = (np.concatenate([getattr(s, name) for s in each]) for name in ("vertices", "loop", "edges"))
    return ConvexParts(parts, vertices, faces, loop, edges)


def voronoi_cells(count, seed=0, size=2.0):
    """Corners of the Voronoi cells of random sites in a cube: mirrored sites make its walls."""
    sites = np.random.default_rng(seed).uniform(-size / 2, size / 2, (count, 3))
    mirrored = [sites]
    for axis in range(3):
        for wall in (-size, size):
            image = sites.copy()
            image[:, axis] = wall - image[:, axis]
            mirrored.append(image)
    diagram = Voronoi(np.concatenate(mirrored))
    return [diagram.vertices[diagram.regions[diagram.point_region[k]]] for k in range(count)]


def bodies_of(turns, origins):
    """Bodies with poses: rotation matrices (n,3,3) and origins (n,3)."""
    bodies = zero_records(BODY, len(origins))
    bodies.turn, bodies.origin = turns, origins
    return bodies


def random_turns(count, rng):
    return Rotation.random(count, random_state=rng.integers(2**31)).as_matrix()


def pairs_of(parts, bodies=None):
    """Pairs of parts (n,2), each part a body of its own unless said."""
    pairs = zero_records(MANIFOLD, len(parts))
    pairs.part = parts
    pairs.body = parts if bodies is None else bodies
    return pairs


def touched(shapes, bodies, pairs, margin, slop=1e-4, owner=None, kernel=find_manifolds):
    """The pairs after the narrow phase."""
    owner = np.arange(len(shapes.parts)) if owner is None else owner
    geometry = shapes.geometry
    kernel(pairs, bodies, OwnedParts(geometry, sealed_ints(owner)), margin, slop, scratch_of(geometry))
    return pairs
