"""What the way in has made of an open mesh: second sides, rims and caps, and what their faces get."""

import bpy
import numpy as np
import pytest

from tests.blender import ugly
from tests.blender.halves import broken_in_two
from tests.blender.pieces import pieces_of
from tests.blender.places import in_world_axes

pytestmark = pytest.mark.blender

OWN, BACK, RIM, CAP = range(4)
TURNED = [0, 2, 1]
HALF = 0.1  # of the thickness
FLOAT32 = 2e-6  # rounding of positions up to 2, from which values are worked out here


@pytest.fixture
def shatter(module):
    """Read, make a body by `repair(types, mesh)`, break in two, write; the pieces and the body."""
    read, write, types = (
        module(f"{name}") for name in ("operators.bridge.read", "operators.bridge.write", "core.types")
    )

    def run(obj, repair, normal=(1.0, 0.37, 0.23)):
        bpy.context.view_layer.update()
        reading = read.read_scene(bpy.context, obj, frames=2, ground=None)
        shattered = broken_in_two(
            module, reading.scene.mesh, normal=normal, frames=2, repair=lambda mesh, _: repair(types, mesh)
        )
        return pieces_of(write.write(bpy.context, obj, reading.source, shattered, 1)), shattered.body

    return run


def border(triangles):
    """Triangle and its corner for each side that has no neighbour."""
    sides = {(int(t[k]), int(t[(k + 1) % 3])): (row, k) for row, t in enumerate(triangles) for k in range(3)}
    return [place for (a, b), place in sides.items() if (b, a) not in sides]


def thickened(types, mesh):
    """A level sheet, pushed apart up and down, with a rim of two triangles for each side at its border."""
    points = in_world_axes(mesh)
    up, count = np.array([0.0, 0.0, HALF]), len(points)
    vertices = np.concatenate([points + up, points - up])
    triangles = [*mesh.triangles, *(mesh.triangles[:, TURNED] + count)]
    source = [*range(len(mesh.triangles))] * 2
    weight = [np.eye(3)] * len(mesh.triangles) + [np.eye(3)[TURNED]] * len(mesh.triangles)
    made = [OWN] * len(mesh.triangles) + [BACK] * len(mesh.triangles)
    for row, k in border(mesh.triangles):
        ends = [k, (k + 1) % 3]
        a, b = mesh.triangles[row][ends]
        i, j = np.eye(3)[ends]
        triangles += [(a, a + count, b + count), (a, b + count, b)]
        weight += [(i, i, j), (i, j, j)]
        source += [row, row]
        made += [RIM, RIM]
    return types.Body(vertices, np.array(triangles), np.array(source), weight=np.array(weight), made=np.array(made))


def closed(types, mesh, height=0.0):
    """A fan over the only hole, its middle `height` above that of the border; its weights say nothing."""
    points = in_world_axes(mesh)
    sides = border(mesh.triangles)
    ends = np.array([mesh.triangles[row][[(k + 1) % 3, k]] for row, k in sides])
    middle = points[ends[:, 0]].mean(axis=0)
    middle[2] += height
    fan = np.column_stack([ends, np.full(len(ends), len(points))])
    known = len(mesh.triangles)
    nonsense = np.random.default_rng(0).uniform(-9.0, 9.0, (len(fan), 3, 3))
    weight = np.concatenate([np.tile(np.eye(3), (known, 1, 1)), nonsense])
    return types.Body(
        np.concatenate([points, middle[None]]),
        np.concatenate([mesh.triangles, fan]),
        np.array([*range(known), *(row for row, _ in sides)]),
        weight=weight,
        made=np.repeat([OWN, CAP], [known, len(fan)]),
    )


def materials(*names):
    return [bpy.data.materials.new(name) for name in names]


