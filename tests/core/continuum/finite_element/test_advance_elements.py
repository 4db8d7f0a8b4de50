"""Bodies of elements through time: forces of the energy, conservation, what is pressed flat, planes, and the bits."""

import dataclasses

import numpy as np
import pytest

from core.continuum.finite_element.advance_elements import (
    ElementMotion,
    advance_elements,
    build_elements,
    free_loads,
)
from core.continuum.finite_element.element_blocks import clear_elements, pack_elements, write_elements
from core.continuum.finite_element.element_energy import element_energy, element_momentum, strain_energies
from core.continuum.finite_element.element_rates import (
    cap_damping,
    damping_rates,
    element_step_count,
    paper_element_step,
    squared_frequencies,
    stable_element_step,
)
from core.continuum.finite_element.elements import TetrahedralMesh
from core.continuum.finite_element.state import ElementState
from core.errors import InputError
from tests.element_bodies import GLASS, TABLE_1, as_printed, body_of, loads_of, rough_bar, single

DOWN = np.array([0.0, 0.0, -9.81])


def forces(body, position, velocity=None):
    """Forces at nodes: what a step of so little time does to no velocity is theirs to the last digits."""
    dt = 2.0**-30
    still = np.zeros_like(position) if velocity is None else velocity
    after, _ = advance_elements(body, ElementState(position.copy(), still.copy()), free_loads(), dt, 1)
    return (after.velocity - still) * body.mass[:, None] / dt


def shaken(body, size, seed=1):
    """Places of all nodes, each moved by up to `size` [m]."""
    place = body.mesh.node_material
    return place + np.random.default_rng(seed).uniform(-size, size, place.shape)


@pytest.mark.parametrize("size", [0.002, 0.02])
def test_forces_are_those_of_the_energy(size):
    # f = -dU/dx by central differences, also where elements are pressed flat or turned inside out.
    body = body_of(rough_bar((2, 1, 1)))
    position = shaken(body, size)
    force = forces(body, position)
    scale = np.abs(force).max()
    for node in range(len(position)):
        for axis in range(3):
            step = np.zeros_like(position)
            step[node, axis] = 1e-8
            slope = strain_energies(body, position + step).sum() - strain_energies(body, position - step).sum()
            assert force[node, axis] == pytest.approx(-slope / 2e-8, abs=2e-6 * scale)
    _, report = advance_elements(body, ElementState(position, 0.0 * position), free_loads(), 1e-9, 1)
    assert (report.inverted > 0) == (report.pressed > 0) == (size > 0.01)


def test_rigid_motion_makes_no_force():
    # Round-off of strains of 1e-16, on the stiffness: 1e-16 (lambda + 2 mu) times the area of a face.
    body = body_of(rough_bar())
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    turn = np.eye(3) + np.sin(1.1) * cross + (1 - np.cos(1.1)) * cross @ cross
    position = body.mesh.node_material @ turn.T + [0.3, -0.2, 0.5]
    spin = np.cross([30.0, -20.0, 10.0], position)
    force = forces(body, position)
    assert np.abs(force).max() < 1e-13 * 3e8 * 0.02 * 0.02 * 10.0
    # With spin, the rate of strain is a product of 1e-14; it leaves viscous forces of that.
    assert np.abs(forces(body, position, spin)).max() < 1e-4


def test_both_momenta_are_kept_to_round_off():
    body = body_of(rough_bar())
    place = shaken(body, 0.001)
    start = ElementState(place, np.cross([0.0, 20.0, 10.0], place) + np.array([1.0, 2.0, 0.0]))
    dt = 0.7 * stable_element_step(body.shapes, body.material)
    state, _ = advance_elements(body, start, free_loads(), dt, 2000)
    assert np.abs(state.position - place).max() > 1e-3
    for first, last in zip(*(element_momentum(body, s, np.zeros(3)) for s in (start, state)), strict=True):
        np.testing.assert_allclose(last, first, rtol=0.0, atol=1e-12 * np.abs(first).max())


def test_energy_of_undamped_elements_swings_and_drifts_nowhere():
    body = body_of(rough_bar(), damped=False)
    state = ElementState(shaken(body, 0.0002), np.zeros_like(body.mesh.node_material))
    dt = 0.35 * stable_element_step(body.shapes, body.material)
    totals = []
    for _ in range(400):
        state, _ = advance_elements(body, state, free_loads(), dt, 10)
        totals.append(element_energy(body, state).total)
    # Symplectic Euler keeps an energy that differs by (w dt)^2/8 = 6 % of what the fastest modes have.
    assert np.ptp(totals) < 0.1 * np.mean(totals)
    assert np.mean(totals[200:]) == pytest.approx(np.mean(totals[:200]), rel=5e-3)


