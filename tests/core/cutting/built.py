"""Cells made by hand, and an account of a fragment's surface that shares nothing with the code under test."""

from collections import Counter

import numpy as np
from scipy.spatial import Delaunay

from core.types import Body, Cells, Fragments

AXES = np.eye(3, dtype=int)


def blocks(shape: tuple[int, int, int], size: float = 1.0, offset: float = 0.0) -> tuple[Body, Cells]:
    """A box of unit cubes: each cube is a cell, its outer sides are two triangles of a body made of just these."""
    nodes = np.array(list(np.ndindex(*(n + 1 for n in shape))))
    number = {tuple(p): i for i, p in enumerate(nodes)}
    cells = [tuple(c) for c in np.ndindex(*shape)]
    index = {c: i for i, c in enumerate(cells)}
    triangles, outer_cell, inner, inner_cells, normals = [], [], [], [], []
    for c in cells:
        for axis in range(3):
            for side in (0, 1):
                quad = _quad(np.array(c), axis, side)
                other = tuple(np.array(c) + (2 * side - 1) * AXES[axis])
                if other not in index:
                    ids = [number[tuple(p)] for p in quad]
                    triangles += [[ids[0], ids[1], ids[2]], [ids[0], ids[2], ids[3]]]
                    outer_cell += [index[c]] * 2
                elif side == 1:
                    inner.append([number[tuple(p)] for p in quad])
                    inner_cells.append([index[c], index[other]])
                    normals.append(AXES[axis])
    vertices = nodes * size + offset
    count, bonds = len(cells), len(inner)
    body = Body(vertices, np.array(triangles), np.arange(len(triangles)))
    corner_weight = np.tile(np.eye(3), (len(triangles), 1))
    centre = (np.array(cells) + 0.5) * size + offset
    result = Cells(
        vertices=vertices,
        outer_start=3 * np.arange(len(triangles) + 1),
        outer_vertex=np.array(triangles).ravel(),
        outer_weight=corner_weight,
        outer_triangle=np.arange(len(triangles)),
        outer_cell=np.array(outer_cell),
        inner_start=4 * np.arange(bonds + 1),
        inner_vertex=np.array(inner, np.int64).ravel(),
        inner_bond=np.arange(bonds),
        bond_cells=np.array(inner_cells, np.int64).reshape(-1, 2),
        bond_area=np.full(bonds, size**2),
        bond_normal=np.array(normals, float).reshape(-1, 3),
        bond_centroid=np.zeros((bonds, 3)),
        bond_strength=np.ones(bonds),
        volume=np.full(count, size**3),
        centroid=centre,
        second_moment=np.tile(np.eye(3) * size**5 / 12.0, (count, 1, 1)),
        region=np.arange(count),
        site=centre,
        unit=np.arange(count),
        crumb=np.zeros(count, bool),
    )
    return body, result


def _quad(corner: np.ndarray, axis: int, side: int) -> list[np.ndarray]:
    """Side of the unit cube at `corner`, counter-clockwise seen from outside."""
    u, v = AXES[(axis + 1) % 3], AXES[(axis + 2) % 3]
    base = corner + side * AXES[axis]
    quad = [base, base + u, base + u + v, base + v]
    return quad if side else quad[::-1]


