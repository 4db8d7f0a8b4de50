"""Local remeshing: a mesh of tetrahedra is cut along a plane around a failing node, and falls apart there.

In: a `CutMesh`, nodes that fail with the normals of their planes, rules. Out: the same mesh, cut. A cut touches the
elements around one node. In reading order:

- `separate`: all failing nodes of a step
- `split_node`: one of them
- `snap_nodes`: which nodes count as on the plane
- `plan_cuts`, `parts`: which edges are cut, so that no element comes out too small
- `halve_edges`: cutting them
- `part_nodes`: crack faces, and the nodes that fall apart
- `keep_spin`: angular momentum
- `workspace`, `pair_table`: rules and notes
"""
