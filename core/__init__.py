"""Fracture core: from a closed mesh and its impacts to fragments and motion, without Blender.

Only numpy, scipy, numba and manifold3d are used here; every import is relative, and imports point down
(see docs/map.md, "The house").
"""
