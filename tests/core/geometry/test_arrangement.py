"""The skin of shells that cross: held against manifold3d's unions, winding numbers, lattices that can be counted."""

import manifold3d
import numpy as np
import pytest

from core.geometry import arrangement
from core.geometry.arrangement import JITTERS, CrowdedError, TangleError, find_winding_skin
from core.geometry.arrangement.contacts import MOST_CROSSING
from core.geometry.inside import winding_number
from core.geometry.mesh import area, diagonal, edge_table, find_shells, is_manifold, volume

from .solids import box, bumpy, joined, moved, rotation, sphere, subdivided, torus


def solid(vertices, triangles):
    return manifold3d.Manifold(manifold3d.Mesh64(np.ascontiguousarray(vertices), triangles.astype(np.uint64)))


def union(parts):
    """Volume of the union of simple solids, by another implementation."""
    return manifold3d.Manifold.batch_boolean([solid(*part) for part in parts], manifold3d.OpType.Add).volume()


def corners(vertices, triangles):
    """Corner coordinates of each triangle, sorted so that equal triangles are equal rows whatever their order."""
    rows = vertices[triangles].reshape(-1, 9)
    return rows[np.lexsort(rows.T)]


def check(vertices, triangles, found, seed=0, tolerance=1e-9):
    """What holds for every skin: closed, each edge two triangles, within their parents, and around the right points."""
    size = diagonal(vertices)
    assert is_manifold(edge_table(found.triangles, len(found.vertices)))
    assert solid(found.vertices, found.triangles).status() == manifold3d.Error.NoError
    # In the plane of the parent, within its border, and facing the same way.
    parent = vertices[triangles[found.parent]]
    normal = np.cross(parent[:, 1] - parent[:, 0], parent[:, 2] - parent[:, 0])
    double = np.linalg.norm(normal, axis=1)
    normal /= double[:, None]
    own = found.vertices[found.triangles]
    height = np.einsum("nkj,nj->nk", own - parent[:, :1], normal)
    assert np.abs(height).max(initial=0.0) < tolerance * size
    for k in range(3):
        side = parent[:, (k + 1) % 3] - parent[:, k]
        inward = np.cross(normal, side) / np.linalg.norm(side, axis=1)[:, None]
        assert np.einsum("nkj,nj->nk", own - parent[:, k, None], inward).min(initial=0.0) > -tolerance * size
    turned = np.einsum("ni,ni->n", np.cross(own[:, 1] - own[:, 0], own[:, 2] - own[:, 0]), normal)
    assert turned.min(initial=0.0) > -tolerance * size**2
    # The definition: inside the skin is what the input winds around at least once, and nothing more than once.
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    points = np.random.default_rng(seed).uniform(low, high, (2000, 3))
    expected = (winding_number(vertices, triangles, points) >= 1).astype(np.int64)
    np.testing.assert_array_equal(winding_number(found.vertices, found.triangles, points), expected)


@pytest.mark.parametrize("seed", range(4))
def test_two_boxes_that_overlap_are_their_union(seed):
    parts = [moved(box(), seed=seed), moved(box(), (0.7, 0.4, 0.2), seed=seed + 50)]
    mesh = joined(*parts)
    found = find_winding_skin(*mesh)
    check(*mesh, found)
    assert volume(found.vertices, found.triangles) == pytest.approx(union(parts), rel=1e-12)
    assert found.winding == (0, 2)
    assert found.crossings > 0


def crowd(seed):
    """2 to 6 turned boxes, spheres and tori that overlap at random."""
    rng = np.random.default_rng([11, seed])
    kinds = (box, lambda: sphere(1), lambda: sphere(2), lambda: torus(around=16, across=8))
    parts = [kinds[rng.integers(4)]() for _ in range(rng.integers(2, 7))]
    return [
        moved(part, rng.uniform(-0.8, 0.8, 3), int(rng.integers(1 << 30)), float(rng.uniform(0.5, 1.2)))
        for part in parts
    ]


