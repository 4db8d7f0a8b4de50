"""Matter as nodes joined by springs: it bends, swings, flows and tears, and pieces that fly are still soft.

In: an object, and what is in its way. Out: pieces, and where any point of them is. The matter that an artist sees is
cut exactly along the cells of the lattice, and goes with their corners.

Limitations: springs alone have a Poisson ratio of 1/4, as central forces allow no other; cells that keep their volume
raise it. Cracks run along cells, and are as fine as these. Pieces that have become rigid are divided anew when
they are hit again, in the form that they have, and what they were bent is their form at rest then.

Reference: Norton, Turk, Bacon, Gerth, Sweeney: Animation of fracture by physical modeling, 1991; where we depart from
it is said in docs/papers/norton1991.md.
"""

from collections.abc import Sequence

from ...config.registry import Method
from ...types import Course
from ..contract import Continuum, RigidFirst
from .divided_body import divide_steps, lattice_mass
from .estimate_run import estimate_run
from .lattice_run import SpringLatticeRun
from .params import SpringLatticeParams
from .resolution import params_of_piece, sheet_thickness


def _rigid_below(params: SpringLatticeParams, courses: Sequence[Course]) -> float:
    """Never what has a gravity of its own, or is steered: as a rigid body it would know nothing of that."""
    led = any(course.name in ("gravity_scale", "steering") for course in courses)
    return params.rigid_below if params.gravity_scale == 1.0 and params.steering == 0.0 and not led else 0.0


_RIGID_FIRST = RigidFirst(_rigid_below, lattice_mass, params_of_piece)

METHOD: Method[Continuum] = Method(
    id="spring_lattice",
    label="Springs",
    doc="Springs that bend, wobble and tear: jelly, rubber, clay; brittle matter bends a little before it breaks",
    reference="Norton, Turk, Bacon, Gerth, Sweeney 1991",
    params=SpringLatticeParams,
    run=Continuum(divide_steps, SpringLatticeRun, sheet_thickness, estimate_run, _RIGID_FIRST),
)
