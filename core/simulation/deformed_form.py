"""What an object that deforms is at one frame: in that form it breaks."""

from collections.abc import Callable, Generator

from ..errors import CutError, InputError
from ..stepwise import map_steps
from .impact_fracture import CrackRecord
from .live_fragments import LiveFragments

TakeBack = Callable[[], None]


def take_form(live: LiveFragments, row: int, frame: int, cracks: CrackRecord) -> Generator[None, None, TakeBack | None]:
    """Let a whole that deforms be the object that it is at a stored frame; returns what takes that back.

    None where it cannot be broken then, which is noted. Yields while it is made ready.
    """
    deformed_at = live.objects[int(live.object_of()[row])].deformed_at
    assert deformed_at is not None  # it deforms
    try:
        form = yield from map_steps(deformed_at(frame), lambda _: None)
    except (CutError, InputError) as error:
        cracks.notes[f"It stays whole where it was hit: {error}"] = None
        return None
    return live.take_form(row, form)