@pytest.mark.parametrize("seed", range(40))
def test_shells_in_one_mesh_become_the_union_of_the_solids(seed):
    parts = crowd(seed)
    mesh = joined(*parts)
    found = find_winding_skin(*mesh)
    check(*mesh, found, seed)
    assert volume(found.vertices, found.triangles) == pytest.approx(union(parts), rel=1e-9)


def eight(angle):
    return np.stack([2.0 * np.sin(angle), np.sin(2.0 * angle), 0.05 * np.cos(angle)], axis=1)


def knot(angle):
    return np.stack([np.sin(3.0 * angle + 0.3), np.sin(4.0 * angle + 0.1), 0.3 * np.cos(5.0 * angle)], axis=1)


TUBES = {
    "figure of eight": torus(minor=0.3, around=60, across=16, turn=eight),
    "Lissajous": torus(minor=0.2, around=160, across=8, turn=knot),
    "torus without a hole": torus(minor=1.3, around=23, across=11),
}


@pytest.mark.parametrize("name", TUBES)
def test_a_tube_that_crosses_itself_has_the_volume_of_what_it_winds_around(name):
    vertices, triangles = moved(TUBES[name], seed=2)
    found = find_winding_skin(vertices, triangles)
    # All circles of a torus without a hole cross in two points: it takes some jitter to tell where they do.
    check(vertices, triangles, found, tolerance=1e-7 if name == "torus without a hole" else 1e-9)
    # Hits among n points are binomial: four standard deviations.
    n, low, high = 100_000, vertices.min(axis=0), vertices.max(axis=0)
    wound = winding_number(vertices, triangles, np.random.default_rng(3).uniform(low, high, (n, 3)))
    share = (wound >= 1).mean()
    expected, error = share * np.prod(high - low), 4.0 * np.sqrt(share * (1.0 - share) / n) * np.prod(high - low)
    assert abs(volume(found.vertices, found.triangles) - expected) < error
    assert found.winding[0] <= wound.min() and found.winding[1] >= wound.max()
    assert found.crossings > 100


def crumpled(levels, seed, noise):
    """A sphere whose vertices are moved so far that neighbouring triangles cross."""
    vertices, triangles = bumpy(levels, seed)
    return vertices + np.random.default_rng(seed).normal(0.0, noise, vertices.shape), triangles


@pytest.mark.parametrize("seed", range(6))
def test_crumpled_surfaces_cross_at_common_vertices_too(seed):
    mesh = crumpled(3, seed, 0.15)
    found = find_winding_skin(*mesh)
    check(*mesh, found)
    assert found.crossings > 300
    assert found.winding[0] < 0 and found.winding[1] > 1


def test_ten_thousand_crossing_pairs():
    mesh = crumpled(5, 1, 0.08)
    found = find_winding_skin(*mesh)
    check(*mesh, found)
    assert found.crossings > 10_000


def lattice(seed):
    """2 to 6 boxes with corners on a lattice of unit cells, and which cells they fill."""
    rng = np.random.default_rng([12, seed])
    parts, filled = [], np.zeros((7, 7, 7), dtype=bool)
    for _ in range(rng.integers(2, 7)):
        low = rng.integers(0, 4, 3)
        high = low + rng.integers(1, 4, 3)
        parts.append(box(low, high))
        filled[tuple(slice(a, b) for a, b in zip(low, high, strict=True))] = True
    return joined(*parts), int(filled.sum())


@pytest.mark.parametrize("seed", range(25))
def test_boxes_on_a_lattice_share_planes_edges_and_corners_and_come_out_right(seed):
    mesh, expected = lattice(seed)
    found = find_winding_skin(*mesh)
    assert is_manifold(edge_table(found.triangles, len(found.vertices)))
    assert solid(found.vertices, found.triangles).status() == manifold3d.Error.NoError
    # Each vertex moves by less than twice the jitter along each axis.
    moved_by = 2.0 * np.sqrt(3.0) * JITTERS[-1] * diagonal(mesh[0])
    assert abs(volume(found.vertices, found.triangles) - expected) < moved_by * area(*mesh)


