"""Solids out of every kind of tangle: closed, outward, nothing lost, volumes known."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.geometry.graph import connected_labels
from core.geometry.mesh import volume
from core.geometry.sides import sides
from core.intake.solids import solids
from tests.core.geometry.solids import bumpy, joined, moved
from tests.core.geometry.tangles import block, cube, flipped, grid, sealed, single, twisted, welded

TOUCHING = [cube(), cube((1.0, 1.0, 0.0)), cube((2.0, 1.0, 0.0)), cube((3.0, 2.0, 1.0))]  # edge, wall, vertex


def checked(mesh, **options):
    """The solids, after all that must hold for any triangles whatever."""
    vertices, triangles = mesh
    found = solids(vertices, triangles, **options)
    count = len(found.inside_out)
    kept = np.unique(found.parent)
    lost = np.setdiff1d(np.arange(len(triangles)), kept)
    assert np.isin(lost, np.concatenate([found.fins, found.walls])).all()
    assert not np.isin(found.fins, kept).any() and len(np.intersect1d(found.fins, found.walls)) == 0
    assert np.array_equal(np.unique(found.solid), np.arange(count)) and (np.diff(found.solid) >= 0).all()
    uses = np.bincount(found.parent, minlength=len(triangles))
    limit = np.where(np.isin(np.arange(len(triangles)), found.walls), 2, 1)
    if (uses <= limit).all():
        parents = np.where(found.flip[:, None], triangles[found.parent][:, [0, 2, 1]], triangles[found.parent])
        assert np.array_equal(found.vertices[found.triangles], vertices[parents])  # bit for bit
    else:
        assert_parts_make_up_the_whole(found, vertices, triangles, np.where(uses > 0, limit, 0))
    assert_two_triangles_at_each_edge(found)
    assert_one_ring_at_each_vertex(found)
    assert (np.array(volumes(found)) > 0.0).all()
    return found


def directed_areas(vertices, triangles):
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return 0.5 * np.cross(b - a, c - a)


def assert_parts_make_up_the_whole(found, vertices, triangles, times):
    """The parts of a triangle are all of it, once, or twice where it is a wall: once for each chamber beside it.

    Of walls that lie on each other one may have the one side, and one the other.
    """
    whole = directed_areas(vertices, triangles)
    parts = np.where(found.flip, -1.0, 1.0)[:, None] * directed_areas(found.vertices, found.triangles)
    total = np.zeros_like(whole)
    np.add.at(total, found.parent, parts)
    _, same, copies = np.unique(np.sort(triangles, axis=1), axis=0, return_inverse=True, return_counts=True)
    once = (times == 2) & (copies[same.reshape(-1)] > 1) & ((total * whole).sum(axis=1) < 1.5 * (whole**2).sum(axis=1))
    times = np.where(once, 1, times)
    assert total == pytest.approx(times[:, None] * whole, abs=1e-12 * np.abs(whole).max())


def assert_two_triangles_at_each_edge(found):
    directed = np.concatenate([found.triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    solid = np.tile(found.solid, 3)
    assert len(np.unique(directed, axis=0)) == len(directed)
    order, back = np.lexsort(directed.T), np.lexsort(directed[:, ::-1].T)
    assert np.array_equal(directed[order], directed[back, ::-1])
    assert np.array_equal(solid[order], solid[back])


def assert_one_ring_at_each_vertex(found):
    """Corners at one vertex are joined by edges: no vertex is pinched, none is shared by two solids."""
    corner = np.arange(3 * len(found.triangles))
    leaving = {
        (a, b): h
        for h, (a, b) in enumerate(zip(*(np.roll(found.triangles, -k, 1).ravel() for k in (0, 1)), strict=True))
    }
    links = [(h, 3 * (leaving[b, a] // 3) + (leaving[b, a] + 1) % 3) for (a, b), h in leaving.items()]
    label = connected_labels(len(corner), np.array(links, np.int64).reshape(-1, 2))
    assert label.max(initial=-1) + 1 == len(found.vertices)


def volumes(found):
    rows = range(len(found.inside_out))
    return sorted(volume(found.vertices, found.triangles[found.solid == row]) for row in rows)


def test_a_clean_mesh_stays_as_it_is():
    vertices, triangles = bumpy(3)
    found = checked((vertices, triangles))
    assert np.array_equal(found.vertices, vertices) and np.array_equal(found.triangles, triangles)
    assert np.array_equal(found.parent, np.arange(len(triangles))) and not found.flip.any()
    assert found.inside_out.tolist() == [False]
    assert (found.turned, found.split_edges, found.chambers, found.hollows) == (0, 0, 1, 0)
    assert len(found.fins) == len(found.walls) == 0


@settings(max_examples=40)
@given(flip=st.lists(st.booleans(), min_size=12, max_size=12))
def test_flips_give_back_the_cube(flip):
    vertices, triangles = cube()
    found = checked(flipped((vertices, triangles), flip))
    assert np.array_equal(np.sort(np.roll(found.triangles, 0), axis=1), np.sort(triangles, axis=1))
    assert volumes(found) == pytest.approx([1.0], rel=1e-14)
    assert found.inside_out.tolist() == [sum(flip) > 6]
    assert found.turned == min(sum(flip), 12 - sum(flip))
    assert np.array_equal(found.flip, flip)


def test_inside_out_is_no_fault_of_single_triangles():
    mesh = joined(cube(), flipped(cube((3.0, 0.0, 0.0)), [True] * 12))
    found = checked(mesh)
    assert found.inside_out.tolist() == [False, True] and found.turned == 0
    assert volumes(found) == pytest.approx([1.0, 1.0], rel=1e-14)


@pytest.mark.parametrize("keep_walls", [False, True])
@pytest.mark.parametrize(("low", "split"), [((1.0, 1.0, 0.0), 1), ((1.0, 1.0, 1.0), 0)], ids=["edge", "vertex"])
def test_cubes_that_touch_come_apart(low, split, keep_walls):
    found = checked(welded(cube(), cube(low)), keep_walls=keep_walls)
    assert volumes(found) == pytest.approx([1.0, 1.0], rel=1e-14)
    assert len(found.vertices) == 16 and found.split_edges == split and found.chambers == 2


def test_a_wall_is_removed_or_kept():
    mesh = block(2, 1, 1)
    found = checked(mesh)
    assert volumes(found) == pytest.approx([2.0], rel=1e-14)
    assert found.walls.tolist() == np.flatnonzero((mesh[0][mesh[1]][:, :, 0] == 1.0).all(axis=1)).tolist()
    assert len(found.vertices) == 12 and found.chambers == 2 and found.split_edges == 0
    kept = checked(mesh, keep_walls=True)
    assert volumes(kept) == pytest.approx([1.0, 1.0], rel=1e-14)
    assert np.array_equal(kept.walls, found.walls) and kept.split_edges == 0 and kept.turned == 0
    shared = [
        {tuple(corner) for corner in kept.vertices[kept.triangles[kept.solid == row]].reshape(-1, 3)} for row in (0, 1)
    ]
    assert len(shared[0] & shared[1]) == 4


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), keep_walls=st.booleans())
def test_a_block_of_cubes_is_one_solid_or_one_each(seed, keep_walls):
    rng = np.random.default_rng(seed)
    vertices, triangles = moved(block(3, 3, 3), seed=seed)
    triangles = triangles[rng.permutation(len(triangles))]
    flip = rng.random(len(triangles)) < 0.3
    found = checked(sealed(flipped((vertices, triangles), flip), int(rng.integers(20)), seed), keep_walls=keep_walls)
    assert volumes(found) == pytest.approx([1.0] * 27 if keep_walls else [27.0], rel=1e-9)
    assert found.chambers == 27 and found.hollows == 0 and len(found.fins) == 0


def test_the_innermost_cube_is_matter_however_its_walls_face():
    vertices, triangles = block(3, 3, 3)
    corner = vertices[triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    around = (np.abs(corner - 1.5) <= 0.5).all(axis=(1, 2))
    away = np.einsum("ti,ti->t", normal, corner.mean(axis=1) - 1.5) > 0.0
    found = checked(flipped((vertices, triangles), around & away))
    assert around.sum() == 12 and found.hollows == 0
    assert volumes(found) == pytest.approx([27.0], rel=1e-14)


def test_fins_and_loose_walls_are_told_apart():
    vertices, triangles = cube()
    vertices = np.concatenate([vertices, [[1.5, 1.5, 0.5], [0.5, 0.5, 0.5]]])
    more = [[6, 7, 8], [6, 8, 7], [6, 7, 9], [0, 1, 9], [0, 9, 1]]  # a doubled sail, a wall inside, a doubled one
    for keep_walls in (False, True):
        found = checked((vertices, np.concatenate([triangles, more])), keep_walls=keep_walls)
        assert found.fins.tolist() == [12, 13] and found.walls.tolist() == [14, 15, 16]
        assert volumes(found) == pytest.approx([1.0], rel=1e-14)
        assert np.array_equal(found.parent, np.arange(12)) and found.chambers == 1 and found.split_edges == 0


def test_a_patch_on_a_face_is_a_fin():
    vertices, triangles = cube()
    found = checked((vertices, np.concatenate([triangles, triangles[[3]]])))
    assert len(found.fins) == 1 and found.fins[0] in (3, 12)
    assert volumes(found) == pytest.approx([1.0], rel=1e-14)


@pytest.mark.parametrize("keep_walls", [False, True])
def test_a_wall_of_two_layers_is_a_wall(keep_walls):
    mesh = welded(cube(), cube((1.0, 0.0, 0.0)))
    found = checked(mesh, keep_walls=keep_walls)
    assert volumes(found) == pytest.approx([1.0, 1.0] if keep_walls else [2.0], rel=1e-14)
    assert len(found.walls) == 4 and len(found.fins) == 0


@pytest.mark.parametrize(
    "mesh",
    [grid(5), twisted(), twisted(ring=True, across=8), (cube()[0], cube()[1][:-1]), joined(grid(3), grid(2))],
    ids=["grid", "moebius", "klein", "open cube", "two"],
)
def test_sheets_are_all_fins(mesh):
    twice = mesh[0], np.concatenate([mesh[1], mesh[1][:, [1, 0, 2]]])
    for vertices, triangles in (mesh, twice):
        found = checked((vertices, triangles))
        assert found.fins.tolist() == list(range(len(triangles)))
        assert len(found.triangles) == len(found.vertices) == len(found.inside_out) == found.chambers == 0


def prism_at_an_edge(inward):
    """A cube, and a tetrahedron inside it that has one edge in common with it; its volume is 0.04."""
    vertices, triangles = cube()
    vertices = np.concatenate([vertices, [[0.5, 0.1, 0.5], [0.1, 0.5, 0.5]]])
    inner = np.array([[0, 8, 1], [0, 1, 9], [0, 9, 8], [1, 8, 9]])
    assert volume(vertices, inner) == pytest.approx(0.04, rel=1e-13)
    return flipped((vertices, np.concatenate([triangles, inner])), [False] * 12 + [inward] * 4)


@pytest.mark.parametrize("inside_out", [False, True])
def test_a_hollow_that_shares_an_edge_with_the_skin_stays_empty(inside_out):
    mesh = flipped(prism_at_an_edge(inward=True), [inside_out] * 16)
    for keep_walls in (False, True):
        found = checked(mesh, keep_walls=keep_walls)
        assert volumes(found) == pytest.approx([0.96], rel=1e-13)
        assert (found.chambers, found.hollows, found.split_edges, found.turned) == (1, 1, 1, 0)
        assert found.inside_out.tolist() == [inside_out] and len(found.walls) == len(found.fins) == 0


def test_a_nested_part_that_faces_outward_is_a_chamber():
    found = checked(prism_at_an_edge(inward=False))
    assert volumes(found) == pytest.approx([1.0], rel=1e-13) and found.walls.tolist() == [12, 13, 14, 15]
    found = checked(prism_at_an_edge(inward=False), keep_walls=True)
    assert volumes(found) == pytest.approx([0.04, 0.96], rel=1e-13)


def test_vertices_where_a_surface_touches_itself_come_apart():
    # Two opposite dents in a cube that meet in its middle: one solid with one pinched vertex.
    vertices, triangles = cube()
    vertices = np.concatenate([vertices, [[0.5, 0.5, 0.5]]])
    low, high = (vertices[triangles][:, :, 2] == 0.0).all(axis=1), (vertices[triangles][:, :, 2] == 1.0).all(axis=1)
    dent = [[0, 2, 8], [2, 6, 8], [6, 4, 8], [4, 0, 8], [3, 1, 8], [7, 3, 8], [5, 7, 8], [1, 5, 8]]
    found = checked((vertices, np.concatenate([triangles[~(low | high)], dent])))
    assert volumes(found) == pytest.approx([1.0 - 2.0 / 6.0], rel=1e-14)
    assert len(found.vertices) == 10 and found.turned == 0


def voxels(filled):
    """The skin of the filled cells of a grid, outward."""
    around = np.pad(filled, 1)
    parts = []
    for at in np.argwhere(around):
        vertices, triangles = cube(at.astype(float))
        middle = vertices[triangles].mean(axis=1)
        neighbour = np.floor(middle + 1e-3 * directed_areas(vertices, triangles)).astype(int)
        parts.append((vertices, triangles[~around[tuple(neighbour.T)]]))
    return welded(*parts)


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), share=st.floats(0.2, 0.9))
def test_cells_of_a_grid_are_matter_and_the_others_are_not(seed, share):
    # They touch themselves at edges and vertices in every way. A hollow that no edge joins to the rest is a component
    # of its own and comes out as a solid that was inside out.
    filled = np.random.default_rng(seed).random((3, 4, 4)) < share
    if not filled.any():
        return
    mesh = moved(voxels(filled), seed=seed)
    found = checked(mesh)
    each = [volume(found.vertices, found.triangles[found.solid == row]) for row in range(len(found.inside_out))]
    assert np.sum(np.where(found.inside_out, -1.0, 1.0) * each) == pytest.approx(filled.sum(), rel=1e-12)
    assert found.turned == len(found.fins) == len(found.walls) == 0


@settings(max_examples=50)
@given(seed=st.integers(0, 10**6), share=st.floats(0.0, 0.6), keep_walls=st.booleans())
def test_holes_open_chambers_to_each_other_and_to_the_outside(seed, share, keep_walls):
    # Cells side by side under one lid and over one floor; some triangles between them and around them are missing.
    rng = np.random.default_rng(seed)
    size = np.array([4, 3, 1])
    vertices, triangles = block(*size)
    middle, step = vertices[triangles].mean(axis=1), 0.1 * directed_areas(vertices, triangles)
    cell = np.floor(np.stack([middle - step, middle + step], axis=1)).astype(int)
    outside = ((cell < 0) | (cell >= size)).any(axis=2)
    cell = np.where(outside, 12, 3 * cell[:, :, 0] + cell[:, :, 1])
    missing = (middle[:, 2] % 1.0 > 0.0) & (rng.random(len(triangles)) < share)
    triangles, cell = triangles[~missing], np.concatenate([cell[~missing], cell[missing]])
    space = connected_labels(13, cell[len(triangles) :])
    outer, space = space[12], space[cell[: len(triangles)]]
    found = checked(flipped((vertices, triangles), rng.random(len(triangles)) < 0.2), keep_walls=keep_walls)
    empty = space == outer
    assert np.array_equal(found.fins, np.flatnonzero(empty.all(axis=1)))
    assert np.array_equal(found.walls, np.flatnonzero(~empty.any(axis=1)))
    sizes = np.bincount(connected_labels(13, cell[len(triangles) :])[:12], minlength=13)
    sizes[outer] = 0
    assert found.chambers == np.count_nonzero(sizes)
    if not keep_walls:
        joined_spaces = connected_labels(13, space[~empty.any(axis=1)])
        sizes = np.bincount(joined_spaces, sizes, 13)
    assert volumes(found) == pytest.approx(np.sort(sizes[sizes > 0]).tolist(), rel=1e-12)


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), keep_walls=st.booleans())
def test_order_direction_place_and_size_do_not_matter(seed, keep_walls):
    rng = np.random.default_rng(seed)
    vertices, triangles = single(welded(*TOUCHING))
    expected = checked((vertices, triangles), keep_walls=keep_walls)
    order, scale = rng.permutation(len(triangles)), 10.0 ** rng.uniform(-3.0, 3.0)
    mesh = flipped((vertices, triangles[order]), rng.random(len(triangles)) < 0.5)
    found = checked(moved(mesh, rng.normal(size=3), seed, scale), keep_walls=keep_walls)
    assert volumes(found) == pytest.approx([v * scale**3 for v in volumes(expected)], rel=1e-9)
    for name in ("fins", "walls"):
        assert sorted(order[getattr(found, name)]) == sorted(getattr(expected, name))
    assert len(found.vertices) == len(expected.vertices)
    assert (found.split_edges, found.chambers) == (expected.split_edges, expected.chambers) == (1, 4)


@settings(max_examples=100)
@given(seed=st.integers(0, 10**6), keep_walls=st.booleans())
@example(seed=480802, keep_walls=True)  # two walls on each other, split in two
def test_any_triangles_at_all_give_closed_solids(seed, keep_walls):
    rng = np.random.default_rng(seed)
    points = int(rng.integers(4, 9))
    triangles = np.array([rng.permutation(points)[:3] for _ in range(rng.integers(1, 60))])
    vertices = rng.integers(-2, 3, (points, 3)).astype(float) if seed % 2 else rng.normal(size=(points, 3))
    found = checked((vertices, triangles), keep_walls=keep_walls)
    if not keep_walls:
        groups = sides(vertices, triangles).volume
        assert sum(volumes(found)) <= groups[groups > 0.0].sum() + 1e-12


def test_parts_that_cross_along_their_common_edge_are_fins():
    # The limitation that the module names: around the edge x = y = 1 the cubes' faces alternate.
    turn = moved(cube((-1.0, -1.0, 0.0)), (1.0, 1.0, 0.0))[0] - [1.0, 1.0, 0.0]
    c, s = np.cos(0.5), np.sin(0.5)
    turned = turn @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) + [1.0, 1.0, 0.0]
    turned[np.abs(turned - 1.0) < 1e-12] = 1.0
    found = checked(welded(cube(), (turned, cube()[1])))
    assert len(found.fins) == 24 and found.chambers == 0


def test_nothing_makes_no_solid():
    found = checked((np.empty((0, 3)), np.empty((0, 3), np.int64)))
    assert len(found.triangles) == found.turned == found.split_edges == 0
