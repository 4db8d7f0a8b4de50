"""Spring lattices: nodes joined by springs into cells that break as units; numerics after Norton et al. 1991.

In: a complex of hexahedral cells, a material, and the surroundings of a frame. Out: where the nodes are, what broke,
and where the energy went. The page on the paper is docs/papers/norton1991.md. In reading order:

- `hexahedra`, `microgeometry`, `blocks`: cells, which of their corners springs join, slabs and rings of them
- `elasticity`, `material`: how stiff, damped and strong springs are, so that every resolution bends and breaks alike
- `lattice`, `state`: what stays the same of a lattice, and what changes
- `advance_lattice`: a frame; `substeps`: the kernel that moves nodes, and what flows; `time_step`: how long a step is
- `breaking`: what breaks
- `contacts`, `contact_pairs`: what touches
- `energy`: energy and momentum

No method is made of it yet: that takes a body embedded in a lattice.
"""