def test_solids_that_touch_become_one():
    # A face on a face, half of it covered: moved outward before the cut, not apart.
    mesh = joined(box(), box((1.0, 0.0, -1.0), (3.0, 2.0, 1.0)))
    found = find_winding_skin(*moved(mesh, seed=3))
    assert find_shells(edge_table(found.triangles)).max() == 0
    assert volume(found.vertices, found.triangles) == pytest.approx(16.0, rel=1e-7)
    assert found.winding == (0, 2)


def test_a_stray_vertex_does_not_matter():
    # A hollow in the overlap of two boxes needs rays to know what is inside.
    inner = moved(box(), (1.0, 0.2, 0.1), seed=3, scale=0.5)
    vertices, triangles = joined((inner[0], inner[1][:, ::-1]), moved(box(), scale=2.0), box())
    one, other = (
        find_winding_skin(vertices, triangles),
        find_winding_skin(np.append(vertices, [[1e9, np.nan, 0.0]], axis=0), triangles),
    )
    np.testing.assert_array_equal(one.vertices, other.vertices)
    np.testing.assert_array_equal(one.triangles, other.triangles)
    assert one.winding == other.winding == (0, 2)
    assert volume(other.vertices, other.triangles) < 64.0


def test_an_inverted_shell_takes_away_what_it_wraps():
    # Winding number 1 - 1 = 0 where the two overlap, -1 in what sticks out of the box.
    outer, inner = moved(box(), seed=1), moved(box(), (1.0, 0.2, 0.1), seed=3, scale=0.5)
    mesh = joined(outer, (inner[0], inner[1][:, ::-1]))
    found = find_winding_skin(*mesh)
    check(*mesh, found)
    assert volume(found.vertices, found.triangles) == pytest.approx((solid(*outer) - solid(*inner)).volume(), rel=1e-12)
    assert found.winding == (-1, 1)


def test_twins_count_as_often_as_they_occur():
    vertices, triangles = sphere(2)
    twice = find_winding_skin(vertices, np.concatenate([triangles, triangles]))
    assert twice.winding == (0, 2)
    np.testing.assert_array_equal(corners(twice.vertices, twice.triangles), corners(vertices, triangles))
    # One and a half turns inward: 2 - 1.
    turned = triangles[:, ::-1]
    once = find_winding_skin(vertices, np.concatenate([turned, triangles, triangles]))
    assert once.winding == (0, 1)
    assert (once.parent >= len(triangles)).all()
    np.testing.assert_array_equal(corners(once.vertices, once.triangles), corners(vertices, triangles))
    assert len(find_winding_skin(vertices, np.concatenate([triangles, turned])).triangles) == 0


def test_a_doubled_shell_with_vertices_of_its_own_counts_once():
    mesh = joined(sphere(2), sphere(2))
    found = find_winding_skin(*mesh)
    expected = volume(*sphere(2))
    assert volume(found.vertices, found.triangles) == pytest.approx(expected, rel=1e-5)
    assert found.winding == (0, 2)


def test_a_loop_inside_out_vanishes_and_so_does_a_mesh_inside_out():
    away = moved(box(), (5.0, 0.0, 0.0))
    vertices, triangles = joined(box(), (away[0], away[1][:, ::-1]))
    found = find_winding_skin(vertices, triangles)
    np.testing.assert_array_equal(corners(found.vertices, found.triangles), corners(*box()))
    assert found.winding == (-1, 1)
    nothing = find_winding_skin(vertices[8:], triangles[12:] - 8)
    assert nothing.triangles.shape == (0, 3) and nothing.vertices.shape == (0, 3)
    assert nothing.winding == (-1, 0)
    assert find_winding_skin(np.empty((0, 3)), np.empty((0, 3), np.int64)).winding == (0, 0)