def test_energy_never_rises_with_damping():
    row = dataclasses.replace(TABLE_1["bowl 1"])
    mesh = rough_bar()
    plain = body_of(mesh, row)
    body = build_elements(mesh, cap_damping(plain.shapes, plain.material))
    state = ElementState(shaken(body, 0.001), np.random.default_rng(2).normal(size=body.mesh.node_material.shape))
    dt = 0.25 * stable_element_step(body.shapes, body.material)
    totals = [element_energy(body, state).total]
    for _ in range(200):
        state, _ = advance_elements(body, state, free_loads(), dt, 1)
        totals.append(element_energy(body, state).total)
    # Within a step the energy is uncertain by what symplectic Euler swings, which dies away with it.
    assert (np.diff(totals) < 0.02 * np.array(totals[:-1])).all()
    moving = 0.5 * (np.array(element_momentum(body, state, np.zeros(3))[0]) ** 2).sum() / body.mass.sum()
    assert totals[-1] < 0.2 * totals[0] and totals[-1] > moving


def test_the_same_bits_twice_and_in_parts():
    body = body_of(rough_bar((6, 3, 2)))
    start = ElementState(shaken(body, 0.002), np.zeros_like(body.mesh.node_material))
    dt = 0.5 * stable_element_step(body.shapes, body.material)
    first, _ = advance_elements(body, start, free_loads(DOWN), dt, 60)
    motion = ElementMotion(body, start, free_loads(DOWN))
    for count in (1, 20, 39):
        assert motion.run(dt, count) == count
    for name in ("position", "velocity"):
        np.testing.assert_array_equal(getattr(first, name), getattr(motion.state(), name))
    assert motion.elapsed == pytest.approx(60 * dt, rel=1e-12) and motion.report().steps == 60


def test_steps_up_to_the_limit_are_stable_and_beyond_it_are_not():
    # One element without damping: its limit is exact; a body's is no longer than that of its stiffest element.
    body = body_of(single(), damped=False)
    limit = stable_element_step(body.shapes, body.material)
    start = ElementState(body.mesh.node_material * [1.0001, 0.9999, 1.0], np.zeros((4, 3)))

    def grown(part):
        state, _ = advance_elements(body, start, free_loads(), part * limit, 400)
        return element_energy(body, state).total / element_energy(body, start).total

    assert grown(0.98) < 100.0
    with pytest.raises(InputError, match="ran away"):
        advance_elements(as_printed(body), start, free_loads(), 1.05 * limit, 20000)


def test_the_limit_with_damping_is_that_of_the_most_damped_mode():
    body = as_printed(body_of(single(0.01), TABLE_1["wall 2"]))
    limit = stable_element_step(body.shapes, body.material)
    start = ElementState(shaken(body, 1e-9), np.zeros((4, 3)))

    def grown(part):
        state, _ = advance_elements(body, start, free_loads(), part * limit, 100)
        return element_energy(body, state).total / element_energy(body, start).total

    assert grown(0.98) < 1.0 < 1e6 < grown(1.1)
    assert limit < 0.2 * stable_element_step(body.shapes, TABLE_1["wall 2"].material(1, damped=False))


@pytest.mark.parametrize("name", ["glass", "wall 2"])
def test_capped_damping_leaves_steps_of_waves(name):
    # (w h)^2 + 4 z w h = 4 with z = 0.7: h = 0.5206 of 2/w. The least of all elements, each with its own cap.
    mesh = rough_bar(size=0.005)
    body = body_of(mesh, TABLE_1[name])
    capped = cap_damping(body.shapes, body.material)
    ratio = 0.5 * damping_rates(body.shapes, capped) / np.sqrt(squared_frequencies(body.shapes, capped))
    assert ratio.max() == pytest.approx(0.7, rel=1e-12)
    undamped = TABLE_1[name].material(len(mesh.element_node), damped=False)
    free = stable_element_step(body.shapes, undamped)
    assert stable_element_step(body.shapes, capped) == pytest.approx(0.5206 * free, rel=1e-3)
    assert stable_element_step(body.shapes, capped) > 4.0 * paper_element_step(body.shapes, body.material)
    plain = TABLE_1["the end"].material(len(mesh.element_node))
    big = body_of(rough_bar(size=0.2), TABLE_1["the end"])
    np.testing.assert_array_equal(cap_damping(big.shapes, plain).shear_damping, plain.shear_damping)


def test_a_step_count_says_when_it_is_too_many():
    assert element_step_count(1.0, 1e-3, 0.5) == 2000 and element_step_count(1.0, np.inf) == 1
    with pytest.raises(InputError, match="larger elements"):
        element_step_count(1.0, 1e-9)


def test_what_is_pressed_through_itself_comes_back_and_is_told():
    # Turned inside out along one line: by (24) alone it stays so, its energy has a second valley at a stretch of -1.
    body = body_of(single(), TABLE_1["bowl 1"])
    body = build_elements(body.mesh, cap_damping(body.shapes, body.material))
    flat = ElementState(body.mesh.node_material * [1.0, 1.0, -0.8], np.zeros((4, 3)))
    dt = 0.3 * stable_element_step(body.shapes, body.material)
    state, report = advance_elements(body, flat, free_loads(), dt, 4000)
    now = np.linalg.det(state.position[1:] - state.position[0])
    assert now == pytest.approx(np.linalg.det(body.mesh.node_material[1:] - body.mesh.node_material[0]), rel=1e-3)
    assert report.inverted == report.pressed == 1 and report.smallest_share == pytest.approx(-0.8, abs=1e-9)
    state, _ = advance_elements(as_printed(body), flat, free_loads(), dt, 4000)
    assert np.linalg.det(state.position[1:] - state.position[0]) < 0.0


