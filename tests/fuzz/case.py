"""One case of the fuzz test: a random body, a random partition, the public road, the oracle."""

import time
import traceback
from dataclasses import dataclass

import numpy as np

from core.cutting.booleans import cut_by_booleans, move_partition
from core.cutting.retry import cut_with_retry
from core.errors import BrittleError, CutError, InputError
from core.intake.ladder import intake
from core.types import Body, Cells, Mesh, Partition

from . import bodies, oracle, patterns

#: At once, at a later attempt, by the second method; the second method, tried for comparison, refuses; refused by the
#: door, the pattern, the cutter; and the two that are bad.
OK, RETRY, FALLBACK, ALONE, NOT_TAKEN, NO_PATTERN, REFUSED, WRONG, CRASH = KINDS = (
    "ok", "ok after retry", "ok by fallback", "2nd refuses", "mesh refused", "pattern refused", "cut refused",
    "WRONG", "CRASH",
)  # fmt: skip
BAD = (WRONG, CRASH)
SECOND = 0.15  #: share of the cases that are also cut by the second method


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    seed: int
    number: int
    kind: str
    body: str
    pattern: str
    text: str  #: what is wrong, or the sentence
    cells: int
    seconds: float

    def replay(self) -> str:
        return f"python -m tests.fuzz.run --seed {self.seed} --start {self.number} --cases 1 --verbose"


def second(body: Body, p: Partition, first: Cells, rng: np.random.Generator, flatness: float) -> tuple[list[str], str]:
    """What is wrong with the same cut by the second method, and the sentence with which it refuses."""
    try:
        cells = cut_by_booleans(body, p)
    except CutError as refusal:
        return [], str(refusal)
    placed = placed_like(cells, p, body)
    different = oracle.differences(body, first, cells, flatness) if placed is p else []
    return oracle.complaints(body, placed, cells, rng, flatness) + different, ""


def placed_like(cells: Cells, p: Partition, body: Body) -> Partition:
    """The pattern where the second method put it: it moves patterns whose walls lie exactly in the mesh."""
    lone = np.flatnonzero(np.bincount(cells.region, minlength=len(p.site))[cells.region] == 1)
    step = cells.site[lone] - p.site[cells.region[lone]]
    if not len(lone) or np.abs(step).max() <= 1e-12 * float(np.abs(body.vertices).max() + np.ptp(body.vertices)):
        return p
    return move_partition(p, step[0])


def run_case(seed: int, number: int) -> Outcome:
    """Case `number` of the series `seed`; the same on every machine but for the time it takes."""
    rng = np.random.default_rng([seed, number])
    began = time.perf_counter()
    body_name = pattern = "?"
    cells = 0

    def outcome(kind: str, text: str) -> Outcome:
        return Outcome(seed, number, kind, body_name, pattern, text, cells, time.perf_counter() - began)

    try:
        body_name, vertices, triangles = bodies.random_body(rng)
        body_name += f" {len(triangles)}t"
        try:
            body = intake(Mesh("Thing", vertices, triangles)).body
        except InputError as refusal:
            return outcome(NOT_TAKEN, str(refusal))
        pattern, build, flatness = patterns.random_pattern(body, rng)
        used: list[Partition] = []

        def recorded(attempt: int) -> Partition:
            used.append(build(attempt))
            return used[-1]

        try:
            result, notes = cut_with_retry(body, recorded)
        except CutError as refusal:
            return outcome(REFUSED if used else NO_PATTERN, str(refusal))
        cells = len(result.volume)
        by_second = "second method" in " ".join(notes)
        pattern_used = placed_like(result, used[-1], body) if by_second else used[-1]
        bad = oracle.complaints(body, pattern_used, result, rng, flatness)
        if bad:
            return outcome(WRONG, "; ".join(bad))
        if rng.random() < SECOND and len(used[-1].site) < 500:
            bad, text = second(body, used[-1], result, rng, flatness)
            if bad or text:
                return outcome(WRONG if bad else ALONE, "second method: " + ("; ".join(bad) or text))
        kind = OK if not notes else FALLBACK if by_second else RETRY
        return outcome(kind, " ".join(notes))
    except BrittleError as refusal:
        return outcome(REFUSED, str(refusal))
    except Exception:
        return outcome(CRASH, traceback.format_exc(limit=-4))
