"""Random partitions: every entry of the registry with random settings and hits, and raw sites of the nastiest kind."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from core.config.params import Declared, check_params, declared
from core.pieces import PARTITIONS
from core.pieces.convention import JITTER
from core.pieces.patterns.kinds import OWN
from core.pieces.voronoi_complex import voronoi_complex
from core.types import Body, Floats, Impact, Partition

Rng = np.random.Generator
Build = Callable[[int], Partition]

#: How well a pattern knows its own corners, relative to the size: with the usual jitter; and with less of it, where
#: neighbours are so nearly cospherical that the circumcentre of four of them has few digits.
FLAT, ROUGH = 1e-9, 1e-5
MOST = 200  #: of any whole number of a partition's settings; most cases stay far below
REGIONS = 1500  #: a pattern with more regions is asked for with smaller numbers


def lattice_sites(body: Body, rng: Rng) -> Floats:
    """A cubic grid that fits the body's box exactly: planes on box faces or halfway."""
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    n = rng.integers(1, 6, 3)
    axes = [low[k] + (np.arange(n[k]) + 0.5) / n[k] * (high[k] - low[k]) for k in range(3)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


def outer_lattice_sites(body: Body, rng: Rng) -> Floats:
    """A lattice with sites in the corners of the box and beyond: its walls coincide with those of aligned bodies."""
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    n = int(rng.integers(1, 5))
    grid = np.stack(np.meshgrid(*[np.arange(-1, 2 * n + 2, 2)] * 3), axis=-1).reshape(-1, 3) / (2.0 * n)
    return np.asarray(low + grid * (high - low))


def mirrored_sites(body: Body, rng: Rng) -> Floats:
    """Random sites and their mirror images in the middle planes: walls exactly through the middle."""
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    sites = rng.uniform(low, high, (int(rng.integers(1, 20)), 3))
    for axis in range(int(rng.integers(1, 4))):
        copy = sites.copy()
        copy[:, axis] = low[axis] + high[axis] - copy[:, axis]
        sites = np.concatenate([sites, copy])
    return sites


def sites_on_the_mesh(body: Body, rng: Rng) -> Floats:
    """Sites exactly on vertices, edges and faces, and pairs whose bisector is a face's plane."""
    corner = body.vertices[body.triangles[rng.integers(0, len(body.triangles), int(rng.integers(2, 60)))]]
    kind = rng.integers(0, 4, len(corner))
    weight = rng.dirichlet(np.ones(3), len(corner))
    weight[kind == 0] = (1.0, 0.0, 0.0)
    weight[kind == 1] = (0.5, 0.5, 0.0)
    sites = np.einsum("nk,nki->ni", weight, corner)
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    step = 0.1 * normal / np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None] * np.ptp(body.vertices)
    pairs = np.concatenate([(sites + step)[kind == 3], (sites - step)[kind == 3]])
    return np.unique(np.concatenate([sites[kind < 3], pairs]), axis=0)


def clustered_sites(body: Body, rng: Rng) -> Floats:
    """Dense clusters of 1e-4 of the size beside lonely sites."""
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    centres = rng.uniform(low, high, (int(rng.integers(1, 6)), 3))
    spread = 10.0 ** rng.uniform(-4, 0, (len(centres), 1, 1)) * float(np.linalg.norm(high - low))
    return (centres[:, None] + spread * rng.normal(size=(len(centres), int(rng.integers(2, 40)), 3))).reshape(-1, 3)


