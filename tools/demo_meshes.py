"""The things that `make demo` breaks: a window pane, a bowl and Suzanne's head, each one closed mesh."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

import bmesh
import bpy

Triple = tuple[float, float, float]

# Half a section through the bowl in metres, (radius, height), from the axis below the foot, up outside, down inside.
BOWL = (
    *((0.0, 0.012), (0.100, 0.012), (0.106, 0.004), (0.114, 0.0), (0.126, 0.0), (0.132, 0.006), (0.136, 0.020)),
    *((0.170, 0.036), (0.214, 0.066), (0.250, 0.106), (0.275, 0.152), (0.290, 0.200), (0.298, 0.246), (0.302, 0.262)),
    *((0.298, 0.272), (0.290, 0.274), (0.281, 0.268), (0.274, 0.250), (0.266, 0.204), (0.251, 0.158), (0.228, 0.116)),
    *((0.195, 0.080), (0.155, 0.054), (0.110, 0.040), (0.055, 0.034), (0.0, 0.033)),
)


def pane(width: float = 1.1, height: float = 1.35, thickness: float = 0.008) -> bpy.types.Object:
    """A pane that stands on the ground, in the XZ plane."""
    mesh = bmesh.new()
    bmesh.ops.create_cube(mesh, size=1.0)
    bmesh.ops.scale(mesh, vec=(width, thickness, height), verts=mesh.verts)
    bmesh.ops.translate(mesh, vec=(0.0, 0.0, height / 2), verts=mesh.verts)
    return placed("Pane", mesh)


def bowl(steps: int = 72) -> bpy.types.Object:
    """A bowl of revolution with a foot ring."""
    return revolved("Bowl", BOWL, steps)


def revolved(name: str, section: Sequence[tuple[float, float]], steps: int) -> bpy.types.Object:
    """A solid of revolution from half a section (radius, height) [m] that starts and ends on the axis."""
    mesh = bmesh.new()
    bottom, *ring, top = section
    poles = [mesh.verts.new((0.0, 0.0, z)) for _, z in (bottom, top)]
    columns = []
    for step in range(steps):
        angle = math.tau * step / steps
        columns.append([mesh.verts.new((r * math.cos(angle), r * math.sin(angle), z)) for r, z in ring])
    for column, following in zip(columns, columns[1:] + columns[:1], strict=True):
        mesh.faces.new((poles[0], following[0], column[0]))
        mesh.faces.new((poles[1], column[-1], following[-1]))
        for index in range(len(ring) - 1):
            mesh.faces.new((column[index], following[index], following[index + 1], column[index + 1]))
    return smooth(placed(name, mesh))


def suzanne(height: float = 1.0) -> bpy.types.Object:
    """Suzanne's head, subdivided, on the ground.

    Suzanne is three shells, all open: two eyeballs and a head with holes for them. The head alone is kept, and its
    holes are closed with caps that bulge like eyes.
    """
    mesh = bmesh.new()
    bmesh.ops.create_monkey(mesh)
    head = max(shells(mesh), key=len)
    bmesh.ops.delete(mesh, geom=[vert for vert in mesh.verts if vert not in head], context="VERTS")
    caps = bmesh.ops.holes_fill(mesh, edges=[edge for edge in mesh.edges if edge.is_boundary])["faces"]
    bmesh.ops.recalc_face_normals(mesh, faces=mesh.faces)
    bmesh.ops.inset_individual(mesh, faces=caps, thickness=0.05, depth=0.05)
    bmesh.ops.poke(mesh, faces=caps, offset=0.05)
    head_object = placed("Suzanne", mesh)
    subdivided(head_object, 2)
    size = head_object.dimensions.z
    lowest = min(vertex.co.z for vertex in head_object.data.vertices)
    for vertex in head_object.data.vertices:
        vertex.co = (vertex.co.x * height / size, vertex.co.y * height / size, (vertex.co.z - lowest) * height / size)
    return smooth(head_object)


def window_frame(width: float = 1.1, height: float = 1.35, bar: float = 0.06) -> bpy.types.Object:
    """Two posts and a lintel around a pane; it is never broken."""
    gap = 0.004
    side = width / 2 + bar / 2 + gap
    top = height + gap
    bars = (
        ((-side, 0.0, top / 2), (bar, bar, top)),
        ((side, 0.0, top / 2), (bar, bar, top)),
        ((0.0, 0.0, top + bar / 2), (width + 2 * bar + 2 * gap, bar, bar)),
    )
    return bevelled(joined("Window Frame", bars))


def table(size: Triple, top: float = 0.04, leg: float = 0.06) -> bpy.types.Object:
    """A table of this size (3,) [m] that stands on the ground: a board on four legs."""
    x, y, z = size
    board = ((0.0, 0.0, z - top / 2), (x, y, top))
    places = ((a * (x / 2 - leg), b * (y / 2 - leg)) for a in (-1.0, 1.0) for b in (-1.0, 1.0))
    legs = (((a, b, (z - top) / 2), (leg, leg, z - top)) for a, b in places)
    return bevelled(joined("Table", (board, *legs)))


def box(name: str, size: Triple) -> bpy.types.Object:
    """A box of this size (3,) [m] that stands on the ground."""
    return joined(name, (((0.0, 0.0, size[2] / 2), size),))


def masonry(name: str, size: Triple) -> bpy.types.Object:
    """A wall of this size (3,) [m] that stands on the ground, with a UV map in metres.

    U runs along its front and back and around its ends, V upwards; on top V is that of the middle of the last course,
    where nothing but upright joints can be seen.
    """
    length, depth, height = size
    obj = box(name, size)
    points = obj.data.uv_layers.new(name="UVMap").uv
    for face in obj.data.polygons:
        across, _, upwards = face.normal
        for loop in face.loop_indices:
            x, y, z = obj.data.vertices[obj.data.loops[loop].vertex_index].co
            around = across * (y + 0.5 * depth)
            points[loop].vector = (0.5 * length + x + around, height - 0.03 if abs(upwards) > 0.5 else z)
    return obj


def ball(radius: float, chain: float) -> bpy.types.Object:
    """A ball that hangs on a chain [m], here a thin rod; the origin is where the chain hangs."""
    mesh = bmesh.new()
    bmesh.ops.create_uvsphere(mesh, u_segments=40, v_segments=20, radius=radius)
    bmesh.ops.translate(mesh, vec=(0.0, 0.0, -chain), verts=mesh.verts)
    rod = bmesh.ops.create_cone(mesh, segments=12, radius1=0.012, radius2=0.012, depth=chain - radius)["verts"]
    bmesh.ops.translate(mesh, vec=(0.0, 0.0, (radius - chain) / 2), verts=rod)
    return smooth(placed("Ball", mesh))


def joined(name: str, boxes: Iterable[tuple[Triple, Triple]]) -> bpy.types.Object:
    """Boxes, each with its centre and size [m], as one mesh."""
    mesh = bmesh.new()
    for centre, size in boxes:
        verts = bmesh.ops.create_cube(mesh, size=1.0)["verts"]
        bmesh.ops.scale(mesh, vec=size, verts=verts)
        bmesh.ops.translate(mesh, vec=centre, verts=verts)
    return placed(name, mesh)


def bevelled(obj: bpy.types.Object) -> bpy.types.Object:
    """The object, with rounded edges."""
    bevel = obj.modifiers.new("Bevel", "BEVEL")
    bevel.width, bevel.segments = 0.006, 2
    return obj


def backdrop(width: float = 24.0, steps: int = 12) -> bpy.types.Object:
    """A floor at height 0 that bends up into a wall behind."""
    bend = [math.radians(90.0 * step / steps) for step in range(steps + 1)]
    profile = [(-9.0, 0.0), *((2.6 + 2.5 * math.sin(a), 2.5 - 2.5 * math.cos(a)) for a in bend), (5.1, 9.0)]
    mesh = bmesh.new()
    rows = [[mesh.verts.new((x, y, z)) for x in (-width / 2, width / 2)] for y, z in profile]
    for (left, right), (next_left, next_right) in pairwise(rows):
        mesh.faces.new((left, right, next_right, next_left))
    return smooth(placed("Backdrop", mesh))


def shells(mesh: bmesh.types.BMesh) -> list[set[bmesh.types.BMVert]]:
    """The connected sets of vertices."""
    found, waiting = [], set(mesh.verts)
    while waiting:
        shell, border = set(), [waiting.pop()]
        while border:
            vert = border.pop()
            shell.add(vert)
            neighbours = {edge.other_vert(vert) for edge in vert.link_edges} & waiting
            waiting -= neighbours
            border += neighbours
        found.append(shell)
    return found


def placed(name: str, mesh: bmesh.types.BMesh) -> bpy.types.Object:
    """An object in the scene that holds a finished bmesh."""
    data = bpy.data.meshes.new(name)
    mesh.to_mesh(data)
    mesh.free()
    obj = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(obj)
    return obj


def subdivided(obj: bpy.types.Object, levels: int) -> None:
    """Replace the object's mesh by its subdivision."""
    obj.modifiers.new("Subdivision", "SUBSURF").levels = levels
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    old, obj.data = obj.data, bpy.data.meshes.new_from_object(evaluated)
    obj.modifiers.clear()
    bpy.data.meshes.remove(old)
    obj.data.name = obj.name
    bpy.context.view_layer.update()


def smooth(obj: bpy.types.Object) -> bpy.types.Object:
    """The object, with every face shaded smooth."""
    obj.data.polygons.foreach_set("use_smooth", [True] * len(obj.data.polygons))
    return obj
