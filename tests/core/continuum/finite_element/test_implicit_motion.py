"""Implicit steps: turning makes no force, agreement with explicit steps, beams, both momenta, no gain of energy."""

import dataclasses

import numpy as np
import pytest

from core.continuum.finite_element import implicit_motion
from core.continuum.finite_element.advance_elements import advance_elements, build_elements, free_loads
from core.continuum.finite_element.element_blocks import ELEMENT_BLOCK
from core.continuum.finite_element.element_energy import element_energy, element_momentum
from core.continuum.finite_element.element_rates import stable_element_step
from core.continuum.finite_element.implicit_motion import ImplicitMotion
from core.continuum.finite_element.linear_laws import LinearLaws, isotropic_law
from core.continuum.finite_element.state import ElementState
from core.errors import InputError
from tests.element_bodies import TABLE_1, Row, body_of, loads_of, rough_bar, single

SOFT = Row((2e5, 4e5), (0.0, 0.0), 1000.0, 1.0, (0, 0, 0))
DOWN = np.array([0.0, 0.0, -9.81])


def moved(body, state, dt, steps, loads=None):
    motion = ImplicitMotion(body, state, loads or free_loads())
    assert motion.run(dt, steps) == steps
    return motion.state(), motion


def still(body, position=None):
    place = body.mesh.node_material if position is None else position
    return ElementState(place.copy(), np.zeros_like(place))


def turned(position, angle):
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return position @ (np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross).T


@pytest.mark.parametrize("angle", [0.01, 1.1, 3.0])
def test_what_is_only_turned_stays_as_it_is(angle):
    body = body_of(rough_bar((2, 2, 2)), SOFT)
    start = still(body, turned(body.mesh.node_material, angle))
    state, _ = moved(body, start, 0.01, 3)
    assert np.abs(state.velocity).max() < 1e-9


@pytest.mark.parametrize("strain", [1e-3, 0.05, 0.2])
def test_frames_are_the_nearest_rotations(strain):
    # Polar decomposition by singular values; turns end at 1e-12.
    body = body_of(rough_bar((2, 2, 1)), SOFT)
    place = turned(body.mesh.node_material, 2.5)
    place = place + strain * 0.005 * np.random.default_rng(1).normal(size=place.shape)
    _, motion = moved(body, still(body, place), 1e-9, 1)
    edges = place[body.mesh.element_node[:, 1:]] - place[body.mesh.element_node[:, :1]]
    f = np.einsum("ekx,eky->exy", edges, body.shapes.gradient[:, 1:])
    left, _, right = np.linalg.svd(f)
    assert (np.linalg.det(f) > 0.0).all()
    blocks = motion._elements.frame.reshape(-1, 9, ELEMENT_BLOCK)
    frame = np.swapaxes(blocks, 1, 2).reshape(-1, 3, 3)[: len(f)]
    np.testing.assert_allclose(frame, left @ right, atol=1e-11)


def test_a_stretched_turned_bar_is_pulled_as_one_that_was_not_turned():
    body = body_of(rough_bar((3, 1, 1)), SOFT)
    stretched = body.mesh.node_material * [1.05, 0.99, 1.0]
    plain, _ = moved(body, still(body, stretched), 1e-3, 5)
    other, _ = moved(body, still(body, turned(stretched, 2.0)), 1e-3, 5)
    # To what iterations leave: a millionth of the first residual, of each of five steps.
    assert np.abs(turned(plain.position, 2.0) - other.position).max() < 1e-5 * np.abs(plain.velocity).max() * 5e-3


def test_it_agrees_with_explicit_steps_as_steps_shrink():
    # Backward Euler is of the first order: errors halve with the step. Strains of 1e-4 make (24) linear.
    body = body_of(rough_bar((3, 1, 1)), SOFT)
    place = body.mesh.node_material
    start = still(body, place + 1e-4 * 0.02 * np.sin(60.0 * place))
    step = 0.02 * stable_element_step(body.shapes, body.material)
    fine, _ = advance_elements(body, start, free_loads(), step / 4, 400)
    apart = [np.abs(moved(body, start, step / part, 100 * part)[0].position - fine.position).max() for part in (1, 2)]
    assert 1.7 < apart[0] / apart[1] < 2.3
    assert apart[0] < 0.1 * np.abs(start.position - fine.position).max()


def test_damping_acts_as_in_explicit_steps():
    soft = dataclasses.replace(SOFT, damping=(50.0, 100.0))
    body = body_of(rough_bar((3, 1, 1)), soft)
    place = body.mesh.node_material
    start = ElementState(place, 1e-4 * np.sin(60.0 * place))
    step = 0.05 * stable_element_step(body.shapes, body.material)
    fine, _ = advance_elements(body, start, free_loads(), step / 4, 400)
    ours, _ = moved(body, start, step, 100)
    free, _ = moved(body_of(body.mesh, SOFT), start, step, 100)
    assert np.abs(ours.velocity - fine.velocity).max() < 0.03 * np.abs(start.velocity).max()
    assert np.abs(free.velocity - fine.velocity).max() > 0.2 * np.abs(start.velocity).max()


