"""Mesh geometry: the lowest room. Knows triangles, nothing of fracture.

- `mesh`: volume, mass properties, closedness, shells; `bvh`: the box tree over triangles
- `predicates`: orientation with exact signs; `inside`: winding numbers; `nearest`: the closest point of a mesh
- `crossings`: triangles that pass through or lie on each other; `intake`: from an artist's mesh to a `Body`

Meshes are `vertices (V,3)` float64 and `triangles (T,3)` int64, counter-clockwise seen from outside. Nothing has an
absolute length: tolerances are relative to the mesh, so 2 cm and 200 m give the same verdicts. Kernels take read-only
arrays (`jit.sealed_floats`, `jit.sealed_ints`), because numba compiles again for each kind of array.
"""
