"""Flat patterns bent onto the walls of vessels and of bent panes: which chart suits a body, and the cut through it.

Around a hit a sphere is laid on the wall, so that the pattern spreads from the hit as over a flat sheet. Around an axis
a cylinder is unrolled: the body is slit along a half-plane behind the hit, what lies near the axis is taken out, the
rest is cut as a flat strip, and all is sewn again. In both the pattern is laid out on the flat image of the body.

Limitations: a chart follows one wall. What the wall of a sphere hides from its centre is cut by rays from there; what
lies near the axis of a cylinder, a narrow neck or a stem too, is not cut. Behind the hit, where cracks of both sides
end on the seam at different places, short pieces of it remain as straight cracks.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from .arithmetic.elementary import arctan2
from .arithmetic.products import dot, norm
from .cutting.booleans import cut_by_booleans
from .cutting.complex import Complex
from .cutting.cut import cut
from .cutting.parts import split_parts, together
from .cutting.retry import Cutters, cut_with_retry
from .errors import CutError, InputError
from .geometry.charts import SPHERE, Chart, cylinder, rolled, sphere, unrolled
from .geometry.corner_values import normalized
from .geometry.mesh import diagonal, invert_3x3, map_vectors
from .geometry.nearest import nearest
from .pieces.layouts.shape import Shape, measure, measure_skin
from .pieces.voronoi_complex import voronoi_complex
from .roughness.bend import Bend, rough
from .roughness.refine import Refined
from .roughness.rough import FlatCut, Folded, Grain, rough_cut
from .settings import Settings
from .types import Body, Cells, Floats, Frozen, Impact, Partition
from .unroll.fits import Lathed, fit_axis, fit_sphere
from .unroll.flatten import flatten, refine_flattened
from .unroll.sew import sewn, traced, unsewn
from .unroll.slit import Slit, slit

#: Errors of `Lathed` up to which a body counts as one of revolution: by itself, and where an artist says so. Both by
#: eye: by itself only what is plainly turned on a lathe.
_ROUND, ROUND_ENOUGH = 0.15, 0.35
#: A hit is on the side wall where the normal leans this much away from the axis at least (sine), about 45 degrees. By
#: eye.
_SIDE = 0.7
#: Sectors about an axis that a body fills if it is closed around it. By eye.
SECTORS = 6
#: A wall follows a sphere where the mean cosine between its normals and the sphere's is at least this. By eye.
FOLLOWS = 0.6
#: Half of the weight in the fit of a sphere is lost this far from the hit, in diagonals of the body. By eye.
NEIGHBOURHOOD = 0.5
#: What is nearer to the axis of a cylinder than this share of its radius is not cut. By eye: there cracks all come
#: together.
_CORE = 0.15
#: How far sides of triangles may leave a chart, relative to its radius or to the body's if that is less. By eye:
#: preview quality had 0.01 before.
_CLOSE = 0.003
#: The same, relative to the thickness of a wall. As in bent space, see `_THIN` in core/diagram.py.
_THIN = 0.25
#: By so much regions of a strip lean across it, along the strip: tangents. By eye: not seen, and far above round-off.
_LEAN = 1e-4
STRAIGHT = "The pieces stay straight, for the pattern could not be bent around the object."


@dataclass(frozen=True, eq=False, slots=True)
class _Part(Frozen):
    """A part of the body, or its strip, and its flat image."""

    body: Body
    flattened: Refined
    slit: Slit | None = None  #: where the part is slit


@dataclass(frozen=True, eq=False, slots=True)
class Wall(Frozen):
    """A body with a chart of its wall."""

    body: Body
    chart: Chart
    parts: tuple[_Part, ...]
    flat: Body  #: the whole, laid flat
    impacts: tuple[Impact, ...]  #: on the flat body
    closeness: float  #: how far triangles may leave the chart [m]

    @property
    def smooth(self) -> tuple[Bend, Grain]:
        """Space bent by the chart alone, and inner faces that follow it as closely as the skin does."""
        bend = rough(0.0, 1.0, 0, 0, self.chart)
        return bend, Grain(self.closeness, float(np.sqrt(8.0 * self.closeness / self.chart.curvature)))

    def with_body(self, body: Body) -> "Wall":
        """The same wall, with another body to cut: `flat`, on which the pattern is laid out, stays.

        Raises InputError or CutError where that body cannot be laid flat.
        """
        return replace(self, body=body, parts=_parts(body, self.chart, self.closeness))

    def cut(self, build: Callable[[int], Partition], bend: Bend, grain: Grain) -> tuple[Cells, tuple[str, ...]]:
        """The cells of the body, cut by partitions of flat space, see `cut_with_retry`; `bend` has the chart."""
        done: list[Cells] = []
        notes: list[str] = []
        for part in self.parts:
            ways = (partial(_cut, part=part, bend=bend, grain=grain, flat_cut=way) for way in (cut, cut_by_booleans))
            cells, said = cut_with_retry(part.body, build, cutters=Cutters(*ways))
            done.append(cells)
            notes += said
        return together(self.body, done), tuple(dict.fromkeys(notes))


def wall_of(body: Body, impacts: tuple[Impact, ...], settings: Settings) -> tuple[Wall | None, tuple[str, ...]]:
    """The wall on which the pattern is laid, None where it stays straight, and notes for the report.

    Raises InputError where an artist asked for a chart that the body does not take.
    """
    wrap = settings.surface.wrap
    if wrap == "off" or (wrap == "auto" and settings.pieces != "radial"):
        return None, ()
    shape = measure(body)
    hit = _hit(shape, impacts)
    if wrap != "auto":
        try:
            chart = _sphere(body, hit) if wrap == "sphere" else _cylinder(body, hit, ROUND_ENOUGH)
            return _wall(shape, chart, impacts), ()
        except InputError as error:
            raise InputError(f"{error} Choose another Wrap.") from error
    if shape.kind != "shell":
        return None, ()
    for make in _charts(body, hit):
        try:
            return _wall(shape, make(), impacts), ()
        except (InputError, CutError):
            continue
    return None, (STRAIGHT,)


class _Hit(NamedTuple):
    """The place on the skin where the pattern begins."""

    point: Floats  #: (3,)
    normal: Floats  #: (3,) of the skin


def _hit(shape: Shape, impacts: tuple[Impact, ...]) -> _Hit:
    """The strongest hit (the first of equals), or the skin nearest to the middle."""
    strongest = max(impacts, key=lambda impact: impact.strength, default=None)
    point = shape.centre if strongest is None else strongest.point
    point, triangle, _ = nearest(shape.body.vertices, shape.body.triangles, point[None])
    return _Hit(point[0], measure_skin(shape.body)[1][triangle[0]])


def _charts(body: Body, hit: _Hit) -> list[Callable[[], Chart]]:
    """The charts that suit a shell, the best one first."""
    lathed = fit_axis(body.vertices, body.triangles)
    ways: list[Callable[[], Chart]] = [partial(_sphere, body, hit, FOLLOWS)]
    if lathed.error < _ROUND and _closed_around(body, lathed):
        beside = abs(float(dot(hit.normal, lathed.axis))) < _SIDE
        ways.insert(0 if beside else 1, partial(_cylinder, body, hit, _ROUND))
    return ways


def _closed_around(body: Body, lathed: Lathed) -> bool:
    """Whether there is skin on all sides of the axis."""
    arm, _ = _samples(body)
    arm = arm - lathed.point
    first = np.eye(3)[np.abs(lathed.axis).argmin()]
    second = np.cross(lathed.axis, first)
    turn = arctan2(dot(arm, second), dot(arm, np.cross(second, lathed.axis)))
    return len(np.unique(np.floor(turn * (SECTORS / (2.0 * np.pi))))) >= SECTORS


def _samples(body: Body) -> tuple[Floats, Floats]:
    """The middles (3T,3) of the sides of all triangles, and the area (3T,) for which each stands [m^2]."""
    corner = body.vertices[body.triangles]
    return 0.5 * (corner + np.roll(corner, -1, axis=1)).reshape(-1, 3), np.repeat(measure_skin(body)[0] / 3.0, 3)


def _sphere(body: Body, hit: _Hit, follows: float = 0.0) -> Chart:
    """The sphere nearest to the skin, above all near the hit."""
    place, area = _samples(body)
    away, near = place - hit.point, NEIGHBOURHOOD * diagonal(body.vertices)
    far = dot(away, away) / (near * near)
    centre, radius = fit_sphere(place, area / (1.0 + far))
    out = hit.point - centre
    length = float(np.sqrt((out * out).sum()))
    if not length > _CORE * radius:
        raise InputError("The object is not round about a point, so the pattern cannot be laid around the hit.")
    ray = place - centre
    normal = np.repeat(measure_skin(body)[1], 3, axis=0)
    along = np.abs((ray * normal).sum(axis=1)) / np.sqrt((ray * ray).sum(axis=1))
    if (along * area).sum() < follows * area.sum():
        raise InputError("The object does not follow a sphere.")
    return sphere(centre, radius, out / length)


def _cylinder(body: Body, hit: _Hit, error: float) -> Chart:
    lathed = fit_axis(body.vertices, body.triangles)
    if lathed.error > error:
        raise InputError("The object is not round about an axis, so the pattern cannot be rolled around it.")
    size = np.round(np.abs(lathed.axis), 6)  # which way the axis points must not be decided by round-off
    axis = lathed.axis * np.sign(lathed.axis[size.argmax()])
    out = hit.point - lathed.point
    out = out - axis * (out * axis).sum()
    if not norm(out) > _CORE * lathed.radius:
        raise InputError("The hit is on the axis of the object, so the pattern cannot be rolled around it.")
    return cylinder(lathed.point, axis, lathed.radius, out)


def _wall(shape: Shape, chart: Chart, impacts: tuple[Impact, ...]) -> Wall:
    """Lay all parts of a body flat. Raises InputError where the chart has no image, CutError where a slit fails."""
    body = shape.body
    size = min(chart.radius, 0.5 * diagonal(body.vertices))
    closeness = min(_CLOSE * size, _THIN * shape.thickness if shape.thin else np.inf)
    parts = _parts(body, chart, closeness)
    triangles = [part.flattened.triangles for part in parts]
    first = np.cumsum([0] + [len(part.flattened.flat) for part in parts])
    owner = np.repeat(np.arange(len(parts)), [len(rows) for rows in triangles])
    flat = Body(
        np.concatenate([part.flattened.flat for part in parts]),
        np.concatenate([rows + start for rows, start in zip(triangles, first, strict=False)]),
        np.arange(len(owner)),
        part=owner if len(parts) > 1 else owner[:0],
    )
    return Wall(body, chart, parts, flat, tuple(_unroll_impact(body, chart, impact) for impact in impacts), closeness)


def _unroll_impact(body: Body, chart: Chart, impact: Impact) -> Impact:
    """The hit on the flat body, straight down or up on it."""
    point = nearest(body.vertices, body.triangles, impact.point[None])[0]
    place = unrolled(chart, point)
    out = rolled(chart, place + np.array([0.0, 0.0, 1e-3 * chart.radius])) - point
    upwards = float((out[0] * impact.direction).sum()) > 0.0
    return replace(impact, point=place[0], direction=np.array([0.0, 0.0, 1.0 if upwards else -1.0]))


def _parts(body: Body, chart: Chart, closeness: float) -> tuple[_Part, ...]:
    return tuple(_part(part, chart, closeness) for part in split_parts(body))


def _part(body: Body, chart: Chart, closeness: float) -> _Part:
    if chart.kind == SPHERE:
        return _Part(body, flatten(body, chart, closeness), None)
    out = chart.axes[2]
    made = slit(body, chart.origin - chart.radius * out, chart.axes[1], -out, _CORE * chart.radius)
    if made.strip is None:
        raise InputError("The object is too thin to have the pattern rolled around it.")
    guess = np.zeros((len(made.angle), 3))
    guess[:, 0] = chart.radius * (made.angle - np.pi)
    return _Part(body, flatten(made.strip, chart, closeness, guess), made)


def _cut(body: Body, partition: Partition, part: _Part, bend: Bend, grain: Grain, flat_cut: FlatCut) -> Cells:
    """Cut a part, or the strip of it, and sew."""

    def refine(_: Body, bend: Bend, cx: Complex, grain: Grain) -> Refined:
        return refine_flattened(part.flattened, bend, cx, grain)

    made = part.slit
    if made is None or made.strip is None:
        return rough_cut(body, partition, bend, grain, flat_cut, refine)
    partition = _leaning(partition)
    cells = [traced(rough_cut(made.strip, partition, bend, grain, flat_cut, refine), made.strip)]
    if made.plug is not None:
        cells.append(traced(flat_cut(made.plug, _uncut(made.plug), None), made.plug))
    together = unsewn(cells)
    plug = np.arange(len(together.volume)) >= len(cells[0].volume)
    # Numbers that do not depend on which regions hold matter.
    region = np.where(plug, len(partition.site) + np.cumsum(plug) - 1, together.region)
    try:
        return sewn(replace(together, region=region), made.plane, plug)
    except CutError as failure:
        if len(bend.octave):  # near the axis, where all cracks come together, their outlines cross
            raise Folded(str(failure)) from failure
        raise


def _leaning(partition: Partition) -> Partition:
    """The partition, sheared a little along the strip: planes along it would have one line in both of its banks."""
    shear = np.eye(3)
    shear[1:, 0] = _LEAN
    back = invert_3x3(shear)
    point, along = (map_vectors(partition.edge_line[:, k], shear) for k in (0, 1))
    return replace(
        partition,
        vertices=map_vectors(partition.vertices, shear),
        edge_line=np.stack([point, normalized(along)], axis=1),
        facet_normal=normalized(map_vectors(partition.facet_normal, back.T)),
        facet_point=map_vectors(partition.facet_point, shear),
        site=map_vectors(partition.site, shear),
    )


def _uncut(body: Body) -> Partition:
    """A partition with a region that holds all of the body."""
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    size = diagonal(body.vertices)
    sites = 0.5 * (low + high) + np.array([[0.0, 0.0, 0.0], [9.0, 0.1, 0.2]]) * size
    return voronoi_complex(sites, low - 12.0 * size, high + 12.0 * size)
