"""A body in one piece as what asks about it while it is divided into tetrahedra."""

from typing import NamedTuple

import numpy as np

from ...arithmetic.products import dot
from ...geometry.bvh import Tree, build_tree
from ...geometry.mesh import unit_normals
from ...geometry.nearest import nearest_in
from ...types import Body, Floats
from ..lattice_embedding.walls import measure_walls
from .size_field import SizeField, find_sizes

#: Cosine between the normal at a node and that where it would go, above which it is the same side [1]. By eye: around
#: an edge it does not slide, for edges have nodes of their own.
_SAME_SIDE = 0.3


class MeshedBody(NamedTuple):
    """The body with a tree over its triangles, their normals, and how large elements are to be."""

    body: Body
    tree: Tree
    normal: Floats  #: (T,3) unit, outward
    sizes: SizeField
    places: Floats  #: (n,3) all over the surface, evenly [m]
    spacing: float  #: size that was asked for [m]

    def on_surface(self, here: Floats, normal: Floats, goal: Floats) -> tuple[Floats, Floats]:
        """Where (n,3) points of the surface `here (n,3)` come that go to `goal (n,3)`, and the normals (n,3) there.

        It is the nearest place of the surface if that is the same side, else they stay.
        """
        at, triangle, _ = nearest_in(self.tree, goal)
        alike = dot(self.normal[triangle], normal)[:, None] > _SAME_SIDE
        return np.where(alike, at, here), np.where(alike, self.normal[triangle], normal)


def prepare_body(body: Body, spacing: float) -> MeshedBody:
    """For elements of about `spacing` [m], less where walls are thin."""
    tree = build_tree(body.vertices, body.triangles)
    places, thickness = measure_walls(body, tree)
    sizes = find_sizes(body, places, thickness, spacing)
    return MeshedBody(body, tree, unit_normals(body.vertices[body.triangles]), sizes, places, spacing)
