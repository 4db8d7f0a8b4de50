"""The fragments of all objects in the time loop: who is alive, where, and what they are made of.

Shapes are made of a model once something of it has to move, so that a body which breaks in its first frame is never
built whole. Until then its bodies have mass and inertia but no parts.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arithmetic.products import apply, multiply
from ..arithmetic.small_matrices import rotation_matrices
from ..breaking.contract import UnitImpulses
from ..fragments.mass import Masses, cells_of, inertia_about, join_masses, masses, take_masses
from ..geometry.graph import components
from ..geometry.mesh import invert_3x3
from ..geometry.sums import summed
from ..rigid.advance import no_contacts
from ..rigid.broad.boxes import no_boxes
from ..rigid.contract import FrameSteps, StepReport
from ..rigid.shapes.cell_parts import cell_part_steps
from ..rigid.shapes.convex_parts import concatenate_parts, no_parts
from ..rigid.solver.energy_budget import energy_of
from ..rigid.state import RigidBodies, RigidState, World, at_rest, put_to_sleep, wake_bodies
from ..stepwise import result_of
from ..types import Bools, Floats, Ints
from .fragment_tree import FragmentTree
from .spec import AdvanceFrame, FractureModel, InitialMotion, SimObject, SurfaceMotion
from .surface_motion import unit_momenta

#: The frame at which something breaks that has not broken.
NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class FragmentBreak:
    """A fragment that falls apart."""

    row: int
    model: int  #: that its pieces are units of
    pieces: list[Ints]
    #: Stored frame in whose form a whole was cut that deforms: its pieces are seen from then on, and start as its
    #: surface moved. None: it followed nothing of the kind.
    form: int | None = None


class LiveFragments:
    """Row i of `alive`, `bodies`, `state` and `rest` belongs to fragment `alive[i]`, a number of `tree`.

    Where nothing `meets` anything the bodies have no parts.
    """

    def __init__(self, objects: Sequence[SimObject], meets: bool = True) -> None:
        self.objects, self._meets = tuple(objects), meets
        self.tree = FragmentTree()
        self.models: list[FractureModel] = []
        self._moving: dict[int, UnitImpulses] = {}  # what the units of a model have where the surface of its body moves
        self._skin: dict[int, int] = {}  # of objects that deform: the number of the whole
        self._first_unit = [0]  # of each matter, in a count through the units of all
        self._owner = np.empty(0, np.int64)  # number of the fragment of each of these units
        self.until: dict[int, int] = {}  # of objects that deform: from which stored frame they are broken
        self._shaped = 0  # matters that have parts
        self._fit = False  # whether the bodies have all their parts
        self.shapes, self.part_unit = no_parts(), np.empty(0, np.int64)
        numbers = [self._begin(k, obj) for k, obj in enumerate(self.objects)]
        self.alive = np.concatenate([np.zeros(0, np.int64), *numbers])
        self.pinned = self.skins()
        self.rest = join_masses([self._masses(number) for number in numbers])
        self.bodies = self._bodies()
        self.state: RigidState = at_rest(self.rest.centre + self._places(self.alive))
        # Of several pieces of an object that impacts break, those that are not hit stay where they are, whatever they
        # rest on.
        still = [len(number) > 1 and obj.policy is None for number, obj in zip(numbers, self.objects, strict=True)]
        self.state = put_to_sleep(
            self.state, np.repeat(np.array(still, np.bool_), np.array([len(number) for number in numbers], np.int64))
        )
        for k, obj in enumerate(self.objects):
            if obj.momentum is not None and k not in self.until:
                self._give(self.rows_of(k), obj.momentum)

    def take_on(self, obj: SimObject, frame: int, momentum: Floats, angular_momentum: Floats) -> int:
        """Let an object begin at a stored frame, as one fragment; returns its number.

        It has a momentum (3,), and an angular momentum (3,) about its centre of mass.
        """
        self._fit = False
        k, self.objects = len(self.objects), (*self.objects, obj)
        numbers = self._begin(k, obj, frame)
        mass = self._masses(numbers)
        self.alive = np.concatenate([self.alive, numbers])
        self.pinned = np.append(self.pinned, np.zeros(len(numbers), np.bool_))
        self.rest = join_masses([self.rest, mass])
        moving = replace(
            at_rest(mass.centre + obj.place),
            velocity=momentum / mass.mass[:, None],
            angular_momentum=angular_momentum[None],
        )
        self.state = _strung([self.state, moving])
        return k

    def rows_of(self, obj: int) -> Ints:
        """The rows of the living fragments of an object."""
        return np.flatnonzero(self.object_of() == obj)

    def object_of(self) -> Ints:
        """(K,) the object of each living fragment."""
        return np.asarray(self.tree.objects()[self.alive])

    def skins(self) -> Bools:
        """(K,) which of the living are wholes that deform: rows without parts, moved with their skins."""
        whole = [number for k, number in self._skin.items() if self.until[k] == NEVER]
        return np.isin(self.alive, np.array(whole, np.int64))

    def model_of(self, row: int) -> FractureModel:
        """What the fragment in a row is made of."""
        return self.models[self.tree[int(self.alive[row])].model]

    def move(self, motion: AdvanceFrame, world: World, dt: float) -> FrameSteps:
        """Where the living are after one frame of `dt` [s], and what happened; nothing changes here."""
        if self.skins().all():
            return _stand_by(self.bodies, self.state, world)
        return motion(self.bodies, self.state, world, dt)

    def add(self, model: FractureModel) -> int:
        """A further model, of which pieces will be made; returns its number."""
        self.models.append(model)
        self._first_unit.append(self._first_unit[-1] + len(model.units.volume))
        self._owner = np.append(self._owner, np.full(len(model.units.volume), -1))
        return len(self.models) - 1

    def forget_last(self) -> None:
        """Take back the model that was added last: it was cut in vain, no fragment is made of it."""
        self.models.pop()
        self._first_unit.pop()
        self._owner = self._owner[: self._first_unit[-1]].copy()  # a view would keep what is forgotten

    def take_shape(self) -> None:
        """`shaping`, run to its end at once."""
        result_of(self.shaping())

    def shaping(self) -> Generator[None, None, None]:
        """Make the parts of all models of which a living fragment is made; nothing where nothing has changed.

        Yields now and then; nothing of the fragments may change before it has ended.
        """
        if self._fit:
            return
        self._fit = True
        used = {self.tree[int(number)].model for number in self.alive[~self.skins()]}
        if self._meets and used and max(used) >= self._shaped:
            made = [self.shapes]
            units = [self.part_unit]
            for number in range(self._shaped, len(self.models)):
                shapes, cell = no_parts(), np.empty(0, np.int64)
                if number in used:
                    shapes, cell = yield from cell_part_steps(self.models[number].cells)
                made.append(shapes)
                units.append(self._first_unit[number] + self.models[number].cells.unit[cell])
            # What is kinematic comes after all other parts, so its numbers change: it touches anew.
            known = (self.state.pairs.part < len(self.shapes.parts)).all(axis=1)
            self.state = replace(self.state, pairs=self.state.pairs[known])
            self.shapes, self.part_unit = concatenate_parts(made), np.concatenate(units)
            self._shaped = len(self.models)
        self.bodies = self._bodies()

    def fall_apart(self, breaks: Sequence[FragmentBreak], frame: int) -> Ints:
        """Let fragments die and their pieces be born with their motion; returns the rows of the pieces.

        A row may break once only. Pieces follow the survivors, in the order of the breaks. The bodies are those from
        before until they take shape.
        """
        self._fit = False
        keep = np.ones(len(self.alive), np.bool_)
        keep[[one.row for one in breaks]] = False
        born, states, numbers = [], [], []
        for one in breaks:
            number = self._succeed(one, frame)
            mass = self._masses(number)
            born.append(mass)
            numbers.append(number)
            states.append(self._inherited(one, mass))
        rows = np.flatnonzero(keep)
        self.alive = np.concatenate([self.alive[rows], *numbers])
        self.pinned = np.concatenate([self.pinned[rows], np.zeros(len(self.alive) - len(rows), np.bool_)])
        self.rest = join_masses([take_masses(self.rest, rows), *born])
        self.state = _strung([_rows(self.state, rows), *states])
        first = len(rows)
        for one, born_of in zip(breaks, numbers, strict=True):
            self._part_with_surface(np.arange(first, first + len(born_of)), one, frame)
            first += len(born_of)
        return np.arange(len(rows), len(self.alive))

    def _part_with_surface(self, rows: Ints, one: FragmentBreak, frame: int) -> None:
        """Let pieces move as the surface of what they broke from did, where it deforms.

        After the first frame it no longer moves as it did, unless that was kinematic: what broke off was free.
        """
        obj = int(self.object_of()[rows[0]])
        momentum = self.objects[obj].momentum
        if one.form is not None:
            self.until[obj] = one.form
        if momentum is not None and (one.form is not None or (frame == 0 and momentum.surface is not None)):
            self._give(rows, momentum)

    def give_up(self, row: int, frame: int) -> None:
        """Let a fragment go that something else moves from a stored frame on; the others have to take shape."""
        self._fit = False
        number = int(self.alive[row])
        record = self.tree[number]
        record.death = frame
        self._owner[self._first_unit[record.model] + record.units] = -1
        rows = np.flatnonzero(np.arange(len(self.alive)) != row)
        self.alive, self.pinned = self.alive[rows], self.pinned[rows]
        self.rest, self.state = take_masses(self.rest, rows), _rows(self.state, rows)

    def take_form(self, row: int, form: SimObject) -> Callable[[], None]:
        """Let a whole that deforms be the object that it is at one frame, at rest; returns what takes that back."""
        record = self.tree[int(self.alive[row])]
        old = record.model, record.units, self.objects, self.rest, self.state
        number = self.add(form.model)
        record.model, record.units = number, np.arange(len(form.model.units.volume))
        self._owner[self._first_unit[number] + record.units] = self.alive[row]
        self.objects = (*self.objects[: record.obj], form, *self.objects[record.obj + 1 :])
        mass = self._masses(self.alive[[row]])
        order = np.where(np.arange(len(self.alive)) == row, len(self.alive), np.arange(len(self.alive)))
        self.rest = take_masses(join_masses([self.rest, mass]), order)
        position = self.state.position.copy()
        position[row] = mass.centre[0] + form.place
        self.state = replace(self.state, position=position)

        def take_back() -> None:
            record.model, record.units, self.objects, self.rest, self.state = old
            self.forget_last()

        return take_back

    def pin(self, pinned: Bools) -> None:
        """Hold the fragments `pinned` (K,) where they are, and no others; they have to take shape afterwards."""
        loose = self.pinned & ~pinned
        self._fit &= bool((self.pinned == pinned).all())
        self.pinned = pinned
        if pinned.any() or loose.any():
            self.state = wake_bodies(put_to_sleep(self.state, pinned), loose)

    def owners(self, model: int) -> Ints:
        """(C,) the row of each cell of a model, -1 where no living fragment has it."""
        first = self._first_unit[model]
        row = np.full(len(self.tree) + 1, -1)  # the last entry is that of number -1
        row[self.alive] = np.arange(len(self.alive))
        return np.asarray(row[self._owner[first + self.models[model].cells.unit]])

    def push(self, rows: Ints, momentum: Floats, angular_momentum: Floats) -> None:
        """Add momenta (n,3) and angular momenta (n,3) about the centres of mass, in world axes, and wake the rows."""
        velocity, spin = self.state.velocity.copy(), self.state.angular_momentum.copy()
        velocity[rows] += momentum / self.rest.mass[rows, None]
        spin[rows] += angular_momentum
        struck = np.isin(np.arange(len(self.alive)), rows)
        self.state = wake_bodies(replace(self.state, velocity=velocity, angular_momentum=spin), struck)

    def gathered(self, rows: Ints, given: UnitImpulses) -> tuple[Floats, Floats]:
        """Momentum (n,3) and angular momentum (n,3), in material axes, of what the units of some rows were given.

        All are of one model. A piece takes up all momentum of its units, and all angular momentum about its centre of
        mass; its inertia makes its spin of that, so that nothing is undetermined for pieces of one or two units (Smith
        2001, section 3.5, where the spin is fitted to three points).
        """
        tree = [self.tree[int(number)] for number in self.alive[rows]]
        unit = np.concatenate([record.units for record in tree])
        k = np.repeat(np.arange(len(rows)), [len(record.units) for record in tree])
        p, c = given.momentum[unit], self.models[tree[0].model].units.centroid[unit]
        turning = np.cross(c - self.rest.centre[rows][k], p) + given.spin[unit]
        return summed(p, k, len(rows)), summed(turning, k, len(rows))

    def _begin(self, k: int, obj: SimObject, frame: int = 0) -> Ints:
        units = obj.model.units
        everything = np.arange(len(units.volume), dtype=np.int64)
        whole = components(len(everything), units.links, np.ones(len(units.links), np.bool_), everything)
        if obj.deformed_at is not None:  # it has one skin, also where that is of several parts
            whole = np.zeros(len(everything), np.int64)
        model = self.add(obj.model)
        numbers = self.tree.first(
            k, model, [everything[whole == label] for label in range(int(whole.max()) + 1)], frame
        )
        for number in numbers:
            self._owner[self._first_unit[model] + self.tree[int(number)].units] = number
        if obj.deformed_at is not None:
            self._skin[k], self.until[k] = int(numbers[0]), NEVER
        return numbers

    def _give(self, rows: Ints, momentum: InitialMotion) -> None:
        """Let what an object begins with, or falls into, move as the object did of which it was made."""
        if momentum.surface is not None:
            self._move_on(rows, momentum.surface)
            return
        if not (momentum.velocity.any() or momentum.spin.any()):
            return
        velocity, turning = self.state.velocity.copy(), self.state.angular_momentum.copy()
        velocity[rows] = momentum.velocity + np.cross(momentum.spin, self.rest.centre[rows] - momentum.pivot)
        turning[rows] = apply(self.rest.inertia[rows], momentum.spin)  # nothing has turned yet
        moving = np.isin(np.arange(len(self.alive)), rows)
        self.state = wake_bodies(replace(self.state, velocity=velocity, angular_momentum=turning), moving)

    def _move_on(self, rows: Ints, surface: SurfaceMotion) -> None:
        """Give rows of one model, which nothing has turned yet, all that their units have where the surface moves."""
        number = self.tree[int(self.alive[rows[0]])].model
        if number not in self._moving:
            self._moving[number] = unit_momenta(self.models[number], surface)
        momentum, turning = self.gathered(rows, self._moving[number])
        if not (momentum.any() or turning.any()):
            return
        velocity, spin = self.state.velocity.copy(), self.state.angular_momentum.copy()
        velocity[rows], spin[rows] = momentum / self.rest.mass[rows, None], turning
        moving = np.isin(np.arange(len(self.alive)), rows)
        self.state = wake_bodies(replace(self.state, velocity=velocity, angular_momentum=spin), moving)

    def _succeed(self, one: FragmentBreak, frame: int) -> Ints:
        old = self.tree[int(self.alive[one.row])]
        self._owner[self._first_unit[old.model] + old.units] = -1
        numbers = self.tree.succeed(int(self.alive[one.row]), one.model, one.pieces, frame, one.form)
        for number, units in zip(numbers, one.pieces, strict=True):
            self._owner[self._first_unit[one.model] + units] = number
        return numbers

    def _inherited(self, one: FragmentBreak, born: Masses) -> RigidState:
        """The pieces of a fragment move on as its parts did (Su 2009, B10 of docs/papers/su2009.md).

        Where the density is uneven, pieces that are cut anew have another inertia together than the fragment had: they
        keep its angular momentum, not its spin.
        """
        state, rest, row, count = self.state, self.rest, one.row, len(born.mass)
        uneven = isinstance(self.models[one.model].density, np.ndarray)
        R = rotation_matrices(state.rotation[row : row + 1])[0]
        inertia = inertia_about(born, rest.centre[row]) if uneven else rest.inertia[row]
        omega = apply(invert_3x3(multiply(multiply(R, inertia), R.T)), state.angular_momentum[row])
        arm = apply(R, born.centre - rest.centre[row])
        return replace(
            at_rest(state.position[row] + arm),
            rotation=np.repeat(state.rotation[row : row + 1], count, axis=0),
            velocity=state.velocity[row] + np.cross(omega, arm),
            angular_momentum=apply(R, apply(born.inertia, apply(R.T, omega))),
        )

    def _masses(self, numbers: Ints) -> Masses:
        """Of some fragments of one model."""
        some = [self.tree[int(number)] for number in numbers]
        model = self.models[some[0].model]
        cells = model.cells
        return masses(cells, *cells_of(cells.unit, [record.units for record in some]), model.density)

    def _places(self, numbers: Ints) -> Floats:
        return np.asarray(np.array([obj.place for obj in self.objects]).reshape(-1, 3)[self.tree.objects()[numbers]])

    def _bodies(self) -> RigidBodies:
        """The bodies of the living, each with the parts of its cells as far as these were made."""
        row = np.full(len(self.tree) + 1, -1)
        row[self.alive] = np.arange(len(self.alive))
        body = row[self._owner[self.part_unit]]
        part = np.argsort(body, kind="stable")[np.count_nonzero(body < 0) :]
        count = np.bincount(body[part], minlength=len(self.alive))
        material, obj = [one.model.material for one in self.objects], self.object_of()
        return RigidBodies(
            mass=self.rest.mass,
            inertia=self.rest.inertia,
            centre=self.rest.centre,
            part_start=np.concatenate([[0], np.cumsum(count)]),
            part=part,
            shapes=self.shapes,
            friction=np.array([one.friction for one in material], np.float64)[obj],
            restitution=np.array([one.restitution for one in material], np.float64)[obj],
            pinned=self.pinned,
        )


def _stand_by(bodies: RigidBodies, state: RigidState, world: World) -> FrameSteps:
    """A frame in which there is nothing that could move."""
    yield from ()
    return state, StepReport(energy_of(bodies, state, world), 0.0, *no_contacts())


#: What a state says of each body; pairs and contacts name parts, and those that are gone are dropped in the next frame.
OF_BODIES = ("position", "rotation", "velocity", "angular_momentum", "asleep", "quiet", "since")


def _rows(state: RigidState, rows: Ints) -> RigidState:
    """Some bodies of a state."""
    return replace(state, boxes=no_boxes(), **{name: getattr(state, name)[rows] for name in OF_BODIES})


def _strung(states: Sequence[RigidState]) -> RigidState:
    """Several states as one, with the contacts of the first."""
    return replace(states[0], **{name: np.concatenate([getattr(one, name) for one in states]) for name in OF_BODIES})