def test_nested_shells_need_no_crossing_to_know_their_level():
    nest = [moved(sphere(1), scale=scale) for scale in (1.0, 0.8, 0.6, 0.4)]
    cavity = (nest[1][0], nest[1][1][:, ::-1])
    mesh = joined(nest[0], cavity, nest[2], nest[3])
    found = find_winding_skin(*mesh)
    expected = volume(*nest[0]) - volume(*nest[1]) + volume(*nest[2])
    assert volume(found.vertices, found.triangles) == pytest.approx(expected, rel=1e-12)
    assert found.winding == (0, 2) and found.crossings == 0


def test_spikes_make_holes_in_one_large_face():
    rng = np.random.default_rng(4)
    spikes = []
    for x in np.linspace(-0.85, 0.85, 7):
        for y in np.linspace(-0.85, 0.85, 7):
            spike = moved(box((-0.04, -0.04, -0.3), (0.04, 0.04, 0.3)), seed=int(rng.integers(1000)))
            spikes.append(moved(spike, (x + rng.uniform(-0.02, 0.02), y, 1.0 + rng.uniform(-0.03, 0.03))))
    parts = [moved(part, seed=8) for part in [box(), *spikes]]
    mesh = joined(*parts)
    found = find_winding_skin(*mesh)
    check(*mesh, found)
    assert volume(found.vertices, found.triangles) == pytest.approx(union(parts), rel=1e-12)


def test_an_edge_with_four_triangles_is_split_where_solids_only_meet():
    # Two cubes that share one edge and its vertices, and a third solid across that edge.
    cubes = [box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)), box((1.0, 1.0, 0.0), (2.0, 2.0, 1.0))]
    vertices, triangles = joined(*cubes)
    vertices, same = np.unique(vertices, axis=0, return_inverse=True)
    triangles = same.reshape(-1)[triangles]
    alone = find_winding_skin(vertices, triangles)
    assert len(alone.vertices) == 16 and len(alone.triangles) == 24
    assert solid(alone.vertices, alone.triangles).status() == manifold3d.Error.NoError
    third = moved(box(), (1.0, 1.0, 0.5), seed=5, scale=0.2)
    mesh = joined((vertices, triangles), third)
    found = find_winding_skin(*mesh)
    check(*mesh, found)
    assert volume(found.vertices, found.triangles) == pytest.approx(union([*cubes, third]), rel=1e-12)


def voxels(cells):
    """The border of unit cubes, with a vertex for each point."""
    parts = [box(cell, np.add(cell, 1.0)) for cell in cells]
    vertices, triangles = joined(*parts)
    vertices, same = np.unique(vertices, axis=0, return_inverse=True)
    return vertices, same.reshape(-1)[triangles]


def test_two_hollows_that_meet_along_an_edge_of_one_solid_share_no_vertex_there():
    # 2 x 2 x 3 cubes without two that are diagonal in the middle layer: matter meets matter, and air meets air, along
    # one edge. Split by matter, both its ends would still be one vertex each, and the edge would have four triangles.
    cells = [(x, y, z) for x in range(2) for y in range(2) for z in range(3) if z != 1 or x == y]
    vertices, triangles = voxels(cells)  # walls between cubes are twins that cancel
    found = find_winding_skin(vertices, triangles)
    assert is_manifold(edge_table(found.triangles, len(found.vertices)))
    assert volume(found.vertices, found.triangles) == pytest.approx(10.0, rel=1e-12)
    assert solid(found.vertices, found.triangles).status() == manifold3d.Error.NoError
    assert found.winding == (0, 1)


@pytest.mark.parametrize("seed", range(8))
def test_random_cubes_of_a_grid_have_their_volume(seed):
    filled = np.random.default_rng(seed).random((4, 4, 4)) < 0.5
    found = find_winding_skin(*voxels(np.argwhere(filled)))
    assert is_manifold(edge_table(found.triangles, len(found.vertices)))
    assert volume(found.vertices, found.triangles) == pytest.approx(filled.sum(), rel=1e-12)


