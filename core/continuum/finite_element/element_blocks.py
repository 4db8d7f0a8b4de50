"""Elements as the kernel of substeps reads them: side by side in blocks, so that one instruction works on several.

Block b has elements 32 b to 32 b + 31, in rows of 32 numbers, one row after the other. Places without an element have
zeros, and exert no force. Blocks can be written again where elements change.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...jit import sealed_floats, sealed_ints
from ...types import Floats, Ints
from .elements import ElementShapes, TetrahedralMesh
from .linear_laws import LinearLaws, no_laws
from .material import ElementMaterial

#: Elements side by side. By trial: with 16 and with 64 a step takes as long.
ELEMENT_BLOCK = 32
#: Rows: gradients of the second, third and fourth shape function (9) [1/m], volume times lambda/2, mu, phi/2 and psi
#: [J, J s], and the energy with which a pressed element keeps its volume [J].
FIRST_MODULUS, SECOND_MODULUS, FIRST_DAMPING, SECOND_DAMPING, VOLUME_ENERGY = range(9, 14)
BLOCK_ROWS = 14  # of them
#: Whole numbers of half the width, which kernels read faster.
BlockInts: TypeAlias = NDArray[np.uint32]


class ElementBlocks(NamedTuple):
    """Elements in b blocks; both tables are written where elements change."""

    node: BlockInts  #: (b,128) four nodes
    row: Floats  #: (b,448)
    law_element: Ints  #: (k,) elements of any linear law, see `linear_laws`, whose moduli are 0
    law: Floats  #: (k,2,6,6) of strain and of its rate, times half the volume [J, J s]


def pack_elements(
    mesh: TetrahedralMesh,
    shapes: ElementShapes,
    material: ElementMaterial,
    room: int = 0,
    laws: LinearLaws | None = None,
) -> ElementBlocks:
    """Blocks of all elements, with room for others up to `room` elements in all.

    laws: of elements for which the material has stand-ins, see `bound_laws`.
    """
    given = laws or no_laws()
    count = len(mesh.element_node)
    length = -(-max(count, room, 1) // ELEMENT_BLOCK)
    node = np.zeros((length, 4 * ELEMENT_BLOCK), np.uint32)
    law = np.stack([given.elastic, given.viscous], axis=1) * (0.5 * shapes.volume[given.element])[:, None, None, None]
    row = np.zeros((length, BLOCK_ROWS * ELEMENT_BLOCK))
    blocks = ElementBlocks(node, row, sealed_ints(given.element), sealed_floats(law))
    write_elements(blocks, np.arange(count), mesh.element_node, shapes, material)
    block, place = given.element // ELEMENT_BLOCK, given.element % ELEMENT_BLOCK
    for k in (FIRST_MODULUS, SECOND_MODULUS, FIRST_DAMPING, SECOND_DAMPING):
        row[block, k * ELEMENT_BLOCK + place] = 0.0
    return blocks


def write_elements(
    blocks: ElementBlocks, element: Ints, node: Ints, shapes: ElementShapes, material: ElementMaterial
) -> None:
    """Write k elements that changed or are new into places `element` (k,): their nodes (k,4), shapes, material.

    Isotropic ones: where those of other laws change, all are packed again.
    """
    block, place = element // ELEMENT_BLOCK, element % ELEMENT_BLOCK
    volume = shapes.volume
    columns = [
        *shapes.gradient[:, 1:].reshape(len(element), 9).T,
        0.5 * volume * material.lame_lambda,
        volume * material.lame_mu,
        0.5 * volume * material.bulk_damping,
        volume * material.shear_damping,
        volume * (material.lame_lambda + 2.0 * material.lame_mu),
    ]
    for k, column in enumerate(columns):
        blocks.row[block, k * ELEMENT_BLOCK + place] = column
    for k in range(4):
        blocks.node[block, k * ELEMENT_BLOCK + place] = node[:, k]


def clear_elements(blocks: ElementBlocks, element: Ints) -> None:
    """Take elements (k,) away: what stays exerts no force."""
    block, place = element // ELEMENT_BLOCK, element % ELEMENT_BLOCK
    for k in range(BLOCK_ROWS):
        blocks.row[block, k * ELEMENT_BLOCK + place] = 0.0
    for k in range(4):
        blocks.node[block, k * ELEMENT_BLOCK + place] = 0
