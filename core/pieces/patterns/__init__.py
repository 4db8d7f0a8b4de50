"""Fracture patterns: divisions of all space about a centre with an axis, made once and placed wherever a blow lands.

A pattern knows nothing of the body that it will break: it follows from its kind, its number of pieces and its seed.
It is a `Partition` in its own space; `placement` moves, turns and scales it to a hit, `similarity` does the arithmetic.
"""
