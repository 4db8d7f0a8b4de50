"""Side groups: chambers, outsides and sheets of every kind of tangle, held against known volumes.

On 250,000 triangles without tangles they take 0.08 s of CPU, half of it for the table of edges.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.geometry.rings import rings
from core.geometry.sides import glued, sides
from tests import shapes

from .solids import bumpy, joined, moved, torus
from .tangles import block, cube, flipped, grid, sealed, single, twisted, welded

NOTHING = 1e-6  # volume of a group that is no chamber, in cubes


def chambers(mesh):
    """Volumes of the chambers, ascending; the outsides must make up for them."""
    found = sides(*mesh)
    assert found.volume.sum() == pytest.approx(0.0, abs=1e-12 * max(1.0, np.abs(found.volume).max()))
    inside = found.volume[found.volume > NOTHING]
    outside = found.volume[found.volume < -NOTHING]
    assert len(outside) == len(np.unique(found.component[found.volume > NOTHING]))
    assert outside.sum() == pytest.approx(-inside.sum(), rel=1e-5)
    return np.sort(inside)


def partition(found):
    """Which sides are together, whatever the groups are called: the first side of each side's group."""
    flat = found.group.reshape(-1)
    _, first, index = np.unique(flat, return_index=True, return_inverse=True)
    return first[index]


def test_a_cube_has_one_chamber_and_one_outside():
    found = sides(*cube())
    assert found.volume == pytest.approx([1.0, -1.0], rel=1e-14)
    assert found.group.tolist() == [[0, 1]] * 12
    assert sorted(found.fan_vertex) == sorted([*range(8), *range(8)])
    assert np.array_equal(found.fan_vertex[found.fan[:, 0]], cube()[1])
    assert np.array_equal(found.fan_vertex[found.fan[:, 1]], cube()[1])


@pytest.mark.parametrize(
    ("low", "components"),
    [((1.0, 1.0, 0.0), 1), ((1.0, 1.0, 1.0), 2), ((1.0, 0.0, 0.0), 1)],
    ids=["edge", "vertex", "wall"],
)
def test_two_cubes_that_touch_are_two_chambers(low, components):
    mesh = single(welded(cube(), cube(low)))
    assert chambers(mesh) == pytest.approx([1.0, 1.0], rel=1e-14)
    assert len(np.unique(sides(*mesh).component)) == components


def test_a_block_of_cubes_has_a_chamber_for_each():
    found = sides(*block(3, 2, 2))
    assert np.sort(found.volume) == pytest.approx([-12.0, *[1.0] * 12], rel=1e-13)
    # Inside, each chamber has eight fans; the outside has one at each of the 34 vertices on the surface.
    inner = np.unique(np.where(found.volume[found.group][:, :, None] > 0.0, found.fan, -1))
    assert len(inner) - 1 == 12 * 8 and len(found.fan_vertex) == 12 * 8 + 34


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_order_direction_place_and_size_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    vertices, triangles = single(welded(*(cube(at) for at in ((0, 0, 0), (1, 0, 0), (2, 1, 0), (3, 1, 1)))))
    expected = partition(sides(vertices, triangles))
    order, names = rng.permutation(len(triangles)), rng.permutation(len(vertices))
    flip = rng.random(len(triangles)) < 0.5
    mesh = flipped((vertices[np.argsort(names)], names[triangles][order]), flip)
    found = sides(*moved(mesh, rng.normal(size=3), seed, 10.0 ** rng.uniform(-3.0, 3.0)))
    there = np.empty_like(found.group)  # back to the sides as they were
    there[order] = np.where(flip[:, None], found.group[:, ::-1], found.group)
    assert np.array_equal(partition(found._replace(group=there)), expected)


def test_a_part_far_from_the_rest_is_measured_where_it_is():
    mesh = joined(cube(), moved(cube(), (2.0**12, 0.0, 0.0), scale=2.0**-12))
    found = sides(*mesh)
    assert found.volume == pytest.approx([1.0, -1.0, 2.0**-36, -(2.0**-36)], rel=1e-15)
    assert found.component.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("turn", [None, 3])
def test_a_part_that_is_tiny_against_the_rest_is_sorted_by_its_own(turn):
    tiny = moved(welded(cube(), cube((1.0, 1.0, 0.0)), cube((2.0, 1.0, 0.0))), seed=turn, scale=2.0**-30)
    found = sides(*joined(cube((9.0, 0.0, 0.0)), tiny))
    assert np.sort(found.volume)[-4:] == pytest.approx([2.0**-90] * 3 + [1.0], rel=1e-6)


def test_a_sheet_has_one_group_and_two_fans_inside_but_one_at_the_border():
    vertices, triangles = grid(4)
    found = sides(vertices, triangles)
    assert found.volume.tolist() == [0.0]
    assert np.bincount(found.fan_vertex).sum() == 2 * 9 + 16
    border = (vertices[:, :2] % 1.0 == 0.0).any(axis=1)
    assert np.array_equal(np.bincount(found.fan_vertex), np.where(border, 1, 2))


