"""Objects of a continuum method that are rigid bodies until something hits them: what they are, and how they begin.

Limitation: an object whose parts are kept apart deforms from the first frame on: as rigid bodies these would go their
own ways.
"""

from dataclasses import replace

from ..arithmetic.products import apply, dot
from ..arithmetic.small_matrices import rotation_matrices
from ..types import Floats
from ..wording import number
from .live_fragments import LiveFragments
from .spec import ContinuumModel, FractureResult, InitialMotion, SimObject
from .turned_run import LateBegin


def speed_of_begin(model: ContinuumModel) -> float:
    """The speed of contacts that leave an object rigid [m/s]; 0 where it never is."""
    first = model.method.rigid_first
    return 0.0 if first is None else first.below(model.params, model.obj.courses)


def make_rigid_first(obj: SimObject, fps: float) -> SimObject | None:
    """What an object of a continuum method is among the rigid bodies until it is hit; None where it never is rigid.

    What is hit at the start is not.
    """
    model = obj.continuum
    assert model is not None
    first = model.method.rigid_first
    struck = any(hit.speed > 0.0 and round(hit.time * fps) == 0 for hit in obj.impacts)
    if first is None or not speed_of_begin(model) > 0.0 or struck or len(obj.model.units.volume) > 1:
        return None
    moving = InitialMotion(model.obj.velocity, model.obj.spin, model.obj.pivot)
    whole = model.as_rigid(model.obj.body, first.mass(model.divided))
    return replace(obj, model=whole, impacts=(), momentum=moving, continuum=None)


def late_begin(live: LiveFragments, row: int, frame: int, place: Floats, gravity: Floats) -> LateBegin:
    """How the object in a row of the living, whose coordinates are zero at `place`, goes on as a continuum."""
    state, rest = live.state, live.rest
    turn = rotation_matrices(state.rotation[[row]])[0]
    centre = state.position[row] - place
    momentum = rest.mass[row] * state.velocity[row]
    height = -float(rest.mass[row]) * float(dot(state.position[row], gravity))
    shift = centre - apply(turn, rest.centre[row])
    return LateBegin(frame, turn, shift, centre, momentum, state.angular_momentum[row], height)


def never_begun(result: FractureResult, speed: float) -> FractureResult:
    """What came of an object that nothing has hit: `result` is that of the rigid body."""
    told = f"Nothing hit it at {number(speed)} m/s or faster, so it stayed rigid: lower Rigid Below if it should not."
    return replace(result, notes=(*result.notes, told), history=None)  # it was not cut
