"""A body divided into elements: how finely, of what, what is anchored, and how soft it has to be."""

import math
from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from ...config.material import MEGAPASCAL
from ...errors import InputError
from ...geometry.mesh import area, volume
from ...geometry.sums import summed
from ...strength.influence import anchored_cells, toughness_along
from ...strength.stack import density_factors, link_strengths
from ...types import Body, Bools, Frozen
from ...wording import number
from ..contract import ContinuumObject
from ..fineness import size_of_parts
from ..tetrahedralization.element_embedding import ElementEmbedding, embed_elements_steps
from ..tetrahedralization.size_field import PER_WALL
from .element_rates import ELEMENT_SAFETY, cap_damping, squared_frequencies, stable_element_step
from .elements import ElementShapes, TetrahedralMesh, measure_elements
from .material import ElementMaterial, lame_constants, uniform_material
from .params import FiniteElementParams

#: Names this module's stream of random numbers beside the seed.
STREAM = 913
#: Elements where the artist names no number. By eye: cracks that turn, and a frame takes some seconds.
AUTOMATIC_ELEMENTS = 2500
#: Elements in a cube of the size, and on as large a square of the skin; measured, see `tetrahedralize`.
_BY_MATTER, _BY_SKIN = 8.5, 2.6
#: Part of an element that is matter at the least, so that its nodes have a mass. Chosen: not to be felt.
_LEAST_FILLED = 0.05
#: Frequency of an element, in those of the median, beyond which it is taken for a sliver. By eye: of balls, boxes and
#: vessels 1 in 50 is.
_FASTEST = 3.0
#: Substeps of a frame that are refused. Chosen: hours.
_SUBSTEPS_MOST = 1_000_000


@dataclass(frozen=True, eq=False, slots=True)
class DividedElements(Frozen):
    """A body as elements."""

    embedding: ElementEmbedding
    mesh: TetrahedralMesh
    material: ElementMaterial
    anchored: Bools  #: (n,) nodes that stay where they are
    sound: float  #: speed of waves, as soft as it is now [m/s]
    notes: tuple[str, ...]


def divide_elements_steps(obj: ContinuumObject, params: FiniteElementParams) -> Generator[float, None, DividedElements]:
    """Divide an object; yields the share that is done.

    Raises InputError for what cannot be divided, and where a frame would take a million substeps.
    """
    embedding = yield from embed_elements_steps(obj.body, element_size(obj.body, params.elements), obj.seed)
    mesh = TetrahedralMesh(embedding.nodes, embedding.elements)
    shapes = measure_elements(mesh)
    material = _material(obj, params, embedding, shapes)
    frame = 1.0 / obj.clock.fps
    material, soft, count = _softened(shapes, material, params, frame)
    anchored = np.zeros(len(mesh.node_material), np.bool_)
    cells = embedding.cells
    anchored[mesh.element_node[embedding.element[anchored_cells(obj.influence, obj.body, cells)]]] = True
    first, second = lame_constants(MEGAPASCAL * params.youngs_modulus, params.poisson_ratio)
    sound = math.sqrt((first + 2.0 * second) / (soft * obj.material.density))
    notes = (*embedding.notes, *_notes(mesh, soft, count))
    return DividedElements(embedding, mesh, material, anchored, sound, notes)


def mass_of_elements(divided: DividedElements) -> float:
    """Of all of them [kg]."""
    volumes = measure_elements(divided.mesh).volume
    return float((volumes * divided.material.density).sum())


def element_size(body: Body, elements: int) -> float:
    """The length of edges [m] with which a body takes about so many elements; 0: some thousand.

    E = 8.5 V/h^3 + 2.6 A/h^2, as measured.
    """
    wanted = float(elements or AUTOMATIC_ELEMENTS)
    V, A = abs(volume(body.vertices, body.triangles)), area(body.vertices, body.triangles)
    return size_of_parts(_BY_MATTER * V, _BY_SKIN * A, wanted)


