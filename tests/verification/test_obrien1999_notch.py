"""A notched plate in tension: the crack begins at the notch, and its path hangs on the stress and not on the mesh.

O'Brien, Hodgins 1999, section 5: cracks go where the stress sends them. The plate is meshed along its edges, turned by
23 and by 45 degrees.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import Delaunay

from core.continuum.finite_element.breaking_motion import BreakingMotion
from core.continuum.finite_element.crack_faces import crack_faces
from core.continuum.finite_element.cut_mesh import start_cut_mesh
from core.continuum.finite_element.failing_nodes import FailureLaw
from core.continuum.finite_element.material import uniform_material
from core.continuum.finite_element.splitting.split_node import split_node
from core.continuum.finite_element.splitting.workspace import SplittingRules
from tests.tetrahedral_meshes import check_mesh, outer_area, positive

SPACING = 0.1  # [m]
LENGTH, WIDTH = 2.0, 1.0  # of a plate one element thick [m]
NOTCH = 0.3  # [m]
TOUGHNESS, YOUNG = 2e4, 2.5e6  # [Pa]
ALONG = np.array([1.0, 0.0, 0.0])


def plate(seed, angle):
    """Points inside on a grid that is turned, and moved off it at random; on the border along it."""
    rng = np.random.default_rng(seed)
    line = np.arange(-3.0, 3.0, SPACING)
    grid = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)
    c, s = np.cos(angle), np.sin(angle)
    inner = grid @ [[c, s], [-s, c]] + rng.uniform(-0.2, 0.2, grid.shape) * SPACING + [LENGTH / 2, WIDTH / 2]
    margin = 0.6 * SPACING
    inner = inner[((inner > margin) & (inner < [LENGTH - margin, WIDTH - margin])).all(axis=1)]
    x, y = (np.linspace(0.0, one, round(one / SPACING) + 1) for one in (LENGTH, WIDTH))
    sides = [np.stack([x, np.full(len(x), at)], axis=1) for at in (0.0, WIDTH)]
    ends = [np.stack([np.full(len(y) - 2, at), y[1:-1]], axis=1) for at in (0.0, LENGTH)]
    layers = []
    for height in (0.0, SPACING):
        flat = np.concatenate([inner + rng.uniform(-0.1, 0.1, inner.shape) * SPACING, *sides, *ends])
        layers.append(np.concatenate([flat, np.full((len(flat), 1), height)], axis=1))
    point = np.concatenate(layers)
    return positive(point, Delaunay(point).simplices)


def pulled_plate(seed, angle):
    """Notched, at half of the stress that breaks it without a notch, its ends moved apart slowly."""
    mesh = plate(seed, angle)
    x = mesh.node_material
    ends = (x[:, 0] == 0.0) | (x[:, 0] == LENGTH)
    toughness = np.full(len(mesh.element_node), TOUGHNESS)
    toughness[ends[mesh.element_node].any(axis=1)] = np.inf
    material = uniform_material(len(toughness), (1e6, 1e6), (0.0, 500.0), 1000.0, 1.0)
    cut = start_cut_mesh(mesh, replace(material, toughness=toughness), anchored=ends)
    for node in np.flatnonzero((np.abs(x[:, 0] - LENGTH / 2) < 0.3 * SPACING) & (x[:, 1] < NOTCH)).tolist():
        split_node(cut, node, ALONG, SplittingRules())
    stretch = 1.0 + 0.5 * TOUGHNESS / YOUNG
    side = np.sqrt(1.0 - (stretch * stretch - 1.0) / 4.0)
    middle = np.array([0.0, WIDTH / 2, SPACING / 2])
    cut.position[:] = middle + (cut.position - middle) * [stretch, side, side]
    cut.velocity[:, 0] = 0.01 * cut.rows.nodes.material[: cut.node_count, 0]
    return cut


@pytest.mark.parametrize(("seed", "angle"), [(19, 0.0), (11, 0.4), (5, np.pi / 4)])
def test_a_crack_goes_straight_on_from_the_notch_in_any_mesh(seed, angle):
    cut = pulled_plate(seed, angle)
    volume, outer, notch = cut.volume.sum(), outer_area(cut), cut.crack_count
    motion, first = BreakingMotion(cut, FailureLaw(), SplittingRules()), None
    while motion.steps < 12_000:
        motion.run(2e-3)
        faces = crack_faces(cut)
        middle = cut.rows.nodes.material[faces.node].mean(axis=1)[faces.number >= notch]
        if first is None and len(middle):
            first = middle
        if len(middle) and middle[:, 1].max() > WIDTH - 0.5 * SPACING:
            break
    assert np.abs(first[:, :2] - [LENGTH / 2, NOTCH]).max() < 2.0 * SPACING, "it begins at the notch"
    assert middle[:, 1].max() > WIDTH - 0.5 * SPACING, "it goes across"
    assert np.abs(middle[:, 0] - LENGTH / 2).max() < 2.0 * SPACING, "within two elements of the straight line"
    check_mesh(cut, volume, outer)
