"""Rough cuts: CPU time per triangle of broken faces beside what was promised, previews beside flat cuts, memory.

`ours` is refinement, cut and inner faces with all their checks, without the count of piercings, which is a report. The
reference of final quality is 3 us for each inner triangle that was made, that of previews the flat cut with the same
partition: previews may take three times as long (a ratio of 0.33).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from core.config.params import from_mapping
from core.config.surface import Surface
from core.cutting.cut import cut
from core.diagram import grain_of
from core.pieces.voronoi_complex import voronoi_complex
from core.roughness.rough import rough_cut
from core.types import Body, Partition
from tests import shapes
from tests.bench.measure import extra_mib, seconds

#: [s] that an inner triangle may take.
PROMISED = 3e-6
#: Roughness of the cases: wavelength in metres, amplitude as its share.
CASES = {
    ("box 2 m", 100): (0.2, 0.04),
    ("box 2 m", 1000): (0.1, 0.04),
    ("Suzanne", 100): (0.1, 0.04),
    ("Suzanne", 1000): (0.05, 0.04),
    ("wall 4 x 3 x 0.2 m", 100): (0.05, 0.04),
    ("wall 4 x 3 x 0.2 m", 1000): (0.05, 0.04),
}


def body_of(name: str) -> Body:
    """The body of a case."""
    if name == "Suzanne":
        return suzanne()
    size = (2.0, 2.0, 2.0) if name.startswith("box") else (4.0, 0.2, 3.0)
    return shapes.box((0.0, 0.0, 0.0), size)


def suzanne() -> Body:
    """The head of the demo, 2 m high, of some 30,000 triangles."""
    import bpy

    from tools import checkout

    checkout.enable()
    try:
        import demo_meshes

        obj = demo_meshes.suzanne(2.0)
        mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
        mesh.calc_loop_triangles()
        vertices = np.array([tuple(vertex.co) for vertex in mesh.vertices])
        triangles = np.array([tuple(triangle.vertices) for triangle in mesh.loop_triangles], np.int64)
    finally:
        checkout.disable()
    return shapes.body(vertices, triangles)


def pattern(body: Body, count: int) -> Partition:
    """Voronoi cells of even sites in the body's box."""
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    margin = 0.1 * (high - low)
    sites = np.random.default_rng(count).uniform(low, high, (count, 3))
    return voronoi_complex(sites, low - margin, high + margin)


def surface(quality: str, octaves: int = 2) -> Surface:
    """The settings of a case; sizes are given apart."""
    return from_mapping(Surface, {"octaves": octaves, "quality": quality})


def run() -> Iterator[dict[str, Any]]:
    """Two rows for each case."""
    for (name, count), (wavelength, share) in CASES.items():
        body = body_of(name)
        part = pattern(body, count)
        yield final(f"{name}, {count} cells", body, part, wavelength, share)
        yield preview(f"{name}, {count} cells", body, part, wavelength, share)
    yield memory()


def final(case: str, body: Body, part: Partition, wavelength: float, share: float) -> dict[str, Any]:
    """Time per inner triangle."""
    bend, grain = grain_of(surface("final"), share * wavelength, wavelength, 0)
    made = len(rough_cut(body, part, bend, grain).inner_bond)
    taken = seconds(lambda: rough_cut(body, part, bend, grain), runs=2, warm_up=False)
    case = f"{case}: {made} inner, {1e6 * taken / made:.2f} us each"
    return {"case": case, "ours_s": taken, "reference": "3 us each", "reference_s": PROMISED * made}


def preview(case: str, body: Body, part: Partition, wavelength: float, share: float) -> dict[str, Any]:
    """Beside the flat cut."""
    bend, grain = grain_of(surface("preview"), share * wavelength, wavelength, 0)
    made = len(rough_cut(body, part, bend, grain).inner_bond)
    taken = seconds(lambda: rough_cut(body, part, bend, grain), runs=5)
    flat = seconds(lambda: cut(body, part), runs=5)
    return {"case": f"{case}: preview, {made} inner", "ours_s": taken, "reference": "flat cut", "reference_s": flat}


def memory() -> dict[str, Any]:
    """The largest memory that a fresh process needs beyond body and partition."""
    prepare = (
        "from tests.bench.bench_warp import *\n"
        "small = shapes.box(); bend, grain = grain_of(surface('final'), .004, .1, 0)\n"
        "rough_cut(small, pattern(small, 5), bend, grain)\n"
        "body = body_of('box 2 m'); part = pattern(body, 1000)"
    )
    peak = extra_mib(prepare, "made = rough_cut(body, part, bend, grain)")
    return {"case": "box 2 m, 1000 cells, memory", "peak_mib": peak}
