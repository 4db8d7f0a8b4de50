"""What stands around the body: ground, colliders on their way, gravity, as the world of each frame."""

import numpy as np

from ..motion.collider_shapes import collider_shapes
from ..motion.pose import matrices
from ..motion.shapes import concatenated
from ..motion.state import Colliders, Lead, World
from ..types import Collider, Floats, Ground


class Stage:
    """The worlds of all frames of a clock; the shapes of the colliders are made once."""

    def __init__(self, gravity: Floats, ground: Ground | None, colliders: tuple[Collider, ...], frames: int) -> None:
        """Raises InputError for a collider without a surface."""
        self._still = World(gravity, ground)
        self._poses: tuple[Floats, Floats] | None = None
        if not colliders:
            return
        shapes = [collider_shapes(one.mesh) for one in colliders]
        middle = [0.5 * (some.vertices.min(axis=0) + some.vertices.max(axis=0)) for some in shapes]
        start = np.cumsum([0] + [len(some.parts) for some in shapes])
        whole = Colliders(concatenated(shapes), start, np.array(middle))
        rotation = np.stack([_each(one.rotation, frames) for one in colliders], axis=1)
        origin = np.stack([_each(one.position, frames) for one in colliders], axis=1)
        turned = np.stack([matrices(q) for q in rotation])
        self._poses = origin + np.einsum("scij,cj->sci", turned, whole.pivot), rotation
        self._still = World(gravity, ground, whole)

    def world(self, frame: int) -> World:
        """The world on the way to stored frame `frame`, from 1 on."""
        if self._poses is None:
            return self._still
        position, rotation = self._poses
        ends = slice(frame - 1, frame + 1)
        lead = Lead(position[ends], rotation[ends])
        return World(self._still.gravity, self._still.ground, self._still.colliders, lead)


def _each(values: Floats, frames: int) -> Floats:
    """One row for each stored frame."""
    return np.repeat(values, frames, axis=0) if len(values) == 1 else values[:frames]
