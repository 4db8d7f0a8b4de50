"""What bodies are made of where they touch: convex parts.

In: the cells of a cut body, the mesh of a collider, or the skin of what deforms. Out: `convex_parts.ConvexParts`.

- `convex_parts`: the type; `convex_hulls`: parts made of point sets, with polygonal faces
- `quick_hull`, `hull_points`, `round_parts`: hulls, quickly; of flat, of many and of round point sets
- `cell_parts`, `cell_corners`, `unit_parts`: parts of cells, and of cells that never part
- `collider_parts`, `skin_parts`, `rigid_regions`: parts of what is in the way: rigid, deforming, or in between
- `decomposition`, `dense_decomposition`, `solids`, `inner_corners`: solids as few convex parts
- `bond_adjacency`, `split_adjacency`, `face_patches`, `polygon_division`: which faces lie against other parts of the
  same body, so that they are no surface
"""