def test_triangles_that_nothing_crosses_are_handed_through():
    fine = subdivided(*subdivided(*box()))
    mesh = joined(moved(fine, seed=1), moved(box(), (1.5, 0.0, 0.0), seed=2, scale=0.4), moved(box(), (9.0, 0.0, 0.0)))
    found = find_winding_skin(*mesh)
    whole = np.bincount(found.parent, minlength=len(mesh[1])) == 1
    own, parent = found.vertices[found.triangles], mesh[0][mesh[1][found.parent]]
    same = (own == parent).all(axis=(1, 2))
    assert same[-12:].all()
    assert same.sum() > 150
    assert whole[found.parent[same]].all()
    # And a mesh that crosses nowhere is what it was.
    clean = find_winding_skin(*bumpy(3))
    np.testing.assert_array_equal(corners(clean.vertices, clean.triangles), corners(*bumpy(3)))
    np.testing.assert_array_equal(clean.parent, np.arange(len(bumpy(3)[1])))


@pytest.mark.parametrize("scale", [2.0**-7, 2.0**8])
def test_size_does_not_matter_and_the_same_input_gives_the_same_bits(scale):
    for mesh in (joined(*crowd(3)), lattice(3)[0]):
        one, other = find_winding_skin(*mesh, seed=7), find_winding_skin(scale * mesh[0], mesh[1], seed=7)
        np.testing.assert_array_equal(one.triangles, other.triangles)
        np.testing.assert_array_equal(one.parent, other.parent)
        np.testing.assert_array_equal(scale * one.vertices, other.vertices)


def test_a_mesh_that_cannot_be_separated_says_where(monkeypatch):
    # Without any jitter, what touches stays undecided.
    monkeypatch.setattr("core.geometry.arrangement.JITTERS", (0.0,))
    with pytest.raises(TangleError) as failure:
        find_winding_skin(*joined(box(), box((1.0, -1.0, -1.0), (3.0, 1.0, 1.0)), moved(box(), (9.0, 0.0, 0.0))))
    assert len(failure.value.rows) > 0
    assert failure.value.rows.max() < 24


@pytest.mark.parametrize("noise", [0.5, 4.0])
def test_what_crosses_everywhere_is_given_up_after_one_look_at_a_bounded_number_of_pairs(noise, monkeypatch):
    vertices, triangles = torus(1.0, 0.4, 100, 50)
    vertices = vertices + np.random.default_rng(0).normal(0.0, noise, vertices.shape)
    looks = []
    monkeypatch.setattr(
        arrangement,
        "find_triangle_contacts",
        lambda *mesh, find=arrangement.find_triangle_contacts: looks.append(1) or find(*mesh),
    )
    with pytest.raises(CrowdedError) as failure:
        find_winding_skin(vertices, triangles)
    assert len(looks) == 1
    # So many pairs need no fewer triangles than a clique of them.
    assert len(failure.value.rows) > np.sqrt(2 * MOST_CROSSING)
    assert failure.value.rows.max() < len(triangles)


def test_what_is_not_closed_is_refused():
    vertices, triangles = box()
    with pytest.raises(ValueError, match="3 edges"):
        find_winding_skin(vertices, triangles[1:])
    with pytest.raises(ValueError, match="twice"):
        find_winding_skin(vertices, np.concatenate([triangles, [[0, 1, 1]]]))
    with pytest.raises(ValueError, match="finite"):
        find_winding_skin(np.where(vertices > 0.0, np.nan, vertices), triangles)
    with pytest.raises(IndexError):
        find_winding_skin(vertices[:-1], triangles)


def test_turning_the_whole_turns_the_skin():
    # Nothing depends on the axes: the same solids, turned, have the same volume and crossings.
    mesh = joined(*crowd(5))
    one, other = find_winding_skin(*mesh), find_winding_skin(mesh[0] @ rotation(9).T, mesh[1])
    assert one.crossings == other.crossings
    assert volume(other.vertices, other.triangles) == pytest.approx(volume(one.vertices, one.triangles), rel=1e-12)
