"""The arrays of a mesh of tetrahedra that is cut as it moves, as kernels see them, with room for what will be cut.

Corner c of the mesh is corner c % 4 of element c // 4. The corners at a node hang together as a list, so that an
element is put in or taken out in the same time whatever the size of the mesh.
"""

from typing import NamedTuple

from ...geometry.vectors import cross3, dot3, row_difference
from ...jit import device_no_refs
from ...types import Bools, Floats, Ints

#: No corner, no crack.
NONE = -1
#: Columns of the law of an element.
LAMBDA, MU, PHI, PSI = range(4)
#: Rows of the counts (3,): nodes, elements, crack faces so far.
NODES, ELEMENTS, CRACK_FACES = range(3)


class NodeRows(NamedTuple):
    """Nodes; N is how many there is room for."""

    material: Floats  # (N,3) where it is in the material [m]
    position: Floats  # (N,3) [m]
    velocity: Floats  # (N,3) [m/s]
    mass: Floats  # (N,) [kg]
    anchored: Bools  # (N,) one that never moves; what is put between two of them is anchored as well
    touched: Bools  # (N,) cut at since this was last cleared: forces at it are of the mesh as it was
    first_corner: Ints  # (N,) of its list
    place: Ints  # (N,) first node that was put where it is in the material: nodes on both sides of cracks share one
    next_duplicate: Ints  # (N,) in the list of all nodes of a place, which begins with that one, or NONE
    between: Ints  # (N,2) places of the ends of the edge that such a first node halved; NONE for those of the start


class ElementRows(NamedTuple):
    """Tetrahedra; E is how many there is room for."""

    node: Ints  # (E,4)
    origin: Ints  # (E,) element of the mesh as it was made of which each is a part
    piece: Ints  # (E,) of whoever counts pieces; parts of an element have that of the whole
    crack: Ints  # (E,4) crack face on which the face across from each corner lies, or NONE; both sides have one number
    law: Floats  # (E,4) lambda, mu [Pa], phi, psi [Pa s]
    gradient: Floats  # (E,4,3) of shape functions, in the material [1/m]
    volume: Floats  # (E,) in the material [m^3]
    deformation: Floats  # (E,3,3) F = dx/du [1]
    tension: Floats  # (E,3,3) F sigma+ [Pa]
    compression: Floats  # (E,3,3) F sigma- [Pa]
    next_corner: Ints  # (4E,) in the list of the same node
    last_corner: Ints  # (4E,) the one before


class OriginRows(NamedTuple):
    """Matter of the elements as they were made."""

    density: Floats  # [kg/m^3]
    toughness: Floats  # [Pa] or [N], see `separation_tensor`


class CutRows(NamedTuple):
    """The mesh as kernels see it."""

    nodes: NodeRows
    elements: ElementRows
    origins: OriginRows
    counts: Ints  # (3,)


@device_no_refs
def link_corner(first_corner: Ints, elements: ElementRows, corner: int) -> None:
    """Put a corner into the list of its node."""
    node = elements.node[corner // 4, corner % 4]
    first = first_corner[node]
    elements.next_corner[corner] = first
    elements.last_corner[corner] = NONE
    if first >= 0:
        elements.last_corner[first] = corner
    first_corner[node] = corner


@device_no_refs
def move_corner(first_corner: Ints, elements: ElementRows, corner: int, node: int) -> None:
    """Give a corner to another node."""
    after, before = elements.next_corner[corner], elements.last_corner[corner]
    if after >= 0:
        elements.last_corner[after] = before
    if before >= 0:
        elements.next_corner[before] = after
    else:
        first_corner[elements.node[corner // 4, corner % 4]] = after
    elements.node[corner // 4, corner % 4] = node
    link_corner(first_corner, elements, corner)


@device_no_refs
def join_place(nodes: NodeRows, node: int, place: int) -> None:
    """Put a node where others are already, or at a place of its own."""
    nodes.place[node] = place
    if node == place:
        nodes.next_duplicate[node] = NONE
        return
    nodes.next_duplicate[node] = nodes.next_duplicate[place]
    nodes.next_duplicate[place] = node


@device_no_refs
def node_at(element_node: Ints, places: Ints, element: int, place: int) -> int:
    """The node of an element that is at a place of the material; NONE where none is."""
    for k in range(4):
        if places[element_node[element, k]] == place:
            return int(element_node[element, k])
    return NONE


@device_no_refs
def gather_star(first_corner: Ints, next_corner: Ints, node: int, star: Ints) -> int:
    """Write the elements at a node into `star`, ascending; returns their number."""
    count = 0
    corner = first_corner[node]
    while corner >= 0:
        element = corner // 4
        k = count
        while k > 0 and star[k - 1] > element:
            star[k] = star[k - 1]
            k -= 1
        star[k] = element
        count += 1
        corner = next_corner[corner]
    return count


@device_no_refs
def corner_of(element_node: Ints, element: int, node: int) -> int:
    """Which corner (0 to 3) of an element a node is; NONE where it is none."""
    for k in range(4):
        if element_node[element, k] == node:
            return k
    return NONE


@device_no_refs
def measure_element(material: Floats, elements: ElementRows, element: int) -> None:
    """Volume and gradients of the shape functions of one element, Eq. 16 and 25."""
    node, gradient = elements.node, elements.gradient
    i, j, k, m = node[element, 0], node[element, 1], node[element, 2], node[element, 3]
    a, b, c = row_difference(material, i, j), row_difference(material, i, k), row_difference(material, i, m)
    six = dot3(a, cross3(b, c))
    elements.volume[element] = six / 6.0
    for corner, face in ((1, cross3(b, c)), (2, cross3(c, a)), (3, cross3(a, b))):
        gradient[element, corner, 0] = face[0] / six
        gradient[element, corner, 1] = face[1] / six
        gradient[element, corner, 2] = face[2] / six
    for x in range(3):
        gradient[element, 0, x] = -gradient[element, 1, x] - gradient[element, 2, x] - gradient[element, 3, x]


@device_no_refs
def weigh_node(rows: CutRows, node: int) -> None:
    """The lumped mass of a node: a quarter of each element at it."""
    elements = rows.elements
    total = 0.0
    corner = rows.nodes.first_corner[node]
    while corner >= 0:
        total += rows.origins.density[elements.origin[corner // 4]] * elements.volume[corner // 4]
        corner = elements.next_corner[corner]
    rows.nodes.mass[node] = 0.25 * total
