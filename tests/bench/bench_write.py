"""From a mesh in Blender to its pieces in Blender, stage by stage: read, intake, cut, fragments, write.

The object is what an artist brings: UVs, custom normals, two materials, a colour and a number on its points. Times
are CPU seconds, the best of three. The reference takes the same object through the same reader and writer, with
manifold3d cutting it piece by piece; it cuts and writes a sample, scaled to all pieces.
"""

import resource
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import manifold3d
import numpy as np

from tests.bench import peers

COUNT = 1_000
SAMPLED = 50  #: pieces that manifold3d cuts
DENSITY = 2500.0
FRAMES = 250


def run() -> list[dict[str, Any]]:
    """One row for the whole way without keys, one with keys for 250 frames, one for each stage."""
    from tools import checkout

    checkout.enable()
    try:
        return rows(250_000)
    finally:
        checkout.disable()


def rows(triangles: int) -> list[dict[str, Any]]:
    """The rows for an object of about this many triangles."""
    obj = dressed(triangles)
    count = len(obj.data.polygons)
    name = f"{count} triangles x {COUNT} pieces"
    best = _best(lambda: _stages(obj, 1))
    reference = by_manifold(obj)
    total = sum(best.values())
    result = [
        {
            "case": f"{name}: read to written",
            "ours_s": total,
            "reference": "manifold3d, same reader and writer",
            "reference_s": reference,
            "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
    ]
    result += [{"case": f"  {stage}", "ours_s": value} for stage, value in best.items()]
    keyed = _best(lambda: _stages(obj, FRAMES))
    return [*result, {"case": f"{name}: written with keys for {FRAMES} frames", "ours_s": keyed["write"]}]


def written(obj: Any, reading: Any, body: Any, fragments: Any, frames: int = 1) -> Any:
    """Write any fragments of `body` as pieces of `obj`, which fly apart; returns their collection."""
    import bpy

    count = len(fragments.mass)
    rotation = np.zeros((frames, count, 4))
    angle = np.arange(frames)[:, None] * np.linspace(0.01, 0.02, count)
    rotation[..., 0], rotation[..., 3] = np.cos(angle), np.sin(angle)
    away = 1.0 + 0.01 * np.arange(frames)[:, None, None]
    shattered = SimpleNamespace(
        body=body,
        fragments=fragments,
        fracture=SimpleNamespace(
            parent=np.full(count, -1), birth=np.zeros(count, np.int64), death=np.full(count, frames)
        ),
        motion=SimpleNamespace(time=np.arange(frames) / 24.0, position=fragments.centre * away, rotation=rotation),
    )
    return _module("operators.bridge.write").write(bpy.context, obj, reading.source, shattered, 1)


def dressed(triangles: int) -> Any:
    """A scan-like surface with UVs, custom normals, two materials, a colour and a number on its points."""
    import bpy

    from tests import shapes

    body = shapes.scan(triangles)
    mesh = bpy.data.meshes.new("Scan")
    mesh.from_pydata(body.vertices, [], body.triangles)
    place = body.vertices[body.triangles.ravel()].astype(np.float32)
    mesh.uv_layers.new(name="UVMap").uv.foreach_set("vector", np.ascontiguousarray(place[:, :2]).ravel())
    normal = place / np.linalg.norm(place, axis=1)[:, None]
    mesh.attributes.new("custom_normal", "FLOAT_VECTOR", "CORNER").data.foreach_set("vector", normal.ravel())
    colour = np.ones((len(body.vertices), 4), np.float32)
    colour[:, :3] = body.vertices / 3 + 0.5
    mesh.color_attributes.new("Col", "FLOAT_COLOR", "POINT").data.foreach_set("color", colour.ravel())
    heat = body.vertices[:, 2].astype(np.float32)
    mesh.attributes.new("heat", "FLOAT", "POINT").data.foreach_set("value", heat)
    for name in ("Stone", "Moss"):
        mesh.materials.append(bpy.data.materials.new(name))
    mesh.polygons.foreach_set("material_index", (np.arange(len(body.triangles)) % 2).astype(np.int32))
    obj = bpy.data.objects.new("Scan", mesh)
    bpy.context.collection.objects.link(obj)
    bpy.context.view_layer.update()
    return obj


def by_manifold(obj: Any) -> float:
    """Seconds for the whole way where manifold3d intersects the object with each region."""
    watch = Watch()
    reading, body = _let_in(obj, watch)
    pattern = watch.timed("pattern", lambda: _pattern(body))
    picked = np.random.default_rng(0).permutation(len(pattern.region_start) - 1)[:SAMPLED]
    solid, corners = peers.solid_of(body), peers.corners_of(pattern)
    parts = watch.timed("pieces", lambda: fragments_by_manifold(solid, body, corners, picked))
    _restored(obj)
    watch.timed("pieces", lambda: written(obj, reading, body, parts))
    _restored(obj)
    scale = (len(pattern.region_start) - 1) / len(picked)
    return watch.seconds["read"] + watch.seconds["intake"] + watch.seconds["pattern"] + scale * watch.seconds["pieces"]


def fragments_by_manifold(solid: manifold3d.Manifold, body: Any, corners: list, regions: np.ndarray) -> Any:
    """The pieces of some regions as Fragments: triangles that know from which triangle of the body they came."""
    pieces = peers.cut_one_by_one(solid, corners, regions)
    parts = [(piece.to_mesh64(), solid.original_id(), piece.volume()) for piece in pieces if not piece.is_empty()]
    return _packed([_piece(mesh, original, volume, body) for mesh, original, volume in parts])


def _piece(mesh: Any, original: int, volume: float, body: Any) -> tuple:
    vertices, triangles = np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts).astype(np.int64)
    run = np.asarray(mesh.run_index).astype(np.int64) // 3
    outer = np.repeat(np.asarray(mesh.run_original_id) == original, np.diff(run))
    source = np.where(outer, np.asarray(mesh.face_id).astype(np.int64), -1)
    weight = np.zeros((len(triangles), 3, 3))
    a, b, c = (body.vertices[body.triangles[source[outer], k]][:, None] for k in range(3))
    p = vertices[triangles[outer]]
    n = np.cross(b - a, c - a)
    square = np.einsum("fij,fij->fi", n, n)
    for k, (u, v) in enumerate(((b, c), (c, a), (a, b))):
        weight[outer, :, k] = np.einsum("fij,fij->fi", np.cross(v - u, p - u), np.broadcast_to(n, p.shape)) / square
    return vertices, triangles, weight.reshape(-1, 3), source, volume