def test_a_cantilever_comes_to_rest_as_a_beam_in_long_steps():
    # F L^3/(3 E I) + F L/(5/6 G A), E = 2 G = 1 MPa. Linear elements are too stiff in bending by c h^2.
    force, length, side, excess = 1e-3, 0.4, 0.1, []
    beam = force * (length**3 / (3 * 1e6 * side**4 / 12) + length / (5 / 6 * 5e5 * side * side))
    for across in (2, 3, 4):
        body = body_of(rough_bar((4 * across, across, across), side / across, 0.05), Row((0, 5e5), (0, 0), 1e3, 1, ()))
        place = body.mesh.node_material
        held, tip = place[:, 0] < 1e-9, place[:, 0] > length - 1e-9
        outside = np.zeros_like(place)
        outside[tip, 2] = force * body.mass[tip] / body.mass[tip].sum()
        state, _ = moved(body, still(body), 0.1, 20, loads_of(held=held, outside=outside))
        excess.append(beam / (state.position - place)[tip, 2].mean() - 1.0)
    assert excess[0] / excess[1] == pytest.approx(9 / 4, rel=0.1)
    assert excess[1] / excess[2] == pytest.approx(16 / 9, rel=0.1)
    assert abs(16 * excess[2] - 9 * excess[1]) / 7 < 0.03


def test_energy_never_rises_and_momenta_are_kept_in_steps_of_a_hundred_times_the_limit():
    body = body_of(rough_bar(), SOFT)
    place = body.mesh.node_material
    rng = np.random.default_rng(3)
    state = ElementState(place + 0.0003 * rng.normal(size=place.shape), 0.1 * rng.normal(size=place.shape))
    dt = 100.0 * stable_element_step(body.shapes, body.material)
    motion = ImplicitMotion(body, state, free_loads())
    totals, start = [element_energy(body, state).total], element_momentum(body, state, np.zeros(3))
    for _ in range(30):
        motion.run(dt, 1)
        totals.append(element_energy(body, motion.state()).total)
    assert (np.diff(totals) < 1e-6 * totals[0]).all()
    # Iterations end at 1e-8 of the first residual, which is a hundred times what nodes have.
    size = np.linalg.norm(body.mass[:, None] * state.velocity, axis=1)
    for first, last, most in zip(
        start,
        element_momentum(body, motion.state(), np.zeros(3)),
        (size.sum(), (size * np.linalg.norm(place, axis=1)).sum()),
        strict=True,
    ):
        assert np.abs(last - first).max() < 3e-6 * most
    carried = 0.5 * (start[0] * start[0]).sum() / body.mass.sum()
    assert totals[-1] < carried + 0.1 * (totals[0] - carried)


def test_a_spinning_body_with_damping_spins_on():
    soft = dataclasses.replace(SOFT, damping=(50.0, 100.0))
    body = body_of(rough_bar(), soft)
    centre = np.average(body.mesh.node_material, axis=0, weights=body.mass)
    state = ElementState(body.mesh.node_material, np.cross([0.0, 0.0, 20.0], body.mesh.node_material - centre))
    last, _ = moved(body, state, 2e-3, 50)
    before, after = (element_momentum(body, one, centre)[1] for one in (state, last))
    np.testing.assert_allclose(after, before, atol=1e-6 * np.abs(before).max())


def test_what_is_inside_out_comes_back_and_is_told():
    # What it is strained by on the way may set it spinning: it stays a little stretched.
    body = body_of(single(), TABLE_1["bowl 1"])
    rest = np.linalg.det(body.mesh.node_material[1:])
    state, motion = moved(body, still(body, body.mesh.node_material * [1.0, 1.0, -0.3]), 0.01, 60)
    assert np.linalg.det(state.position[1:] - state.position[0]) == pytest.approx(rest, rel=0.2)
    assert motion.report().inverted == 1 and motion.report().smallest_share == pytest.approx(-0.3, rel=1e-12)


def test_the_same_bits_twice_and_in_parts():
    body = body_of(rough_bar(), SOFT)
    held = body.mesh.node_material[:, 0] < 1e-9
    loads = loads_of(DOWN, held)
    whole, motion = moved(body, still(body), 0.02, 6, loads)
    parts = ImplicitMotion(body, still(body), loads)
    for count in (1, 2, 3):
        parts.run(0.02, count)
    np.testing.assert_array_equal(whole.position, parts.state().position)
    np.testing.assert_array_equal(whole.velocity, parts.state().velocity)
    np.testing.assert_array_equal(whole.position[held], body.mesh.node_material[held])
    assert motion.iterations == parts.iterations > 3 and whole.position[:, 2].min() < -1e-4


def test_it_lies_on_a_hard_floor_with_its_weight():
    body = body_of(rough_bar((2, 2, 2)), SOFT)
    count = len(body.mass)
    plane = np.zeros((count, 11))
    plane[:, 2], plane[:, 7], plane[:, 9], plane[:, 10] = 1.0, np.inf, 0.5, body.mass
    loads = loads_of(DOWN, surfaces=(np.arange(count), plane))
    motion = ImplicitMotion(body, still(body), loads)
    motion.run(0.01, 40)
    before = motion.report().impulse[2]
    motion.run(0.01, 20)
    assert (motion.report().impulse[2] - before) / 0.2 == pytest.approx(9.81 * body.mass.sum(), rel=0.01)
    assert motion.state().position[:, 2].min() > -1e-9


def test_a_step_that_is_not_found_says_so(monkeypatch):
    monkeypatch.setattr(implicit_motion, "_ITERATIONS", 3)
    body = body_of(rough_bar(), SOFT)
    motion = ImplicitMotion(body, still(body), loads_of(DOWN, body.mesh.node_material[:, 0] < 1e-9))
    with pytest.raises(InputError, match="shorter"):
        motion.run(1.0, 1)


def test_matter_that_is_not_isotropic_is_refused():
    law = isotropic_law(2e5, 4e5)[None]
    laws = LinearLaws(np.array([3]), law, 0.0 * law)
    plain = body_of(rough_bar(), SOFT)
    body = build_elements(plain.mesh, plain.material, laws)
    with pytest.raises(InputError, match="isotropic"):
        ImplicitMotion(body, still(body), free_loads())
