"""Faces of the artist's stay faces: one for each polygon and fragment, where no texture shows how it is cut."""

from collections import defaultdict
from types import SimpleNamespace

import bmesh
import bpy
import numpy as np
import pytest

from tests.blender.pieces import pieces_of

pytestmark = pytest.mark.blender

FLOAT32 = 1e-6  # a few units in the last place of numbers up to 2, stored in 32 bits


@pytest.fixture
def broken(module):
    """Break the object into Voronoi cells of its box; what comes back are the fragments that were written."""

    def run(obj, count=12, rough=False, seed=0):
        number = np.arange(len(obj.data.polygons), dtype=np.int32)
        obj.data.attributes.new("number", "INT", "FACE").data.foreach_set("value", number)
        bpy.context.view_layer.update()
        reading = module("operators.bridge.read").read_scene(bpy.context, obj, frames=1, ground=None)
        body = module("core.intake.ladder").intake(reading.scene.mesh).body
        parts = module("core.fragments.build").build_fragments(*_cut(module, body, count, rough, seed), 1000.0, body)
        assert module("core.fragments.build").are_closed(parts).all()
        number = len(parts.mass)
        made = SimpleNamespace(
            body=body,
            fragments=parts,
            fracture=SimpleNamespace(
                parent=np.full(number, -1), birth=np.zeros(number, np.int64), death=np.ones(number, np.int64)
            ),
            motion=SimpleNamespace(
                time=np.zeros(1), position=parts.centre[None], rotation=np.tile([1.0, 0.0, 0.0, 0.0], (1, number, 1))
            ),
            tracks=(),
        )
        objects = pieces_of(module("operators.bridge.write").write(bpy.context, obj, reading.source, made, 1))
        return [Piece(item.data) for item in objects]

    return run


def _cut(module, body, count, rough, seed):
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    sites = np.random.default_rng(seed).uniform(low, high, (count, 3))
    pattern = module("core.pieces.voronoi_complex").voronoi_complex(sites, low, high)
    if rough:
        surface = module("core.config.surface").Surface(octaves=1, quality="preview")
        bend = module("core.diagram").grain_of(surface, 0.02, 0.4, seed)
        cells = module("core.roughness.rough").rough_cut(body, pattern, *bend)
    else:
        cells = module("core.cutting.cut").cut(body, pattern)
    return cells, [np.array([unit]) for unit in range(int(cells.unit.max()) + 1)]


class Piece:
    """A fragment as plain arrays, and as Blender cuts it into triangles."""

    def __init__(self, mesh):
        self.mesh = mesh
        self.rest = values(mesh.attributes["rest_position"])
        self.corner = np.array([loop.vertex_index for loop in mesh.loops])
        self.inner = values(mesh.attributes["brittle_inner"])[:, 0].astype(bool)
        self.number = values(mesh.attributes["number"])[:, 0].astype(int)
        self.faces = [list(polygon.loop_indices) for polygon in mesh.polygons]
        mesh.calc_loop_triangles()
        self.triangles = [
            (triangle.polygon_index, list(triangle.loops), triangle.area) for triangle in mesh.loop_triangles
        ]

    def outer(self):
        """Polygon of the source and corners of each outer face."""
        return [(self.number[f], corners) for f, corners in enumerate(self.faces) if not self.inner[f]]


def values(attribute):
    name = {"FLOAT_COLOR": "color", "FLOAT_VECTOR": "vector", "FLOAT2": "vector"}.get(attribute.data_type, "value")
    return np.array([np.array(getattr(entry, name)).reshape(-1) for entry in attribute.data], float)


def surface_of(mesh):
    """Triangles of a mesh as Blender cuts it, by polygon: the corners and their loops."""
    mesh.calc_loop_triangles()
    found = defaultdict(list)
    for triangle in mesh.loop_triangles:
        corner = np.array([mesh.vertices[v].co for v in triangle.vertices])
        found[triangle.polygon_index].append((corner, list(triangle.loops)))
    return found