def sheet():
    """Five by five quads with UVs, normals that lean, two materials and a number on each face."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=5, y_subdivisions=5, size=2.0)
    obj, mesh = bpy.context.object, bpy.context.object.data
    place = np.array([mesh.vertices[loop.vertex_index].co for loop in mesh.loops])
    mesh.uv_layers[0].uv.foreach_set("vector", (0.5 * place[:, :2] + 0.5).astype(np.float32).ravel())
    mesh.polygons.foreach_set("use_smooth", np.ones(len(mesh.polygons), bool))
    mesh.normals_split_custom_set(leaning(place))
    middle = np.array([np.abs(polygon.center[:2]).max() < 0.5 for polygon in mesh.polygons])
    for material in materials("Middle", "Border"):
        mesh.materials.append(material)
    mesh.polygons.foreach_set("material_index", np.where(middle, 0, 1).astype(np.int32))
    number = mesh.attributes.new("number", "INT", "FACE")
    number.data.foreach_set("value", np.arange(1, 1 + len(mesh.polygons), dtype=np.int32))
    seam = mesh.attributes.new("uv_seam", "BOOLEAN", "EDGE")
    seam.data.foreach_set("value", np.array([np.abs(edge_middle(mesh, edge)[:2]).max() > 0.99 for edge in mesh.edges]))
    return obj


def edge_middle(mesh, edge):
    return np.mean([mesh.vertices[i].co for i in edge.vertices], axis=0)


def leaning(place):
    """Normals that lean outward the more, the farther out."""
    normal = np.column_stack([0.4 * place[:, :2], np.ones(len(place))])
    return normal / np.linalg.norm(normal, axis=1)[:, None]


def bowl():
    """The lower half of a ball, with UVs and a colour."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=8, radius=1.0)
    obj, mesh = bpy.context.object, bpy.context.object.data
    keep = [[*polygon.vertices] for polygon in mesh.polygons if polygon.center[2] < 0.0]
    points = [tuple(vertex.co) for vertex in mesh.vertices]
    used = sorted({i for face in keep for i in face})
    number = {old: new for new, old in enumerate(used)}
    half = bpy.data.meshes.new("Bowl")
    half.from_pydata([points[i] for i in used], [], [[number[i] for i in face] for face in keep])
    half.polygons.foreach_set("use_smooth", np.ones(len(half.polygons), bool))
    place = np.array([half.vertices[loop.vertex_index].co for loop in half.loops])
    half.uv_layers.new(name="UVMap").uv.foreach_set("vector", (0.25 * place[:, :2]).astype(np.float32).ravel())
    colour = np.full((len(half.vertices), 4), 0.5, np.float32)
    half.color_attributes.new("Paint", "FLOAT_COLOR", "POINT").data.foreach_set("color", colour.ravel())
    for material in materials("Clay", "Glaze"):
        half.materials.append(material)
    half.polygons.foreach_set("material_index", np.ones(len(half.polygons), np.int32))
    obj.data = half
    bpy.context.view_layer.update()
    return obj


class Piece:
    """The arrays of a fragment: positions before the break, corners, faces, and what lies on them."""

    def __init__(self, item):
        self.mesh = item.data
        self.rest = self.values("rest_position", "vector")
        self.corner = np.array([loop.vertex_index for loop in self.mesh.loops])
        self.face = np.repeat(np.arange(len(self.mesh.polygons)), [p.loop_total for p in self.mesh.polygons])
        self.place = self.rest[self.corner]
        self.flat = np.array([polygon.normal for polygon in self.mesh.polygons])
        self.normal = np.array([entry.vector for entry in self.mesh.corner_normals])
        self.slot = np.array([polygon.material_index for polygon in self.mesh.polygons])
        self.inner = self.values("brittle_inner", "value")
        self.uv = np.array([entry.vector for entry in self.mesh.uv_layers[0].uv])

    def values(self, name, prop):
        return np.array([getattr(entry, prop) for entry in self.mesh.attributes[name].data])


def test_both_sides_of_a_sheet_look_like_it_and_its_rim_has_a_slot(shatter):
    pieces, _ = shatter(sheet(), thickened)
    for item in pieces:
        piece = Piece(item)
        names = [slot.material.name for slot in item.material_slots]
        assert names == ["Middle", "Border", "Brittle Inner", "Border"]
        assert np.array_equal(piece.slot == 2, piece.inner)
        assert piece.inner.sum() == 1
        rim = piece.slot == 3
        assert np.array_equal(rim, ~piece.inner & (np.abs(piece.flat[:, 2]) < 0.5))
        front, back = (np.sign(piece.flat[:, 2]) == side for side in (1, -1))
        for side, sign in ((front & ~rim & ~piece.inner, 1), (back & ~rim & ~piece.inner, -1)):
            at = side[piece.face]
            # Values are linear in x and y; the sides lie straight above and below the sheet.
            assert np.allclose(piece.uv[at], 0.5 * piece.place[at][:, :2] + 0.5, atol=FLOAT32)
            assert np.allclose(piece.place[at][:, 2], sign * HALF, atol=FLOAT32)
            assert np.all(np.einsum("ij,ij->i", piece.normal[at], piece.flat[piece.face[at]]) > 0.5)
            middle = np.array([np.abs(piece.place[piece.face == f][:, :2]).max() for f in np.flatnonzero(side)])
            assert np.array_equal(piece.slot[side] == 0, middle < 0.6 + FLOAT32)
        assert np.all(piece.values("number", "value")[~piece.inner] > 0)