def floor(body, height=0.0, stiffness=2e4, damping=5.0, friction=0.5):
    """Planes under all nodes."""
    count = len(body.mass)
    plane = np.zeros((count, 11))
    plane[:, 2], plane[:, 3], plane[:, 10] = 1.0, height, body.mass
    plane[:, 7:10] = stiffness, damping, friction
    return np.arange(count), plane


@pytest.mark.parametrize("stiffness", [2e4, np.inf])
def test_a_block_lies_on_the_floor_with_its_weight(stiffness):
    body = body_of(rough_bar((2, 2, 2)), TABLE_1["bowl 1"])
    body = build_elements(body.mesh, cap_damping(body.shapes, body.material))
    loads = loads_of(DOWN, surfaces=floor(body, stiffness=stiffness))
    dt = 0.5 * stable_element_step(body.shapes, body.material, 2e4 / body.mass.min(), 5.0 / body.mass.min())
    state = ElementState(body.mesh.node_material + np.array([0.0, 0.0, 0.0005]), np.zeros_like(body.mesh.node_material))
    state, _ = advance_elements(body, state, loads, dt, round(0.15 / dt))
    last, report = advance_elements(body, state, loads, dt, round(0.01 / dt))
    assert report.impulse[2] / (report.steps * dt) == pytest.approx(9.81 * body.mass.sum(), rel=0.01)
    assert np.abs(last.velocity).max() < 1e-3 and report.work == 0.0


def test_held_nodes_stay_or_go_as_they_are_led():
    body = body_of(rough_bar(), TABLE_1["bowl 1"])
    place = body.mesh.node_material
    held = place[:, 0] < 1e-9
    speed = np.where(held[:, None], [0.0, 0.5, 0.0], 0.0)
    dt = 0.7 * stable_element_step(body.shapes, body.material)
    state, _ = advance_elements(body, ElementState(place, speed), loads_of(DOWN, held), dt, 200)
    np.testing.assert_allclose(state.position[held], place[held] + [0.0, 100 * dt, 0.0], atol=1e-12)
    assert state.position[~held, 1].max() > place[:, 1].max() + 1e-5
    np.testing.assert_array_equal(state.velocity[held], speed[held])


def test_forces_from_outside_push():
    body = body_of(rough_bar(), TABLE_1["bowl 1"])
    outside = np.outer(body.mass, [3.0, 0.0, 1.0])
    state = ElementState(body.mesh.node_material, np.zeros_like(outside))
    state, _ = advance_elements(body, state, loads_of(outside=outside), 1e-5, 100)
    np.testing.assert_allclose(state.velocity, np.tile([3e-3, 0.0, 1e-3], (len(outside), 1)), atol=1e-12)


def test_it_ends_when_nodes_have_gone_their_way():
    body = body_of(rough_bar())
    start = ElementState(body.mesh.node_material, np.tile([2.0, 0.0, 0.0], (len(body.mass), 1)))
    motion = ElementMotion(body, start, free_loads())
    # At 2 m/s 0.01 m are gone after 5000 steps of a microsecond; the next one is beyond, by round-off of sums at most.
    assert abs(motion.run(1e-6, 100000, way=(0.01, np.inf)) - 5001) <= 1


def test_elements_can_be_written_again_and_taken_away():
    mesh = rough_bar()
    body = body_of(mesh)
    count = len(mesh.element_node)
    rows, stay = np.arange(0, count, 3), np.arange(count) % 3 > 0
    blocks = pack_elements(mesh, body.shapes, body.material, 2 * count)
    assert blocks.row.shape[0] == -(-2 * count // 32)
    clear_elements(blocks, rows)
    fewer = TetrahedralMesh(mesh.node_material, mesh.element_node[stay].copy())
    position = shaken(body, 0.001)
    alone = dataclasses.replace(body_of(fewer), mass=body.mass)
    reference = forces(alone, position)
    left = forces(dataclasses.replace(body, blocks=blocks), position)
    np.testing.assert_array_equal(left, reference)
    taken = dataclasses.replace(body.shapes, gradient=body.shapes.gradient[rows], volume=body.shapes.volume[rows])
    write_elements(blocks, rows, mesh.element_node[rows], taken, GLASS.material(len(rows)))
    np.testing.assert_array_equal(forces(dataclasses.replace(body, blocks=blocks), position), forces(body, position))


def test_folded_elements_are_refused():
    mesh = rough_bar()
    folded = TetrahedralMesh(mesh.node_material, mesh.element_node[:, [1, 0, 2, 3]].copy())
    with pytest.raises(InputError, match="flat or inside out"):
        build_elements(folded, GLASS.material(len(mesh.element_node)))