@pytest.mark.parametrize("ring", [False, True], ids=["moebius", "klein"])
def test_a_surface_with_one_side_has_one_group(ring):
    vertices, triangles = twisted(ring=ring, across=8)
    found = sides(vertices, triangles)
    assert found.volume.tolist() == [0.0]
    assert np.array_equal(np.bincount(found.fan_vertex) == 1, np.zeros(len(vertices), bool) | _on_border(triangles))


def _on_border(triangles):
    edges = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    edges, uses = np.unique(edges, axis=0, return_counts=True)
    border = np.zeros(triangles.max() + 1, bool)
    border[edges[uses == 1]] = True
    return border


@pytest.mark.parametrize("turn", [None, 5])
def test_a_fin_is_outside_on_both_sides_and_a_loose_wall_inside(turn):
    vertices, triangles = cube()
    vertices = np.concatenate([vertices, [[1.5, 1.5, 0.5], [0.5, 0.5, 0.5]]])
    triangles = np.concatenate([triangles, [[6, 7, 8], [6, 7, 9], [0, 1, 9]]])  # two at the edge where x = y = 1
    vertices, triangles = moved((vertices, triangles), seed=turn)
    found = sides(vertices, triangles)
    assert found.volume == pytest.approx([1.0, -1.0], rel=1e-14)
    assert found.group[12:].tolist() == [[1, 1], [0, 0], [0, 0]]


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6), count=st.integers(1, 40), turn=st.booleans(), noise=st.sampled_from([0.0, 1e-12, 3e-8])
)
def test_seals_without_area_keep_the_sides_of_what_they_seal_apart(seed, count, turn, noise):
    for mesh in (cube(), block(2, 1, 1), block(2, 2, 2), welded(cube(), cube((1.0, 1.0, 0.0)))):
        exact = chambers(mesh)
        mesh = moved(mesh, seed=seed if turn else None)
        assert chambers(sealed(mesh, count, seed, noise)) == pytest.approx(exact, abs=1e-5)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_slivers_keep_the_sides_apart(seed):
    # Each chosen triangle is split at a point that rounding may have put on either side of its plane and its edge.
    rng = np.random.default_rng(seed)
    vertices, triangles = moved(block(2, 2, 2), seed=seed)
    parts, points = [], list(vertices)
    for corner in triangles:
        if rng.random() < 0.5:
            parts.append(corner)
            continue
        weight = 10.0 ** rng.uniform(-16.0, 0.0, 3)
        points.append(weight @ vertices[corner] / weight.sum())
        parts += [[corner[k], corner[(k + 1) % 3], len(points) - 1] for k in range(3)]
    assert chambers((np.array(points), np.array(parts))) == pytest.approx([1.0] * 8, rel=1e-9)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), copies=st.integers(1, 4))
def test_twins_are_layers_with_nothing_between(seed, copies):
    rng = np.random.default_rng(seed)
    vertices, triangles = block(2, 1, 1)
    row = rng.integers(len(triangles), size=copies)
    twin = np.array([np.roll(corner, rng.integers(3)) for corner in triangles[row]])
    mesh = flipped((vertices, np.concatenate([triangles, twin])), rng.random(len(triangles) + copies) < 0.5)
    order = rng.permutation(len(mesh[1]))
    mesh = moved((mesh[0], mesh[1][order]), seed=seed)
    assert chambers(mesh) == pytest.approx([1.0, 1.0], rel=1e-12)
    assert (np.abs(sides(*mesh).volume) < NOTHING).sum() >= 1


def test_a_card_of_two_layers_has_nothing_between_them():
    vertices, triangles = grid(3)
    found = sides(vertices, np.concatenate([triangles, triangles[:, [1, 0, 2]]]))
    assert np.abs(found.volume).max() < 1e-15
    assert len(found.volume) == 1 + len(triangles)  # between the two of each pair; the rest is one outside
    both = np.bincount(found.group.reshape(-1))
    assert sorted(both.tolist()) == [2] * len(triangles) + [2 * len(triangles)]


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), turn=st.booleans())
def test_layers_with_other_diagonals_keep_one_order(seed, turn):
    # Three coincident squares under a cube; which of them is the lowest is decided at each of the four edges.
    rng = np.random.default_rng(seed)
    vertices, triangles = cube()
    quads = [[0, 2, 6], [0, 6, 4]], [[2, 6, 4], [2, 4, 0]]
    triangles = np.concatenate([triangles, *(quads[k] for k in rng.integers(2, size=2))])
    names, order = rng.permutation(8), rng.permutation(len(triangles))
    mesh = flipped((vertices[np.argsort(names)], names[triangles][order]), rng.random(len(triangles)) < 0.5)
    assert chambers(moved(mesh, seed=seed if turn else None)) == pytest.approx([1.0], rel=1e-12)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 12), turn=st.booleans())
