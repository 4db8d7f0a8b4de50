"""What is in the way of nodes, as planes, for as long as nodes may go without coming near to something else."""

import math
from dataclasses import replace

import numpy as np

from ...arithmetic.products import dot, norm
from ...config.material import Material
from ..contract import Surroundings
from ..plane_contacts import SURFACE_LAW, SURFACE_NORMAL, SURFACE_OFFSET, SURFACE_VELOCITY
from .advance_elements import ElementLoads, free_loads
from .cut_mesh import CutMesh

#: Of the way to the nearest surface, or of the margin within which planes are known: looked for again before. By eye.
_PART_OF_WAY = 0.5
#: How much faster than they are nodes may become until then: waves meet at free surfaces. Derived: twice.
_FASTER = 2.0


def contact_loads(
    cut: CutMesh, around: Surroundings, share: float, material: Material, margin: float
) -> tuple[ElementLoads, float]:
    """Gravity and hard planes near to nodes at a share 0..1 of the frame, and for how long they hold [s].

    margin: distance within which a surface counts as near [m].
    """
    held = cut.anchored.copy()
    node = np.flatnonzero(~held)
    found = around.find_nearest(np.ascontiguousarray(cut.position[node]), share)
    near = found.distance < margin
    there = np.isfinite(found.distance)
    way = _PART_OF_WAY * (margin if near.any() else float(found.distance.min(initial=math.inf)))
    speed = _FASTER * float(norm(cut.velocity[node]).max(initial=0.0))
    speed += float(norm(around.gravity)) * around.dt + float(norm(found.velocity[there]).max(initial=0.0))
    node, normal, velocity = node[near], found.normal[near], found.velocity[near]
    # What is inside already goes no deeper: put onto the surface at once, stiff matter would burst.
    offset = dot(normal, cut.position[node]) - np.maximum(found.distance[near], 0.0)
    count = len(node)
    law = [np.full(count, math.inf), np.zeros(count), np.full(count, material.friction), cut.mass[node]]
    planes = np.column_stack([normal, offset, velocity, *law])
    loads = replace(free_loads(around.gravity), held=held, surface_node=node, surface_plane=planes)
    return loads, way / speed if speed > 0.0 and math.isfinite(way) else math.inf


def loads_after(cut: CutMesh, loads: ElementLoads, known: int, passed: float) -> ElementLoads:
    """Loads a time [s] after they were found, when there were `known` nodes: planes go on, new nodes meet them too.

    A node that was put where another one is in the material meets what that meets.
    """
    node, plane = loads.surface_node, loads.surface_plane.copy()
    normal, velocity = plane[:, SURFACE_NORMAL : SURFACE_NORMAL + 3], plane[:, SURFACE_VELOCITY : SURFACE_VELOCITY + 3]
    plane[:, SURFACE_OFFSET] += passed * dot(normal, velocity)
    place = cut.rows.nodes.place
    row = np.full(cut.node_count, -1)
    row[place[node]] = np.arange(len(node))
    new = np.arange(known, cut.node_count)
    new = new[row[place[new]] >= 0]
    node, plane = np.concatenate([node, new]), np.concatenate([plane, plane[row[place[new]]]])
    plane[:, SURFACE_LAW + 3] = cut.mass[node]
    return replace(loads, held=cut.anchored.copy(), surface_node=node, surface_plane=plane)
