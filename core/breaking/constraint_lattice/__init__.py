"""Rigid-constraint lattice (Smith, Witkin, Baraff 2001): see `method`."""
