"""Rigid-body motion of the fragments: free flight, contacts with each other, the ground and colliders, friction, rest.

One stored frame is advanced in four or more hidden substeps. Each substep finds the contacts between convex parts,
gives half of gravity's kick, solves the contacts with targets that let no gap close faster than it can within the
substep, drifts (rotation with fixed angular momentum, followed by the rotation that restores the kinetic energy),
pushes out what still penetrates, gives the other half of the kick and solves again, now with restitution. The solver
is a projected Gauss-Seidel sweep over the contacts, restricted to the bodies that still change. At the end of the frame
an energy budget for each island of touching bodies takes back whatever energy the discretisation created, and slow,
supported islands fall asleep and stay bit-still until something moves against them.

Bodies are dynamic: forces and contacts move them. Pinned ones are static until they are let go. What is kinematic
(colliders, the ground, what follows an animation) goes its way, and nothing moves it.

In: `state.RigidBodies`, their `RigidState` and the `World` of one frame. Out: the state after it, and a
`contract.StepReport`. In reading order:

- `contract`, `state`, `records`: what every motion takes and gives; the types outside and inside of kernels
- `advance`: one stored frame; `frame`, `substep`: its substeps; `solver_state`: the working records of a frame
- `shapes/`, `broad/`, `narrow/`, `solver/`, `sleep/`: parts, pairs, contact manifolds, impulses, islands
- `contact_impulses`, `kinematic_bodies`: what pressed on what; what is kinematic, alone or as a free body
- `energy_stable`, `su2009`, `still`: the motions to choose; `quaternion`, `pose`: rotations

References: Su, Schroeder, Fedkiw: Energy stability and fracture for frame rate rigid body simulations, SCA 2009, sec. 3
(energy-preserving rotation). Guendelman, Bridson, Fedkiw: Nonconvex rigid bodies with stacking, SIGGRAPH 2003.
Catto: Iterative dynamics with temporal coherence, GDC 2005; Macklin et al.: Small steps in physics simulation, SCA 2019
(substeps and fresh contacts instead of many iterations). Moreau: Unilateral contact and dry friction, 1988
(contact laws between impulses and velocities at the end of a step).
"""

from ..config.registry import Registry
from . import energy_stable, still, su2009
from .contract import Advance

__all__ = ["MOTIONS"]

MOTIONS: Registry[Advance] = Registry("motion", {1: energy_stable.METHOD, 2: su2009.METHOD, 3: still.METHOD})