def cospherical_sites(body: Body, rng: Rng) -> Floats:
    """All sites on one sphere: their regions meet in its centre."""
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    direction = rng.normal(size=(int(rng.integers(4, 60)), 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return 0.5 * (low + high) + 0.3 * float(np.linalg.norm(high - low)) * direction


def uniform_sites(body: Body, rng: Rng) -> Floats:
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    pad = rng.choice([0.0, 0.0, 1.0, 3.0]) * (high - low)
    return rng.uniform(low - pad, high + pad, (int(10 ** rng.uniform(0, 2.3)), 3))


RAW = (
    lattice_sites,
    outer_lattice_sites,
    mirrored_sites,
    sites_on_the_mesh,
    clustered_sites,
    cospherical_sites,
    uniform_sites,
)


def raw_pattern(body: Body, rng: Rng) -> tuple[str, Build, float]:
    """Sites put straight into the Voronoi complex, with the usual jitter, with none, or with a tiny one."""
    kind = RAW[rng.integers(len(RAW))]
    sites = kind(body, rng)
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    relative = float(rng.choice([JITTER, JITTER, JITTER, JITTER, 1e-9, 1e-12, 0.0]))
    jitter = relative * float(np.linalg.norm(high - low))
    metric = None
    if rng.random() < 0.2:
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        metric = np.diag([1.0, 1.0, 10.0 ** -rng.uniform(0, 2)]) @ turn
    group = rng.integers(0, max(2, len(sites) // 4), len(sites)) if rng.random() < 0.2 else None
    seed = int(rng.integers(1 << 30))

    def build(attempt: int) -> Partition:
        moved = sites + jitter * np.random.default_rng([seed, attempt]).uniform(-1.0, 1.0, sites.shape)
        return voronoi_complex(moved, low, high, group=group, metric=metric)

    return f"{kind.__name__} jitter {relative:.1g}", build, FLAT if relative >= JITTER else ROUGH


def random_impacts(body: Body, rng: Rng) -> tuple[Impact, ...]:
    """One to three hits: on corners, on faces, in the middle, beside the body."""
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    diagonal = float(np.linalg.norm(high - low))
    hits = []
    for _ in range(int(rng.integers(1, 4))):
        row = body.triangles[rng.integers(len(body.triangles))]
        weight = rng.dirichlet(np.ones(3))
        points = [body.vertices[row[0]], weight @ body.vertices[row], 0.5 * (low + high), rng.uniform(low, high)]
        points.append(low - (high - low) * rng.random(3))
        axis = np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
        direction = axis if rng.random() < 0.3 else rng.normal(size=3)
        radius = diagonal * float(10.0 ** rng.uniform(-3, 0) if rng.random() < 0.5 else 0.1)
        speed = float(rng.choice([0.0, 1.0, 20.0, 300.0]))
        point = np.array(points[rng.choice(5, p=[0.3, 0.4, 0.1, 0.1, 0.1])])
        hits.append(Impact(point, direction / np.linalg.norm(direction), 1.0, speed, radius, 0.0))
    return tuple(hits)


def random_value(field: Declared, most: float, rng: Rng) -> Any:
    """A value within a setting's limits; the default for a third of them."""
    default, declaration = field.default, field.param
    if rng.random() < 0.3 and not (isinstance(default, int) and default > most):
        return default
    if declaration.choices:
        return declaration.choices[rng.integers(len(declaration.choices))].id
    if isinstance(default, bool):
        return bool(rng.random() < 0.5)
    low, high = (
        next((end for end in (soft, hard) if end is not None), fallback)
        for soft, hard, fallback in zip(declaration.soft, declaration.limits, (0.0, 10.0), strict=True)
    )
    if isinstance(default, tuple):
        if declaration.limits != (None, None):
            return tuple(rng.uniform(low, high, 3) if rng.random() < 0.5 else rng.choice([low, 1.0, high], 3))
        return tuple(np.eye(3)[rng.integers(3)]) if rng.random() < 0.5 else tuple(rng.normal(size=3))
    if isinstance(default, int):
        high = max(low, min(high, most))
        return round(float(np.exp(rng.uniform(np.log(low + 1.0), np.log(high + 1.0)))) - 1.0)
    return float(rng.choice([low, high, rng.uniform(low, high)], p=[0.1, 0.1, 0.8]))


def registry_pattern(body: Body, rng: Rng) -> tuple[str, Build, float]:
    """A partition from the registry with random settings."""
    methods = list(PARTITIONS)
    method = methods[rng.integers(len(methods))]
    impacts = random_impacts(body, rng)
    seed = int(rng.integers(1 << 30))
    most = float(10 ** rng.uniform(0.7, np.log10(MOST)))
    state = rng.bit_generator.state
    while True:
        rng.bit_generator.state = state
        values = {field.name: random_value(field, most, rng) for field in declared(method.params)}
        if values.get("kind") == OWN:  # no partition
            values["kind"] = "mixed"
        params = method.params(**values)
        check_params(params)
        text = ", ".join(f"{f.name}={values[f.name]!r}" for f in dataclasses.fields(params) if f.name in values)

        def build(attempt: int, params: Any = params) -> Partition:
            return method.run(body, impacts, params, seed, attempt)

        first = _Once(build)
        if first.regions() <= REGIONS or most < 2.0:
            return f"{method.id}({text})", first, FLAT
        most /= 2.0


class _Once:
    """Builds attempt 0 once: it is looked at to see how large the pattern is."""

    def __init__(self, build: Build) -> None:
        self._build = build
        self._first: Partition | None = None

    def regions(self) -> int:
        try:
            self._first = self._build(0)
        except Exception:  # the case itself meets the same failure again
            return 0
        return len(self._first.site)

    def __call__(self, attempt: int) -> Partition:
        if attempt == 0 and self._first is not None:
            return self._first
        return self._build(attempt)


def random_pattern(body: Body, rng: Rng) -> tuple[str, Build, float]:
    """Name, build and flatness of a random partition of the body; of the registry in two thirds of the cases."""
    return registry_pattern(body, rng) if rng.random() < 0.65 else raw_pattern(body, rng)