def uv_at(point, triangles, uv):
    """What the source shows at a point of one of its polygons."""
    best = (-np.inf, None)
    for corner, loops in triangles:
        a, b, c = corner
        n = np.cross(b - a, c - a)
        weight = np.array([np.cross(q - p, point - p) @ n for p, q in ((b, c), (c, a), (a, b))]) / (n @ n)
        best = max(best, (weight.min(), tuple(weight @ uv[loops])), key=lambda entry: entry[0])
    return np.array(best[1])


def assert_accepted(pieces):
    """Blender finds nothing to mend, and its own triangles cover each face once."""
    for piece in pieces:
        assert not piece.mesh.validate(verbose=False)
        check = bmesh.new()
        check.from_mesh(piece.mesh)
        assert all(edge.is_manifold and edge.is_contiguous for edge in check.edges)
        check.free()
        area = np.bincount([f for f, _, _ in piece.triangles], [a for _, _, a in piece.triangles])
        own = np.array([polygon.area for polygon in piece.mesh.polygons])
        # Newell's area of a face against that of its triangles: more where triangles fold over.
        assert np.allclose(area, own, rtol=1e-4, atol=1e-7)


def parts_of(piece):
    """How many parts without common sides the outer faces of each source polygon make up."""
    sides, faces = defaultdict(list), piece.outer()
    for f, (number, corners) in enumerate(faces):
        vertex = piece.corner[corners]
        for a, b in zip(vertex, np.roll(vertex, -1), strict=True):
            sides[number, min(a, b), max(a, b)].append(f)
    root = list(range(len(faces)))

    def top(f):
        while root[f] != f:
            f = root[f]
        return f

    for meeting in sides.values():
        for f in meeting[1:]:
            root[top(f)] = top(meeting[0])
    found = defaultdict(set)
    for f, (number, _) in enumerate(faces):
        found[number].add(top(f))
    return sum(map(len, found.values()))


LINEAR = np.array([[0.3, 0.1], [0.05, 0.7], [0.2, 0.4]])


def dressed(obj):
    """UVs, a colour and a number linear in space; whole numbers at corners that are not."""
    mesh = obj.data
    place = np.array([vertex.co for vertex in mesh.vertices])
    corner = place[[loop.vertex_index for loop in mesh.loops]]
    mesh.uv_layers.new(name="UV").uv.foreach_set("vector", (corner @ LINEAR).astype(np.float32).ravel())
    colour = np.column_stack([0.5 + 0.1 * corner, np.ones(len(corner))]).astype(np.float32)
    mesh.color_attributes.new("Col", "FLOAT_COLOR", "CORNER").data.foreach_set("color", colour.ravel())
    mesh.attributes.new("heat", "FLOAT", "POINT").data.foreach_set("value", (place @ [1, 2, 3]).astype(np.float32))
    tag = np.arange(len(mesh.loops), dtype=np.int32)
    mesh.attributes.new("tag", "INT", "CORNER").data.foreach_set("value", tag)
    sharp = mesh.attributes.new("crease_edge", "FLOAT", "EDGE")
    sharp.data.foreach_set("value", np.linspace(0.1, 0.9, len(mesh.edges)).astype(np.float32))
    return obj


def assert_dressed(pieces, source):
    """Values at all corners of outer faces are those of their places."""
    loops = {
        (polygon.index, tuple(np.round(source.vertices[source.loops[i].vertex_index].co, 4))): i
        for polygon in source.polygons
        for i in polygon.loop_indices
    }
    for piece in pieces:
        uv = np.array([entry.vector for entry in piece.mesh.uv_layers["UV"].uv])
        colour, heat = values(piece.mesh.attributes["Col"]), values(piece.mesh.attributes["heat"])[:, 0]
        tag = values(piece.mesh.attributes["tag"])[:, 0]
        for number, corners in piece.outer():
            vertex = piece.corner[corners]
            point = piece.rest[vertex]
            assert np.allclose(uv[corners], point @ LINEAR, atol=FLOAT32)
            assert np.allclose(colour[corners, :3], 0.5 + 0.1 * point, atol=FLOAT32)
            assert np.allclose(heat[vertex], point @ [1, 2, 3], atol=10 * FLOAT32)
            of_polygon = set(source.polygons[number].loop_indices)
            for c, p in zip(corners, point, strict=True):
                assert tag[c] in of_polygon
                own = loops.get((number, tuple(np.round(p, 4))))
                assert own is None or tag[c] == own


