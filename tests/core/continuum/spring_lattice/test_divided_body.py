"""A body in springs: how soft it has to be, how it scales with size, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from core.breaking import RULES
from core.config.material import Material
from core.continuum.contract import ContinuumObject
from core.continuum.spring_lattice.advance_lattice import frame_substeps
from core.continuum.spring_lattice.divided_body import divide_steps
from core.continuum.spring_lattice.params import SpringLatticeParams
from core.continuum.spring_lattice.resolution import choose_spacing, sheet_thickness
from core.errors import InputError
from core.pieces import PARTITIONS
from core.settings import Settings
from core.setup import repair_steps
from core.stepwise import result_of
from core.strength.choice import FieldChoice
from core.strength.fields import FIELDS
from core.strength.origin import Origin
from core.strength.stack import strengths_of
from core.types import Clock, Influence, Mesh
from tests import shapes


def thing(scale=1.0):
    body = shapes.moved(shapes.box(high=(1.0, 0.6, 0.5)), np.zeros(3), scale)
    origin, none = Origin(body, np.eye(3)), np.zeros(3)
    return ContinuumObject(
        body, Material(density=1000.0), origin, (), (), none, none, none, Influence(), Clock(24.0, 5), 1
    )


def divided(params, scale=1.0):
    return result_of(divide_steps(thing(scale), params))


STIFF = SpringLatticeParams(youngs_modulus=1000.0, failure_strain=0.01, nodes=300, most_substeps=0)


def test_what_needs_too_many_substeps_is_softer_and_bears_more():
    # n substeps need w h fixed, so k goes as 1/s with s = (n/n')^2, thresholds and inverse damping as its root.
    real = divided(STIFF)
    count = frame_substeps(real.lattice, real.laws, 1.0 / 24.0)
    soft = divided(replace(STIFF, most_substeps=count // 10))
    assert frame_substeps(soft.lattice, soft.laws, 1.0 / 24.0) == pytest.approx(count // 10, abs=2)
    s = real.lattice.stiffness[0] / soft.lattice.stiffness[0]
    assert s == pytest.approx(100.0, rel=0.02)
    np.testing.assert_allclose(soft.lattice.threshold, real.lattice.threshold * np.sqrt(s), rtol=1e-12)
    # A spring that breaks has taken the same energy.
    energy = [one.lattice.stiffness * np.square(one.lattice.threshold) for one in (real, soft)]
    np.testing.assert_allclose(*energy, rtol=1e-12)
    assert any("softer than asked for" in note for note in soft.notes)


def test_a_large_thing_moves_as_a_small_one():
    # Froude: rho g L/E is the same, so stiffness over weight and size is: k x/(m g) with x as L.
    small = divided(SpringLatticeParams(nodes=300, model_size=1.0))
    large = divided(SpringLatticeParams(nodes=300, model_size=1.0), scale=8.0)
    load = [one.lattice.stiffness * one.lattice.rest_length / one.lattice.mass.sum() for one in (small, large)]
    np.testing.assert_allclose(*load, rtol=1e-4)  # walls between cells are moved by 1e-6 of the size at random


def test_mass_is_that_of_the_matter_and_density_fields_act():
    made = divided(SpringLatticeParams(nodes=500))
    assert made.lattice.mass.sum() == pytest.approx(1000.0 * 0.3, rel=1e-6)
    assert made.lattice.matter.sum() == pytest.approx(0.3, rel=1e-6)
    # Nodes have the mass of the cells as a cut into these would have it, with its centre within a part of a cell.
    params = FIELDS["density"].params(low=0.2, high=5.0)
    obj = replace(thing(), fields=(FieldChoice("density", params),))
    made = result_of(divide_steps(obj, SpringLatticeParams(nodes=500)))
    cells = made.embedding.cells
    heavy = 1000.0 * strengths_of(obj.origin, cells, made.units, obj.fields).density * cells.volume
    assert heavy.std() > 0.3 * heavy.mean()
    assert made.lattice.mass.sum() == pytest.approx(heavy.sum(), rel=1e-6)
    centre = (made.lattice.mass[:, None] * made.lattice.rest_position).sum(axis=0) / made.lattice.mass.sum()
    rigid = (heavy[:, None] * cells.centroid).sum(axis=0) / heavy.sum()
    np.testing.assert_allclose(centre, rigid, atol=1e-3)
    assert np.abs(rigid - [0.5, 0.3, 0.25]).max() > 5e-3, "elsewhere than without the field"


def test_what_would_take_for_ever_is_refused_before_anything_moves():
    with pytest.raises(InputError, match="substeps a frame: choose a softer"):
        divided(replace(STIFF, youngs_modulus=1e6, nodes=3000), scale=1e-3)


def test_sheets_get_a_thickness_that_their_cells_can_fill():
    # N = V/h^3 + 1.5 A/h^2 with both sides and V = A h: the spacing that is chosen for it is its thickness, but for
    # the rim, which makes cells a little wider: 4 x 1 x 0.034 of 3,000 nodes.
    params = SpringLatticeParams(nodes=3000)
    thickness = sheet_thickness(params, 4.0)
    body = shapes.box(high=(4.0, 1.0, thickness))
    assert choose_spacing(body, 3000) == pytest.approx(thickness, rel=0.05)
    assert sheet_thickness(params, 16.0) == pytest.approx(2.0 * thickness, rel=1e-15)


def test_an_open_mesh_is_made_thick_enough_for_springs_alone():
    settings = Settings(
        1, "voronoi", PARTITIONS["voronoi"].params(), "spring_lattice", SpringLatticeParams(nodes=500),
        Material(thin=True),
    )  # fmt: skip
    sheet = Mesh("Sheet", np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), np.array([[0, 1, 2], [0, 2, 3]]))
    cut = replace(settings, breaking="impact_factor", breaking_params=RULES["impact_factor"].params())
    thick, usual = (np.ptp(result_of(repair_steps(sheet, one)).body.vertices[:, 2]) for one in (settings, cut))
    assert thick == pytest.approx(sheet_thickness(settings.breaking_params, 1.0), rel=1e-12) and thick > 3.0 * usual
    own = replace(settings, repair=replace(settings.repair, thickness=0.02))
    assert np.ptp(result_of(repair_steps(sheet, own)).body.vertices[:, 2]) == pytest.approx(0.02, rel=1e-12)
