"""A body divided into cells and springs: how finely, how strong, what is anchored, and how soft it has to be."""

import math
from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from ...arithmetic.elementary import log
from ...config.material import MEGAPASCAL, Material
from ...cutting.units import units
from ...geometry.mesh import bounds
from ...geometry.sums import summed
from ...strength.influence import anchored_cells
from ...types import Body, Bools, Frozen, Ints, Units
from ...wording import number
from ..contract import ContinuumObject
from ..lattice_embedding.embedding import Embedding
from ..lattice_embedding.own_lattice import embed_as_added_steps
from .advance_lattice import frame_substeps, longest_step
from .cell_volumes import FLAT_MODULUS
from .hexahedra import HexahedralComplex, hexahedron_volumes
from .lattice import SpringLattice, build_lattice, joined_nodes
from .material import SpringMaterial, vary_thresholds
from .microgeometry import Microgeometry
from .params import ALTERNATING, BOTH, PAPER, SPACE, WEAKEST_CELL, SpringLatticeParams
from .resolution import choose_spacing
from .spring_strength import cell_densities, spring_strengths
from .state import ContactLaw, LatticeLaws
from .time_step import SAFETY

#: Names this module's streams of random numbers beside the seed.
STREAM = 902
_MICROGEOMETRY = {
    ALTERNATING: Microgeometry.ALTERNATING_FACE_DIAGONALS,
    BOTH: Microgeometry.FACE_DIAGONALS,
    SPACE: Microgeometry.BODY_DIAGONALS,
}
#: What a flawed spring bears, of a sound one. By eye: cracks begin there, and do not stay there.
_FLAWED = 1.0 / 3.0
#: What breaks at less than this strain is not pressed flat before, nor seen to bulge, which saves time. By eye.
_STIFF = 0.05
#: A bounce that is no less than this, as the logarithm of none is endless. By eye.
_DULLEST = 0.05
#: Part of a cell that is matter at the least, so that its nodes have a mass. Chosen: not to be felt.
_LEAST_FILLED = 1e-6
_DIVIDED = 0.9  # share of the work when the body is in cells; by eye


@dataclass(frozen=True, eq=False, slots=True)
class DividedBody(Frozen):
    """A body in a lattice of springs. Nodes and hexahedra are those of the embedding."""

    embedding: Embedding
    units: Units  #: of its cells: the matter of a hexahedron, or an island of it
    hexahedron: Ints  #: (U,) of each unit
    lattice: SpringLattice
    anchored: Bools  #: (n,) nodes that stay where they are
    laws: LatticeLaws
    sound: float  #: speed of sound in a thin bar, as soft as it is now [m/s]
    notes: tuple[str, ...]


def divide_steps(obj: ContinuumObject, params: SpringLatticeParams) -> Generator[float, None, DividedBody]:
    """Divide an object; yields the share that is done.

    Raises InputError for what cannot be divided, and for springs so stiff that a frame takes a million substeps.
    """
    spacing = choose_spacing(obj.body, params.nodes)
    dividing = embed_as_added_steps(obj.body, obj.recipe, spacing, obj.seed)
    while True:
        try:
            yield _DIVIDED * next(dividing)
        except StopIteration as end:
            embedding: Embedding = end.value
            break
    cells = embedding.cells
    graph = units(cells)
    hexahedron = np.empty(len(graph.volume), np.int64)
    hexahedron[cells.unit] = embedding.hexahedron
    lattice = _lattice(obj, params, embedding)
    anchored = np.zeros(len(lattice.mass), np.bool_)
    anchored[embedding.hexahedra[embedding.hexahedron[anchored_cells(obj.influence, obj.body, cells)]]] = True
    laws = spring_laws(params, obj.material, springs_modulus(obj.body, params))
    lattice, soft = _soften(lattice, laws, anchored, params, 1.0 / obj.clock.fps)
    laws = replace(laws, bulk_modulus=laws.bulk_modulus / soft, flat_modulus=laws.flat_modulus / soft)
    sound = math.sqrt(springs_modulus(obj.body, params) / (soft * obj.material.density))
    notes = (*embedding.notes, *_notes(lattice, params, soft, obj.clock.fps, longest_step(lattice, laws, anchored)))
    return DividedBody(embedding, graph, hexahedron, lattice, anchored, laws, sound, notes)


def lattice_mass(divided: DividedBody) -> float:
    """[kg]."""
    return float(divided.lattice.mass.sum())


