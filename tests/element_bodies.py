"""Bodies of elements for tests."""

from dataclasses import dataclass

import numpy as np

from core.continuum.finite_element.advance_elements import ElementLoads, build_elements, free_loads
from core.continuum.finite_element.element_blocks import ELEMENT_BLOCK, VOLUME_ENERGY
from core.continuum.finite_element.elements import TetrahedralMesh
from core.continuum.finite_element.material import uniform_material
from tests.tetrahedral_meshes import kuhn_bar, positive


@dataclass(frozen=True)
class Row:
    """A row of Table 1."""

    lame: tuple[float, float]  # [Pa]
    damping: tuple[float, float]  # [Pa s]
    density: float  # [kg/m^3]
    toughness: float
    minutes: tuple[float, float, float]  # of computing for a second: least, most, mean

    def material(self, count, damped=True):
        damping = self.damping if damped else (0.0, 0.0)
        return uniform_material(count, self.lame, damping, self.density, self.toughness)


TABLE_1 = {
    "glass": Row((1.04e8, 1.04e8), (0.0, 6760.0), 2588.0, 10140.0, (75, 667, 273)),
    "wall 1": Row((6.03e8, 1.21e8), (3015.0, 6030.0), 2309.0, 6030.0, (75, 562, 399)),
    "wall 2": Row((0.0, 1.81e8), (0.0, 18090.0), 2309.0, 6030.0, (75, 2317, 1098)),
    "bowl 1": Row((2.65e6, 3.97e6), (264.0, 397.0), 1013.0, 52.9, (90, 120, 109)),
    "bowl 2": Row((2.65e6, 3.97e6), (264.0, 397.0), 1013.0, 39.6, (82, 135, 115)),
    "bowl 3": Row((2.65e6, 3.97e6), (264.0, 397.0), 1013.0, 33.1, (90, 150, 127)),
    "bowl 4": Row((2.65e6, 3.97e6), (264.0, 397.0), 1013.0, 13.2, (82, 187, 156)),
    "comparison bowl": Row((0.0, 5.29e7), (0.0, 198.0), 1013.0, 106.0, (247, 390, 347)),
    "the end": Row((0.0, 9.21e6), (0.0, 9.2), 705.0, 73.6, (622, 6667, 4665)),
}
GLASS = TABLE_1["glass"]


def rough_bar(counts=(4, 2, 2), size=0.02, jitter=0.15, seed=0):
    """A bar of cubes in six elements each, their inner nodes moved by a share of the side: none like another."""
    mesh = kuhn_bar(counts)
    place, ends = mesh.node_material, np.array(counts, float)
    shift = np.random.default_rng(seed).uniform(-jitter, jitter, place.shape)
    inner = (place > 0.0) & (place < ends)  # in each direction: what lies on a face stays on it
    rough = positive(place + np.where(inner, shift, 0.0), mesh.element_node.copy())
    return TetrahedralMesh(size * rough.node_material, rough.element_node)


def body_of(mesh, row=GLASS, damped=True):
    return build_elements(mesh, row.material(len(mesh.element_node), damped))


def as_printed(body):
    """The body, with forces of (24) and (26) only, however flat elements are pressed."""
    body.blocks.row[:, VOLUME_ENERGY * ELEMENT_BLOCK : (VOLUME_ENERGY + 1) * ELEMENT_BLOCK] = 0.0
    return body


def loads_of(gravity=None, held=None, outside=None, surfaces=None):
    plain = free_loads(gravity)
    node, plane = surfaces if surfaces else (plain.surface_node, plain.surface_plane)
    return ElementLoads(
        plain.gravity,
        plain.held if held is None else held,
        plain.outside if outside is None else outside,
        node,
        plane,
    )


def single(side=0.1):
    """One element at a corner of a cube."""
    return TetrahedralMesh(side * np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 1, 2, 3]]))
