"""Polygons in the plane cut into triangles.

- `ear_clipping`, `bridges`: rings and rings with holes; `delaunay`: triangulations grown point by point
- `interior_lattice`, `lattice_band`: points inside of a polygon, and the band between them and its border
- `fins`: triangles in the plane of an outer skin, which are flaps in it

Exact decisions are `geometry.predicates`; nothing here knows of space.
"""
