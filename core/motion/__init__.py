"""Rigid-body motion of the fragments: free flight, the ground, friction, rest.

One stored frame is advanced in four or more hidden substeps. Each substep finds the contacts, gives half of gravity's
kick, solves the contacts with targets that let no gap close faster than it can within the substep, drifts (rotation
with fixed angular momentum, followed by the rotation that restores the kinetic energy), pushes out what still
penetrates, gives the other half of the kick and solves again, now with restitution. The solver is a projected
Gauss-Seidel sweep over one list of contact rows, each between two bodies or a body and the world, restricted to the
bodies that still change. At the end of the frame an energy budget for each island of touching bodies takes back
whatever energy the discretisation created, and slow, supported islands fall asleep and stay bit-still.

Contacts against the ground are the only ones at present; contacts between fragments will be further rows of that list.

References: Su, Schroeder, Fedkiw: Energy stability and fracture for frame rate rigid body simulations, SCA 2009, sec. 3
(energy-preserving rotation). Guendelman, Bridson, Fedkiw: Nonconvex rigid bodies with stacking, SIGGRAPH 2003.
Catto: Iterative dynamics with temporal coherence, GDC 2005; Macklin et al.: Small steps in physics simulation, SCA 2019
(substeps and fresh contacts instead of many iterations). Moreau: Unilateral contact and dry friction, 1988
(contact laws between impulses and velocities at the end of a step).
"""
