"""What stands around the body: ground, colliders on their way, gravity, as the world of each frame."""

from collections.abc import Generator, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from ..arithmetic.products import apply
from ..arithmetic.small_matrices import rotation_matrices
from ..rigid.shapes.collider_parts import collider_part_steps
from ..rigid.shapes.convex_parts import ConvexParts, concatenate_parts
from ..rigid.shapes.rigid_regions import RigidRegion, find_rigid_regions
from ..rigid.state import ColliderPoses, Colliders, World
from ..types import Collider, Floats, Ground, Mesh
from .deforming_mesh import DeformingMesh, LiveSurface
from .obstacles import Obstacle, ObstacleShape

_NONE: frozenset[int] = frozenset()
#: What a world depends on: the frame, what is gone, and how often each surface was shown that is found frame by frame.
_Key: TypeAlias = tuple[int, frozenset[int], tuple[int, ...]]


class ColliderParts(NamedTuple):
    """A collider: what of it keeps its form, and what deforms."""

    rigid: list[tuple[ConvexParts, RigidRegion]]
    soft: DeformingMesh | LiveSurface | None


def make_parts_of_colliders(colliders: tuple[Collider, ...]) -> Generator[None, None, list[ColliderParts]]:
    """Make the parts of all colliders, yielding now and then. Raises InputError for one without a surface."""
    shaped = []
    for one in colliders:
        parts, left = find_rigid_regions(one.deformed) if one.deformed else ([_rigid(one)], ())
        rigid = []
        for part in parts:
            rigid.append(((yield from collider_part_steps(part.mesh)), part))
        shaped.append(ColliderParts(rigid, DeformingMesh(left) if left else None))
    return shaped


def deforming_collider(meshes: tuple[Mesh, ...]) -> Collider:
    """A collider that is a mesh at each frame, in the world."""
    return Collider(meshes[0], np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]]), meshes)


