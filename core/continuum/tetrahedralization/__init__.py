"""Bodies divided into irregular tetrahedra, whatever mesh they are, and cut along them (O'Brien, Hodgins 1999, O18).

In: a `types.Body` and the size of elements. Out: an `element_embedding.ElementEmbedding`, and where any point of the
body is in it. In reading order:

- `element_embedding`: the whole way, and the cut; `element_places`: points in elements
- `tetrahedralize`: elements of a body in one piece
- `meshed_body`: what is asked about the body; `size_field`: how large elements are to be at each place
- `mesh_nodes`: where nodes begin; `thinning`: nodes that keep their distance
- `joining`: all tetrahedra between nodes; `matter`: which of them are elements; `peeling`: flat ones on the surface
- `relaxing`: nodes move to better places; `completing`: more of them where the surface is missed
- `shaking`: the last flat elements; `pinches`: where elements hang together by less than a face
- `quality`: how good they are
"""
