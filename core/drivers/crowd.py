"""The fragments of one object in the time loop: who is alive, where, and who came from whom.

Fragments get their meshes and shapes only when they have to move, so that a body which breaks in its first frame is
never built whole. Until then their bodies have mass and inertia but no parts.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..breaking import Loads
from ..cells.fragments import build_fragments, concatenate
from ..cells.mass import Masses, cell_owner, cells_of, masses
from ..geometry.graph import components
from ..geometry.mesh import inverse
from ..motion.cell_shapes import cell_shapes
from ..motion.contract import Account
from ..motion.pose import matrices
from ..motion.shapes import Shapes, no_shapes
from ..motion.state import RigidBodies, RigidState, World, asleep, at_rest, awake, join, select
from ..types import Floats, Fracture, Fragments, Impact, Ints
from .launch import launch
from .matter import Broken, Matter, Momentum, Move
from .record import Record
from .wholes import Wholes


@dataclass(frozen=True, slots=True)
class Crack:
    """One link that failed."""

    time: float
    link: int
    load: float
    limit: float


class Crowd:
    """Fragments by number in order of creation; `alive` lists those that exist now.

    Row i of `bodies`, `state` and `rest` belongs to fragment `alive[i]`; the first `shaped` rows have parts.
    """

    def __init__(self, matter: Matter) -> None:
        units = matter.units
        everything = np.arange(len(units.volume), dtype=np.int64)
        whole = components(len(everything), units.links, np.ones(len(units.links), np.bool_), everything)
        self.matter = matter
        self.members: list[Ints] = []
        self.parent: list[int] = []
        self.birth: list[int] = []
        self.death: list[int] = []
        self.cracks: list[Crack] = []
        self.parts: list[Fragments] = []
        self.built: list[int] = []  # fragment numbers in the order of their meshes
        self.utilisation = 0.0
        self.shaped = 0
        pieces = [everything[whole == label] for label in range(int(whole.max()) + 1)]
        self.wholes = Wholes(matter.body, matter.cells, pieces)
        self.whole: list[int] = []  # of each fragment, the number of the first one that it comes from
        self.alive = self._enter(pieces, parent=-1, frame=0)
        self.rest = self._masses(pieces)
        self.shapes, self.part_cell = no_shapes(), np.empty(0, np.int64)
        self.bodies = self._unshaped(self.rest)
        # Of several pieces, those that are not hit stay where they are, whatever they rest on.
        self.state: RigidState = asleep(at_rest(self.rest.centre), np.full(len(pieces), len(pieces) > 1))

    def give(self, momentum: Momentum) -> None:
        """Let the whole body move as the object did of which it was made."""
        if not (momentum.velocity.any() or momentum.spin.any()):
            return
        arm = self.state.position - momentum.pivot
        self.state = awake(
            replace(
                self.state,
                velocity=momentum.velocity + np.cross(momentum.spin, arm),
                angular_momentum=self.rest.inertia @ momentum.spin,  # nothing has turned yet
            ),
            np.ones(len(self.alive), np.bool_),
        )

    def move(self, motion: Move, world: World, dt: float) -> Account:
        """Advance the living by one frame of `dt` [s]; returns what it did."""
        self.state, account = motion(self.bodies, self.state, world, dt)
        return account

    def take_shape(self) -> None:
        """Build meshes and shapes of the living fragments that have none yet."""
        fresh = np.arange(self.shaped, len(self.alive))
        if len(fresh) == 0:
            return
        matter = self.matter
        numbers = [int(k) for k in self.alive[fresh]]
        members = [self.members[k] for k in numbers]
        part = build_fragments(matter.cells, members, matter.material.density, matter.body)
        if len(self.shapes.parts) == 0:  # of all cells: what breaks later is made of the same parts
            self.shapes, self.part_cell = _shapes(matter)
        self.bodies = self._shaped()
        self.parts.append(part)
        self.built.extend(numbers)
        self.shaped = len(self.alive)

    def strike(self, impact: Impact, frame: int, time: float) -> None:
        """Let an impact, given in world coordinates, break and push the fragment that it meets."""
        row, impact = self._meet(impact)
        number = int(self.alive[row])
        members = self.members[number]
        pieces = self._broken(members, impact, time)
        if len(pieces) > 1:
            self._replace(row, number, pieces, frame)
            rows = np.arange(len(self.alive) - len(pieces), len(self.alive))
        else:
            rows = np.array([row])
        self._push(rows, impact)

    def finish(self, record: Record, frames: int) -> Broken:
        """Number the fragments that were ever built in the order of their meshes, and assemble the result."""
        row_of = np.full(len(self.members), -1, np.int64)
        row_of[self.built] = np.arange(len(self.built))
        members = [self.members[k] for k in self.built]
        death = [frames if self.death[k] < 0 else self.death[k] for k in self.built]
        fracture = Fracture(
            cells=self.matter.cells,
            fragment_start=np.cumsum([0] + [len(m) for m in members]),
            fragment_unit=np.concatenate(members),
            parent=np.array([self._built_ancestor(self.parent[k], row_of) for k in self.built], np.int64),
            birth=np.array([self.birth[k] for k in self.built], np.int64),
            death=np.array(death, np.int64),
            crack_time=np.array([c.time for c in self.cracks], np.float64),
            crack_link=np.array([c.link for c in self.cracks], np.int64),
            crack_load=np.array([c.load for c in self.cracks], np.float64),
            crack_limit=np.array([c.limit for c in self.cracks], np.float64),
        )
        motion = record.motion(len(self.built), row_of)
        return Broken(fracture, concatenate(self.parts), motion, self.utilisation)

    def _meet(self, impact: Impact) -> tuple[int, Impact]:
        """The row of the living fragment that an impact meets, and the impact in its material coordinates.

        Of the fragments whose whole piece is nearest, it is the one that owns the cell whose site is nearest; a point
        outside of that piece acts at the nearest point of its surface.
        """
        R = matrices(self.state.rotation)
        points = np.einsum("kji,kj->ki", R, impact.point - self.state.position) + self.rest.centre
        whole = np.array([self.whole[int(k)] for k in self.alive])
        met = np.zeros(len(points), np.bool_)
        met[self.wholes.nearest(whole, points)] = True
        owner = self._owner()
        near = np.flatnonzero((owner >= 0) & met[owner])
        k = owner[near]
        row = int(k[np.argmin(np.linalg.norm(self.matter.cells.site[near] - points[k], axis=1))])
        point, _ = self.wholes.clamped(int(whole[row]), points[row : row + 1])
        return row, replace(impact, point=point[0], direction=R[row].T @ impact.direction)

    def _broken(self, members: Ints, impact: Impact, time: float) -> list[Ints]:
        """The pieces into which the rule breaks a set of units; one piece where nothing separates."""
        matter = self.matter
        loads = matter.rule(matter.units, members, impact, matter.strength, matter.params, matter.seed)
        cracked = loads.load > loads.limit
        self._note(loads, np.flatnonzero(cracked), time)
        labels = components(len(matter.units.volume), matter.units.links, ~cracked, members)
        return [members[labels == label] for label in range(int(labels.max()) + 1)]

    def _note(self, loads: Loads, cracked: Ints, time: float) -> None:
        bearing = loads.limit > 0
        if bearing.any():
            self.utilisation = max(self.utilisation, float((loads.load[bearing] / loads.limit[bearing]).max()))
        self.cracks.extend(Crack(time, int(i), float(loads.load[i]), float(loads.limit[i])) for i in cracked)

    def _replace(self, row: int, number: int, pieces: list[Ints], frame: int) -> None:
        """A fragment dies and its pieces are born, with its motion."""
        state, rest = self.state, self.rest
        born = self._masses(pieces)
        R = matrices(state.rotation[row : row + 1])[0]
        omega = inverse(R @ rest.inertia[row] @ R.T) @ state.angular_momentum[row]
        arm = (born.centre - rest.centre[row]) @ R.T
        count = len(pieces)
        inherited = replace(
            at_rest(state.position[row] + arm),
            rotation=np.repeat(state.rotation[row : row + 1], count, axis=0),
            velocity=state.velocity[row] + np.cross(omega, arm),  # Su 2009, B10
            angular_momentum=np.einsum("ij,kjl,ml,m->ki", R, born.inertia, R, omega),
        )
        keep = np.flatnonzero(np.arange(len(self.alive)) != row)
        self.death[number] = frame
        self.alive = np.concatenate([self.alive[keep], self._enter(pieces, number, frame)])
        survivors = select(self.bodies, state, keep)
        self.bodies, self.state = join(survivors, (self._unshaped(born), inherited))
        self.rest = _join_masses(rest, keep, born)
        self.shaped -= int(row < self.shaped)

    def _push(self, rows: Ints, impact: Impact) -> None:
        """Add the momentum of a blow, given in material coordinates, to some of the living."""
        matter, state = self.matter, self.state
        members = [self.members[int(k)] for k in self.alive[rows]]
        owner = cell_owner(matter.cells.unit, members)
        centre = self.rest.centre[rows]
        given = launch(matter.cells, owner, centre, matter.material.density, impact, matter.material.spread)
        R = matrices(state.rotation[rows])
        velocity, spin = state.velocity.copy(), state.angular_momentum.copy()
        velocity[rows] += np.einsum("kij,kj->ki", R, given.momentum) / self.rest.mass[rows, None]
        spin[rows] += np.einsum("kij,kj->ki", R, given.angular_momentum)
        struck = np.isin(np.arange(len(self.alive)), rows)
        self.state = awake(replace(state, velocity=velocity, angular_momentum=spin), struck)

    def _enter(self, pieces: list[Ints], parent: int, frame: int) -> Ints:
        first = len(self.members)
        self.members.extend(pieces)
        self.parent.extend([parent] * len(pieces))
        self.birth.extend([frame] * len(pieces))
        self.death.extend([-1] * len(pieces))
        self.whole.extend(range(len(pieces)) if parent < 0 else [self.whole[parent]] * len(pieces))
        return np.arange(first, len(self.members), dtype=np.int64)

    def _owner(self) -> Ints:
        members = [self.members[int(k)] for k in self.alive]
        return cell_owner(self.matter.cells.unit, members)

    def _masses(self, pieces: list[Ints]) -> Masses:
        cells = self.matter.cells
        return masses(cells, *cells_of(cells.unit, pieces), self.matter.material.density)

    def _unshaped(self, born: Masses) -> RigidBodies:
        none = np.zeros(len(born.mass) + 1, np.int64)
        return self._bodies(born, none, none[:0])

    def _shaped(self) -> RigidBodies:
        """The bodies of the living, each with the parts of its cells."""
        body = self._owner()[self.part_cell]
        part = np.argsort(body, kind="stable")[np.count_nonzero(body < 0) :]
        count = np.bincount(body[part], minlength=len(self.alive))
        return self._bodies(self.rest, np.concatenate([[0], np.cumsum(count)]), part)

    def _bodies(self, rest: Masses, part_start: Ints, part: Ints) -> RigidBodies:
        material = self.matter.material
        return RigidBodies(
            mass=rest.mass,
            inertia=rest.inertia,
            centre=rest.centre,
            part_start=part_start,
            part=part,
            shapes=self.shapes,
            friction=material.friction,
            restitution=material.restitution,
        )

    def _built_ancestor(self, number: int, row_of: Ints) -> int:
        """The nearest ancestor that lived long enough to be built, -1 for the body itself."""
        while number >= 0 and row_of[number] < 0:
            number = self.parent[number]
        return int(row_of[number]) if number >= 0 else -1


def _shapes(matter: Matter) -> tuple[Shapes, Ints]:
    """The parts of all cells as they touch, and the cell (P,) of each."""
    if matter.contact is None:
        return cell_shapes(matter.cells)
    shapes, part_cell = cell_shapes(matter.contact.cells)
    return shapes, matter.contact.cell[part_cell]


def _join_masses(a: Masses, keep: Ints, b: Masses) -> Masses:
    def both(x: Floats, y: Floats) -> Floats:
        return np.concatenate([x[keep], y])

    return Masses(both(a.volume, b.volume), both(a.mass, b.mass), both(a.centre, b.centre), both(a.inertia, b.inertia))
