"""Matter of springs, as artists handle it: lattices are added and glued, made to move, and tuned.

In: clicks. Out: meshes that remember how their cells were made, keys of what changes over time, strains at which
things tear.

- `lattice_shapes`: Add > Mesh > Brittle Lattice
- `glue`: Object > Brittle > Glue Lattices
- `control`: Hiccup, Sneeze, Wobble, Steer
- `threshold`: Find Threshold
"""
