"""An artist's closed meshes made into one division of all space: `../own.py` says in which order.

1. `solids`: each mesh closed and outward. 2. `overlaps`: what two meshes both cover belongs to one. 3. `touching`: what
lies within a tolerance becomes one vertex or one edge. 4. `patches`: flat parts of all meshes laid over each other, so
that those which touch share their triangles. 5. `chambers`: which space is whose, gaps included. 6. `beyond`: the
regions at the rim go on outwards.
"""