def test_two_layers_with_seals_keep_one_order(seed, count, turn):
    rng = np.random.default_rng(seed)
    vertices, triangles = cube()
    triangles = rng.permutation(np.concatenate([triangles, [[2, 6, 4], [2, 4, 0]]]))
    mesh = flipped((vertices, triangles), rng.random(len(triangles)) < 0.5)
    mesh = sealed(moved(mesh, seed=seed if turn else None), count, seed)
    assert chambers(mesh) == pytest.approx([1.0], rel=1e-12)


@pytest.mark.parametrize("turn", [None, 3])
def test_two_layers_of_a_sheet_are_joined_at_their_border_only(turn):
    # Squares with one diagonal on squares with the other: a space without volume between each two, and one outside.
    vertices, triangles = moved(grid(8), seed=turn)
    a, b, c, d = *triangles[:64].T, triangles[64:, 2]
    mesh = vertices, np.concatenate([triangles, np.stack([a, b, d], axis=1), np.stack([b, c, d], axis=1)])
    found = sides(*mesh)
    assert sorted(np.bincount(found.group.reshape(-1)).tolist()) == [4] * 64 + [256]


@pytest.mark.parametrize("angle", [1e-3, 1e-7, 1e-12])
def test_a_narrow_wedge_is_told_from_its_outside(angle):
    # Two wedges that share an edge, one within the angle that the other leaves open.
    vertices = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0.5], [1, angle, 0.5], [1, 2 * angle, 0.5], [1, 3 * angle, 0.5]])
    wedge = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    other = np.where(wedge >= 2, wedge + 2, wedge)
    found = sides(vertices, np.concatenate([wedge, other]))
    assert found.volume == pytest.approx(np.array([1.0, -2.0, 1.0]) * angle / 6.0, rel=1e-6)


@settings(max_examples=100)
@given(seed=st.integers(0, 10**6))
def test_any_triangles_at_all_have_groups_that_enclose_as_much_as_their_outside(seed):
    rng = np.random.default_rng(seed)
    points = int(rng.integers(3, 9))
    triangles = np.array([rng.permutation(points)[:3] for _ in range(rng.integers(1, 60))])
    vertices = rng.integers(-2, 3, (points, 3)).astype(float)  # many of them collinear, coplanar or at one place
    found = sides(vertices, triangles)
    assert found.volume.sum() == pytest.approx(0.0, abs=1e-12)
    assert np.array_equal(np.unique(found.group), np.arange(len(found.volume)))
    assert np.array_equal(found.fan_vertex[found.fan], np.stack([triangles, triangles], axis=1))
    again = sides(vertices, triangles)
    assert all(np.array_equal(a, b) for a, b in zip(found, again, strict=True))


def test_what_is_not_kept_is_not_there():
    vertices, triangles = block(2, 1, 1)
    keep = (vertices[triangles][:, :, 0] != 1.0).any(axis=1)  # without the wall
    found = glued(vertices, triangles, rings(vertices, triangles), keep)
    assert found.volume == pytest.approx([2.0, -2.0], rel=1e-14)
    assert (found.group[~keep] == -1).all() and (found.fan[~keep] == -1).all()
    alone = sides(vertices, triangles[keep])
    assert np.array_equal(found.group[keep], alone.group) and np.array_equal(found.fan[keep], alone.fan)
    with pytest.raises(ValueError):
        glued(vertices, triangles[1:], rings(vertices, triangles))
    with pytest.raises(ValueError):
        glued(vertices, triangles, rings(vertices, triangles), keep[1:])
    with pytest.raises(IndexError):
        glued(vertices[:-1], triangles, rings(vertices, triangles))


def test_large_and_clean():
    for vertices, triangles in (bumpy(5), torus()):
        found = sides(vertices, triangles)
        assert found.group.tolist() == [[0, 1]] * len(triangles)
        assert np.array_equal(np.bincount(found.fan_vertex), np.full(len(vertices), 2))


def test_nothing_has_no_sides():
    found = sides(np.empty((0, 3)), np.empty((0, 3), np.int64))
    assert [len(values) for values in found] == [0] * 5


def test_what_does_not_fit_is_refused():
    vertices, triangles = cube()
    for wrong in ([[0, 1, 1]], [[2, 1, 2]], [[3, 3, 1]]):
        with pytest.raises(ValueError, match="twice"):
            sides(vertices, np.array(wrong))
    for wrong in ([[0, 1, 8]], [[-1, 1, 2]]):
        with pytest.raises(IndexError):
            sides(vertices, np.array(wrong))
    with pytest.raises(ValueError, match="needed"):
        sides(vertices[:, :2], triangles)


def test_caps_and_doubled_corners_of_a_body_keep_its_volume():
    whole = sides(shapes.icosphere(2).vertices, shapes.icosphere(2).triangles).volume
    for spoilt in (shapes.with_flat_caps, shapes.with_coincident_vertices):
        body = spoilt(shapes.icosphere(2))
        assert sides(body.vertices, body.triangles).volume == pytest.approx(whole, rel=1e-12)
