"""What a thing that deforms is at one frame: in that form it breaks."""

from collections.abc import Callable, Generator

from ..errors import CutError, InputError
from ..stepwise import mapped
from .crowd import Crowd
from .strike import Cracks

TakeBack = Callable[[], None]


def take_form(crowd: Crowd, row: int, frame: int, cracks: Cracks) -> Generator[None, None, TakeBack | None]:
    """Let a whole that deforms be the thing that it is at a stored frame; returns what takes that back.

    None where it cannot be broken then, which is noted. Yields while it is made ready.
    """
    form_at = crowd.things[int(crowd.thing_of()[row])].form_at
    assert form_at is not None  # it deforms
    try:
        form = yield from mapped(form_at(frame), lambda _: None)
    except (CutError, InputError) as error:
        cracks.notes[f"It stays whole where it was hit: {error}"] = None
        return None
    return crowd.take_form(row, form)