@pytest.mark.parametrize("rough", [False, True])
@pytest.mark.parametrize("smooth", [False, True])
def test_a_cube_has_one_face_for_each_side_and_fragment(make_cube, broken, rough, smooth):
    obj = dressed(make_cube())
    # The normals at the corners of a cube point away from its middle: linear over each side.
    obj.data.polygons.foreach_set("use_smooth", np.full(6, smooth))
    source = obj.data
    pieces = broken(obj, 20, rough)
    assert_accepted(pieces)
    assert_dressed(pieces, source)
    area = 0.0
    for piece in pieces:
        assert len(piece.outer()) == parts_of(piece)
        if not rough:  # convex
            assert len({number for number, _ in piece.outer()}) == len(piece.outer())
        area += sum(a for f, _, a in piece.triangles if not piece.inner[f])
        for number, corners in piece.outer():
            for c in corners:
                p = piece.rest[piece.corner[c]] - [0, 0, 1]
                wanted = p / np.linalg.norm(p) if smooth else np.array(source.polygons[number].normal)
                # Blender stores what it shows of normals to 1e-4.
                assert np.allclose(piece.mesh.corner_normals[c].vector, wanted, atol=3e-4)
    assert area == pytest.approx(24.0, rel=1e-6)


def test_sides_keep_the_creases_of_their_edges(make_cube, broken):
    obj = dressed(make_cube())
    source = obj.data
    place = np.array([vertex.co for vertex in source.vertices])
    crease = values(source.attributes["crease_edge"])[:, 0]
    found = 0
    for piece in broken(obj, 20):
        got = values(piece.mesh.attributes["crease_edge"])[:, 0]
        for edge in piece.mesh.edges:
            ends = piece.rest[list(edge.vertices)]
            under = 0.0
            for k, (a, b) in enumerate(place[list(e.vertices)] for e in source.edges):
                if np.all(np.linalg.norm(np.cross(ends - a, (b - a) / 2.0), axis=1) < 1e-5):
                    under = crease[k]
            assert got[edge.index] == pytest.approx(under, abs=FLOAT32)
            found += under > 0
    assert found > 24


def skewed_cube(make_cube):
    """One side has texture coordinates that no affine map has."""
    obj = dressed(make_cube())
    uv = obj.data.uv_layers["UV"].uv
    for i, value in zip(obj.data.polygons[2].loop_indices, ((0, 0), (1, 0), (0.4, 0.6), (0, 1)), strict=True):
        uv[i].vector = value
    return obj


def test_a_side_with_a_skewed_texture_stays_split_and_looks_the_same(make_cube, broken):
    obj = skewed_cube(make_cube)
    source = obj.data
    pieces = broken(obj, 20)
    assert_accepted(pieces)
    uv = np.array([entry.vector for entry in source.uv_layers["UV"].uv])
    triangles = surface_of(source)
    several = 0
    for piece in pieces:
        got = np.array([entry.vector for entry in piece.mesh.uv_layers["UV"].uv])
        for f, loops, area in piece.triangles:
            if not piece.inner[f] and area > 1e-6:
                middle = piece.rest[piece.corner[loops]].mean(axis=0)
                shown = uv_at(middle, triangles[piece.number[f]], uv)
                assert np.allclose(got[loops].mean(axis=0), shown, atol=1e-5)
        of_sides = [number for number, _ in piece.outer()]
        several += of_sides.count(2) > 1
        assert all(of_sides.count(number) == 1 for number in set(of_sides) - {2})
    assert several > 0


