"""From cells that hold together to closed meshes, their masses and what they carry from the artist's mesh.

In: `types.Cells` and which of them hold together. Out: `types.Fragments`. In reading order:

- `build`: one closed mesh for each set of units; `surface`, `rings`: which faces bound it, as rings of half-edges
- `dissolve`: what one plane holds becomes one face; `edges`, `face_triangles`, `triangulate`: for those who need them
- `mass`: mass, centre and inertia; `joined`, `piece_body`: tables of several bodies, a piece as a body of its own
- `spread`, `inner_uv`: values of the artist's corners on new corners, texture coordinates of inner faces
- `outline`, `exploded`: cracks on the skin and fragments moved apart, for the preview
"""
