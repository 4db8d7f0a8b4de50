"""Spring lattices: nodes joined by springs into cells that break as units; numerics after Norton et al. 1991.

In: an object, or a complex of hexahedral cells and a material, and the surroundings of each frame. Out: pieces and
where any point of them is, with the nodes that carry them. The page on the paper is docs/papers/norton1991.md. In
reading order:

- `method`, `params`: the method that artists choose
- `divided_body`: a body in a lattice: `resolution`, `spring_strength`; `estimate_run`: how long it will take
- `find_threshold`: at which strain a material tears as wanted
- `lattice_run`: its way through the clock: `parting`, `lonely_nodes`, `carried_pieces`,
  `taken_nodes`, `steering`

Below these is the lattice by itself:

- `hexahedra`, `microgeometry`, `blocks`: cells, which of their corners springs join, slabs and rings of them
- `elasticity`, `material`: how stiff, damped and strong springs are, so that every resolution bends and breaks alike
- `lattice`, `state`: what stays the same of a lattice, and what changes
- `advance_lattice`: a frame; `substeps`: the kernel that moves nodes, and what flows; `time_step`: how long a step is
- `breaking`: what breaks
- `contacts`, `contact_pairs`: what touches
- `cell_volumes`: cells that are pressed flat
- `energy`: energy and momentum
"""
