"""What every breaking rule takes and gives."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..types import Floats, Frozen, Impact, Ints, Units


@dataclass(frozen=True, eq=False, slots=True)
class Loads(Frozen):
    """What acts on each link and what it can bear; a link cracks where load > limit."""

    load: Floats  #: (L,) in the rule's own measure; 0 on links that the impact does not reach
    limit: Floats  #: (L,) same measure; infinite where nothing can crack it


#: (units, members, impact, strength, params, seed) -> Loads. `members` (M,) are the units of the struck fragment,
#: `impact` is in material coordinates with a resolved radius, `strength (L,)` scales the limit of each link.
#: Links that leave the fragment get load 0.
Rule: TypeAlias = Callable[[Units, Ints, Impact, Floats, Any, int], Loads]