class Environment:
    """The worlds of all frames of a clock; shapes of colliders that keep their form are made once.

    Objects that deform are kinematic as colliders are, and have the numbers behind theirs, until they break.
    """

    def __init__(
        self,
        gravity: Floats,
        ground: Ground | None,
        shaped: list[ColliderParts],
        frames: int,
        objects: Sequence[ColliderParts] = (),
    ) -> None:
        self.gravity, self.ground = gravity, ground
        self._still = World(gravity, ground)
        self._frames = frames
        self.colliders = len(shaped)  #: how many there are; from that number on, objects
        every = [*shaped, *objects]
        self._rigid = [one.rigid for one in every]
        self._soft = [one.soft for one in every]
        self._poses: tuple[Floats, Floats] | None = None
        self._anew = any(self._soft) or len(objects) > 0  # the world is another one at each frame
        self._live = [one.soft for one in shaped if isinstance(one.soft, LiveSurface)]
        self._made: tuple[_Key, World] = ((0, frozenset(), ()), self._still)
        shapes = [shape for some in self._rigid for shape, _ in some]
        if not shapes:
            return
        middle = np.array([0.5 * (some.vertices.min(axis=0) + some.vertices.max(axis=0)) for some in shapes])
        paths = [part for some in self._rigid for _, part in some]
        rotation = np.stack([_each(one.rotation, frames) for one in paths], axis=1)
        origin = np.stack([_each(one.position, frames) for one in paths], axis=1)
        turned = np.stack([rotation_matrices(q) for q in rotation])
        self._poses = origin + apply(turned, middle), rotation
        if not self._anew:
            start = np.cumsum([0] + [len(some.parts) for some in shapes])
            number = np.repeat(np.arange(len(self._rigid)), [len(some) for some in self._rigid])
            self._still = World(gravity, ground, Colliders(concatenate_parts(shapes), start, middle, number))
        self._middle = middle

    @cached_property
    def last_moving(self) -> int:
        """The last stored frame on the way to which any collider, or object, moves or deforms; 0 where all stand."""
        poses = [] if self._poses is None else [pose.reshape(len(pose), -1) for pose in self._poses]
        moved = [np.flatnonzero((pose[1:] != pose[:-1]).any(axis=1)) for pose in poses]
        rigid = max((int(steps[-1]) + 1 for steps in moved if len(steps)), default=0)
        return min(max(rigid, *(soft.last_moving for soft in self._soft if soft is not None), 0), self._frames - 1)

    def world(self, frame: int, gone: frozenset[int] = _NONE) -> World:
        """The world on the way to stored frame `frame`, from 1 on, without the objects of the numbers `gone`."""
        if self._anew:
            key = frame, gone, tuple(one.shown for one in self._live)
            if self._made[0] != key:
                self._made = key, self._deformed(frame, gone)
            return self._made[1]
        if self._poses is None:
            return self._still
        position, rotation = self._poses
        ends = slice(frame - 1, frame + 1)
        lead = ColliderPoses(position[ends], rotation[ends])
        return World(self._still.gravity, self._still.ground, self._still.colliders, lead)

    def obstacles(self, frame: int) -> Iterator[Obstacle]:
        """The colliders on the way to stored frame `frame`, from 1 on, as what deforms runs into them."""
        ends = slice(frame - 1, frame + 1)
        for shape, position, rotation in self._obstacles:
            yield Obstacle(shape, position[ends], rotation[ends])
        for soft in self._soft[: self.colliders]:
            if isinstance(soft, DeformingMesh):
                start, end = soft.ends(frame)
                shape = ObstacleShape(start.vertices, start.triangles)
                yield Obstacle(shape, np.zeros((2, 3)), np.tile(np.eye(4)[0], (2, 1)), end.vertices)

    @cached_property
    def _obstacles(self) -> list[tuple[ObstacleShape, Floats, Floats]]:
        """What of the colliders keeps its form, with its positions and rotations at all frames."""
        regions = [region for rigid in self._rigid[: self.colliders] for _, region in rigid]
        return [
            (
                ObstacleShape(one.mesh.vertices, one.mesh.triangles),
                _each(one.position, self._frames),
                _each(one.rotation, self._frames),
            )
            for one in regions
        ]

    def _deformed(self, frame: int, gone: frozenset[int]) -> World:
        """The same where something deforms: what keeps its form, then the skin, of each collider."""
        shapes: list[ConvexParts] = []
        bodies, pivot, position, rotation = [], [], [], []
        skin: list[bool] = []
        number: list[int] = []
        at = 0
        ends = slice(frame - 1, min(frame, self._frames - 1) + 1)
        for k, (rigid, soft) in enumerate(zip(self._rigid, self._soft, strict=True)):
            if k in gone:
                at += len(rigid)
                continue
            for shape, _ in rigid:
                assert self._poses is not None  # there is something that keeps its form
                shapes.append(shape)
                bodies.append(np.array([len(shape.parts)]))
                pivot.append(self._middle[at][None])
                position.append(_both(self._poses[0][ends, at : at + 1]))
                rotation.append(_both(self._poses[1][ends, at : at + 1]))
                at += 1
            way = None if soft is None else soft.way(min(frame, self._frames - 1))
            if way is not None:
                shape, place, turn = way
                shapes.append(shape)
                bodies.append(np.ones(len(shape.parts), np.int64))
                pivot.append(np.zeros((len(shape.parts), 3)))
                position.append(place)
                rotation.append(turn)
            count = sum(len(some) for some in bodies) - len(number)
            number += [k] * count
            # Of an object it is asked at each frame where in the world it was touched, and how fast it moved there.
            skin += [k >= self.colliders] * len(rigid) + [True] * (count - len(rigid))
        if not shapes:
            return self._still
        start = np.concatenate([[0], np.cumsum(np.concatenate(bodies))])
        colliders = Colliders(concatenate_parts(shapes), start, np.concatenate(pivot), np.array(number), np.array(skin))
        lead = ColliderPoses(np.concatenate(position, axis=1), np.concatenate(rotation, axis=1))
        return World(self._still.gravity, self._still.ground, colliders, lead)


def _rigid(one: Collider) -> RigidRegion:
    return RigidRegion(one.mesh, one.position, one.rotation)


def _both(ends: Floats) -> Floats:
    """The two ends of a frame; behind the last frame nothing moves."""
    return ends if len(ends) == 2 else np.repeat(ends, 2, axis=0)


def _each(values: Floats, frames: int) -> Floats:
    """One row for each stored frame; after the last one of the values nothing moves."""
    rows: Floats = values[np.minimum(np.arange(frames), len(values) - 1)]
    return rows