def test_normals_of_a_sheet_lean_the_same_way_on_both_sides_and_rims_are_flat(shatter):
    obj = sheet()
    known = np.array([entry.vector for entry in obj.data.corner_normals])
    where = np.array([obj.data.vertices[loop.vertex_index].co for loop in obj.data.loops])[:, :2]
    pieces, _ = shatter(obj, thickened)
    found = 0
    for item in pieces:
        piece = Piece(item)
        rim = (piece.slot == 3)[piece.face]
        assert np.allclose(piece.normal[rim], piece.flat[piece.face[rim]], atol=1e-5)
        sides = ~rim & ~piece.inner[piece.face]
        for c in np.flatnonzero(sides):
            gap = np.abs(where - piece.place[c, :2]).max(axis=1)
            if gap.min() < FLOAT32:
                sign = np.sign(piece.flat[piece.face[c], 2])
                assert np.allclose(piece.normal[c], sign * known[np.argmin(gap)], atol=1e-3)
                found += 1
        sharp = piece.values("sharp_face", "value")
        assert np.array_equal(sharp, piece.inner | (piece.slot == 3))
    assert found > 100


def test_a_rim_has_the_colours_of_its_border_and_marks_only_what_is_the_borders(shatter):
    pieces, _ = shatter(sheet(), thickened)
    marked = 0
    for item in pieces:
        piece = Piece(item)
        at = (piece.slot == 3)[piece.face]
        assert np.allclose(piece.uv[at], 0.5 * piece.place[at][:, :2] + 0.5, atol=FLOAT32)
        seam = piece.values("uv_seam", "value")
        for edge, value in zip(piece.mesh.edges, seam, strict=True):
            a, b = piece.rest[list(edge.vertices)]
            along = abs(a[2] - b[2]) < FLOAT32 and abs(a[2]) > HALF - FLOAT32
            side = np.argmax(np.abs(a[:2]))
            assert value == (along and abs(a[side]) > 1 - FLOAT32 and abs(a[side] - b[side]) < FLOAT32) or (
                along and np.abs(a[:2]).min() > 1 - FLOAT32  # a corner of the sheet has two such sides
            )
            marked += value
    assert marked >= 2 * 20


def test_the_rim_takes_what_most_of_the_border_shows_also_from_the_object(shatter):
    obj = sheet()
    obj.material_slots[1].link = "OBJECT"
    obj.material_slots[1].material = bpy.data.materials.new("Own")
    pieces, _ = shatter(obj, thickened)
    for item in pieces:
        assert [slot.material.name for slot in item.material_slots] == ["Middle", "Own", "Brittle Inner", "Own"]
    bare = sheet()
    bare.data.materials.clear()
    pieces, _ = shatter(bare, thickened)
    for item in pieces:
        assert [slot.material and slot.material.name for slot in item.material_slots] == [None, "Brittle Inner", None]
        assert set(Piece(item).slot) == {0, 1, 2}


def test_a_cap_is_marked_and_wears_its_neighbours_material(shatter):
    pieces, _ = shatter(bowl(), closed)
    for item in pieces:
        piece = Piece(item)
        assert [slot.material.name for slot in item.material_slots] == ["Clay", "Glaze", "Brittle Inner"]
        cap = piece.values("brittle_cap", "value")
        assert item.data.attributes["brittle_cap"].domain == "FACE"
        assert np.array_equal(cap, piece.flat[:, 2] > 0.99)
        assert not np.any(cap & piece.inner)
        assert np.array_equal(piece.slot, np.where(piece.inner, 2, 1))
        at = cap[piece.face]
        assert np.allclose(piece.normal[at], (0, 0, 1), atol=1e-5)
        assert piece.values("sharp_face", "value")[cap].all()
        # Points of the border belong to the bowl; those that a cap alone has are white.
        paint = piece.values("Paint", "color")
        bowls = np.unique(piece.corner[~at & ~piece.inner[piece.face]])
        assert np.allclose(paint[bowls], 0.5)
        assert np.allclose(np.delete(paint, bowls, axis=0), 1.0)


