"""Layouts: where the sites of a Voronoi partition go, and which of its cells never part. One idea per module.

Layouts work on a body whose bounding-box diagonal is 1, in the space in which cells are plain Voronoi cells, so every
length in them is relative and nothing in them knows of grain or units.
"""
