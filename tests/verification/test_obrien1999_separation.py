"""O'Brien, Hodgins 1999: the separation tensor and cuts by it, with the vectors of docs/papers/obrien1999.md."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from core.continuum.finite_element.eigen_frames import eigen_frame
from core.continuum.finite_element.failing_nodes import FailureLaw, drawn_direction, find_failing_nodes, rate
from core.continuum.finite_element.separation_tensor import add_force, separation_at
from core.continuum.finite_element.splitting.split_node import SplitOutcome, split_node
from core.continuum.finite_element.splitting.workspace import SplittingRules
from tests.tetrahedral_meshes import (
    FACES,
    check_mesh,
    delaunay_box,
    kuhn_bar,
    outer_area,
    positive,
    started,
    stresses,
)

IN_NEWTONS, IN_PASCALS = FailureLaw(by_stress=False), FailureLaw()
#: Every plane as it is.
NO_SNAPPING = SplittingRules(snap_distance=0.0, snap_angle=0.0, least_altitude=0.0)
STRETCH = 1.001


def full(s):
    return np.array([[s[0], s[1], s[2]], [s[1], s[3], s[4]], [s[2], s[4], s[5]]])


def node_at(mesh, place):
    return int(np.flatnonzero(np.abs(mesh.node_material - place).max(axis=1) < 1e-12)[0])


def strained(mesh, law, stretch):
    """The mesh under a stretch, and what fails by law."""
    cut = started(mesh)
    cut.position[:] = mesh.node_material * stretch
    return cut, find_failing_nodes(cut, law, most=0.0)


def pulled(stretch=STRETCH):
    """Along x, free to become thinner: lateral Green strain is -lambda eps_xx/(2 lambda + 2 mu), a quarter of it."""
    side = np.sqrt(1.0 - (stretch * stretch - 1.0) / 4.0)
    return np.array([stretch, side, side])


def test_v2_the_tensor_of_forces_made_by_hand():
    pulls, pushes = [(10.0, 0.0, 0.0), (-6.0, 0.0, 0.0), (0.0, 2.0, 0.0)], [(0.0, 0.0, -3.0), (0.0, 0.0, 3.0)]
    s = 6 * (0.0,)
    for force in pulls:
        s = add_force(s, force, 0.5)
    for force in pushes:
        s = add_force(s, force, -0.5)
    s = add_force(add_force(s, tuple(map(sum, zip(*pulls, strict=True))), -0.5), (0.0, 0.0, 0.0), 0.5)
    expected = [[6.211145618, -0.894427191, 0.0], [-0.894427191, 0.5527864045, 0.0], [0.0, 0.0, -3.0]]
    assert_allclose(full(s), expected, atol=1e-9)
    assert_allclose(eigen_frame(s)[0], [6.3491628782, 0.4147691443, -3.0], rtol=1e-10)


@pytest.mark.parametrize("size", [1.0, 0.5])
@pytest.mark.parametrize(
    ("place", "expected"), [((2, 1, 1), 2503.75125), ((2, 0, 1), 1251.875625), ((2, 0, 0), 834.58375), ((0, 1, 1), 0.0)]
)
def test_v3_a_bar_in_tension(size, place, expected):
    mesh = kuhn_bar(size=size)
    cut, failing = strained(mesh, IN_NEWTONS, pulled())
    assert_allclose(stresses(cut), np.broadcast_to(np.diag([5002.5, 0.0, 0.0]), (96, 3, 3)), atol=1e-8)
    node = node_at(mesh, np.array(place) * size)
    value, normal, _, _ = eigen_frame(separation_at(cut.rows, node))
    assert_allclose(value, [expected * size * size, 0.0, 0.0], atol=1e-9)  # forces of 5e3 N have errors of 1e-9 N
    if expected:
        assert_allclose(np.abs(normal), [1.0, 0.0, 0.0], atol=1e-12)
        assert_allclose(failing.rating[failing.node == node], expected * size * size, rtol=1e-10)


def test_v3_a_bar_in_compression_has_nothing_that_pulls_it_apart():
    mesh = kuhn_bar()
    cut, _ = strained(mesh, IN_NEWTONS, pulled(0.999))
    value, *_ = eigen_frame(separation_at(cut.rows, node_at(mesh, (2, 1, 1))))
    assert_allclose(value, [0.0, 0.0, -2496.25125], atol=1e-8)


def test_v3_a_grid_makes_isotropic_tension_uneven():
    mesh = kuhn_bar()
    cut, _ = strained(mesh, IN_NEWTONS, STRETCH)
    value, *_ = eigen_frame(separation_at(cut.rows, node_at(mesh, (2, 1, 1))))
    assert_allclose(value, [5210.0064746, 5210.0064746, 1669.1675], rtol=1e-10)


def rotation(seed):
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return q * np.linalg.det(q)


def test_v3_the_tensor_turns_with_the_world_and_not_with_the_material():
    mesh, turn = kuhn_bar(), rotation(1)
    shape = np.random.default_rng(2).uniform(-0.02, 0.02, mesh.node_material.shape) + mesh.node_material
    plain, turned, moved = (
        started(mesh),
        started(mesh),
        started(positive(mesh.node_material @ turn.T + 5.0, mesh.element_node)),
    )
    plain.position[:], turned.position[:], moved.position[:] = shape, shape @ turn.T + 3.0, shape
    for cut in (plain, turned, moved):
        find_failing_nodes(cut, IN_NEWTONS)
    everything = np.arange(plain.node_count)
    s, r, t = (np.array([full(separation_at(cut.rows, n)) for n in everything]) for cut in (plain, turned, moved))
    size = np.abs(s).max()
    assert_allclose(r, turn @ s @ turn.T, atol=1e-12 * size)
    assert_allclose(t, s, atol=1e-12 * size)
    for law in (IN_NEWTONS, IN_PASCALS):  # the area as well
        assert_allclose(rate(turned, everything, law)[0], rate(plain, everything, law)[0], rtol=1e-9)


def test_v3_a_rigid_motion_pulls_nothing_apart():
    mesh = kuhn_bar()
    cut = started(mesh)
    cut.position[:] = mesh.node_material @ rotation(3).T - 2.0
    find_failing_nodes(cut, IN_NEWTONS)
    assert max(np.abs(separation_at(cut.rows, n)).max() for n in range(cut.node_count)) < 1e-8  # bits of 1e6 Pa


def test_the_stress_at_a_node_is_that_of_the_material_on_any_mesh():
    """v+/A_n = stretch times the true stress sigma/2, at every node that is not pulled from outside."""
    mesh = delaunay_box(1, 60)
    _, failing = strained(mesh, IN_PASCALS, pulled())
    free = (mesh.node_material[failing.node, 0] > 1e-9) & (mesh.node_material[failing.node, 0] < 1.0 - 1e-9)
    inner = free & ((mesh.node_material[failing.node] > 0.1) & (mesh.node_material[failing.node] < 0.9)).all(axis=1)
    assert inner.sum() == 60 and free.sum() > 80
    assert_allclose(failing.rating[free], STRETCH * 5002.5 / 2.0, rtol=1e-9)
    assert_allclose(np.abs(failing.normal[free, 0]), 1.0, rtol=1e-12)


def test_the_measure_in_newtons_falls_with_the_square_of_the_elements_and_that_in_pascals_does_not():
    coarse, fine = (strained(kuhn_bar(size=size), IN_NEWTONS, pulled())[1] for size in (1.0, 0.5))
    assert_allclose(fine.rating.max() * 4.0, coarse.rating.max(), rtol=1e-9)
    coarse, fine = (strained(kuhn_bar(size=size), IN_PASCALS, pulled())[1] for size in (1.0, 0.5))
    assert_allclose(fine.rating.max(), coarse.rating.max(), rtol=1e-9)


def test_the_parts_of_the_stress_make_all_of_it_viscous_stress_as_well():
    mesh, rng = delaunay_box(3), np.random.default_rng(3)
    cut = started(mesh)
    cut.rows.elements.law[:, 2:] = [300.0, 500.0]
    cut.position[:] += rng.normal(size=cut.position.shape) * 0.01
    cut.velocity[:] = rng.normal(size=cut.velocity.shape)
    find_failing_nodes(cut, IN_PASCALS)
    elements, everything = cut.rows.elements, slice(0, cut.element_count)
    f, part = elements.deformation[everything], elements.tension[everything]
    sigma = stresses(cut)
    assert_allclose(part + elements.compression[everything], f @ sigma, rtol=0.0, atol=1e-12 * np.abs(sigma).max())
    pulled_only = np.linalg.solve(f, part)  # sigma+ and sigma- have the same eigenvectors, and no negative eigenvalue
    assert_allclose(pulled_only @ sigma, sigma @ pulled_only, atol=1e-10 * np.square(sigma).max())
    assert np.linalg.eigvalsh(0.5 * (pulled_only + pulled_only.swapaxes(1, 2))).min() > -1e-10 * np.abs(sigma).max()


def test_a_node_is_as_tough_as_its_weakest_element():
    mesh = kuhn_bar()
    cut, _ = strained(mesh, IN_PASCALS, pulled())
    weak = 5
    cut.rows.origins.toughness[weak] = 0.1
    rating, _ = rate(cut, np.arange(cut.node_count), IN_PASCALS)
    inner = (mesh.node_material[:, 0] > 0.5) & (mesh.node_material[:, 0] < 3.5)
    expected = np.where(np.isin(np.arange(cut.node_count), mesh.element_node[weak]), 10.0, 1.0) * STRETCH * 2501.25
    assert np.isin(mesh.element_node[weak], np.flatnonzero(inner)).any()
    assert_allclose(rating[inner], expected[inner], rtol=1e-9)


def test_v4_two_elements_pulled_along_their_axis():
    point = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], float)
    mesh = positive(point, np.array([[0, 1, 2, 3], [4, 1, 2, 3]]))
    cut, failing = strained(mesh, IN_NEWTONS, 1.0)
    cut.position[:] = point @ (np.eye(3) + 0.01 * np.full((3, 3), 1.0 / 3.0))
    failing = find_failing_nodes(cut, IN_NEWTONS)
    assert_allclose([separation_at(cut.rows, apex) for apex in (0, 4)], 0.0, atol=1e-8)
    assert sorted(failing.node) == [1, 2, 3]
    for node in (1, 2, 3):
        value, normal, _, _ = eigen_frame(separation_at(cut.rows, node))
        assert_allclose(value, [2442.7624, 0.0, -873.1587], atol=1e-4)
        expected = np.where(np.arange(3) == node - 1, 0.47926999, 0.62060465)
        assert_allclose(np.abs(normal), expected, atol=1e-8)
        assert_allclose(np.abs(failing.normal[failing.node == node][0]), expected, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_nodes_that_are_not_rated_would_not_fail(seed):
    """Noise, at which forces on a node balance least, and parts of matter that are ten times weaker."""
    mesh, rng = delaunay_box(seed, 200, 7), np.random.default_rng(seed)
    cut = started(mesh, toughness=np.where(rng.random(len(mesh.element_node)) < 0.03, 60.0, 600.0))
    cut.position[:] += 1e-4 * rng.normal(size=cut.position.shape)
    failing = find_failing_nodes(cut, IN_PASCALS)
    find_failing_nodes(cut, IN_PASCALS, most=0.0)  # rates all
    rating, _ = rate(cut, np.arange(cut.node_count), IN_PASCALS)
    assert sorted(failing.node) == np.flatnonzero(rating > 1.0).tolist()
    assert 20 < len(failing.node) < cut.node_count - 20


def test_of_equal_eigenvalues_the_direction_decides():
    mesh = kuhn_bar()
    for seed in range(3):
        law = FailureLaw(by_stress=False, direction=drawn_direction(seed))
        cut, failing = strained(mesh, law, STRETCH)
        at = failing.node == node_at(mesh, (2, 1, 1))
        # the tensor is the same along all that is across its third vector
        *_, third = eigen_frame(separation_at(cut.rows, node_at(mesh, (2, 1, 1))))
        expected = law.direction - np.dot(law.direction, third) * np.array(third)
        assert_allclose(failing.normal[at][0], expected / np.linalg.norm(expected), atol=1e-9)


def test_v5_one_element_against_two():
    mesh = positive(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float), np.array([[0, 1, 2, 3]]))
    for sign in (1.0, -1.0):
        cut = started(mesh)
        outer = outer_area(cut)
        split = split_node(cut, 0, sign * np.array([1.0, -1.0, 0.5]), NO_SNAPPING)
        assert split.outcome == SplitOutcome.SPLIT
        check_mesh(cut, 1.0 / 6.0, outer)
        assert cut.element_count == 3
        assert_allclose(sorted(cut.volume)[0] + sorted(cut.volume)[1] + sorted(cut.volume)[2], 1.0 / 6.0, rtol=1e-14)
        new = np.unique(np.round(cut.rows.nodes.material[4 : cut.node_count], 12), axis=0)
        assert_allclose(new, [[0.0, 0.0, 0.0], [0.0, 1.0 / 3.0, 2.0 / 3.0], [0.5, 0.5, 0.0]], atol=1e-12)
        alone = (cut.element_node == 2).any(axis=1) & ~(cut.element_node == 3).any(axis=1)
        single = [v for v, e in zip(cut.volume, cut.element_node, strict=True) if 2 in e and 1 not in e and 3 not in e]
        assert alone.sum() == 1
        assert_allclose(single, [1.0 / 18.0], rtol=1e-12)
        # both parts have edges of their own: the element had no neighbours (boundary edges, Fig. 6 of the paper)
        assert cut.node_count == 4 + 2 + 3


def cut_edges(mesh, node, normal):
    """Elements with cut edges, and how many each has, by looking at all edges across from a node."""
    side = (mesh.node_material - mesh.node_material[node]) @ normal
    star = mesh.element_node[(mesh.element_node == node).any(axis=1)]
    edges = {
        tuple(sorted((a, b)))
        for element in star
        for a in element
        for b in element
        if node not in (a, b) and side[a] < 0.0 < side[b]
    }
    pairs = [
        [tuple(sorted((e[i], e[j]))) for i in range(3) for j in range(i + 1, 4)] for e in mesh.element_node.tolist()
    ]
    return edges, np.array([sum(pair in edges for pair in one) for one in pairs])


@pytest.mark.parametrize("seed", range(6))
def test_v7_what_a_plane_through_an_inner_node_cuts(seed):
    mesh, rng = delaunay_box(seed), np.random.default_rng(seed)
    inner = np.flatnonzero(((mesh.node_material > 0.1) & (mesh.node_material < 0.9)).all(axis=1))
    node, normal = int(rng.choice(inner)), rng.normal(size=3)
    edges, count = cut_edges(mesh, node, normal)
    star = (mesh.element_node == node).any(axis=1)
    cut = started(mesh)
    split = split_node(cut, node, normal, NO_SNAPPING)
    # The plane crosses a closed surface around the node, in as many edges as triangles.
    assert split.first_copy - split.old_nodes == len(edges) == (count[star] == 2).sum()
    assert set(count[star]) <= {0, 2} and split.node_copies == 1
    # An edge makes two of an element; two edges of a face make three, two that do not meet make four.
    assert cut.crack_count == len(edges)
    parts = np.bincount(cut.element_origin, minlength=len(mesh.element_node))
    assert_allclose(parts[count == 0], 1)
    assert_allclose(parts[count == 1], 2)
    assert_allclose(parts[star & (count == 2)], 3)
    # No element of the star is left on both sides.
    side = (cut.rows.nodes.material[: cut.node_count] - mesh.node_material[node]) @ normal
    at_node = (cut.element_node == node).any(axis=1) | (cut.element_node == split.first_copy).any(axis=1)
    low, high = side[cut.element_node[at_node]].min(axis=1), side[cut.element_node[at_node]].max(axis=1)
    assert (np.minimum(-low, high) < 1e-12).all() and (high - low > 1e-9).all()


def test_faces_of_the_helper_look_outward():
    mesh = kuhn_bar((1, 1, 1))
    corner = mesh.node_material[mesh.element_node[:, FACES]]
    across = np.cross(corner[:, :, 1] - corner[:, :, 0], corner[:, :, 2] - corner[:, :, 0])
    away = corner.mean(axis=2) - mesh.node_material[mesh.element_node].mean(axis=1)[:, None]
    assert ((across * away).sum(axis=2) > 0.0).all()
