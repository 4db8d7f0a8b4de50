"""Work in steps: generators that yield how far they are, so that others may show it or stop, and return a result."""

from collections.abc import Generator
from typing import Any, TypeVar

Result = TypeVar("Result")


def result_of(job: Generator[Any, None, Result]) -> Result:
    """What a job returns, run to its end at once."""
    while True:
        try:
            next(job)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