@pytest.mark.parametrize("height", [0.0, 0.2])
def test_a_caps_texture_runs_on_over_all_its_faces_and_pieces(shatter, height):
    obj = bowl()
    density = texture_density(obj.data)
    pieces, body = shatter(obj, lambda types, mesh: closed(types, mesh, height))
    assert (body.made == CAP).sum() == 16
    place, uv = [], []
    for item in pieces:
        piece = Piece(item)
        at = piece.values("brittle_cap", "value")[piece.face]
        place.append(piece.place[at])
        uv.append(piece.uv[at])
    place, uv = np.concatenate(place), np.concatenate(uv)
    # One plane: texture coordinates are one linear function of x and y, in which nothing is stretched.
    table = np.column_stack([place[:, :2], np.ones(len(place))])
    linear, *_ = np.linalg.lstsq(table, uv, rcond=None)
    assert np.abs(table @ linear - uv).max() < 10 * FLOAT32
    assert np.allclose(linear[:2].T @ linear[:2], density**2 * np.eye(2), rtol=1e-3, atol=1e-5)


def texture_density(mesh):
    """The median of texture units per metre over the area."""
    mesh.calc_loop_triangles()
    loops = np.array([triangle.loops for triangle in mesh.loop_triangles])
    uv = np.array([entry.vector for entry in mesh.uv_layers[0].uv])[loops]
    u, v = uv[:, 1] - uv[:, 0], uv[:, 2] - uv[:, 0]
    area = np.array([triangle.area for triangle in mesh.loop_triangles])
    density = np.sqrt(np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]) / 2.0 / area)
    order = np.argsort(density)
    return density[order[np.searchsorted(np.cumsum(area[order]), area.sum() / 2.0)]]


def test_bodies_without_caps_and_rims_have_neither_mark_nor_slot(shatter, module):
    bpy.ops.mesh.primitive_uv_sphere_add(segments=8, ring_count=6)
    pieces, _ = shatter(bpy.context.object, lambda _, mesh: module("core.intake.ladder").intake(mesh).body)
    for item in pieces:
        assert "brittle_cap" not in item.data.attributes
        assert len(item.material_slots) == 2


def test_a_piece_with_a_cap_keeps_its_mark_when_it_breaks_again(shatter, module):
    pieces, _ = shatter(bowl(), closed)
    bpy.context.scene.frame_set(1)
    again, _ = shatter(pieces[0], lambda _, mesh: module("core.intake.ladder").intake(mesh).body, (0.2, 1.0, 0.31))
    caps = [Piece(item).values("brittle_cap", "value") for item in again]
    assert any(cap.any() for cap in caps)
    for item, cap in zip(again, caps, strict=True):
        assert np.array_equal(cap, ~Piece(item).inner & (Piece(item).flat[:, 2] > 0.99))


def test_the_operator_gives_a_sheet_a_rim_and_a_bowl_a_cap():
    obj = sheet()
    uv = 0
    for item in ugly.shatter(obj, count=8):
        piece = Piece(item)
        assert [slot.material.name for slot in item.material_slots] == ["Middle", "Border", "Brittle Inner", "Border"]
        sides = (piece.slot < 2)[piece.face]
        assert np.allclose(piece.uv[sides], 0.5 * piece.place[sides][:, :2] + 0.5, atol=FLOAT32)
        assert np.all(np.einsum("ij,ij->i", piece.normal, piece.flat[piece.face]) > 0.5)
        uv += sides.sum()
    assert uv > 0
    bpy.ops.brittle.restore()
    caps = 0
    for item in ugly.shatter(bowl(), count=8, open="close"):
        piece = Piece(item)
        assert [slot.material.name for slot in item.material_slots] == ["Clay", "Glaze", "Brittle Inner"]
        cap = piece.values("brittle_cap", "value")
        assert np.array_equal(cap, ~piece.inner & (piece.flat[:, 2] > 0.99))
        caps += cap.sum()
    assert caps > 0