def _lattice(obj: ContinuumObject, params: SpringLatticeParams, embedding: Embedding) -> SpringLattice:
    cells = embedding.cells
    solid = HexahedralComplex(embedding.nodes, embedding.hexahedra, embedding.parity)
    kind = microgeometry_of(params)
    pairs, _ = joined_nodes(solid, kind)
    ends = embedding.nodes[pairs]
    room, owner = hexahedron_volumes(solid), embedding.hexahedron
    matter = summed(cells.volume[:, None], owner, len(room))[:, 0]
    heavy = summed((cells.volume * cell_densities(obj, cells))[:, None], owner, len(room))[:, 0]
    material = SpringMaterial(
        springs_modulus(obj.body, params),
        obj.material.density,
        params.failure_strain or math.inf,
        params.damping,
        choose_spacing(obj.body, 0) if params.even_toughness else 0.0,
    )
    filled = np.maximum(matter / room, _LEAST_FILLED)
    density = np.where(matter > 0.0, heavy / np.maximum(matter, 1e-300), 1.0)
    lattice = build_lattice(solid, material, kind, density, spring_strengths(obj, ends), filled)
    rng = np.random.default_rng([obj.seed, STREAM])
    threshold = vary_thresholds(lattice.threshold, params.variation, rng)
    flawed = rng.random(len(threshold)) < params.defects
    return replace(lattice, threshold=np.where(flawed, _FLAWED * threshold, threshold))


def springs_modulus(body: Body, params: SpringLatticeParams) -> float:
    """Young's modulus [Pa].

    Of two bodies of one form and density under the same gravity the larger one moves as the smaller one, slower, where
    moduli are as the sizes (Froude's number rho g L/E is the same).
    """
    modulus = MEGAPASCAL * params.youngs_modulus
    if params.model_size == 0.0:
        return modulus
    low, high = bounds(body.vertices)
    return modulus * float((high - low).max()) / params.model_size


def microgeometry_of(params: SpringLatticeParams) -> Microgeometry:
    """Which springs stiffen a cell."""
    return _MICROGEOMETRY[params.springs]


def spring_laws(params: SpringLatticeParams, material: Material, modulus: float) -> LatticeLaws:
    """How a lattice behaves that is as stiff as a modulus [Pa]."""
    lost = -float(log(max(material.restitution, _DULLEST)))
    # A node on a damped spring leaves with exp(-pi z/sqrt(1 - z^2)) of its speed.
    ratio = lost / math.sqrt(math.pi * math.pi + lost * lost)
    contact = ContactLaw(1.0, ratio, material.friction)
    stiff = 0.0 < params.failure_strain < _STIFF
    return LatticeLaws(
        paper_euler=params.steps == PAPER,
        surface=replace(contact, stiffness=math.inf),
        nodes=contact,
        self_contact=params.self_contact,
        weakest_cell=params.breaks == WEAKEST_CELL,
        yield_strain=params.yield_strain or math.inf,
        bulk_modulus=0.0 if stiff else params.keeps_volume * modulus,
        flat_modulus=0.0 if stiff else FLAT_MODULUS * modulus,
        flow_rate=1.0 / params.flow_time if params.flow_time > 0.0 else math.inf,
    )


def _soften(
    lattice: SpringLattice, laws: LatticeLaws, anchored: Bools, params: SpringLatticeParams, frame_time: float
) -> tuple[SpringLattice, float]:
    """The lattice, so much softer that a frame takes no more substeps than wanted, and by how much it is softer.

    A blow of speed v strains matter by v/c, and c goes with the root of the stiffness s: with thresholds that grow as
    1/sqrt(s) the same blows break it.
    """
    if params.most_substeps == 0:
        frame_substeps(lattice, laws, frame_time, anchored)  # refuses what would take for ever before anything moves
        return lattice, 1.0
    root = frame_time / (SAFETY * longest_step(lattice, laws, anchored)) / params.most_substeps
    if not root > 1.0:
        return lattice, 1.0
    soft = root * root
    softer = replace(
        lattice,
        stiffness=lattice.stiffness / soft,
        contact_stiffness=lattice.contact_stiffness / soft,
        damping=lattice.damping / root,
        threshold=lattice.threshold * root,
    )
    return softer, soft


def _notes(
    lattice: SpringLattice, params: SpringLatticeParams, soft: float, fps: float, step: float
) -> tuple[str, ...]:
    count = max(1, math.ceil(1.0 / (fps * SAFETY * step)))
    nodes, springs = number(len(lattice.mass), 6), number(len(lattice.rest_length), 6)
    told = [f"{nodes} nodes, {springs} springs, {number(count, 6)} substeps a frame."]
    if soft > 1.0:
        told.append(
            f"Springs are {number(soft)} times softer than asked for and bear {number(math.sqrt(soft))} times the "
            "strain, so that frames take no more substeps: raise Most Substeps for a stiffer look."
        )
    return tuple(told)
