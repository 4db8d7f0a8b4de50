"""Rigid pieces in the way of matter that deforms: kinematic for the length of a frame."""

from collections.abc import Iterator

import numpy as np

from ..arithmetic.products import apply
from ..arithmetic.small_matrices import rotation_matrices
from ..fragments.piece_body import piece_body
from ..rigid.pose import make_sign_continuous
from ..rigid.quaternion import rotate_quaternion
from .live_fragments import LiveFragments
from .obstacles import Obstacle, ObstacleShape


class RigidObstacles:
    """The rigid pieces as obstacles; the mesh of each is made once."""

    def __init__(self) -> None:
        self._shapes: dict[int, ObstacleShape] = {}

    def of(self, live: LiveFragments, dt: float) -> Iterator[Obstacle]:
        """The living, where they are and where they would be after `dt` [s] if nothing met them."""
        alive = set(live.alive.tolist())
        self._shapes = {number: shape for number, shape in self._shapes.items() if number in alive}
        state, bodies = live.state, live.bodies
        for row in np.flatnonzero(~live.skins()).tolist():
            number = int(live.alive[row])
            if number not in self._shapes:
                record = live.tree[number]
                model = live.models[record.model]
                body, _, _ = piece_body(model.cells, record.units, model.body)
                self._shapes[number] = ObstacleShape(body.vertices - live.rest.centre[row], body.triangles)
            axes, moments = bodies.axes[row], bodies.moments[row]
            R = rotation_matrices(state.rotation[[row]])[0]
            omega = apply(R, apply(axes, apply(axes.T, apply(R.T, state.angular_momentum[row])) / moments))
            turned = state.rotation[row].copy()
            rotate_quaternion(turned, *(dt * omega))
            place = np.stack([state.position[row], state.position[row] + dt * state.velocity[row]])
            ends = make_sign_continuous(np.stack([state.rotation[row], turned])[:, None])
            yield Obstacle(self._shapes[number], place, ends[:, 0])
