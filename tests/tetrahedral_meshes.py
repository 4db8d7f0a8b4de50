"""Meshes of tetrahedra for tests, and what must hold of one however it was cut."""

from dataclasses import replace
from itertools import permutations, product

import numpy as np
from scipy.spatial import Delaunay

from core.continuum.finite_element.crack_faces import FACE_CORNERS
from core.continuum.finite_element.cut_mesh import start_cut_mesh
from core.continuum.finite_element.elements import ElementShapes, TetrahedralMesh, lumped_masses, measure_elements
from core.continuum.finite_element.material import uniform_material
from core.continuum.finite_element.state import ElementState
from core.continuum.finite_element.stress import element_stress


def delaunay_box(seed, inner=25, side=4):
    """A unit cube: random points inside, and random ones on faces and edges, so that no two elements are alike."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(*3 * [np.linspace(0.0, 1.0, side)], indexing="ij"), axis=-1).reshape(-1, 3)
    border = grid[((grid == 0.0) | (grid == 1.0)).any(axis=1)]
    free = (border > 0.0) & (border < 1.0)
    border = border + free * rng.uniform(-0.25, 0.25, border.shape) / side
    point = np.concatenate([border, 0.15 + 0.7 * rng.random((inner, 3))])
    return positive(point, Delaunay(point).simplices)


def delaunay_bar(seed, spacing, size=(4.0, 1.0, 1.0)):
    """A bar with points on a grid that are moved off it at random, on faces and edges along these."""
    counts = [round(length / spacing) + 1 for length in size]
    axes = [np.linspace(0.0, length, count) for length, count in zip(size, counts, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    free = (grid > 0.0) & (grid < size)
    point = grid + free * np.random.default_rng(seed).uniform(-0.3, 0.3, grid.shape) * spacing
    return positive(point, Delaunay(point).simplices)


def kuhn_bar(counts=(4, 2, 2), size=1.0):
    """A bar of cubes of a side, each of six elements: one for each order of the axes."""
    grid = np.array(list(product(*(range(n + 1) for n in counts))))
    number = {tuple(place): row for row, place in enumerate(grid.tolist())}
    element = []
    for start in product(*(range(n) for n in counts)):
        for order in permutations(range(3)):
            corner = [np.array(start)]
            for axis in order:
                corner.append(corner[-1] + np.eye(3, dtype=int)[axis])
            element.append([number[tuple(one.tolist())] for one in corner])
    return positive(size * grid, np.array(element))


def positive(point, element):
    """A mesh of elements (e,4) turned to positive volume, without those that have next to none, and their nodes."""
    a, b, c = (point[element[:, k]] - point[element[:, 0]] for k in (1, 2, 3))
    six = (np.cross(a, b) * c).sum(axis=1)
    element = np.where((six < 0.0)[:, None], element[:, [1, 0, 2, 3]], element)[np.abs(six) > 1e-7]
    used, row = np.unique(element, return_inverse=True)
    return TetrahedralMesh(np.ascontiguousarray(point[used]), row.reshape(-1, 4).astype(np.int64))


FACES = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])  # across from each corner, seen from outside


def open_faces(element):
    """(element, corner) of the faces (f,2) that one element has alone; no face may have more than two."""
    face = np.sort(element[:, FACES].reshape(-1, 3), axis=1)
    _, kind, count = np.unique(face, axis=0, return_inverse=True, return_counts=True)
    assert count.max() <= 2
    alone = np.flatnonzero(count[kind.reshape(-1)] == 1)
    return np.stack([alone // 4, alone % 4], axis=1)


def area_vectors(point, element, face):
    """(f,3) outward, of faces (f,2)."""
    corner = point[np.take_along_axis(element[face[:, 0]], FACES[face[:, 1]], axis=1)]
    return 0.5 * np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])


def outer_area(mesh):
    """Area of the faces that an element has alone and that are no crack, of a mesh that is cut."""
    point, element = mesh.rows.nodes.material, mesh.element_node
    face = open_faces(element)
    face = face[mesh.rows.elements.crack[face[:, 0], face[:, 1]] < 0]
    return np.linalg.norm(area_vectors(point, element, face), axis=1).sum()


def sums(mesh):
    """Mass, momentum, angular momentum about the origin and kinetic energy of a mesh that is cut."""
    m, v = mesh.mass[:, None], mesh.velocity
    return m.sum(), (m * v).sum(axis=0), (m * np.cross(mesh.position, v)).sum(axis=0), 0.5 * (m * v * v).sum()


def check_mesh(mesh, volume, outer):
    """A mesh that is cut fits together: all that must hold whatever was cut, with what volume and outer area it had."""
    point, element = mesh.rows.nodes.material[: mesh.node_count], mesh.element_node
    fresh = measure_elements(mesh.as_mesh())
    round_off = 1e-12 * mesh.mean_volume  # of coordinates
    np.testing.assert_allclose(mesh.volume, fresh.volume, rtol=1e-12, atol=round_off)
    largest = np.abs(fresh.gradient).max(axis=(1, 2))  # and a bit of a coordinate changes it by its square
    slack = 1e-12 * largest + 1e-12 * np.abs(point).max() * largest * largest
    assert (np.abs(mesh.gradient - fresh.gradient).max(axis=(1, 2)) <= slack).all()
    assert mesh.volume.min() > 0.0
    assert abs(mesh.volume.sum() - volume) < 1e-12 * volume
    assert set(element.ravel()) == set(range(mesh.node_count)), "a node without an element"
    density = mesh.rows.origins.density[mesh.element_origin]
    np.testing.assert_allclose(mesh.mass, lumped_masses(mesh.as_mesh(), mesh.volume, density), rtol=1e-12)
    for node in range(mesh.node_count):
        assert star_of(mesh, node) == np.flatnonzero((element == node).any(axis=1)).tolist()
    # Where elements did not fit together, faces would stand alone that are no crack.
    assert abs(outer_area(mesh) - outer) < 1e-12 * outer
    face = open_faces(element)
    crack = mesh.rows.elements.crack[: mesh.element_count]
    label = crack[face[:, 0], face[:, 1]]
    assert (label >= 0).sum() == (crack >= 0).sum(), "a crack between two elements that hang together"
    check_cracks(area_vectors(point, element, face[label >= 0]), label[label >= 0], mesh.crack_count)
    check_places(mesh)


def check_places(mesh):
    """In the material elements meet face to face across cracks, too: both sides of all cracks are divided alike."""
    nodes = mesh.rows.nodes
    place = nodes.place[: mesh.node_count]
    assert np.array_equal(nodes.material[: mesh.node_count], nodes.material[place])
    face = np.sort(place[mesh.element_node[:, FACE_CORNERS]].reshape(-1, 3), axis=1)
    crack = mesh.rows.elements.crack[: mesh.element_count].ravel()
    _, label, count = np.unique(face, axis=0, return_inverse=True, return_counts=True)
    assert count.max() <= 2
    assert (count[label.ravel()][crack >= 0] == 2).all()
    found = [[node] for node in range(mesh.node_count)]
    for node in range(mesh.node_count):
        after = nodes.next_duplicate[node]
        if place[node] == node:
            while after >= 0:
                found[node].append(int(after))
                after = nodes.next_duplicate[after]
            assert sorted(found[node]) == np.flatnonzero(place == node).tolist()


def check_cracks(area, label, count):
    """Each crack face has two sides of one size, however each of them was divided since."""
    total = np.array([np.bincount(label, one, count) for one in area.T]).T
    size = np.bincount(label, np.linalg.norm(area, axis=1), count)
    assert (size > 0.0).all()
    assert np.abs(total).max(initial=0.0) < 1e-12
    first = np.full(count, -1)
    first[label[::-1]] = np.arange(len(label))[::-1]
    along = (area * area[first[label]]).sum(axis=1) > 0.0
    one = np.bincount(label[along], np.linalg.norm(area[along], axis=1), count)
    np.testing.assert_allclose(2.0 * one, size, rtol=1e-9)


def star_of(mesh, node):
    """The elements in the list of a node."""
    found, corner = [], mesh.rows.nodes.first_corner[node]
    while corner >= 0:
        found.append(int(corner) // 4)
        corner = mesh.rows.elements.next_corner[corner]
    return sorted(found)


def stresses(mesh):
    """(e,3,3) sigma of Eq. 4 in the elements of a mesh that is cut."""
    shapes = ElementShapes(mesh.gradient, mesh.volume)
    state = ElementState(mesh.position.copy(), mesh.velocity.copy())
    return element_stress(mesh.as_mesh(), shapes, mesh.material(np.arange(mesh.element_count)), state)


def started(mesh, density=1000.0, toughness=1.0, **more):
    """A mesh to be cut, of one matter, or of one for each element."""
    material = uniform_material(len(mesh.element_node), (1e6, 1e6), (0.0, 0.0), 1.0, 1.0)
    material = replace(material, density=material.density * density, toughness=material.toughness * toughness)
    return start_cut_mesh(mesh, material, **more)