def _material(
    obj: ContinuumObject, params: FiniteElementParams, embedding: ElementEmbedding, shapes: ElementShapes
) -> ElementMaterial:
    """What each element is made of: that of which only a part lies in the body is as much softer as it is lighter.

    So the body has its mass, and no element is faster than the matter.
    """
    count = len(shapes.volume)
    lame = lame_constants(MEGAPASCAL * params.youngs_modulus, params.poisson_ratio)
    plain = uniform_material(count, lame, (0.0, 0.0), obj.material.density, MEGAPASCAL * obj.material.tensile)
    filled = np.maximum(embedding.matter / shapes.volume, _LEAST_FILLED)
    cells = embedding.cells
    heavy = summed((cells.volume * density_factors(obj.origin, cells, obj.fields))[:, None], embedding.element, count)
    matter = summed(cells.volume[:, None], embedding.element, count)
    dense = np.where(matter > 0.0, heavy / np.maximum(matter, 1e-300), 1.0)[:, 0]
    corners = embedding.nodes[embedding.elements]
    middle = 0.25 * (corners[:, 0] + corners[:, 1] + corners[:, 2] + corners[:, 3])
    rng = np.random.default_rng([obj.seed, STREAM])
    varied = 1.0 + params.variation * (2.0 * rng.random(count) - 1.0)
    # Matter bears alike in all directions: that of one edge stands for them.
    strong = link_strengths(obj.origin, corners[:, :2], obj.fields) * toughness_along(obj.influence, obj.origin, middle)
    made = ElementMaterial(
        filled * plain.lame_lambda,
        filled * plain.lame_mu,
        plain.bulk_damping,
        plain.shear_damping,
        filled * dense * plain.density,
        filled * varied * strong * plain.toughness,
    )
    made = _without_slivers(shapes, made)
    # Damping by stiffness, of which the fastest mode of each element has the ratio.
    rate = 2.0 * params.damping / np.sqrt(squared_frequencies(shapes, made))
    return cap_damping(shapes, replace(made, bulk_damping=rate * made.lame_lambda, shear_damping=rate * made.lame_mu))


def _without_slivers(shapes: ElementShapes, material: ElementMaterial) -> ElementMaterial:
    """Flat elements so much softer that they are no faster than a few of the usual ones: they would set the step."""
    square = squared_frequencies(shapes, material)
    part = np.minimum(_FASTEST * _FASTEST * float(np.median(square)) / square, 1.0)
    return replace(
        material,
        lame_lambda=part * material.lame_lambda,
        lame_mu=part * material.lame_mu,
        toughness=part * material.toughness,
    )


def _softened(
    shapes: ElementShapes, material: ElementMaterial, params: FiniteElementParams, frame: float
) -> tuple[ElementMaterial, float, int]:
    """The material, so much softer that a frame takes no more substeps than wanted; by how much, and how many.

    A blow of speed v makes a stress rho c v, and c goes with the root of the stiffness s: with a strength that falls as
    1/sqrt(s) the same blows break it.
    """
    count = frame / (ELEMENT_SAFETY * stable_element_step(shapes, material))
    if params.most_substeps == 0 or count <= params.most_substeps:
        if not count < _SUBSTEPS_MOST:
            raise InputError(
                f"These elements need {number(count)} substeps a frame: choose a softer or heavier material, or fewer "
                "elements."
            )
        return material, 1.0, math.ceil(count)
    root = count / params.most_substeps
    softer = replace(
        material,
        lame_lambda=material.lame_lambda / (root * root),
        lame_mu=material.lame_mu / (root * root),
        bulk_damping=material.bulk_damping / root,
        shear_damping=material.shear_damping / root,
        toughness=material.toughness / root,
    )
    return softer, root * root, params.most_substeps


def _notes(mesh: TetrahedralMesh, soft: float, count: int) -> tuple[str, ...]:
    elements, nodes = number(len(mesh.element_node), 6), number(len(mesh.node_material), 6)
    told = [f"{elements} elements, {nodes} nodes, {number(count, 6)} substeps a frame at first."]
    if soft > 1.0:
        told.append(
            f"It is {number(soft)} times softer than asked for and bears {number(math.sqrt(soft))} times less stress, "
            "so that frames take no more substeps: raise Most Substeps for a stiffer look."
        )
    return tuple(told)


def sheet_thickness_of_elements(params: FiniteElementParams, area_of_sheets: float) -> float:
    """How thick sheets of an area [m^2] have to be at least, so that elements as large as they are thick fill them [m].

    E = 8.5 V/h^3 + 2.6 A/h^2 as in `element_size`, with V = area t, the skin on both sides, and t such that elements
    need not be smaller: h is `PER_WALL` of it.
    """
    wanted = params.elements or AUTOMATIC_ELEMENTS
    return math.sqrt((_BY_MATTER / PER_WALL + 2.0 * _BY_SKIN) * area_of_sheets / wanted) / PER_WALL
