"""A lattice through one frame: substeps until something breaks or contacts have to be looked for again."""

import math
from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np

from ...errors import InputError
from ...jit import sealed_floats
from ...record_arrays import Records, plain_view, zero_records
from ...types import Bools, Floats, Frozen, Ints
from ..contract import Surroundings
from ..plane_contacts import (
    DEEPEST,
    DT,
    ELAPSED,
    GRAVITY,
    MEAN_VELOCITY,
    MOST_WAY,
    MOST_WAY_ASIDE,
    SURFACE_IMPULSE,
    SURFACE_SPEED,
    SURFACE_WORK,
    WAY,
    WAY_ASIDE,
)
from .breaking import broken_bonds, broken_cells, component_labels, weakest_cells
from .cell_volumes import RestCells, let_cells_go, measure_rest_cells, soften_grown_cells, volume_rate, volume_rows
from .contacts import ContactWindow, open_contact_window, surface_springs
from .lattice import SpringLattice
from .state import LatticeLaws, LatticeState
from .substeps import (
    CELL_PRESSURE,
    FLOWING,
    PAPER_EULER,
    SPARED,
    SPRING,
    STEP_NUMBERS,
    TOTALS,
    YIELD_STRAIN,
    PressedCells,
    ShortInts,
    SpringNet,
    mark_long_bonds,
    run_substeps,
)
from .time_step import stable_step, steady_paper_step, substep_count

_NEIGHBOURS = 2  # nodes that may press on one at once: what the step is made short for
#: How far speeds may be beyond what is thinkable. By eye: what runs away grows from substep to substep.
_RUNAWAY = 10.0
_PARTS = 50  # of a frame, between which a job can be stopped


@dataclass(frozen=True, eq=False, slots=True)
class LatticeReport(Frozen):
    """What happened to a lattice in a frame."""

    substeps: int
    impulse: Floats  #: (3,) of surfaces on nodes [N s]
    work: float  #: of surfaces that moved on nodes [J]
    deepest: float  #: how far a node was inside of a surface [m]
    trip_time: Floats  #: (k,) of each time at which bonds tripped, since the start of the frame [s]
    tripped: Ints  #: (k,) how many bonds did


@dataclass
class _Frame:
    """What is worked on in a frame; made once for all its substeps."""

    lattice: SpringLattice
    laws: LatticeLaws
    around: Surroundings
    state: LatticeState  # its position and velocity are those of the last time at which they were looked at
    motion: Floats  # (2,n,6)
    inverse_mass: Floats
    spring: Records  # SPRING (b,)
    numbers: Floats
    bond_node: ShortInts  # (b,2)
    pull: Floats  # (b,)
    cells: PressedCells
    rest: RestCells | None  # None where no cell resists
    fastest: float  # component of a velocity at the start [m/s]
    row: int = 0
    done: int = 0
    totals: Floats = field(default_factory=lambda: np.zeros(TOTALS))
    trips: list[tuple[float, int]] = field(default_factory=list)


def advance_lattice(
    lattice: SpringLattice, state: LatticeState, laws: LatticeLaws, around: Surroundings, anchored: Bools | None = None
) -> Generator[float, None, tuple[LatticeState, LatticeReport]]:
    """Go on by one frame of `around.dt`: yields the share that is done.

    anchored: (n,) nodes that stay where they are. Raises InputError where a frame would need a million substeps, and
    where numbers got out of hand.
    """
    frame, most = _open_frame(lattice, state, laws, around, anchored)
    window = None
    while frame.done < most:
        if window is None or _is_over(frame):
            window = _open_window(frame, frame.done / most)
        if _run(frame, window, most):
            _break(frame)
            window = None
        yield frame.done / most
    _read_motion(frame)
    return frame.state, _report(frame, most)


