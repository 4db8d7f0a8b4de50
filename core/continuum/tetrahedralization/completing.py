"""Nodes are added on the surface where elements miss it: where it turns within an element, or there is a gap."""

import numpy as np

from ...geometry.inside import inside
from ...geometry.nearest import nearest_in
from ...types import Floats
from .joining import JoinedNodes
from .matter import find_outer, outer_triangles
from .mesh_nodes import APART, MeshNodes
from .meshed_body import MeshedBody
from .thinning import thin_points

#: Centres of outer faces may be so far from the surface, in sizes [1]. By derivation: those of even triangles on a ball
#: of twice the size as its radius are 0.083 away.
_FAR = 0.12
#: New nodes keep this share of the distance that others keep [1]. By eye: less makes flat elements.
_CLOSER = 0.7


def complete_nodes(meshed: MeshedBody, joined: JoinedNodes) -> MeshNodes:
    """The nodes, with new ones on the surface if there are places for any."""
    nodes = joined.nodes
    goal = np.concatenate([_far_centres(meshed, joined), _centres_outside(meshed, joined)])
    place, triangle, _ = nearest_in(meshed.tree, goal)
    normal = meshed.normal[triangle]
    everywhere = np.concatenate([nodes.place, place])
    outward = np.concatenate([nodes.normal, normal])
    stays = thin_points(everywhere, outward, _CLOSER * APART * meshed.sizes.at(everywhere), 0.5, len(nodes.place))
    new = stays[len(nodes.place) :]
    if not new.any():
        return nodes
    at = nodes.surface
    return MeshNodes(
        np.concatenate([nodes.place[:at], place[new], nodes.place[at:]]),
        np.concatenate([nodes.normal[:at], normal[new], nodes.normal[at:]]),
        nodes.fixed,
        at + int(np.count_nonzero(new)),
    )


def _far_centres(meshed: MeshedBody, joined: JoinedNodes) -> Floats:
    """Centres (n,3) of outer faces that are far from the surface, the farthest first."""
    face = outer_triangles(joined.corners, *find_outer(joined.corners, joined.neighbours, joined.kept))
    centre = joined.nodes.place[face].mean(axis=1)
    _, _, distance = nearest_in(meshed.tree, centre)
    far = distance / meshed.sizes.at(centre)
    order = np.argsort(-far, kind="stable")
    return np.asarray(centre[order[far[order] > _FAR]])


def _centres_outside(meshed: MeshedBody, joined: JoinedNodes) -> Floats:
    """Centres (n,3) of elements that are outside of the body."""
    centre = joined.nodes.place[joined.elements].mean(axis=1)
    return np.asarray(centre[~inside(meshed.body, centre)])
