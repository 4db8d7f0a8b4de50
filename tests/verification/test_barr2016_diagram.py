"""Barr 2016, sections 4 and 8: the shatter diagram and the fragments' surfaces, in 2D and in 3D.

The plane of the paper is a pane of thickness t whose sites lie in its middle: areas are volumes over t. Vectors and
scenes are those of docs/papers/barr2016.md.
"""

import dataclasses
import itertools

import numpy as np
import pytest

from core.breaking.impact_factor import ImpactFactorParams, impact_factor_loads
from core.cutting.cut import cut
from core.cutting.units import units
from core.fragments.build import build_fragments
from core.geometry.graph import components
from core.pieces.voronoi_complex import voronoi_complex
from core.types import Body, Cells, Units
from tests.shapes import body, box, icosphere, torus
from tests.struck import struck
from tests.unit_graphs import hit, voronoi_links

THICKNESS = 0.02


def diagram(whole: Body, site) -> Cells:
    return cut(
        whole, voronoi_complex(np.asarray(site, dtype=float), whole.vertices.min(axis=0), whole.vertices.max(axis=0))
    )


def square_sites(count: int) -> np.ndarray:
    return np.pad(np.random.default_rng(42).uniform(0.0, 1.0, (count, 2)), ((0, 0), (0, 1)))


def pane() -> Body:
    return box((0.0, 0.0, -0.5 * THICKNESS), (1.0, 1.0, 0.5 * THICKNESS))


def ball_sites(count: int) -> np.ndarray:
    rng = np.random.default_rng(42)
    direction = rng.normal(size=(count, 3))
    return 0.95 * rng.uniform(0.0, 1.0, (count, 1)) ** (1 / 3) * direction / np.linalg.norm(direction, axis=1)[:, None]


def ring_sites(count: int) -> np.ndarray:
    rng = np.random.default_rng(42)
    turn, out, up = 2 * np.pi * rng.random(count), 1.0 + rng.uniform(-0.2, 0.2, count), rng.uniform(-0.2, 0.2, count)
    return np.stack((out * np.cos(turn), out * np.sin(turn), up), axis=1)


def volume_of(whole: Body) -> float:
    a, b, c = (whole.vertices[whole.triangles[:, k]] for k in range(3))
    return float(np.einsum("ti,ti->", a, np.cross(b, c)) / 6.0)


def faces_of(cells: Cells) -> list[list[list[int]]]:
    """Faces of each cell as loops of vertices, counter-clockwise seen from outside of the cell."""
    faces: list[list[list[int]]] = [[] for _ in cells.volume]
    for k, cell in enumerate(cells.outer_cell):
        faces[cell].append(cells.outer_vertex[cells.outer_start[k] : cells.outer_start[k + 1]].tolist())
    for k, bond in enumerate(cells.inner_bond):
        loop = cells.inner_vertex[cells.inner_start[k] : cells.inner_start[k + 1]].tolist()
        lo, hi = cells.bond_cells[bond]
        faces[lo].append(loop)  # seen from hi, the outside of lo
        faces[hi].append(loop[::-1])
    return faces


def edges(loops) -> list[tuple[int, int]]:
    return [(a, b) for loop in loops for a, b in zip(loop, loop[1:] + loop[:1], strict=True)]


def is_closed(loops) -> bool:
    """Whether each directed edge meets its reverse exactly once."""
    directed = edges(loops)
    return len(set(directed)) == len(directed) and {(b, a) for a, b in directed} == set(directed)


def largest_overhang(cells: Cells) -> float:
    """How far a cell reaches beyond the plane of one of its bonds: 0 for convex cells of a convex body."""
    loops = faces_of(cells)
    worst = -np.inf
    for bond, (lo, hi) in enumerate(cells.bond_cells):
        for cell, sign in ((lo, 1.0), (hi, -1.0)):
            corners = cells.vertices[sorted({v for loop in loops[cell] for v in loop})]
            worst = max(worst, (sign * (corners - cells.bond_centroid[bond]) @ cells.bond_normal[bond]).max())
    return float(worst)


