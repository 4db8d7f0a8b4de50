"""Mechanics of elements against V1 of docs/papers/obrien1999.md, Table 1, and closed forms of bars and beams."""

import numpy as np
import pytest

from core.continuum.finite_element.advance_elements import ElementIntegrator, advance_elements, free_loads
from core.continuum.finite_element.element_energy import damping_power, element_energy, strain_energies
from core.continuum.finite_element.element_rates import (
    paper_element_step,
    squared_frequencies,
    stable_element_step,
)
from core.continuum.finite_element.elements import smallest_altitudes
from core.continuum.finite_element.state import ElementState
from core.continuum.finite_element.stress import (
    deformation_gradients,
    element_stress,
    green_strain,
    isotropic_stress,
    potential_density,
    shown_stress,
    strain_rate,
    traction,
)
from tests.element_bodies import TABLE_1, Row, as_printed, body_of, loads_of, rough_bar, single

POSITION = np.array([[0.0, 0.0, 0.0], [0.103, 0.002, 0.0], [0.001, 0.098, 0.004], [0.0, -0.003, 0.101]])
VELOCITY = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [0.0, -2.0, 0.0], [0.3, 0.0, 1.0]])
ELASTIC = np.array(
    [
        [20182.24, 4392.96, 9558.293333],
        [-14959.36, -5371.6, -102.266667],
        [-5310.933333, 2620.453333, -1816.88],
        [88.053333, -1641.813333, -7639.146667],
    ]
)
VISCOUS = np.array(
    [
        [328.0459, -426.02534, 316.964007],
        [-239.044867, -0.786413, -92.582707],
        [5.577, 433.19094, 5.94542],
        [-94.578033, -6.379187, -230.32672],
    ]
)
SOFT = Row((0.0, 5e5), (0.0, 0.0), 1000.0, 1.0, (0, 0, 0))  # E = 1 MPa without Poisson's ratio


def forces(body, state, dt=1e-9):
    """Forces at nodes by the velocities after one step; in binary fractions of a step this loses seven digits."""
    after, _ = advance_elements(body, state, free_loads(), dt, 1)
    return (after.velocity - state.velocity) * body.mass[:, None] / dt


def upper(matrix):
    return matrix[0][np.triu_indices(3)]


def test_strain_and_stress_of_the_element():
    body = body_of(single())
    now = deformation_gradients(body.mesh, body.shapes, POSITION)
    np.testing.assert_allclose(now[0], [[1.03, 0.01, 0], [0.02, 0.98, -0.03], [0, 0.04, 1.01]], atol=1e-13)
    strain, rate = green_strain(now), strain_rate(now, deformation_gradients(body.mesh, body.shapes, VELOCITY))
    np.testing.assert_allclose(upper(strain), [0.0613, 0.0299, -0.0006, -0.0379, 0.011, 0.021], atol=1e-13)
    np.testing.assert_allclose(upper(rate), [20.6, -0.1, 8.14, -39.2, 1.03, 20.2], rtol=1e-12)
    material = body.material
    elastic = isotropic_stress(material.lame_lambda, material.lame_mu, strain)
    viscous = isotropic_stress(material.bulk_damping, material.shear_damping, rate)
    np.testing.assert_allclose(upper(elastic), [17368000, 6219200, -124800, -3265600, 2288000, 8985600], rtol=1e-9)
    np.testing.assert_allclose(upper(viscous), [278512, -1352, 110052.8, -529984, 13925.6, 273104], rtol=1e-9)
    whole = element_stress(body.mesh, body.shapes, material, ElementState(POSITION, VELOCITY))
    np.testing.assert_allclose(whole, elastic + viscous, rtol=1e-14)
    volume = body.shapes.volume
    assert (volume * potential_density(elastic, strain))[0] == pytest.approx(149.95968, rel=1e-7)
    assert (volume * potential_density(viscous, rate))[0] == pytest.approx(2820.83646, rel=1e-7)
    assert strain_energies(body, POSITION)[0] == pytest.approx(37.48992, rel=1e-7)
    assert damping_power(body, ElementState(POSITION, VELOCITY)) == pytest.approx(-1410.41823, rel=1e-8)
    np.testing.assert_allclose(traction(elastic, np.array([[0.0, 1.0, 0.0]]))[0], elastic[0, :, 1])
    pull, mises = shown_stress(elastic)
    assert pull[0] == pytest.approx(0.5 * np.linalg.eigvalsh(elastic[0])[-1], rel=1e-12)
    deviator = 0.5 * (elastic[0] - np.trace(elastic[0]) / 3.0 * np.eye(3))
    assert mises[0] == pytest.approx(np.sqrt(1.5 * (deviator * deviator).sum()), rel=1e-12)