def _packed(parts: list[tuple]) -> Any:
    from core.geometry import packed
    from core.types import Fragments

    vertices, triangles, weights, sources, volume = zip(*parts, strict=True)
    centre = np.array([v.mean(axis=0) for v in vertices])
    source = np.concatenate(sources)
    corners = 3 * len(source)
    return Fragments(
        vertex_start=packed.starts(np.array([len(v) for v in vertices])),
        vertices=np.concatenate([v - c for v, c in zip(vertices, centre, strict=True)]),
        face_start=packed.starts(np.array([len(t) for t in triangles])),
        corner_start=np.arange(0, corners + 1, 3),
        corner_vertex=np.concatenate(triangles).ravel(),
        corner_weight=np.concatenate(weights),
        face_triangle=source,
        face_bond=np.where(source < 0, 0, -1),
        mass=np.array(volume) * DENSITY,
        volume=np.array(volume),
        centre=centre,
        inertia=np.tile(np.eye(3), (len(parts), 1, 1)),
    )


class Watch:
    """CPU seconds of named stages."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def timed(self, stage: str, work: Callable[[], Any]) -> Any:
        begin = time.process_time()
        result = work()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.process_time() - begin
        return result


def _stages(obj: Any, frames: int) -> dict[str, float]:
    fragments = _module("core.fragments.build")
    watch = Watch()
    reading, body = _let_in(obj, watch)
    pattern = watch.timed("pattern", lambda: _pattern(body))
    cells = watch.timed("cut", lambda: _module("core.cutting.cut").cut(body, pattern))
    members = [np.array([unit]) for unit in range(int(cells.unit.max()) + 1)]
    parts = watch.timed("fragments", lambda: fragments.build_fragments(cells, members, DENSITY, body))
    watch.timed("write", lambda: written(obj, reading, body, parts, frames))
    _restored(obj)
    return watch.seconds


def _let_in(obj: Any, watch: Watch) -> tuple[Any, Any]:
    import bpy

    read, intake = _module("operators.bridge.read"), _module("core.intake.ladder")
    reading = watch.timed("read", lambda: read.read_scene(bpy.context, obj, frames=1, ground=None))
    return reading, watch.timed("intake", lambda: intake.intake(reading.scene.mesh)).body


def _pattern(body: Any) -> Any:
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    sites = np.random.default_rng(COUNT).uniform(low, high, (3 * COUNT, 3))
    inside = _module("core.geometry.inside").winding_number(body.vertices, body.triangles, sites) > 0.5
    sites = sites[inside][:COUNT]
    return _module("core.pieces.voronoi_complex").voronoi_complex(sites, low, high)


def _restored(obj: Any) -> None:
    import bpy

    _module("operators.bridge.restore").restore(obj)
    bpy.context.view_layer.update()


def _best(work: Callable[[], dict[str, float]], runs: int = 3) -> dict[str, float]:
    work()  # loads machine code
    return min((work() for _ in range(runs)), key=lambda seconds: sum(seconds.values()))


def _module(name: str) -> Any:
    import importlib

    from tools.checkout import PACKAGE

    return importlib.import_module(f"{PACKAGE}.{name}")
