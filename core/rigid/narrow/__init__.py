"""How two convex parts touch: the axis that separates them best, and the points where they meet along it.

Faces of both parts and pairs of their edges are tried as separating axes (the separating-axis theorem). Each test
throws away most of its candidates before any corner is looked at. A face against which another part of the same body
lies may prove that two parts are apart, but is no surface.

In: pairs of parts (PAIR). Out: their contact manifolds (MANIFOLD), and contacts (CONTACT) that last.

- `manifold_update`: contacts from substep to substep: kept, matched with the points before, waking sleepers
- `manifold`: the contact manifold of two parts; `face_axes`, `edge_axes`: faces and pairs of edges as separating axes
- `face_clipping`: where a part meets a face; `face_cover`: what of a face is surface
- `frames`, `scratch`: transforms for kernels, and room for them to work in
"""
