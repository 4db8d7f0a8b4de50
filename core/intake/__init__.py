"""From an artist's mesh to a body that can be cut: what is wrong is mended and named, or refused with a sentence.

`ladder` owns the order of the steps; each step is a module that knows triangles and one idea:

- `faces`, `weld`, `borders`, `junctions`: usable faces, points that are one, borders that belong together
- `loops`, `holes`: border loops that are closed by caps
- `thicken`, `seams`, `offsets`: sheets get a second side and a rim
- `solids`: orientation, chambers, inner walls and fins by side groups; `unite`, `nesting`: solids in solids
- `remesh`: a new surface around the winding number, on request only

A `surface.Surface` is the mesh on its way: every triangle knows the artist's triangle that it came from.
"""
