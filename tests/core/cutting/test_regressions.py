"""What random tests found: each case by itself, as small as it could be made, named for what went wrong."""

import manifold3d
import numpy as np

from core.cutting.booleans import cut_by_booleans
from core.cutting.cut import cut
from core.cutting.retry import cut_with_retry
from core.pieces import PARTITIONS
from core.pieces.voronoi_complex import voronoi_complex
from core.types import Body, Impact
from tests import shapes
from tests.core.cutting.closedness import assert_sound, voronoi


def of_manifold(solid: manifold3d.Manifold) -> Body:
    mesh = solid.to_mesh64()
    return shapes.body(np.array(mesh.vert_properties)[:, :3], np.array(mesh.tri_verts).astype(np.int64))


def touching_cubes() -> Body:
    """Two unit cubes that touch along an edge; the mesh has that edge twice."""
    cubes = [manifold3d.Manifold.cube((1.0, 1.0, 1.0)).translate((k, k, 0.0)) for k in (0.0, 1.0)]
    return of_manifold(cubes[0] + cubes[1])


def test_the_second_method_does_not_join_surfaces_that_touch() -> None:
    # It made one vertex of two where edges of the mesh lie in each other, and one cell of both cubes' parts.
    body = touching_cubes()
    assert len(np.unique(body.vertices, axis=0)) < len(body.vertices)
    p = voronoi(body, 12, seed=3)
    ours, theirs = cut(body, p), cut_by_booleans(body, p)
    assert_sound(body, theirs)
    assert np.allclose(np.bincount(ours.region, ours.volume, 12), np.bincount(theirs.region, theirs.volume, 12))
    for c in (ours, theirs):
        low, high = np.full(len(c.volume), 2.0), np.zeros(len(c.volume))
        cell = np.repeat(c.outer_cell, np.diff(c.outer_start))
        np.minimum.at(low, cell, c.vertices[c.outer_vertex, 0])
        np.maximum.at(high, cell, c.vertices[c.outer_vertex, 0])
        assert not np.any((low < 0.99) & (high > 1.01))  # the cubes meet at x = 1
        assert len(c.volume) > len(np.unique(c.region))  # and some region reaches into both


def test_walls_exactly_in_the_mesh_leave_no_sliver_on_one_side_only() -> None:
    # Without any jitter: slivers without volume vanished on one side of a wall and stayed on the other.
    body = shapes.box((0.5, 0, 0), (1.5, 1, 1))
    sites = np.array([[0.25, 0.3, 0.4], [0.75, 0.3, 0.4], [1.25, 0.3, 0.4]])
    cells, notes = cut_with_retry(body, lambda attempt: voronoi_complex(sites, np.zeros(3), np.ones(3)))
    assert_sound(body, cells)
    assert "second method" in notes[0]
    assert np.bincount(cells.unit, cells.volume).min() > 0.5 - 1e-6


def test_the_second_method_cuts_patterns_that_end_soon_after_the_body() -> None:
    # A lattice turned with the body does not reach into the corners of the box along the axes.
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    body = shapes.body(shapes.bumpy_sphere(2).vertices @ turn.T, shapes.bumpy_sphere(2).triangles)
    hit = Impact(body.vertices[0], np.array([0.0, 0.0, -1.0]), 1.0, 1.0, 0.1, 0.0)
    for kind in ("cubes", "bricks"):
        method = PARTITIONS[kind]
        p = method.run(body, [hit], method.params(count=20), 3, 0)
        ours, theirs = cut(body, p), cut_by_booleans(body, p)
        assert_sound(body, theirs)
        assert np.allclose(np.sort(ours.volume), np.sort(theirs.volume), rtol=0, atol=1e-9 * ours.volume.sum())


def test_weights_say_exactly_where_corners_lie_however_shallow_the_strut() -> None:
    # Walls of mirrored sites meet the sides of a box at angles of the size of the jitter: the rounded places where
    # edges of the pattern pass through a side lay up to 1e-9 beside it, and attributes were read from there.
    body = shapes.icosphere(2)
    half = np.random.default_rng(4).uniform(-1.0, 1.0, (14, 3))
    mirrored = np.concatenate([half * sign for sign in np.array([[1, 1, 1], [-1, 1, 1], [1, -1, 1], [-1, -1, 1]])])
    for seed in range(6):
        sites = mirrored + 1e-9 * np.random.default_rng(seed).uniform(-1.0, 1.0, mirrored.shape)
        cells, _ = cut_with_retry(body, lambda attempt, s=sites: voronoi_complex(s, -np.ones(3), np.ones(3)))
        triangle = np.repeat(cells.outer_triangle, np.diff(cells.outer_start))
        placed = np.einsum("nk,nki->ni", cells.outer_weight, body.vertices[body.triangles[triangle]])
        assert np.abs(placed - cells.vertices[cells.outer_vertex]).max() < 1e-14


def test_webs_in_solids_are_cut_at_the_first_attempt() -> None:
    # Sites at nearly equal radii are nearly cospherical: Qhull gave flat tetrahedra for one seed in eight, and for some
    # patterns at every attempt.
    body = shapes.box()
    hit = Impact(body.vertices[7], -np.ones(3) / np.sqrt(3.0), 1.0, 5.0, 0.15, 0.0)
    method = PARTITIONS["voronoi"]
    for seed in range(8):
        p = method.run(body, [hit], method.params(layout="spider", count=120), seed, 0)
        assert_sound(body, cut(body, p))
