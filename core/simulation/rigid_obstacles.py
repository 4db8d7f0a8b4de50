"""Rigid pieces in the way of matter that deforms: kinematic for the length of a frame."""

from collections.abc import Iterator

import numpy as np

from ..arithmetic.products import apply, dot
from ..arithmetic.small_matrices import rotation_matrices
from ..fragments.piece_body import piece_body
from ..rigid.quaternion import rotate_quaternion
from ..types import Floats
from .live_fragments import LiveFragments
from .obstacles import Obstacle, ObstacleShape


class RigidObstacles:
    """The rigid pieces as obstacles; the mesh of each is made once."""

    def __init__(self) -> None:
        self._shapes: dict[int, ObstacleShape] = {}

    def of(self, live: LiveFragments, dt: float) -> Iterator[Obstacle]:
        """The living, where they are and where they would be after `dt` [s] if nothing met them."""
        self._shapes = {number: shape for number, shape in self._shapes.items() if number in set(live.alive.tolist())}
        state, bodies = live.state, live.bodies
        for row in np.flatnonzero(~live.skins()).tolist():
            number = int(live.alive[row])
            if number not in self._shapes:
                record = live.tree[number]
                model = live.models[record.model]
                body, _, _ = piece_body(model.cells, record.units, model.body)
                self._shapes[number] = ObstacleShape(body.vertices - live.rest.centre[row], body.triangles)
            spin = bodies.axes[row], bodies.moments[row]
            R = rotation_matrices(state.rotation[[row]])[0]
            omega = apply(R, apply(spin[0], apply(spin[0].T, apply(R.T, state.angular_momentum[row])) / spin[1]))
            turned = state.rotation[row].copy()
            rotate_quaternion(turned, *(dt * omega))
            place = np.stack([state.position[row], state.position[row] + dt * state.velocity[row]])
            yield Obstacle(self._shapes[number], place, _neighbours(state.rotation[row], turned))


def _neighbours(first: Floats, second: Floats) -> Floats:
    """(2,4) two unit quaternions, the second with the sign that is nearer to the first."""
    return np.stack([first, second if float(dot(first, second)) >= 0.0 else -second])
