"""Mesh geometry: the lowest room. Knows triangles, nothing of fracture.

- `mesh`: volume, mass properties, closedness, shells; `bvh`: the box tree over triangles
- `predicates`: orientation with exact signs; `nearest`: the closest point of a mesh
- `inside`: exact winding numbers of closed meshes; `winding`: those of any mesh, and the volume by them
- `tetrahedron_overlaps`: what tetrahedra share with a closed mesh
- `marching`: a closed surface around what any mesh winds about; `winding_crossings`: where on a segment it passes
  the surface
- `pair_search`: pairs of triangles that may meet; `crossings`: those that pass through or lie on each other;
  `contacts`: shells that do
- `enclosure`: which shells touch each other, and which hold which
- `rings`, `sides`: the order of triangles around edges, and which sides look into one space
- `arrangement`: the outer skin of shells that cross themselves or each other
- `capping`: triangles for a loop; `facet_planes`: polygons laid into their planes, and cut into triangles there
- `barycentric`, `corner_values`: places in triangles, and values there; `gradient_noise`: a smooth random field
- `packed`: ragged lists; `charts`: closed forms that lay a sheet flat and back

Meshes are `vertices (V,3)` float64 and `triangles (T,3)` int64, counter-clockwise seen from outside. Nothing has an
absolute length: tolerances are relative to the mesh, so 2 cm and 200 m give the same verdicts. Kernels take read-only
arrays (`jit.sealed_floats`, `jit.sealed_ints`), because numba compiles again for each kind of array.
"""
