"""Polygons in the plane cut into triangles.

- `ears`: polygons with holes, by ear clipping; `hole_bridges`: how holes get into the ring that a polygon is
- `blind_filling`: polygons whose loops cross
- `half_edges`: which follows which around the faces of plane graphs, and the loops of them
- `delaunay`: triangulations grown point by point
- `interior_lattice`, `lattice_band`: points inside of a polygon, and the band between them and its border
- `fins`: triangles in the plane of an outer skin, which are flaps in it

Nothing here knows of space.
"""
