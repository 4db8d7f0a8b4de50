"""How long a body of springs will take, told before it is divided: from its size, its material, and how finely."""

import math

from ...config.material import Material
from ...geometry.mesh import bounds
from ...types import Body, Clock, LatticeRecipe
from ..contract import ContinuumEstimate
from ..lattice_shapes.recipes import make_recipe
from .advance_lattice import longest_step
from .blocks import slab_complex
from .divided_body import microgeometry_of, spring_laws, springs_modulus
from .hexahedra import edge_lengths
from .lattice import SpringLattice, build_lattice
from .material import SpringMaterial
from .microgeometry import Microgeometry
from .params import SpringLatticeParams
from .resolution import AUTOMATIC_NODES, choose_spacing
from .time_step import substep_count

#: Cells along each side of the block that stands for the body. Chosen: its middle one has neighbours all around.
_BLOCK = 3
#: How much longer the steps of even cells are than those of cells that fit a body. Measured on bodies of 1,000 to 6,000
#: nodes: 0.9 to 1.3 in boxes, 1.6 to 2.4 in balls and rings.
_FITTED = 1.5
#: Springs by nodes of endless matter: three edges, and the diagonals of a cell, those on faces shared by two of them.
_SPRINGS = {
    Microgeometry.BODY_DIAGONALS: 7.0,
    Microgeometry.ALTERNATING_FACE_DIAGONALS: 6.0,
    Microgeometry.FACE_DIAGONALS: 9.0,
}
#: The same of a body, over that, as its skin has fewer. Measured on balls, boxes and Suzanne: 0.87 to 0.91.
_SKIN = 0.9
#: [s] of one spring in a substep, with its share of nodes, cells and contacts, and of a node that is divided off.
#: Measured on one core: 11e-9 to 20e-9 as long as it stays whole, and 1e-4 to 5e-4.
_SUBSTEP, _DIVIDED = 15e-9, 3e-4


def estimate_run(
    body: Body, material: Material, recipe: LatticeRecipe | None, params: SpringLatticeParams, clock: Clock
) -> ContinuumEstimate:
    """What a run is foretold to be. What breaks early takes less, as pieces go on as rigid bodies.

    Raises InputError for springs so stiff that a frame takes a million substeps.
    """
    nodes, spacing = _division(body, recipe, params)
    block = _even_block(body, material, params, spacing)
    step = longest_step(block, spring_laws(params, material, springs_modulus(body, params))) / _FITTED
    substeps = substep_count(1.0 / clock.fps, step)
    if params.most_substeps:
        substeps = min(substeps, params.most_substeps)
    springs = _SKIN * nodes * _SPRINGS[microgeometry_of(params)]
    seconds = _DIVIDED * nodes + _SUBSTEP * springs * substeps * (clock.frames - 1)
    return ContinuumEstimate(nodes, "nodes", substeps, seconds)


def _division(body: Body, recipe: LatticeRecipe | None, params: SpringLatticeParams) -> tuple[int, float]:
    """Nodes, and how wide cells are [m]."""
    if recipe is None:
        return params.nodes or AUTOMATIC_NODES, choose_spacing(body, params.nodes)
    solid = make_recipe(recipe)
    return len(solid.node_position), float(edge_lengths(solid).mean())


def _even_block(body: Body, material: Material, params: SpringLatticeParams, spacing: float) -> SpringLattice:
    """Cells of the body's matter, as damped as if they were as long as the body, whose slowest wave it is about."""
    low, high = bounds(body.vertices)
    side = _BLOCK * spacing
    damping = params.damping * float((high - low).max()) / side
    springs = SpringMaterial(springs_modulus(body, params), material.density, math.inf, damping)
    return build_lattice(slab_complex((_BLOCK,) * 3, (side,) * 3), springs, microgeometry_of(params))
