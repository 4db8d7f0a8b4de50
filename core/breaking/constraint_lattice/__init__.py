"""Rigid-constraint lattice (Smith, Witkin, Baraff 2001): see `method`.

Resolutions are those of docs/papers/smith2001.md.
"""
