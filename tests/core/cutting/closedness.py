"""What every cut must keep, whatever was cut: used by several test modules."""

import numpy as np

from core.pieces.voronoi_complex import voronoi_complex
from core.types import Body, Cells, Floats, Ints, Partition


def voronoi(body: Body, count: int, seed: int = 0) -> Partition:
    """Uniform sites in the body's box."""
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    sites = np.random.default_rng(seed).uniform(low, high, (count, 3))
    return voronoi_complex(sites, low, high)


def _directed(start: Ints, vertex: Ints, face: Ints, flip: bool) -> tuple[Ints, Ints]:
    """Directed edges (n,2) of all faces and the face of each."""
    size = np.diff(start)
    owner = np.repeat(np.arange(len(size)), size)
    following = np.arange(len(vertex)) + 1
    last = start[1:] - 1
    following[last] = start[:-1]
    edges = np.stack([vertex, vertex[following]], axis=1)
    return (edges[:, ::-1] if flip else edges), face[owner]


def cell_edges(c: Cells) -> tuple[Ints, Ints]:
    """Directed edges of all faces of all cells, and their cells; inner faces appear once for each side."""
    lo, hi = c.bond_cells[c.inner_bond, 0], c.bond_cells[c.inner_bond, 1]
    parts = [
        _directed(c.outer_start, c.outer_vertex, c.outer_cell, False),
        _directed(c.inner_start, c.inner_vertex, lo, False),
        _directed(c.inner_start, c.inner_vertex, hi, True),
    ]
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def open_cells(c: Cells) -> int:
    """How many directed edges lack their opposite within their own cell."""
    edges, cell = cell_edges(c)
    n = len(c.vertices)
    forward = np.sort((cell * n + edges[:, 0]) * n + edges[:, 1])
    backward = np.sort((cell * n + edges[:, 1]) * n + edges[:, 0])
    return int(np.count_nonzero(forward != backward))


def cell_triangles(c: Cells, cell: int) -> Ints:
    """The closed surface of one cell as triangles, fans of its faces."""
    faces = [c.outer_vertex[c.outer_start[f] : c.outer_start[f + 1]] for f in np.flatnonzero(c.outer_cell == cell)]
    for side in range(2):
        for f in np.flatnonzero(c.bond_cells[c.inner_bond, side] == cell):
            corners = c.inner_vertex[c.inner_start[f] : c.inner_start[f + 1]]
            faces.append(corners if side == 0 else corners[::-1])
    return np.concatenate([np.stack([np.full(len(f) - 2, f[0]), f[1:-1], f[2:]], axis=1) for f in faces if len(f) > 2])


def mesh_moments(vertices: Floats, triangles: Ints) -> tuple[float, Floats, Floats]:
    """Volume, centroid and second moment about the centroid, by tetrahedra from the mean vertex."""
    o = vertices[np.unique(triangles)].mean(axis=0)
    p = vertices[triangles] - o
    v = np.einsum("ni,ni->n", p[:, 0], np.cross(p[:, 1], p[:, 2])) / 6.0
    volume = v.sum()
    s = p.sum(axis=1)
    c = np.einsum("n,ni->i", v, s) / (4.0 * volume)
    second = (np.einsum("n,nki,nkj->ij", v, p, p) + np.einsum("n,ni,nj->ij", v, s, s)) / 20.0
    return float(volume), o + c, second - volume * np.outer(c, c)


def assert_sound(body: Body, c: Cells, volume_tolerance: float = 1e-12) -> None:
    """Closed cells, volumes and first and second moments that add up to the body's, weights that are barycentric."""
    assert open_cells(c) == 0
    volume, centroid, second = mesh_moments(body.vertices, body.triangles)
    size = np.linalg.norm(np.ptp(body.vertices, axis=0))
    assert np.all(c.volume > 0.0)
    assert abs(c.volume.sum() - volume) <= volume_tolerance * volume
    arm = c.centroid - centroid
    assert np.abs(np.einsum("c,ci->i", c.volume, arm)).max() < 10 * volume_tolerance * size * volume
    # the parallel axis theorem
    total = c.second_moment.sum(axis=0) + np.einsum("c,ci,cj->ij", c.volume, arm, arm)
    assert np.abs(total - second).max() < 10 * volume_tolerance * volume * size**2
    assert np.all(c.outer_weight >= 0.0)
    assert np.abs(c.outer_weight.sum(axis=1) - 1.0).max() <= 4e-16
    corner_triangle = np.repeat(c.outer_triangle, np.diff(c.outer_start))
    position = np.einsum("nk,nki->ni", c.outer_weight, body.vertices[body.triangles[corner_triangle]])
    assert np.abs(position - c.vertices[c.outer_vertex]).max() < 1e-13 * (size + np.abs(body.vertices).max())
    assert np.array_equal(np.unique(c.unit), np.arange(c.unit.max() + 1))
