"""A body of springs on its way through the clock: pieces as cells break, and what leaves.

Pieces are born at stored frames, though springs tear between them. A piece in which only broken matter changed hands
stays the same piece: from that frame on other cells carry it.
"""

import math
from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from ...arithmetic.products import apply
from ...errors import CutError
from ...geometry.mesh import cross_rows
from ...strength.influence import are_within_spheres
from ...types import Bools, Floats, Ints
from ...wording import number
from ..blows import struck_velocity
from ..calmness import CalmFrames, is_piece_calm
from ..contract import (
    ContinuumObject,
    ContinuumPiece,
    DrawnPieces,
    NearestSurface,
    ReleasedPiece,
    Surroundings,
    TetrahedronOverlaps,
    value_at,
)
from ..rigid_motion import sum_motion, velocities_of_begin
from .advance_lattice import LatticeReport, advance_lattice
from .breaking import isolated_nodes
from .carried_pieces import CarriedPieces, ShardPose
from .cell_frames import cell_turn, edge_products, mean_edges
from .divided_body import DividedBody
from .drawn_pieces import draw_outlines
from .energy import lattice_energy
from .free_fall import advance_free_fall, falls_freely
from .lattice import SpringLattice
from .lonely_nodes import NodeMotion, Shares, catch_nodes, share_nodes
from .params import AS_CELLS, AT_ONCE, STAYS_SOFT, SpringLatticeParams
from .parting import SHARD, LatticeDamage, Parting, part_matter
from .shards import largest_part, rotate_inertia, share_turning, unit_inertias
from .state import LatticeState, rest_state
from .steering import centre_motion, slow_settling_nodes, steering_acceleration
from .taken_nodes import take_nodes

#: Part of its volume below which a cell is too flat for its piece to become a rigid body. By eye.
_FLAT = 0.2
#: What is larger than this, of all, never leaves at once: it may break on. By eye: half of it.
_REST = 0.5


@dataclass(frozen=True, slots=True)
class _UnderGravity:
    """The `contract.Surroundings` of a frame under another gravity."""

    around: Surroundings
    gravity: Floats  #: (3,) [m/s^2]

    @property
    def dt(self) -> float:
        return self.around.dt

    def find_nearest(self, points: Floats, share: float) -> NearestSurface:
        return self.around.find_nearest(points, share)

    def find_overlaps(self, tetrahedra: Floats, share: float) -> TetrahedronOverlaps:
        return self.around.find_overlaps(tetrahedra, share)