def _run(frame: _Frame, window: ContactWindow, most: int) -> bool:
    """A part of the frame, up to the end of the window or to what breaks; says whether something does."""
    lattice = frame.lattice
    bonds = frame.bond_node, lattice.half_start, lattice.half_bond
    net = SpringNet(frame.inverse_mass, *bonds, frame.spring, frame.pull)
    count = min(most - frame.done, max(most // _PARTS, 1))
    done, torn = run_substeps(
        frame.motion, net, frame.cells, window.surfaces, window.pairs, frame.numbers, frame.totals, frame.row, count
    )
    frame.numbers[SPARED] = 0.0
    frame.done += done
    frame.row ^= done & 1
    return torn > 0


def _break(frame: _Frame) -> None:
    """Break what tripped. What is still too long then, as only the weakest cells broke, has a substep to give way."""
    _read_motion(frame)
    state, lattice = frame.state, frame.lattice
    tripped = np.empty(len(state.broken), np.bool_)
    mark_long_bonds(frame.motion[frame.row], frame.bond_node, frame.spring, tripped)
    frame.trips.append((frame.done * float(frame.numbers[DT]), int(tripped.sum())))
    if frame.laws.weakest_cell:
        cells = weakest_cells(lattice, state.position, tripped, state.cell_broken)
    else:
        cells = broken_cells(lattice, tripped, state.cell_broken)
    broken = broken_bonds(lattice, tripped, cells, state.broken)
    _let_go(frame.spring, broken)
    if len(frame.cells.node):
        let_cells_go(frame.cells.pressure, cells)
    frame.numbers[SPARED] = 1.0
    label = component_labels(lattice, broken)
    frame.state = LatticeState(state.position, state.velocity, state.rest_length, broken, cells, label)


def frame_substeps(lattice: SpringLattice, laws: LatticeLaws, frame_time: float, anchored: Bools | None = None) -> int:
    """How many substeps a frame [s] takes, however much breaks in it. Raises InputError as `substep_count`."""
    return substep_count(frame_time, longest_step(lattice, laws, anchored))


def longest_step(lattice: SpringLattice, laws: LatticeLaws, anchored: Bools | None = None) -> float:
    """The longest stable step, whatever touches [s]."""
    surface, surface_damping = np.zeros(len(lattice.mass)), np.zeros(len(lattice.mass))
    if not math.isinf(laws.surface.stiffness):
        surface, surface_damping = surface_springs(lattice, laws.surface)
    node = _NEIGHBOURS * laws.nodes.stiffness * laws.stiffness_scale * lattice.contact_stiffness
    node_damping = 2.0 * laws.nodes.damping_ratio * np.sqrt(node * lattice.mass)
    stays = np.zeros(len(lattice.mass), np.bool_) if anchored is None else anchored
    bulk = volume_rate(lattice, laws) * lattice.mass
    step = stable_step(lattice, laws.stiffness_scale, surface + node + bulk, surface_damping + node_damping, stays)
    steady = steady_paper_step(lattice)
    if laws.paper_euler and steady > 0.0:
        step = min(step, steady)
    return step


def _open_frame(
    lattice: SpringLattice, state: LatticeState, laws: LatticeLaws, around: Surroundings, anchored: Bools | None
) -> tuple[_Frame, int]:
    most = frame_substeps(lattice, laws, around.dt, anchored)
    motion = np.empty((2, len(lattice.mass), 6))
    motion[0, :, :3], motion[0, :, 3:] = state.position, state.velocity
    inverse = 1.0 / lattice.mass
    if anchored is not None:
        inverse[anchored] = 0.0
        motion[0, anchored, 3:] = 0.0
    spring = plain_view(zero_records(SPRING, len(lattice.rest_length)))
    spring["length"], spring["stiffness"] = state.rest_length, lattice.stiffness * laws.stiffness_scale
    spring["damping"] = lattice.damping
    spring["breaking_length"] = lattice.rest_length * (1.0 + lattice.threshold)
    _let_go(spring, state.broken)
    numbers = np.zeros(STEP_NUMBERS)
    numbers[DT] = around.dt / most
    numbers[GRAVITY : GRAVITY + 3] = around.gravity
    numbers[PAPER_EULER] = laws.paper_euler
    numbers[YIELD_STRAIN], numbers[FLOWING] = laws.yield_strain, flowing_share(laws.flow_rate, around.dt / most)
    bond_node, pull = lattice.bond_node.astype(np.uint32), np.empty(len(spring))
    inverse, rest = sealed_floats(inverse), measure_rest_cells(lattice) if _resists(laws) else None
    cells = _open_cells(lattice, state, laws, rest)
    fastest = float(np.abs(motion[0, :, 3:]).max(initial=0.0)) + around.dt * float(np.abs(around.gravity).max())
    return _Frame(
        lattice, laws, around, state, motion, inverse, spring, numbers, bond_node, pull, cells, rest, fastest
    ), most


def _resists(laws: LatticeLaws) -> bool:
    """Whether cells resist being pressed, besides what springs do."""
    return laws.bulk_modulus > 0.0 or laws.flat_modulus > 0.0


def _open_cells(lattice: SpringLattice, state: LatticeState, laws: LatticeLaws, rest: RestCells | None) -> PressedCells:
    """What the kernel needs of cells, see `cell_volumes`: nothing where none resists."""
    if rest is None:
        return PressedCells(np.zeros((0, 8), np.uint32), plain_view(zero_records(CELL_PRESSURE, 0)))
    pressure = volume_rows(lattice, laws, rest)
    let_cells_go(pressure, state.cell_broken)
    return PressedCells(lattice.cell_node.astype(np.uint32), pressure)


def flowing_share(flow_rate: float, dt: float) -> float:
    """The share of the excess strain that flows away within a step: all of it at an infinite rate [1/s]."""
    return 1.0 if math.isinf(flow_rate) else flow_rate * dt / (1.0 + flow_rate * dt)


def _let_go(spring: Records, broken: Bools) -> None:
    """Bonds (b,) that are broken neither pull nor trip."""
    spring["stiffness"][broken] = spring["damping"][broken] = 0.0
    spring["breaking_length"][broken] = math.inf


def _open_window(frame: _Frame, share: float) -> ContactWindow:
    _read_motion(frame)
    if frame.laws.yield_strain < math.inf and frame.rest is not None:
        soften_grown_cells(frame.cells.pressure, frame.lattice, frame.laws, frame.rest, frame.state.position)
    window = open_contact_window(frame.lattice, frame.state, frame.laws, frame.around, share)
    numbers = frame.numbers
    numbers[SURFACE_SPEED], numbers[MOST_WAY] = window.surface_speed, window.most_way
    numbers[MEAN_VELOCITY : MEAN_VELOCITY + 3], numbers[MOST_WAY_ASIDE] = window.mean_velocity, window.most_way_aside
    frame.totals[ELAPSED] = frame.totals[WAY] = frame.totals[WAY_ASIDE] = 0.0
    return window


def _is_over(frame: _Frame) -> bool:
    """Whether nodes may have gone farther than the window allows."""
    totals, numbers = frame.totals, frame.numbers
    return bool(totals[WAY] > numbers[MOST_WAY] or totals[WAY_ASIDE] > numbers[MOST_WAY_ASIDE])


def _read_motion(frame: _Frame) -> None:
    """Bring the state up to the motion."""
    now, state = frame.motion[frame.row], frame.state
    if not np.abs(now[:, 3:]).max(initial=0.0) < _speed_limit(frame):
        raise InputError("The springs ran away: choose less damping, softer contacts, or cells of more even size.")
    frame.state = LatticeState(
        np.ascontiguousarray(now[:, :3]), np.ascontiguousarray(now[:, 3:]), frame.spring["length"].copy(),
        state.broken, state.cell_broken, state.label,
    )  # fmt: skip


def _speed_limit(frame: _Frame) -> float:
    """What no node is faster than, unless it runs away [m/s]: matter moves by less than its springs' length in a step.

    That is beside the speeds with which the frame began, and those of surfaces.
    """
    numbers = frame.numbers
    own = float(frame.lattice.rest_length.max(initial=0.0)) / float(numbers[DT])
    return _RUNAWAY * (own + frame.fastest + float(numbers[SURFACE_SPEED]))


def _report(frame: _Frame, substeps: int) -> LatticeReport:
    totals = frame.totals
    times, counts = [time for time, _ in frame.trips], [count for _, count in frame.trips]
    impulse = totals[SURFACE_IMPULSE : SURFACE_IMPULSE + 3].copy()
    work, deepest = float(totals[SURFACE_WORK]), float(totals[DEEPEST])
    return LatticeReport(substeps, impulse, work, deepest, np.array(times, np.float64), np.array(counts, np.int64))