def test_forces_of_the_element():
    # A step of 1e-9 s changes velocities of 1 by 1e-4 of forces: ten digits stay.
    body = body_of(single())
    both = forces(body, ElementState(POSITION, VELOCITY))
    np.testing.assert_allclose(both, ELASTIC + VISCOUS, rtol=1e-6, atol=1e-3)
    np.testing.assert_allclose(forces(body, ElementState(POSITION, 0.0 * VELOCITY)), ELASTIC, rtol=1e-9, atol=1e-5)
    assert ((both - ELASTIC) * VELOCITY).sum() == pytest.approx(-1410.41823, rel=1e-5)
    np.testing.assert_allclose(ELASTIC.sum(axis=0), 0.0, atol=1e-5)
    assert body.mass == pytest.approx(0.1078333333, rel=1e-9)


def test_frequency_and_step_of_the_element():
    body = body_of(single(), damped=False)
    assert np.sqrt(squared_frequencies(body.shapes, body.material))[0] == pytest.approx(14399.3274, rel=1e-8)
    assert stable_element_step(body.shapes, body.material) == pytest.approx(1.388954e-4, rel=1e-6)


@pytest.mark.parametrize(
    ("integrator", "dt", "expected"),
    [
        (ElementIntegrator.FORWARD_EULER, 1e-5, 3.94468),
        (ElementIntegrator.FORWARD_EULER, 5e-5, 2697.87),
        (ElementIntegrator.TAYLOR, 1e-5, 1.98444),
        (ElementIntegrator.TAYLOR, 5e-5, 35.1974),
        (ElementIntegrator.SYMPLECTIC_EULER, 1e-5, 1.04096),
        (ElementIntegrator.SYMPLECTIC_EULER, 5e-5, 1.24632),
    ],
)
def test_energy_of_a_free_vibration(integrator, dt, expected):
    body = as_printed(body_of(single(), damped=False))
    state = ElementState(body.mesh.node_material * [1.01, 0.99, 1.0], np.zeros((4, 3)))
    start = element_energy(body, state).total
    assert start == pytest.approx(3.46684, rel=1e-5)
    most = 0.0
    for _ in range(round(2e-3 / dt)):
        state, _ = advance_elements(body, state, free_loads(), dt, 1, integrator)
        strain = green_strain(deformation_gradients(body.mesh, body.shapes, state.position))
        stress = isotropic_stress(body.material.lame_lambda, body.material.lame_mu, strain)
        elastic = float((0.25 * body.shapes.volume * potential_density(stress, strain)).sum())
        last = element_energy(body, state).kinetic + elastic
        most = max(most, last)
    found = most if integrator == ElementIntegrator.SYMPLECTIC_EULER else last
    assert found / start == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "speed", "elastic", "viscous"),
    [
        ("glass", 347.2, 2.88e-5, 1.91e-5),
        ("wall 1", 604.9, 1.65e-5, 1.53e-5),
        ("wall 2", 396.0, 2.53e-5, 6.4e-6),
        ("bowl 1", 102.2, 9.78e-5, 9.57e-5),
        ("comparison bowl", 323.2, 3.09e-5, 2.56e-4),
        ("the end", 161.6, 6.19e-5, 3.83e-3),
    ],
)
def test_steps_of_table_1(name, speed, elastic, viscous):
    # For an altitude of 1 cm: h/c and rho h^2/(phi + 2 psi), of which the paper's limits are 0.3 and 0.5.
    row = TABLE_1[name]
    body = body_of(single(0.01 * np.sqrt(3.0)), row)
    height = float(smallest_altitudes(body.shapes)[0])
    assert height == pytest.approx(0.01, rel=1e-12)
    assert np.sqrt((row.lame[0] + 2 * row.lame[1]) / row.density) == pytest.approx(speed, abs=0.05)
    limit = paper_element_step(body.shapes, body.material)
    assert limit == pytest.approx(min(0.3 * elastic, 0.5 * viscous), rel=5e-3)


