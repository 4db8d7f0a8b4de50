"""A body of elements on its way through the clock: pieces as cracks part it, and what leaves.

Pieces are born at stored frames, though cracks run between them. They are cut anew then, along the elements as they
are by now; all other pieces stay what they are.
"""

from collections.abc import Callable, Generator
from dataclasses import replace

import numpy as np

from ...geometry.mesh import cross_rows, diagonal
from ...strength.influence import are_within_spheres
from ...types import Bools, Cells, Floats, Ints
from ...wording import number
from ..blows import struck_velocity
from ..calmness import CalmFrames, is_piece_calm
from ..contract import ContinuumObject, ContinuumPiece, DrawnPieces, ReleasedPiece, Surroundings
from ..rigid_motion import sum_motion, velocities_of_begin
from .advance_elements import ElementBody, ElementIntegrator, ElementLoads, free_loads
from .breaking_motion import BreakingMotion
from .carried_elements import CarriedElements
from .crack_faces import piece_labels
from .cut_mesh import CutMesh, start_cut_mesh
from .divided_elements import DividedElements
from .element_contacts import contact_loads, loads_after
from .element_energy import strain_energies
from .elements import ElementShapes
from .failing_nodes import FailureLaw, drawn_direction
from .glide import glide_nodes
from .params import PAPER_STEPS, SECOND_ORDER_STEPS, STAYS_ELASTIC, STEADY_STEPS, FiniteElementParams
from .piece_cells import PieceCells
from .splitting.workspace import SplittingRules

_INTEGRATOR = {
    STEADY_STEPS: ElementIntegrator.SYMPLECTIC_EULER,
    PAPER_STEPS: ElementIntegrator.FORWARD_EULER,
    SECOND_ORDER_STEPS: ElementIntegrator.TAYLOR,
}
#: Elements, of those at first, beyond which cracks run along their faces: hard blows would grind them to dust. By eye,
#: for the sake of time; the walls of the paper end with 7.5 times as many (section 6).
_DUST = 3.0
#: Least altitude of an element that is cut, in the median: substeps go with the least. By eye: 0.1 takes twice as many.
_LEAST_ALTITUDE = 0.2
#: What is cut then: nothing, as any part would be too small.
_ALONG_FACES = SplittingRules(least_altitude=1e9)
#: What is no larger than this part of all leaves as soon as it has broken off. By eye: half of it.
_REST = 0.5
#: How often waves cross the whole without a crack until none is to come. By eye: contacts of hard things last for five
#: of them; where it would crack on, it does so when it is hit again.
_TRANSITS = 10.0
#: Stress of a blow of which nobody chose the speed, over the strength. Tried on cubes and balls of 2 m: 8 breaks none
#: of them, 16 makes 6 to 22 pieces, 30 up to 48, and the speed that rigid cells get makes dust.
_BLOW = 18.0
#: Parts of a frame at the least, between which a job can be stopped and contacts are looked for. By eye.
_PARTS = 20