class SpringLatticeRun:
    """The `contract.ContinuumRun` of a body of springs.

    Numbers of nodes, hexahedra and cells are those of the embedding; those of what is still a lattice are `_node`
    and `_hexahedron` of its rows.
    """

    def __init__(self, obj: ContinuumObject, divided: DividedBody, params: SpringLatticeParams) -> None:
        self._obj, self._divided, self._params = obj, divided, params
        self._lattice, self._state = divided.lattice, _state_at_start(obj, divided)
        self._begin, _ = centre_motion(self._state, self._lattice.mass)
        self._node = np.arange(len(divided.lattice.mass))
        self._hexahedron = np.arange(len(divided.embedding.hexahedra))
        self._broken = np.zeros(len(self._hexahedron), np.bool_)  # of all hexahedra
        everything = np.arange(len(divided.units.volume))
        self.pieces = [ContinuumPiece(obj.body, divided.embedding.cells, everything, -1, 0)]
        self._carried = CarriedPieces(divided.embedding, ~self._broken)
        self._owner = np.zeros(len(everything), np.int64)  # piece of each unit
        self._living = {0}  # pieces that are, and have not left
        self._calm = CalmFrames()
        self._around: Surroundings | None = None
        self._laws = divided.laws
        self._shards = self._torn = 0
        self._drawn = ""  # what is to be told of how outlines are drawn
        self._inertia = unit_inertias(divided.embedding.cells)
        # Whether it has done nothing but fall, all in one direction: then nothing in it can have moved.
        self._falls = obj.begin is None and not obj.spin.any() and not divided.anchored.any()
        self._strike(0)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the report says."""
        told = list(self._divided.notes)
        if self._torn:
            torn, of = self._torn, len(self._divided.embedding.hexahedra)
            told.append(
                f"{number(torn, 6)} of {number(of, 6)} cells tore; {number(self._shards, 6)} flew off by themselves."
            )
        if self._drawn:
            told.append(self._drawn)
        return tuple(told)

    def advance(self, frame: int, around: Surroundings) -> Generator[float, None, tuple[ReleasedPiece, ...]]:
        """Go on by a frame."""
        scale = value_at(self._obj.courses, "gravity_scale", frame, self._params.gravity_scale)
        self._around = around = _UnderGravity(around, scale * around.gravity)
        around = self._steer(around, frame)
        firmness = value_at(self._obj.courses, "stiffness_scale", frame, self._params.stiffness_scale)
        self._laws = replace(self._laws, stiffness_scale=firmness)
        released: tuple[ReleasedPiece, ...] = ()
        places = self._carried.nodes_at(frame - 1).copy()
        self._falls = self._falls and falls_freely(self._lattice, self._state, around)
        if self._falls:
            self._state = advance_free_fall(self._state, around)
            self._carried.add_frame(self._state.position)
            self._strike(frame)
        elif len(self._node):
            anchored = self._divided.anchored[self._node]
            lattice = self._breakable(frame)
            self._state, report = yield from advance_lattice(lattice, self._state, self._laws, around, anchored)
            if self._params.settles > 0.0:
                velocity = slow_settling_nodes(self._state.velocity, self._params.settles, around.dt)
                self._state = replace(self._state, velocity=velocity)
            places[self._node] = self._state.position
            self._carried.add_frame(places)
            self._note(report)
            released = self._part(frame)
            self._strike(frame)
        else:
            self._carried.add_frame(places)
        return released

    def deform(self, piece: int, points: Floats, frame: int) -> Floats:
        """Where points (n,3) of a piece are at a stored frame."""
        return self._carried.deform(piece, points, frame)

    def energy(self) -> Floats:
        """(2,) kinetic energy, and that of place and strain [J]; that of place is 0 where it began."""
        if self._around is None or len(self._node) == 0:
            speed = (self._state.velocity * self._state.velocity).sum(axis=1)
            return np.array([0.5 * float((self._lattice.mass * speed).sum()), 0.0])
        energy = lattice_energy(self._lattice, self._state, self._laws, self._around, 1.0)
        began = (self._lattice.rest_position * self._around.gravity).sum(axis=1)
        place = energy.gravity + float((self._lattice.mass * began).sum())
        return np.array([energy.kinetic, energy.springs + energy.contact + place])

    def is_calm(self) -> bool:
        """Whether all that is left lies still."""
        return len(self._node) == 0 or self._calm.are_enough

    def draw(self) -> DrawnPieces | None:
        """The pieces with smooth outlines, where they are to have these and can."""
        if len(self.pieces) == 1 or self._params.borders == AS_CELLS:
            return None
        unit = np.unique(self._owner, return_inverse=True)[1].astype(np.int64)
        try:
            cells, self._drawn = draw_outlines(self._divided.embedding, self._obj, unit, self._params.borders)
        except CutError as error:
            self._drawn = f"Broken outlines are those of cells: {error}"
            return None
        return DrawnPieces(cells, unit)

    def _steer(self, around: _UnderGravity, frame: int) -> _UnderGravity:
        """What is in the way, and what steers it to its goal, which carries its weight."""
        rate = value_at(self._obj.courses, "steering", frame, self._params.steering)
        if rate == 0.0 or len(self._node) == 0:
            return around
        goal = np.array(self._params.goal)
        if self._obj.begin is not None:
            goal = apply(self._obj.begin.turn.T, goal)
        goal = self._begin + goal
        acceleration = steering_acceleration(self._state, self._lattice.mass, goal, rate, around.dt)
        return replace(around, gravity=acceleration)

    def _breakable(self, frame: int) -> SpringLattice:
        """The lattice as it may break in a frame: within the time and the spheres of the influence."""
        influence, time, lattice = self._obj.influence, frame / self._obj.clock.fps, self._lattice
        if not influence.start <= time <= influence.end:
            return replace(lattice, threshold=np.full(len(lattice.threshold), math.inf))
        if len(influence.spheres) == 0:
            return lattice
        ends = self._state.position[lattice.bond_node]
        within = are_within_spheres(influence.spheres, 0.5 * (ends[:, 0] + ends[:, 1]))
        return replace(lattice, threshold=np.where(within, lattice.threshold, math.inf))

    def _note(self, report: LatticeReport) -> None:
        self._calm.add(self._carried.last_way(self._node), len(report.trip_time) > 0)

    def _strike(self, frame: int) -> None:
        """Let the impacts of a stored frame act; those after the last frame never do."""
        for hit in self._obj.impacts:
            if round(hit.time * self._obj.clock.fps) == frame and hit.speed > 0.0 and len(self._node):
                anchored, state = self._divided.anchored[self._node], self._state
                struck = struck_velocity(state.position, state.velocity, hit, anchored)
                self._state = replace(state, velocity=struck)
                self._calm.begin()
                self._falls = False

    # What is born, and what leaves

    def _part(self, frame: int) -> tuple[ReleasedPiece, ...]:
        """Make pieces of what came apart in a frame, and let go of those that go on as rigid bodies."""
        state = self._state
        newly = self._hexahedron[state.cell_broken & ~self._broken[self._hexahedron]]
        leaving: list[ReleasedPiece] = []
        gone = np.zeros(len(self._node), np.bool_)
        if len(newly):
            self._broken[newly] = True
            self._torn += len(newly)
            leaving, gone = self._bear(frame)
        leaving += self._release_calm(frame, gone)
        if gone.any():
            self._take(~gone)
        return tuple(leaving)

    def _bear(self, frame: int) -> tuple[list[ReleasedPiece], Bools]:
        """The pieces of all that broke; shards leave at once, and lonely nodes are shared out."""
        damage = self._damage()
        partings: dict[int, Parting] = {}
        carrier = np.full(len(self._owner), SHARD, np.int64)
        for piece in sorted(self._living):
            units = self.pieces[piece].units
            if not self._broken[damage.hexahedron[units]].any():
                carrier[units] = damage.hexahedron[units]
                continue
            partings[piece] = part_matter(self._divided.units, units, damage)
            carrier[units] = partings[piece].carrier
        alive = np.isin(self._owner, sorted(self._living))
        cell = np.flatnonzero(alive & self._broken[damage.hexahedron])
        shares = share_nodes(
            damage.lonely, damage.corner[damage.hexahedron[cell]], carrier[cell], self._divided.units.volume[cell]
        )
        shares = Shares(shares.node, cell[shares.cell], shares.share)
        turning = np.zeros((int(self._state.label.max()) + 1, 3))  # left of shards, for each component
        leaving = []
        for piece, parting in partings.items():
            some, left = self._divide_piece(piece, parting, shares, frame)
            leaving += some
            if parting.joined:
                units = self.pieces[piece].units
                part = largest_part(parting.part, parting.joined, self._divided.units.volume[units])
                turning[damage.label[damage.corner[parting.carrier[parting.part == part][0], 0]]] += left
        self._catch(shares, carrier, damage, turning)
        return leaving, damage.lonely[self._node]

    def _damage(self) -> LatticeDamage:
        embedding, count = self._divided.embedding, len(self._divided.embedding.nodes)
        label, lonely = np.full(count, -1, np.int64), np.zeros(count, np.bool_)
        label[self._node] = self._state.label
        lonely[self._node] = isolated_nodes(self._lattice, self._state.broken)
        return LatticeDamage(self._divided.hexahedron, embedding.hexahedra, self._broken, label, lonely)

    def _divide_piece(
        self, piece: int, parting: Parting, shares: Shares, frame: int
    ) -> tuple[list[ReleasedPiece], Floats]:
        """Note what became of a piece; its shards leave. Also the angular momentum (3,) that these did not take."""
        units = self.pieces[piece].units
        hexahedra = self._divided.hexahedron[units]
        if parting.total == parting.joined == 1:
            self._carried.carry(piece, frame, hexahedra[~self._broken[hexahedra]])
            return [], np.zeros(3)
        self._living.discard(piece)
        leaving, left, cells = [], np.zeros(3), self._divided.embedding.cells
        order = np.argsort(parting.part, kind="stable")
        for part, rows in enumerate(np.split(order, np.cumsum(np.bincount(parting.part))[:-1])):
            born = len(self.pieces)
            self.pieces.append(ContinuumPiece(self._obj.body, cells, units[rows], piece, frame))
            self._owner[units[rows]] = born
            if part < parting.joined:
                self._living.add(born)
                own = hexahedra[rows]
                self._carried.bear(born, piece, frame, own[~self._broken[own]])
            else:
                shard, rest = self._shard(born, piece, int(units[rows[0]]), shares, frame)
                leaving.append(shard)
                left += rest
        return leaving, left

    def _shard(self, born: int, parent: int, unit: int, shares: Shares, frame: int) -> tuple[ReleasedPiece, Floats]:
        """A unit by itself: turned as its cell was the frame before, it goes where its nodes went."""
        self._shards += 1
        mine = np.flatnonzero(shares.cell == unit)
        node, share = shares.node[mine], shares.share[mine]
        row = self._rows_of(node)
        mass = share * self._lattice.mass[row]
        result = self._sum(born, row, mass)
        corner = self._divided.embedding.hexahedra[self._divided.hexahedron[unit]]
        turn = cell_turn(self._carried.nodes_at(0)[corner], self._carried.nodes_at(frame - 1)[corner])
        self._carried.bear_shard(
            born, parent, frame, ShardPose(turn, self._divided.units.centroid[unit], result.centre)
        )
        volume = float(self._divided.units.volume[unit])
        inertia = rotate_inertia(turn, self._inertia[unit], result.mass, volume)
        kept = share_turning(result, mass, self._state.position[row], inertia)
        return replace(result, angular_momentum=kept), result.angular_momentum - kept

    def _rows_of(self, node: Ints) -> Ints:
        return np.searchsorted(self._node, node)

    def _sum(self, piece: int, row: Ints, mass: Floats) -> ReleasedPiece:
        """What some rows of the lattice have, of which it takes a mass (k,) each."""
        return sum_motion(piece, mass, self._state.position[row], self._state.velocity[row])

    def _catch(self, shares: Shares, carrier: Ints, damage: LatticeDamage, turning: Floats) -> None:
        """Let the cells that carry broken ones take on the lonely nodes of these."""
        caught = carrier[shares.cell] != SHARD
        some = Shares(self._rows_of(shares.node[caught]), shares.cell[caught], shares.share[caught])
        catcher = self._rows_of(damage.corner[carrier[some.cell]].ravel()).reshape(-1, 8)
        state = self._state
        after = catch_nodes(
            NodeMotion(self._lattice.mass, state.position, state.velocity), some, catcher, state.label, turning
        )
        self._lattice = replace(self._lattice, mass=after.mass)
        self._state = replace(state, velocity=after.velocity)

    def _release_calm(self, frame: int, gone: Bools) -> list[ReleasedPiece]:
        """Let go of pieces that broke off and are calm; marks their rows of the lattice as gone."""
        leaving: list[ReleasedPiece] = []
        if self._params.release == STAYS_SOFT:
            return leaving
        embedding = self._divided.embedding
        for piece in sorted(self._living):
            one = self.pieces[piece]
            if one.parent < 0:
                continue
            own = self._divided.hexahedron[one.units]
            node = np.unique(embedding.hexahedra[own[~self._broken[own]]])
            row = self._rows_of(node)
            if self._divided.anchored[node].any():
                continue
            if self._is_flat(np.unique(own[~self._broken[own]])):
                continue
            sound, state = self._divided.sound, self._state
            volume = self._divided.units.volume
            small = volume[one.units].sum() <= _REST * volume.sum()
            at_once = self._params.release == AT_ONCE and small
            if not at_once and not is_piece_calm(
                self._lattice.mass[row], state.position[row], state.velocity[row], sound
            ):
                continue
            leaving.append(self._sum(piece, row, self._lattice.mass[row]))
            self._living.discard(piece)
            gone[row] = True
        return leaving

    def _is_flat(self, hexahedra: Ints) -> bool:
        """Whether some hexahedra are pressed too flat to be left so."""
        corner = self._divided.embedding.hexahedra[hexahedra]
        rest = edge_products(mean_edges(self._carried.nodes_at(0), corner))
        return bool((edge_products(mean_edges(self._carried.last, corner)) < _FLAT * rest).any())

    def _take(self, keep: Bools) -> None:
        """Go on with a part of the lattice."""
        taken = take_nodes(self._lattice, self._state, keep)
        self._lattice, self._state = taken.lattice, taken.state
        self._node, self._hexahedron = self._node[taken.node], self._hexahedron[taken.cell]


def _state_at_start(obj: ContinuumObject, divided: DividedBody) -> LatticeState:
    if obj.begin is None:
        arm = divided.lattice.rest_position - obj.pivot
        velocity = obj.velocity + cross_rows(np.broadcast_to(obj.spin, arm.shape), arm)
    else:
        velocity = velocities_of_begin(divided.lattice.mass, divided.lattice.rest_position, obj.begin)
    velocity[divided.anchored] = 0.0
    return rest_state(divided.lattice, velocity)
