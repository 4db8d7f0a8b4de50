"""Patterns on curved sheets: a body is laid flat by a chart, cut flat, and laid back.

In: a body and a `geometry.charts.Chart`. Out: cells that are sewn together where it was slit. In reading order:

- `fits`: spheres and axes that suit a surface; `flatten`: the body laid flat
- `prism`, `slit`: the matter near the axis taken out, the rest slit along a half-plane
- `sew`, `sewn_units`: halves of cells put together again; `overlay`, `shared_outline`, `insert`: along flat faces
"""
