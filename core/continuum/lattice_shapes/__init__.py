"""Shapes that are lattices from the start, as those of Norton et al. 1991 are (docs/papers/norton1991.md, N7-N9).

In: a few measures. Out: a `HexahedralComplex` whose cells follow the shape. In reading order:

- `shapes`: what an artist can add, each with its measures
- `revolution`, `bezier`, `discs`: solids between two profiles, between two parallel patches, and over a disc
- `gluing`, `alternation`: shapes joined at nodes, and diagonals of faces that agree thereafter
- `recipes`: from what a mesh remembers to its cells; shapes that an artist has glued to each other
- `teapot`, `teapot_parts`: the Utah teapot
"""
