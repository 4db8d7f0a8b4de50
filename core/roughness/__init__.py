"""Rough broken faces: space is bent, cut by flat facets, and bent back.

In: a body, a partition and a `bend.Bend`. Out: `types.Cells` whose broken faces are meshes. In reading order:

- `rough`: the whole road; `bend`: bent space, by the noise of `geometry.gradient_noise`; `grain`: how rough and fine
- `refine`, `bisection`: the body's triangles made small where it counts
- `boundary`, `rim`: the borders of bonds, and where broken faces meet the artist's triangles
- `facets`: facets meshed inside of their borders
- `outer`, `measures`, `closing`, `piercing`: the skin in the artist's triangles again; what is measured and checked
- `rough_units`: rough cells as the meshes of the same cut without the noise, which decides all else
"""