# ---- RD: diagrams of the unit square (Fig. 2) -----------------------------------------------------------------------


@pytest.mark.parametrize("count", [10, 100, 1000])
def test_rd_square(count):
    site = square_sites(count)
    cells = diagram(pane(), site)
    assert len(cells.volume) == count
    assert abs(cells.volume.sum() / THICKNESS - 1.0) < 1e-12
    assert cells.volume.min() > 0.0
    # Every inner face belongs to two different cells, and the normal points from the one to the other.
    lo, hi = cells.bond_cells.T
    assert np.all(lo != hi)
    assert np.array_equal(np.unique(cells.inner_bond), np.arange(len(cells.bond_cells)))
    step = cells.site[hi] - cells.site[lo]
    assert np.all(np.einsum("bi,bi->b", step, cells.bond_normal) > 0.0)
    # Each cell holds its site: it is on the inner side of every bond's plane.
    for end, sign in ((lo, 1.0), (hi, -1.0)):
        height = np.einsum("bi,bi->b", cells.site[end] - cells.bond_centroid, cells.bond_normal)
        assert np.all(sign * height < 0.0)
    assert largest_overhang(cells) < 1e-9
    assert all(is_closed(loops) for loops in faces_of(cells))


# The cutter's jitter of 1e-6 may flip a link of vanishing length: the page allows 2.
@pytest.mark.parametrize(("count", "links"), [(10, 17), (100, 264), (1000, 2890)])
def test_v4_links_of_the_square(count, links):
    graph = units(diagram(pane(), square_sites(count)))
    assert abs(len(graph.links) - links) <= 2
    expected = voronoi_links(square_sites(count)[:, :2])
    ours, theirs = set(map(tuple, graph.links.tolist())), set(map(tuple, expected.tolist()))
    assert len(ours ^ theirs) <= 4


@pytest.mark.parametrize(("count", "links"), [(10, 30), (100, 521), (1000, 6658)])
def test_v4_links_of_the_cube(count, links):
    site = np.random.default_rng(42).uniform(0.0, 1.0, (count, 3))
    cells = diagram(box(), site)
    assert abs(len(units(cells).links) - links) <= 2
    assert abs(cells.volume.sum() - 1.0) < 1e-12


# ---- R3: solids -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [100, 1000])
def test_r3_cells_of_convex_solids(count):
    cube = np.random.default_rng(42).uniform(0.0, 1.0, (count, 3))
    for whole, site in ((box(), cube), (icosphere(3), ball_sites(count))):
        cells = diagram(whole, site)
        assert len(cells.volume) == count
        assert abs(cells.volume.sum() / volume_of(whole) - 1.0) < 1e-12
        for loops in faces_of(cells):
            assert is_closed(loops)
            # Euler: V - E + F = 2
            corners = {v for loop in loops for v in loop}
            assert len(corners) - len(edges(loops)) // 2 + len(loops) == 2


def test_r3_cells_of_a_concave_solid():
    whole = torus()
    cells = diagram(whole, ring_sites(100))
    assert abs(cells.volume.sum() / volume_of(whole) - 1.0) < 1e-12  # the page asks for 1e-6
    assert all(is_closed(loops) for loops in faces_of(cells))


# ---- RV: surfaces of the fragments (R11) ----------------------------------------------------------------------------


def fragments_of(graph: Units, impact, params) -> list[np.ndarray]:
    members = np.arange(len(graph.volume))
    cracked = impact_factor_loads(struck(graph, impact, strength=np.ones(len(graph.links))), params).cracked
    label = components(len(members), graph.links, ~cracked, members)
    return [np.flatnonzero(label == k) for k in range(label.max() + 1)]


