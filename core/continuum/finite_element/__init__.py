"""Finite elements: linear tetrahedra with Green strain; numerics after O'Brien and Hodgins 1999.

In: tetrahedra, a material for each, and a state. Out: the state a time later. The page on the paper is
docs/papers/obrien1999.md. In reading order:

- `elements`: tetrahedra, and what is computed of them once
- `material`: how stiff, damped, heavy and tough each is
- `state`: what changes
"""
