"""Finite elements: linear tetrahedra with Green strain; numerics after O'Brien and Hodgins 1999.

In: tetrahedra, a material for each, and a state. Out: the state a time later, with what has cracked. The page on the
paper is docs/papers/obrien1999.md. In reading order:

- `method`, `params`: the method that artists choose
- `divided_elements`: a body in elements; `estimate_elements`: how long it will take
- `element_run`: its way through the clock: `breaking_motion`, `element_contacts`, `glide`,
  `carried_elements`
- `piece_cells`, `surrounding_tetrahedra`: the body cut along its pieces

Below these are the elements by themselves:

- `elements`: tetrahedra, and what is computed of them once
- `material`: how stiff, damped, heavy and tough each is
- `state`: what changes
- `stress`: strain, stress, potentials and traction, as the paper writes them
- `linear_laws`: elements that are not isotropic
- `element_blocks`, `element_steps`: elements as a kernel reads them, and the kernel of substeps
- `element_rates`: how long a step may be, and how much damping is of use
- `advance_elements`: a body of elements through a time
- `element_energy`: energy and momentum
- `implicit_motion`, `implicit_steps`, `turning_elements`: steps of any length for slow or soft shots

Where it breaks:

- `cut_mesh`, `cut_rows`: a mesh that is cut as it moves
- `eigen_frames`: eigenvalues of symmetric matrices in closed form
- `separation_tensor`, `failing_nodes`: which nodes are pulled apart, and along which plane
- `splitting`: how the mesh is cut there
- `crack_faces`: what cracks have left
- `breaking_motion`: it moves and breaks
"""