def test_a_bar_vibrates_along_itself_as_fast_as_waves_run():
    # Free ends, no Poisson's ratio: f = sqrt(E/rho)/(2 L). Linear elements with lumped masses err by O(h^2).
    errors = []
    for across in (1, 2, 4):
        counts, length = (4 * across, across, across), 0.4
        body = body_of(rough_bar(counts, 0.1 / across, 0.1), SOFT)
        shape = np.cos(np.pi * body.mesh.node_material[:, 0] / length)
        start = body.mesh.node_material + [1e-5, 0.0, 0.0] * shape[:, None]
        exact = np.sqrt(1e6 / 1000.0) / (2.0 * length)
        steps = 2 * round(0.25 / exact / (0.2 * stable_element_step(body.shapes, body.material)) / 2)
        dt = 0.25 / exact / steps
        # A quarter of a period later the mode has its zero: half a step of symplectic Euler is the slip of its phase.
        state, _ = advance_elements(body, ElementState(start, np.zeros_like(start)), free_loads(), dt, steps)
        weight = body.mass * shape
        place = (weight * (state.position - body.mesh.node_material)[:, 0]).sum()
        speed = (weight * state.velocity[:, 0]).sum()
        omega = 2.0 * np.pi * exact
        phase = np.arctan2(-(speed / omega), place - 0.5 * dt * speed)
        errors.append(phase / (0.5 * np.pi) - 1.0)
    assert abs(errors[2]) < 0.004
    assert 2.8 < errors[0] / errors[1] < 5.2 and 2.8 < errors[1] / errors[2] < 5.2


def test_a_cantilever_bends_under_its_load_as_a_beam():
    # F L^3/(3 E I) + F L/(5/6 G A), E = 2 G = 1 MPa. Linear elements are too stiff in bending, by O(h^2).
    force, length, side = 1e-3, 0.4, 0.1
    beam = force * (length**3 / (3 * 1e6 * side**4 / 12) + length / (5 / 6 * 5e5 * side * side))
    found = [tip_deflection(across, force, length, side) for across in (2, 3, 4)]
    excess = beam / np.array(found) - 1.0
    # c h^2 to the leading term, and nothing beyond: (3/2)^2, (4/3)^2 and no rest, within a tenth of the first error.
    assert excess[0] / excess[1] == pytest.approx(2.25, rel=0.1)
    assert excess[1] / excess[2] == pytest.approx(1.78, rel=0.1)
    assert abs(16 * excess[2] - 9 * excess[1]) / 7 < 0.03


def tip_deflection(across, force, length, side):
    """At rest: velocities are taken away whenever kinetic energy is at its top."""
    body = body_of(rough_bar((4 * across, across, across), side / across, 0.05), SOFT)
    place = body.mesh.node_material
    held, tip = place[:, 0] < 1e-9, place[:, 0] > length - 1e-9
    outside = np.zeros_like(place)
    outside[tip, 2] = force * body.mass[tip] / body.mass[tip].sum()
    loads = loads_of(held=held, outside=outside)
    dt = 0.7 * stable_element_step(body.shapes, body.material)
    chunk = round(0.004 / dt)
    state, before = ElementState(place, np.zeros_like(place)), 0.0
    for _ in range(300):
        state, _ = advance_elements(body, state, loads, dt, chunk)
        kinetic = element_energy(body, state).kinetic
        if kinetic < before:
            state, kinetic = ElementState(state.position, np.zeros_like(place)), 0.0
        before = kinetic
    return float((state.position - place)[tip, 2].mean())
