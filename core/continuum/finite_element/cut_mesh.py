"""A mesh of tetrahedra that is cut as it moves: what owns the arrays of `cut_rows`, and gives them more room.

It is the one thing here that changes: a cut touches the elements around one node, and copying the rest each time would
take longer than all else. Views of it hold until the next cut.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...jit import njit_no_refs
from ...types import Bools, Floats, Ints
from .cut_rows import (
    CRACK_FACES,
    ELEMENTS,
    LAMBDA,
    MU,
    NODES,
    NONE,
    PHI,
    PSI,
    CutRows,
    ElementRows,
    NodeRows,
    OriginRows,
    link_corner,
    measure_element,
    weigh_node,
)
from .elements import ElementShapes, TetrahedralMesh, smallest_altitudes
from .material import ElementMaterial

#: Room at first, relative to what is there, and by how much it grows: a wall of the paper ends with 7.5 times the
#: elements and 20 times the nodes that it had (O'Brien, Hodgins 1999, section 6).
_ROOM = 2


@dataclass(eq=False, slots=True)
class CutMesh:
    """Nodes and elements that are in use are the first rows of each array."""

    rows: CutRows
    mean_volume: float  #: of an element as the mesh was made [m^3]
    median_altitude: float  #: of the least altitudes of elements as the mesh was made [m]
    scratch: dict[Any, Any] = field(default_factory=dict)  #: what those who cut keep between cuts, for this much room

    @property
    def node_count(self) -> int:
        """Nodes so far."""
        return int(self.rows.counts[NODES])

    @property
    def element_count(self) -> int:
        """Elements so far."""
        return int(self.rows.counts[ELEMENTS])

    @property
    def crack_count(self) -> int:
        """Crack faces made so far, each with two sides."""
        return int(self.rows.counts[CRACK_FACES])

    @property
    def position(self) -> Floats:
        """(n,3), to be written [m]."""
        return self.rows.nodes.position[: self.node_count]

    @property
    def velocity(self) -> Floats:
        """(n,3), to be written [m/s]."""
        return self.rows.nodes.velocity[: self.node_count]

    @property
    def mass(self) -> Floats:
        """(n,) [kg]."""
        return self.rows.nodes.mass[: self.node_count]

    @property
    def anchored(self) -> Bools:
        """(n,) nodes that never move."""
        return self.rows.nodes.anchored[: self.node_count]

    @property
    def element_node(self) -> Ints:
        """(e,4)."""
        return self.rows.elements.node[: self.element_count]

    @property
    def element_origin(self) -> Ints:
        """(e,) the element as the mesh was made of which each is a part."""
        return self.rows.elements.origin[: self.element_count]

    @property
    def element_piece(self) -> Ints:
        """(e,) to be written by whoever counts pieces."""
        return self.rows.elements.piece[: self.element_count]

    @property
    def element_place(self) -> Ints:
        """(e,4) places in the material, of which nodes on both sides of a crack share one."""
        return self.rows.nodes.place[self.element_node]

    @property
    def gradient(self) -> Floats:
        """(e,4,3) of shape functions [1/m]."""
        return self.rows.elements.gradient[: self.element_count]

    @property
    def volume(self) -> Floats:
        """(e,) [m^3]."""
        return self.rows.elements.volume[: self.element_count]

    def material(self, element: Ints) -> ElementMaterial:
        """What some elements (k,) are made of now."""
        law, origin = self.rows.elements.law[element], self.rows.elements.origin[element]
        origins = self.rows.origins
        return ElementMaterial(
            law[:, LAMBDA], law[:, MU], law[:, PHI], law[:, PSI], origins.density[origin], origins.toughness[origin]
        )

    def set_damping(self, element: Ints, material: ElementMaterial) -> None:
        """Give some elements (k,) the damping of a material of them."""
        law = self.rows.elements.law
        law[element, PHI], law[element, PSI] = material.bulk_damping, material.shear_damping

    def as_mesh(self) -> TetrahedralMesh:
        """A copy of the mesh as it is now."""
        return TetrahedralMesh(self.rows.nodes.material[: self.node_count].copy(), self.element_node.copy())

    def make_room(self) -> None:
        """Give all arrays more room."""
        nodes, elements = self.rows.nodes, self.rows.elements
        self.rows = self.rows._replace(
            nodes=NodeRows(*(_grown(one) for one in nodes)),
            elements=ElementRows(*(_grown(one) for one in elements)),
        )
        self.scratch.clear()


def start_cut_mesh(
    mesh: TetrahedralMesh, material: ElementMaterial, anchored: Bools | None = None, room: int = _ROOM
) -> CutMesh:
    """The whole mesh at rest in its material places.

    `anchored` (n,): nodes that never move. `room`: how many times its nodes and elements there is room for at first.
    """
    n, e = len(mesh.node_material), len(mesh.element_node)
    more = max(room, 1) - 1
    place = _padded(mesh.node_material, more)
    nodes = NodeRows(
        place,
        place.copy(),
        np.zeros_like(place),
        np.zeros(len(place)),
        _padded(np.zeros(n, np.bool_) if anchored is None else anchored, more),
        np.zeros(len(place), np.bool_),
        np.full(len(place), NONE),
        np.arange(len(place)),
        np.full(len(place), NONE),
        np.full((len(place), 2), NONE),
    )
    node = _padded(mesh.element_node, more)
    blank = np.zeros((len(node), 3, 3))
    elements = ElementRows(
        node,
        _padded(np.arange(e), more),
        np.zeros(len(node), np.int64),
        np.full(node.shape, NONE),
        _padded(_law_of(material), more),
        np.zeros((len(node), 4, 3)),
        np.zeros(len(node)),
        blank,
        blank.copy(),
        blank.copy(),
        np.full(4 * len(node), NONE),
        np.full(4 * len(node), NONE),
    )
    origins = OriginRows(material.density.copy(), material.toughness.copy())
    rows = CutRows(nodes, elements, origins, np.array([n, e, 0]))
    _join_rows(rows)
    altitude = smallest_altitudes(ElementShapes(elements.gradient[:e].copy(), elements.volume[:e].copy()))
    return CutMesh(rows, float(elements.volume[:e].sum()) / max(e, 1), float(np.median(altitude)) if e else 0.0)


def _law_of(material: ElementMaterial) -> Floats:
    return np.stack([material.lame_lambda, material.lame_mu, material.bulk_damping, material.shear_damping], axis=1)


def _padded(values: Ints | Floats | Bools, more: int) -> np.ndarray:  # type: ignore[type-arg]
    return np.concatenate([values, np.zeros((more * len(values), *values.shape[1:]), values.dtype)])


def _grown(values: Ints | Floats | Bools) -> np.ndarray:  # type: ignore[type-arg]
    """An array with more rows; those to come have no corners."""
    fill = NONE if values.dtype == np.int64 else 0
    rest = np.full(((_ROOM - 1) * len(values) + 1, *values.shape[1:]), fill, values.dtype)
    return np.concatenate([values, rest])


@njit_no_refs
def _join_rows(rows: CutRows) -> None:
    """Lists of corners, shape functions and masses of all that is there."""
    for e in range(rows.counts[ELEMENTS]):
        for k in range(4):
            link_corner(rows.nodes.first_corner, rows.elements, 4 * e + k)
        measure_element(rows.nodes.material, rows.elements, e)
    for n in range(rows.counts[NODES]):
        weigh_node(rows, n)
