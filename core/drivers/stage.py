"""What stands around the body: ground, colliders on their way, gravity, as the world of each frame."""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..arithmetic.products import apply
from ..motion.collider_shapes import collider_shape_steps
from ..motion.pose import matrices
from ..motion.rigid_path import RigidPart, rigid_parts
from ..motion.shapes import Shapes, concatenated
from ..motion.state import Colliders, Lead, World
from ..types import Collider, Floats, Ground
from .deforming import Deforming


class Shaped(NamedTuple):
    """A collider: what of it keeps its form, and what deforms."""

    rigid: list[tuple[Shapes, RigidPart]]
    soft: Deforming | None


def shape_colliders(colliders: tuple[Collider, ...]) -> Generator[None, None, list[Shaped]]:
    """Make the parts of all colliders, yielding now and then. Raises InputError for one without a surface."""
    shaped = []
    for one in colliders:
        parts, left = rigid_parts(one.deformed) if one.deformed else ([_rigid(one)], ())
        rigid = []
        for part in parts:
            rigid.append(((yield from collider_shape_steps(part.mesh)), part))
        shaped.append(Shaped(rigid, Deforming(left) if left else None))
    return shaped


class Stage:
    """The worlds of all frames of a clock; shapes of colliders that keep their form are made once."""

    def __init__(self, gravity: Floats, ground: Ground | None, shaped: list[Shaped], frames: int) -> None:
        self._still = World(gravity, ground)
        self._frames = frames
        self._rigid = [one.rigid for one in shaped]
        self._soft = [one.soft for one in shaped]
        self._poses: tuple[Floats, Floats] | None = None
        self._made: tuple[int, World] = (0, self._still)
        shapes = [shape for some in self._rigid for shape, _ in some]
        if not shapes:
            return
        middle = np.array([0.5 * (some.vertices.min(axis=0) + some.vertices.max(axis=0)) for some in shapes])
        paths = [part for some in self._rigid for _, part in some]
        rotation = np.stack([_each(one.rotation, frames) for one in paths], axis=1)
        origin = np.stack([_each(one.position, frames) for one in paths], axis=1)
        turned = np.stack([matrices(q) for q in rotation])
        self._poses = origin + apply(turned, middle), rotation
        if not any(self._soft):
            start = np.cumsum([0] + [len(some.parts) for some in shapes])
            number = np.repeat(np.arange(len(self._rigid)), [len(some) for some in self._rigid])
            self._still = World(gravity, ground, Colliders(concatenated(shapes), start, middle, number))
        self._middle = middle

    def world(self, frame: int) -> World:
        """The world on the way to stored frame `frame`, from 1 on."""
        if any(self._soft):
            if self._made[0] != frame:
                self._made = frame, self._deformed(frame)
            return self._made[1]
        if self._poses is None:
            return self._still
        position, rotation = self._poses
        ends = slice(frame - 1, frame + 1)
        lead = Lead(position[ends], rotation[ends])
        return World(self._still.gravity, self._still.ground, self._still.colliders, lead)

    def _deformed(self, frame: int) -> World:
        """The same where something deforms: what keeps its form, then the skin, of each collider."""
        shapes: list[Shapes] = []
        bodies, pivot, position, rotation = [], [], [], []
        skin: list[bool] = []
        number: list[int] = []
        at = 0
        ends = slice(frame - 1, min(frame, self._frames - 1) + 1)
        for k, (rigid, soft) in enumerate(zip(self._rigid, self._soft, strict=True)):
            for shape, _ in rigid:
                assert self._poses is not None  # there is something that keeps its form
                shapes.append(shape)
                bodies.append(np.array([len(shape.parts)]))
                pivot.append(self._middle[at][None])
                position.append(_both(self._poses[0][ends, at : at + 1]))
                rotation.append(_both(self._poses[1][ends, at : at + 1]))
                at += 1
            if soft is not None:
                shape, place, turn = soft.way(min(frame, self._frames - 1))
                shapes.append(shape)
                bodies.append(np.ones(len(shape.parts), np.int64))
                pivot.append(np.zeros((len(shape.parts), 3)))
                position.append(place)
                rotation.append(turn)
            count = sum(len(some) for some in bodies) - len(number)
            number += [k] * count
            skin += [False] * len(rigid) + [True] * (count - len(rigid))
        start = np.concatenate([[0], np.cumsum(np.concatenate(bodies))])
        led = Colliders(concatenated(shapes), start, np.concatenate(pivot), np.array(number), np.array(skin))
        lead = Lead(np.concatenate(position, axis=1), np.concatenate(rotation, axis=1))
        return World(self._still.gravity, self._still.ground, led, lead)


def _rigid(one: Collider) -> RigidPart:
    return RigidPart(one.mesh, one.position, one.rotation)


def _both(ends: Floats) -> Floats:
    """The two ends of a frame; behind the last frame nothing moves."""
    return ends if len(ends) == 2 else np.repeat(ends, 2, axis=0)


def _each(values: Floats, frames: int) -> Floats:
    """One row for each stored frame."""
    return np.repeat(values, frames, axis=0) if len(values) == 1 else values[:frames]
