"""Lattices of tetrahedra between random points, made without the cutter: for benchmarks and large tests."""

from itertools import combinations

import numpy as np
from scipy.spatial import Delaunay

from core.breaking.constraint_lattice.grains import Grains, Joints, pairs_of_equal

DENSITY = 2500.0


def lattice(points, tensile=30e6, density=DENSITY) -> tuple[Grains, Joints]:
    """Grains and joints of the Delaunay tetrahedra of points (n,3) [m]; strength is `tensile` [Pa] times area."""
    points = np.asarray(points, np.float64)
    mesh = Delaunay(points)
    order = _along_a_curve(points[mesh.simplices].mean(axis=1))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    corners = np.sort(mesh.simplices[order], axis=1).astype(np.int64)
    other = mesh.neighbors[order]
    x = points[corners]
    centre = x.mean(axis=1)
    volume = np.abs(np.linalg.det(x[:, 1:] - x[:, :1])) / 6.0
    d = x - centre[:, None]
    grains = Grains(
        of_cell=np.arange(len(corners)),
        unit=np.arange(len(corners)),
        mass=density * volume,
        centre=centre,
        second=np.einsum("tki,tkj->tij", d, d) / 20.0,  # of a tetrahedron over its volume
        anchored=np.zeros(len(corners), np.bool_),
    )
    t, k = np.nonzero(other >= 0)
    mate = rank[other[t, k]]
    pair = np.stack([t, mate], axis=1)[t < mate].astype(np.int64)
    pair = pair[np.lexsort((pair[:, 1], pair[:, 0]))]
    shared = corners[pair[:, 0]][(corners[pair[:, 0]][:, :, None] == corners[pair[:, 1]][:, None]).any(axis=2)]
    return grains, _joints(points, corners, pair, shared.reshape(-1, 3), centre, tensile)


def _joints(points, corners, pair, face, centre, tensile) -> Joints:
    v = points[face]
    cross = np.cross(v[:, 1] - v[:, 0], v[:, 2] - v[:, 0])
    area = 0.5 * np.linalg.norm(cross, axis=1)
    normal = cross / (2.0 * area)[:, None]
    normal *= np.sign(np.einsum("ji,ji->j", normal, centre[pair[:, 1]] - centre[pair[:, 0]]))[:, None]
    middle = v.mean(axis=1)
    r = v - middle[:, None]
    count = len(points)
    edges = np.concatenate([face[:, ends] for ends in combinations(range(3), 2)])
    joint = np.tile(np.arange(len(face)), 3)
    around = pairs_of_equal(edges[:, 0] * count + edges[:, 1], joint, len(face))
    tets = np.concatenate([corners[:, ends] for ends in combinations(range(4), 2)])
    near = pairs_of_equal(tets[:, 0] * count + tets[:, 1], np.tile(np.arange(len(corners)), 6), len(corners))
    known = pair[:, 0] * len(corners) + pair[:, 1]
    across = near[~np.isin(near[:, 0] * len(corners) + near[:, 1], known)]
    return Joints(
        pair=pair,
        area=area,
        normal=normal,
        middle=middle,
        spread=(area / 12.0)[:, None, None] * np.einsum("jki,jkl->jil", r, r),
        strength=tensile * area,
        nominal=tensile * area,
        prestress=np.zeros(len(pair)),
        link=np.arange(len(pair)),
        around=around,
        across=across,
    )


def box(count, size=(2.0, 1.0, 0.5), seed=0) -> tuple[Grains, Joints]:
    """Random points in a box: about 6.5 tetrahedra and 13 shared faces for each."""
    return lattice(np.random.default_rng(seed).uniform(0.0, 1.0, (count, 3)) * size)


def pushed(grains, at=(1.0, 0.5, 0.5), count=20, force=-1.0):
    """Loads (N,6) that sum up to a force [N] along z, on the grains nearest to a point."""
    load = np.zeros((len(grains.mass), 6))
    near = np.argsort(np.linalg.norm(grains.centre - np.asarray(at), axis=1), kind="stable")[:count]
    load[near, 2] = force / count
    return load


def _along_a_curve(x):
    """An order in which neighbours are near: of cubes of a grid in which each is the last one's neighbour's."""
    grid = np.floor((x - x.min(axis=0)) / np.ptp(x, axis=0).max() * 1023.0).astype(np.int64)
    key = np.zeros(len(x), np.int64)
    for bit in range(10):
        for axis in range(3):
            key |= ((grid[:, axis] >> bit) & 1) << (3 * bit + axis)
    return np.argsort(key, kind="stable")