def test_a_side_that_is_not_flat_stays_split(make_cube, broken):
    obj = make_cube()
    obj.data.vertices[7].co.z += 0.05
    pieces = broken(obj, 20)
    assert_accepted(pieces)
    numbers = [[number for number, _ in piece.outer()] for piece in pieces]
    # It moved within the planes of sides 1 and 3, and out of that of the top.
    assert any(of_piece.count(5) > 1 for of_piece in numbers)
    assert all(of_piece.count(number) <= 1 for of_piece in numbers for number in range(5))


def test_a_turned_cube_is_as_flat_as_its_numbers_say(make_cube, broken):
    obj = make_cube()
    turn = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    obj.data.vertices.foreach_set(
        "co", (np.array([v.co for v in obj.data.vertices]) @ turn.T).astype(np.float32).ravel()
    )
    for piece in broken(obj, 20):
        numbers = [number for number, _ in piece.outer()]
        assert len(numbers) == len(set(numbers))


def test_a_concave_face_is_cut_right_by_blender(make_object, broken):
    """A star of ten corners, as a prism: no part of it may cover a gap between its rays."""
    angle = np.pi * np.arange(10) / 5
    ring = np.where(np.arange(10) % 2, 0.45, 1.0)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    points = [(*p, z) for z in (0.0, 0.5) for p in ring]
    faces = [tuple(reversed(range(10))), tuple(range(10, 20))]
    faces += [(i, (i + 1) % 10, 10 + (i + 1) % 10, 10 + i) for i in range(10)]
    pieces = broken(dressed(make_object("Star", points, faces)), 9)
    assert_accepted(pieces)
    top = 0.0
    for piece in pieces:
        assert len(piece.outer()) == parts_of(piece)
        top += sum(a for f, _, a in piece.triangles if not piece.inner[f] and piece.number[f] == 1)
    assert top == pytest.approx(10 * 0.5 * 0.45 * np.sin(np.pi / 5), rel=1e-6)
    assert any(len(corners) > 5 for piece in pieces for number, corners in piece.outer() if number == 1)


def test_cut_into_triangles_all_the_same(make_cube, broken, module):
    obj = dressed(make_cube())
    reading = module("operators.bridge.read").read_scene(bpy.context, obj, frames=1, ground=None)
    body = module("core.intake.ladder").intake(reading.scene.mesh).body
    parts = module("core.fragments.build").build_fragments(*_cut(module, body, 20, False, 0), 1000.0, body)
    cut = module("core.fragments.triangulate").triangulated(parts)
    assert np.all(np.diff(cut.corner_start) == 3)
    carry = module("operators.bridge.carry")
    layer = next(layer for layer in reading.source.layers if layer.name == "UV")
    place = carry.places(cut, body)
    got = carry.carried(layer, cut, place, reading.source)
    vertex = module("core.fragments.spread").corner_points(cut)
    rest = carry.rest_positions(cut, reading.source)
    outer = place.corners.corner
    assert np.allclose(got[outer], rest[vertex[outer]] @ LINEAR, atol=FLOAT32)


def test_a_monkey_keeps_its_skin(broken):
    bpy.ops.mesh.primitive_monkey_add()
    obj = bpy.context.object
    modifier = obj.modifiers.new("Solid", "REMESH")
    modifier.mode, modifier.octree_depth = "BLOCKS", 4
    depsgraph = bpy.context.evaluated_depsgraph_get()
    mesh = bpy.data.meshes.new_from_object(obj.evaluated_get(depsgraph))
    obj.modifiers.clear()
    obj.data = mesh
    whole = sum(polygon.area for polygon in mesh.polygons)
    pieces = broken(dressed(obj), 30)
    assert_accepted(pieces)
    assert_dressed(pieces, mesh)
    assert sum(len(piece.outer()) for piece in pieces) <= sum(parts_of(piece) for piece in pieces) + 2
    area = sum(a for piece in pieces for f, _, a in piece.triangles if not piece.inner[f])
    assert area == pytest.approx(whole, rel=1e-5)
