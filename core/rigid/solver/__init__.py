"""The solver: impulses at contacts, rotation, position correction, and the energy budget.

In: contacts (CONTACT) of bodies at their positions. Out: their velocities, angular momenta and displacements.

- `contact_constraints`: rows with Jacobians and effective masses; warm starting; impulses stored for the next substep
- `gauss_seidel`: projected Gauss-Seidel over contact constraints: velocity bias, restitution, friction, normal impulses
- `position_correction`: overlaps are pushed apart as displacements
- `free_rotation`: rotation with fixed angular momentum and kept energy (Su 2009, section 3)
- `energy_budget`: no island gains energy over a frame
- `sequential_impulses`, `impulse_clamp`: collisions and contacts as Su 2009 has them, section 4

A4 and other items are those of docs/papers/su2009.md.
"""