def tetrahedra(count: int, seed: int) -> tuple[Body, Cells]:
    """The hull of random points; each tetrahedron of their Delaunay triangulation is a cell, with rings of any size."""
    points = np.random.default_rng(seed).uniform(0.0, 1.0, (count, 3))
    mesh = Delaunay(points)
    tets = mesh.simplices.astype(np.int64)
    p = points[tets]
    turned = np.linalg.det(p[:, 1:] - p[:, :1]) < 0.0
    tets[turned] = tets[turned][:, [0, 1, 3, 2]]
    neighbour = mesh.neighbors.copy()
    neighbour[turned] = neighbour[turned][:, [0, 1, 3, 2]]
    # The side opposite to each corner, counter-clockwise seen from outside.
    sides = tets[:, [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]]]
    cell, side = np.nonzero(neighbour < 0)
    triangles = sides[cell, side]
    lo, at = np.nonzero(neighbour > np.arange(len(tets))[:, None])
    inner = sides[lo, at]
    edges = points[inner]
    area = np.cross(edges[:, 1] - edges[:, 0], edges[:, 2] - edges[:, 0]) / 2.0
    size = np.linalg.norm(area, axis=1)
    p = points[tets]
    volume = np.linalg.det(p[:, 1:] - p[:, :1]) / 6.0
    body = Body(points, triangles, np.arange(len(triangles)))
    result = Cells(
        vertices=points,
        outer_start=3 * np.arange(len(triangles) + 1),
        outer_vertex=triangles.ravel(),
        outer_weight=np.tile(np.eye(3), (len(triangles), 1)),
        outer_triangle=np.arange(len(triangles)),
        outer_cell=cell,
        inner_start=3 * np.arange(len(inner) + 1),
        inner_vertex=inner.ravel(),
        inner_bond=np.arange(len(inner)),
        bond_cells=np.stack([lo, neighbour[lo, at]], axis=1).astype(np.int64),
        bond_area=size,
        bond_normal=area / size[:, None],
        bond_centroid=edges.mean(axis=1),
        bond_strength=np.ones(len(inner)),
        volume=volume,
        centroid=p.mean(axis=1),
        second_moment=np.tile(np.eye(3), (len(tets), 1, 1)),
        region=np.arange(len(tets)),
        site=p.mean(axis=1),
        unit=np.arange(len(tets)),
        crumb=np.zeros(len(tets), bool),
    )
    return body, result


def signed_volume(fragments: Fragments, k: int) -> float:
    """Divergence theorem over fans of the faces."""
    total = 0.0
    vertices = fragments.vertices[fragments.vertex_start[k] :]
    for f in range(fragments.face_start[k], fragments.face_start[k + 1]):
        p = vertices[fragments.corner_vertex[fragments.corner_start[f] : fragments.corner_start[f + 1]]]
        for i in range(1, len(p) - 1):
            total += np.dot(p[0], np.cross(p[i], p[i + 1])) / 6.0
    return total


def rings_of(fragments: Fragments, k: int) -> list[list[int]]:
    """The vertices of each face of fragment k."""
    f = fragments
    faces = range(f.face_start[k], f.face_start[k + 1])
    return [f.corner_vertex[f.corner_start[i] : f.corner_start[i + 1]].tolist() for i in faces]


def surface_faults(fragments: Fragments, k: int) -> list[str]:
    """What keeps fragment k from being a closed surface: faces that meet themselves, edges without exactly one face
    on either side, vertices with several fans of faces."""
    rings = rings_of(fragments, k)
    faults = [f"face {ring}" for ring in rings if len(ring) < 3 or len(set(ring)) < len(ring)]
    directed = Counter(edge for ring in rings for edge in zip(ring, ring[1:] + ring[:1], strict=True))
    faults += [f"edge {edge} {n}" for edge, n in directed.items() if n != 1 or directed[edge[1], edge[0]] != 1]
    onward: dict[int, dict[int, int]] = {}
    for ring in rings:
        for before, vertex, after in zip([ring[-1], *ring], ring, ring[1:] + ring[:1], strict=False):
            onward.setdefault(vertex, {})[after] = before
    for vertex, link in onward.items():
        at = start = next(iter(link))
        reached = 0
        while reached <= len(link):
            reached += 1
            at = link.get(at, start)
            if at == start:
                break
        if reached != len(link):
            faults.append(f"vertex {vertex} has several fans")
    unused = set(range(fragments.vertex_start[k + 1] - fragments.vertex_start[k])) - set(onward)
    return faults + [f"vertex {vertex} is not used" for vertex in unused]


def shells_of(fragments: Fragments, k: int) -> list[list[int]]:
    """Faces (counted over all fragments) of each part of fragment k that hangs together through vertices."""
    rings = rings_of(fragments, k)
    parent = list(range(fragments.vertex_start[k + 1] - fragments.vertex_start[k]))

    def root(v: int) -> int:
        while parent[v] != v:
            v = parent[v]
        return v

    for ring in rings:
        for v in ring[1:]:
            parent[root(v)] = root(ring[0])
    shells: dict[int, list[int]] = {}
    for i, ring in enumerate(rings):
        shells.setdefault(root(ring[0]), []).append(int(fragments.face_start[k]) + i)
    return list(shells.values())
