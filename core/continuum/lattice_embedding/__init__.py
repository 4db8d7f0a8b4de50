"""Bodies embedded in lattices of hexahedra, whatever mesh they are, and cut along them (Norton et al. 1991).

In: a `types.Body` and the size of cells. Out: an `embedding.Embedding`, and where any point of the body is in it. In
reading order:

- `embedding`: the whole way; `body_solids`: each solid goes it alone
- `fitted_box`: what is tried in which order; `grid`, `kept_cells`: cells in the body's axes, and which of them are
  kept; `box_complex`: layers around them; `fitting`: outer nodes are laid on the surface
- `tetrahedra`: the cells as convex regions for the cutter
- `outline`: pieces with smooth borders; `piece_fields`: how much of each piece there is at a place; `upper_envelope`:
  tetrahedra divided by the largest field; `lattice_box`: what is kept of the embedding for that
- `places`: points in hexahedra; `box_bins`: which of them may hold a point
- `unit_owners`: which of them most of a unit is in
- `own_lattice`: meshes that were added as lattices
- `walls`: how thick the body is, which limits the size of cells
"""
