"""Elements of any linear law: as isotropic ones where these have the same law, forces of their energy, safe steps."""

import numpy as np
import pytest

from core.continuum.finite_element.advance_elements import advance_elements, build_elements, free_loads
from core.continuum.finite_element.element_energy import damping_power, element_energy, strain_energies
from core.continuum.finite_element.element_rates import stable_element_step
from core.continuum.finite_element.linear_laws import LinearLaws, bound_laws, isotropic_law
from core.continuum.finite_element.material import lame_constants
from core.continuum.finite_element.state import ElementState
from core.continuum.finite_element.stress import element_stress
from core.errors import InputError
from tests.element_bodies import GLASS, TABLE_1, body_of, rough_bar

MESH = rough_bar((3, 2, 1))
COUNT = len(MESH.element_node)


def body_of_laws(elastic, viscous=None, some=None):
    """Every second element of some law, or those that are given."""
    element = np.arange(0, COUNT, 2) if some is None else some
    drag = np.zeros((6, 6)) if viscous is None else viscous
    laws = LinearLaws(element, np.tile(elastic, (len(element), 1, 1)), np.tile(drag, (len(element), 1, 1)))
    return build_elements(MESH, GLASS.material(COUNT, damped=viscous is not None), laws)


def moving(size=0.001, seed=1):
    rng = np.random.default_rng(seed)
    shape = MESH.node_material.shape
    return ElementState(MESH.node_material + rng.uniform(-size, size, shape), rng.normal(size=shape))


def forces(body, state):
    dt = 2.0**-30
    after, _ = advance_elements(body, state, free_loads(), dt, 1)
    return (after.velocity - state.velocity) * body.mass[:, None] / dt


def random_law(seed=0, size=1e8):
    some = np.random.default_rng(seed).normal(size=(6, 6))
    return size * (some @ some.T)


def test_a_law_of_lames_constants_is_as_they_are():
    plain, state = body_of(MESH, GLASS), moving()
    ours = body_of_laws(isotropic_law(*GLASS.lame), isotropic_law(*GLASS.damping))
    expected = forces(plain, state)
    np.testing.assert_allclose(forces(ours, state), expected, atol=1e-8 * np.abs(expected).max())
    np.testing.assert_allclose(strain_energies(ours, state.position), strain_energies(plain, state.position), rtol=1e-9)
    assert damping_power(ours, state) == pytest.approx(damping_power(plain, state), rel=1e-9)
    wanted = element_stress(MESH, plain.shapes, plain.material, state)
    found = element_stress(MESH, ours.shapes, ours.material, state, ours.laws)
    np.testing.assert_allclose(found, wanted, atol=1e-9 * np.abs(wanted).max())


def test_forces_are_those_of_the_energy():
    body, state = body_of_laws(random_law()), moving()
    force, position = forces(body, ElementState(state.position, 0.0 * state.velocity)), state.position
    for node, axis in ((0, 0), (3, 1), (7, 2), (11, 0)):
        step = np.zeros_like(position)
        step[node, axis] = 1e-8
        slope = strain_energies(body, position + step).sum() - strain_energies(body, position - step).sum()
        assert force[node, axis] == pytest.approx(-slope / 2e-8, abs=2e-6 * np.abs(force).max())


def test_damping_takes_what_its_power_says():
    body, state = body_of_laws(random_law(), random_law(3, 500.0)), moving()
    still = body_of_laws(random_law(), np.zeros((6, 6)))
    plain = forces(body, state) - forces(body, ElementState(state.position, 0.0 * state.velocity))
    assert (plain * state.velocity).sum() == pytest.approx(damping_power(body, state), rel=1e-5)
    assert damping_power(body, state) < damping_power(still, state) < 0.0


def test_wood_is_stiffer_along_its_grain():
    # Compliance of an orthotropic solid without Poisson's ratios: a bar pulled along x is a spring of E_x A/l.
    law = np.diag([1e7, 1e6, 1e6, 4e5, 4e5, 4e5])
    body = body_of_laws(law, some=np.arange(COUNT))
    size = MESH.node_material.max(axis=0)
    for axis, modulus in ((0, 1e7), (1, 1e6)):
        strain = np.zeros(3)
        strain[axis] = 1e-6
        force = forces(body, ElementState(MESH.node_material * (1.0 + strain), np.zeros_like(MESH.node_material)))
        end = MESH.node_material[:, axis] > size[axis] - 1e-9
        # Half of Eq. (4) by strain 2e-6: E times 1e-6, to the order of strain.
        assert -force[end, axis].sum() / (size.prod() / size[axis]) == pytest.approx(modulus * 1e-6, rel=1e-5)


def test_steps_are_short_enough_for_any_law():
    for seed in range(4):
        body = body_of_laws(random_law(seed), random_law(seed + 9, 200.0))
        state = ElementState(moving(1e-6, seed).position, np.zeros_like(MESH.node_material))
        dt = stable_element_step(body.shapes, body.material)
        last, _ = advance_elements(body, state, free_loads(), dt, 1000)
        assert element_energy(body, last).total < element_energy(body, state).total


def test_laws_that_make_energy_are_refused():
    for law in (-random_law(), random_law() + np.triu(np.full((6, 6), 1e7), 1)):
        with pytest.raises(InputError, match="36 numbers"):
            body_of_laws(law)
    first, second = lame_constants(1e7, 0.3)
    laws = LinearLaws(np.array([1]), isotropic_law(first, second)[None], np.zeros((1, 6, 6)))
    # The stand-in resists every strain as much as the most that the law does: 3 lambda + 2 mu, of even pressure.
    bounded = bound_laws(TABLE_1["bowl 1"].material(3), laws)
    assert 2.0 * bounded.lame_mu[1] == pytest.approx(3.0 * first + 2.0 * second, rel=1e-12)
    assert bounded.lame_mu[0] == TABLE_1["bowl 1"].lame[1] and bounded.lame_lambda[1] == 0.0
