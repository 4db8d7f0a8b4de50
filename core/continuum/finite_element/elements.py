"""Linear tetrahedra: shape functions, volumes, masses at nodes, and the elements at each node.

The four shape functions of an element are linear and 1 at one node each: b_i(u) = beta_ik u_k + beta_i4 (Eq. 15, 16).
Only their gradients enter strain and force. They belong to the material, and change only where elements do.
"""

from dataclasses import dataclass

import numpy as np

from ...arithmetic.products import dot
from ...geometry.mesh import cross_rows
from ...types import Floats, Frozen, Ints


@dataclass(frozen=True, eq=False, slots=True)
class TetrahedralMesh(Frozen):
    """Matter as linear tetrahedra, by where its nodes are in the material."""

    node_material: Floats  #: (n,3) material coordinates [m]
    element_node: Ints  #: (e,4) of positive volume


@dataclass(frozen=True, eq=False, slots=True)
class ElementShapes(Frozen):
    """What is computed of elements once, and again where they change (O'Brien, Hodgins 1999, Eq. 16, 25)."""

    gradient: Floats  #: (e,4,3) of the four shape functions: the first three columns of beta [1/m]
    volume: Floats  #: (e,) [m^3]


@dataclass(frozen=True, eq=False, slots=True)
class NodeElements(Frozen):
    """The elements at each node, in their order: what sums at nodes are taken over."""

    start: Ints  #: (n+1,)
    corner: Ints  #: (4e,) corners as places in the flat table of elements: element 4, and which of its four nodes


def measure_elements(mesh: TetrahedralMesh) -> ElementShapes:
    """Gradients of the shape functions and volumes. A flat element gives infinite gradients, a folded one < 0."""
    first = mesh.node_material[mesh.element_node[:, 0]]
    a, b, c = (mesh.node_material[mesh.element_node[:, k]] - first for k in (1, 2, 3))
    faces = np.stack([cross_rows(b, c), cross_rows(c, a), cross_rows(a, b)], axis=1)
    six = dot(faces[:, 2], c)
    gradient = np.empty((len(six), 4, 3))
    with np.errstate(divide="ignore", invalid="ignore"):
        gradient[:, 1:] = faces / six[:, None, None]
        gradient[:, 0] = -(gradient[:, 1] + gradient[:, 2] + gradient[:, 3])
    return ElementShapes(gradient, six / 6.0)


def lumped_masses(mesh: TetrahedralMesh, volume: Floats, density: Floats) -> Floats:
    """Lumped masses (n,) [kg]: a quarter of each element at each of its nodes; volume and density are (e,)."""
    quarter = np.repeat(0.25 * density * volume, 4)
    return np.asarray(np.bincount(mesh.element_node.ravel(), quarter, len(mesh.node_material)), np.float64)


def gather_elements(mesh: TetrahedralMesh) -> NodeElements:
    """The elements at each node."""
    node = mesh.element_node.ravel()
    count = np.bincount(node, minlength=len(mesh.node_material))
    start = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    return NodeElements(start, np.argsort(node, kind="stable"))


def smallest_altitudes(shapes: ElementShapes) -> Floats:
    """The smallest of the four altitudes of each element: one over its largest gradient (e,) [m]."""
    return np.asarray(1.0 / np.sqrt(dot(shapes.gradient, shapes.gradient).max(axis=1)))