class FiniteElementRun:
    """The `contract.ContinuumRun` of a body of elements."""

    def __init__(self, obj: ContinuumObject, divided: DividedElements, params: FiniteElementParams) -> None:
        self._obj, self._divided, self._params = obj, divided, params
        self._cut = start_cut_mesh(divided.mesh, divided.material, divided.anchored)
        self._cut.velocity[:] = _velocity_at_start(obj, self._cut)
        self._loads, self._known, self._window = free_loads(), self._cut.node_count, 0.0
        law = FailureLaw(True, drawn_direction(obj.seed))
        rules = SplittingRules(keep_spin=True, planes=params.planes, least_altitude=_LEAST_ALTITUDE)
        self._motion = BreakingMotion(self._cut, law, rules, integrator=_INTEGRATOR[params.steps])
        self._motion.loads = self._current_loads
        embedding = divided.embedding
        everything = np.arange(int(embedding.cells.unit.max()) + 1)
        self.pieces: list[ContinuumPiece] = [ContinuumPiece(obj.body, embedding.cells, everything, -1, 0)]
        self._matter = PieceCells(obj.body, embedding, obj.seed)
        self._carried = CarriedElements(divided.mesh.node_material, divided.mesh.element_node)
        self._living = {0}  # pieces that are, and have not left
        self._key = {0: 0}  # by which elements and the matter around know each piece
        self._keys = 1
        self._calm = CalmFrames()
        self._quiet = 0.0  # time without a crack [s]
        self._gravity = np.zeros(3)
        self._mass = float(self._cut.mass.sum())
        self._size = diagonal(divided.mesh.node_material)
        self._strike(0)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the report says."""
        done = self._motion.done
        told = list(self._divided.notes)
        if done.splits:
            elements = number(self._cut.element_count, 6)
            told.append(
                f"Cracks began or went on {number(done.splits, 6)} times, {number(done.along_faces, 6)} of them along "
                f"faces for want of room; {elements} elements at the end."
            )
            if self._is_dust():
                told.append(f"From {number(_DUST)} times the elements on cracks ran along them: hit it less hard.")
        return tuple(told)

    def advance(self, frame: int, around: Surroundings) -> Generator[float, None, tuple[ReleasedPiece, ...]]:
        """Go on by a frame."""
        cut, nodes = self._cut, self._cut.node_count
        self._gravity = around.gravity
        if self._living:
            self._motion.may_break = self._breakable(frame)
            yield from self._move(around)
        self._carried.add_frame(cut.rows.nodes.material[: cut.node_count].copy(), cut.position.copy())
        released: tuple[ReleasedPiece, ...] = ()
        if self._living:
            way = float(np.abs(self._carried.last_way()).max(initial=0.0))
            self._calm.add((way, self._size), cut.node_count > nodes)
            if cut.node_count > nodes:
                self._part(frame)
            released = self._release()
            self._strike(frame)
        return released

    def deform(self, piece: int, points: Floats, frame: int) -> Floats:
        """Where points (n,3) of a piece are at a stored frame."""
        return self._carried.deform(piece, points, frame)

    def energy(self) -> Floats:
        """(2,) kinetic energy, and that of place and strain [J]; that of place is 0 where it began."""
        cut, stays = self._cut, self._stays()
        v, mass = cut.velocity, np.where(stays, cut.mass, 0.0)
        everything = np.arange(cut.element_count)
        shapes = ElementShapes(cut.gradient, cut.volume)
        body = ElementBody(cut.as_mesh(), shapes, cut.material(everything), cut.mass, self._motion.blocks)
        strain = float(strain_energies(body, cut.position).sum())
        fallen = ((cut.position - cut.rows.nodes.material[: cut.node_count]) * self._gravity).sum(axis=1)
        kinetic = 0.5 * float((mass * (v * v).sum(axis=1)).sum())
        return np.array([kinetic, strain - float((mass * fallen).sum())])

    def is_calm(self) -> bool:
        """Whether all that is left lies still."""
        return not self._living or self._calm.are_enough

    def draw(self) -> DrawnPieces | None:
        """As their cells are: these are cut along cracks already."""
        return None

    def _stays(self) -> Bools:
        """(n,) nodes that have not left."""
        cut, stays = self._cut, np.zeros(self._cut.node_count, np.bool_)
        stays[cut.element_node[np.isin(cut.element_piece, [self._key[piece] for piece in self._living])]] = True
        return stays

    def _current_loads(self, cut: CutMesh) -> ElementLoads:
        """The loads of the window, as they are now."""
        passed = self._motion.time - self._window
        return loads_after(cut, self._loads, self._known, passed)

    def _move(self, around: Surroundings) -> Generator[float, None, None]:
        """Let a frame go by, in windows within which the same surfaces are in the way."""
        left, margin = around.dt, self._cut.median_altitude
        while left > 0.0:
            share = 1.0 - left / around.dt
            self._loads, holds = contact_loads(self._cut, around, share, self._obj.material, margin)
            self._known, self._window = self._cut.node_count, self._motion.time
            self._motion.begin_anew()
            time = min(left, holds, around.dt / _PARTS)
            # Never less than a substep, however fast it comes.
            time = left if left - time < 1e-3 * around.dt / _PARTS else max(time, 1e-6 * around.dt)
            splits = self._motion.done.splits
            self._motion.run(time)
            left = left - time if time < left else 0.0
            self._quiet = 0.0 if self._motion.done.splits > splits else self._quiet + time
            if left > 0.0 and self._is_quiet():
                self._glide(left)
                return
            yield 1.0 - left / around.dt

    def _is_quiet(self) -> bool:
        """Whether waves have run to and fro without a crack for so long that none is to come."""
        releases = self._params.release != STAYS_ELASTIC and self._params.rigid_below > 0.0
        return releases and self._quiet > _TRANSITS * self._size / self._divided.sound

    def _glide(self, time: float) -> None:
        """Let what is left of a frame go by without waves."""
        cut, label = self._cut, piece_labels(self._cut)
        for part in np.unique(label).tolist():
            node = np.unique(cut.element_node[label == part])
            if not cut.anchored[node].any():
                moved = glide_nodes(cut.mass[node], cut.position[node], cut.velocity[node], self._gravity, time)
                cut.position[node], cut.velocity[node] = moved

    def _breakable(self, frame: int) -> Callable[[Floats], Bools]:
        """Which nodes may be split in a frame: those within the time and the spheres of the influence."""
        influence, time = self._obj.influence, frame / self._obj.clock.fps
        in_time = influence.start <= time <= influence.end

        def breakable(position: Floats) -> Bools:
            if self._is_dust():
                self._motion.rules = _ALONG_FACES
            return in_time & are_within_spheres(influence.spheres, position)

        return breakable

    def _is_dust(self) -> bool:
        """Whether it has been cut so often that nothing is seen of finer cracks."""
        return self._cut.element_count > _DUST * len(self._divided.mesh.element_node)

    def _strike(self, frame: int) -> None:
        """Let the impacts of a stored frame act; those after the last frame never do."""
        cut = self._cut
        for hit in self._obj.impacts:
            if round(hit.time * self._obj.clock.fps) == frame and hit.speed > 0.0 and self._living:
                blow = replace(hit, speed=min(hit.speed, self._most_speed())) if hit.automatic else hit
                cut.velocity[:] = struck_velocity(cut.position, cut.velocity, blow, cut.anchored)
                self._calm.begin()
                self._quiet = 0.0

    def _most_speed(self) -> float:
        """The speed of a blow that breaks it well [m/s]: one of v makes a stress of rho c v."""
        whole = self._divided.material
        rho, c = float(np.median(whole.density)), self._divided.sound
        return _BLOW * float(np.median(whole.toughness)) / (rho * c)

    # What is born, and what leaves

    def _part(self, frame: int) -> None:
        """Make pieces of what came apart in a frame."""
        cut = self._cut
        parent, label = cut.element_piece.copy(), piece_labels(cut)
        child = parent.copy()
        families: dict[int, list[int]] = {}
        for piece in sorted(self._living):
            mine = np.flatnonzero(parent == self._key[piece])
            parts = np.unique(label[mine])
            if len(parts) == 1:
                self._carried.carry(piece, frame, cut.element_node[mine].copy())
                continue
            families[piece] = list(range(self._keys, self._keys + len(parts)))
            child[mine] = self._keys + np.searchsorted(parts, label[mine])
            self._keys += len(parts)
        if families:
            made = list(self._matter.divide(cut, parent, child))
            cut.element_piece[:] = child
            for piece, keys in families.items():
                self._living.discard(piece)
                for key in keys:
                    self._bear(frame, piece, key, next((one for one in made if key in one[1]), None))

    def _bear(self, frame: int, parent: int, key: int, matter: tuple[Cells, Ints] | None) -> None:
        """A piece is born, unless there is nothing of the body in it."""
        mine = np.flatnonzero(self._cut.element_piece == key)
        if matter is None:
            self._leave(mine)
            return
        cells, kinds = matter
        born = len(self.pieces)
        self.pieces.append(ContinuumPiece(self._obj.body, cells, np.flatnonzero(kinds == key), parent, frame))
        self._living.add(born)
        self._key[born] = key
        self._carried.bear(born, parent, frame, self._cut.element_node[mine].copy())

    def _release(self) -> tuple[ReleasedPiece, ...]:
        """Let go of pieces that hardly swing any more, and at once of those that are small.

        To what is rigid a surface that deforms is kinematic: a splinter would push as if it were a wall.
        """
        if self._params.release == STAYS_ELASTIC:
            return ()
        cut, leaving = self._cut, []
        for piece in sorted(self._living):
            if self.pieces[piece].parent < 0 and self._params.rigid_below == 0.0:
                continue  # it would never deform again
            mine = np.flatnonzero(cut.element_piece == self._key[piece])
            node = np.unique(cut.element_node[mine])
            mass, position, velocity = cut.mass[node], cut.position[node], cut.velocity[node]
            small = self.pieces[piece].parent >= 0 and float(mass.sum()) <= _REST * self._mass
            calm = small or is_piece_calm(mass, position, velocity, self._divided.sound)
            if cut.anchored[node].any() or not calm:
                continue
            leaving.append(sum_motion(piece, mass, position, velocity))
            self._living.discard(piece)
            self._leave(mine)
        return tuple(leaving)

    def _leave(self, element: Ints) -> None:
        """Some elements exert no force any more, and their nodes stay where they are."""
        cut = self._cut
        node = np.unique(cut.element_node[element])
        cut.anchored[node], cut.velocity[node] = True, 0.0
        self._motion.leave_out(element)


def _velocity_at_start(obj: ContinuumObject, cut: CutMesh) -> Floats:
    if obj.begin is None:
        arm = cut.position - obj.pivot
        velocity = obj.velocity + cross_rows(np.broadcast_to(obj.spin, arm.shape), arm)
    else:
        velocity = velocities_of_begin(cut.mass, cut.position, obj.begin)
    velocity[cut.anchored] = 0.0
    return np.asarray(velocity)
