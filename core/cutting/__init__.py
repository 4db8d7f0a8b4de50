"""A body cut by a partition of space into cells with bonds: closed, exact between neighbours, or refused.

In: a `types.Body` and a `types.Partition`. Out: `types.Cells`, checked. Where the exact cutter refuses, `retry` jitters
the pattern and goes on to the second method. In reading order:

- `cut`: the exact cutter; `prepared`, `complex`: what it knows of the body and of the partition
- `locate`, `skin`, `clip`: triangles walk through the regions and are clipped; `inside_intervals`, `loops`, `holes`:
  the parts of partition edges inside of the body, and the closed loops on facets; `division`: faces and whose they are
- `components`, `moments`, `crumbs`: connected cells, exact integrals, and crumbs that join a neighbour
- `checks`, `retry`: what must be zero, and what is done where it is not; `parts`, `whole`: bodies of several parts
- `booleans`, `assemble_cells`: the second method, and cells from triangles that know their region
- `level_set/`, `own_pattern/`: the third cutter, on a grid; regions of any shape
- `units`: the graph on which breaking rules work
"""