@pytest.mark.parametrize("name", ["pane", "cube", "ball", "ring"])
def test_rv_fragments_are_closed_and_add_up(name):
    whole, site, point = {
        "pane": (pane(), square_sites(300), (0.5, 0.5, 0.0)),
        "cube": (box(), np.random.default_rng(42).uniform(0.0, 1.0, (200, 3)), (0.5, 0.5, 1.0)),
        "ball": (icosphere(3), ball_sites(200), (0.0, 0.0, 1.0)),
        "ring": (torus(), ring_sites(150), (1.0, 0.0, 0.3)),
    }[name]
    cells = diagram(whole, site)
    graph = units(cells)
    members = fragments_of(graph, hit(point, 1.0, 0.2), ImpactFactorParams(durability=0.01))
    assert 5 < len(members) < len(graph.volume)
    made = build_fragments(cells, members, 1000.0, whole)
    total = volume_of(whole)
    assert abs(made.volume.sum() / total - 1.0) < 1e-12
    outer_area = 0.0
    for k, own in enumerate(members):
        vertices = made.vertices[made.vertex_start[k] : made.vertex_start[k + 1]]
        loops, skin = [], []
        for face in range(made.face_start[k], made.face_start[k + 1]):
            loop = made.corner_vertex[made.corner_start[face] : made.corner_start[face + 1]].tolist()
            loops.append(loop)
            if made.face_triangle[face] >= 0:
                skin.append(loop)
            else:  # R11: an inner face is drawn only where its neighbour belongs to another fragment
                ends = cells.unit[cells.bond_cells[made.face_bond[face]]]
                assert np.isin(ends, own).sum() == 1
        assert is_closed(loops)
        fans = np.array([(loop[0], b, c) for loop in loops for b, c in itertools.pairwise(loop[1:])])
        measured = np.einsum("ti,ti->", vertices[fans[:, 0]], np.cross(vertices[fans[:, 1]], vertices[fans[:, 2]])) / 6
        assert abs(measured - made.volume[k]) < 1e-12 * total
        for loop in skin:
            p = vertices[loop]
            outer_area += 0.5 * np.linalg.norm(np.cross(p - p[0], np.roll(p, -1, axis=0) - p[0]).sum(axis=0))
    a, b, c = (whole.vertices[whole.triangles[:, k]] for k in range(3))
    skin_area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
    assert abs(outer_area / skin_area - 1.0) < 1e-9


# ---- RT: an impact does not see the mesh ----------------------------------------------------------------------------


def finer(whole: Body) -> Body:
    """The same flat faces with four times the triangles."""
    a, b, c = whole.triangles.T
    pairs, edge = np.unique(
        np.sort(np.stack((a, b, b, c, c, a), axis=1).reshape(-1, 2), axis=1), axis=0, return_inverse=True
    )
    ab, bc, ca = edge.reshape(-1, 3).T + len(whole.vertices)
    corners = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
    return body(
        np.concatenate((whole.vertices, whole.vertices[pairs].mean(axis=1))),
        np.concatenate([np.stack(triangle, axis=1) for triangle in corners]),
    )


def test_rt_propagation_does_not_depend_on_the_mesh():
    # The time itself is measured in tests/bench/bench_barr.py. Here: nothing that an impact reads grows with the mesh.
    site = np.random.default_rng(42).uniform(0.0, 1.0, (100, 3))
    coarse, fine = box(), finer(finer(finer(box())))
    assert len(fine.triangles) == 64 * len(coarse.triangles)
    one, two = (units(diagram(whole, site)) for whole in (coarse, fine))
    for field in dataclasses.fields(Units):
        assert getattr(one, field.name).shape == getattr(two, field.name).shape
    assert np.array_equal(one.links, two.links)
    impact, params = hit((0.5, 0.5, 1.0), 1.0, 0.2), ImpactFactorParams(durability=0.03)
    for left, right in zip(fragments_of(one, impact, params), fragments_of(two, impact, params), strict=True):
        assert np.array_equal(left, right)
