"""The time course of an impact: its force in steps, relative to the peak.

Source: Smith, Witkin, Baraff 2001, section 3.3 and figure 3, of which the text has no numbers: up to the peak in the
first half, down again in the second one (docs/papers/smith2001.md, section 2).
"""

import numpy as np

from ...errors import InputError
from ...polyline import parsed
from ...types import Floats


def steps_of(text: str, count: int) -> Floats:
    """Force (count,) of each step over the force at the peak, from a line through points "time force".

    Time is scaled to the whole of the line. A step has the force of its end; the one in which the peak lies has the
    peak's, so that no number of steps misses it. Raises InputError for a line that cannot be read or never pushes.
    """
    line = parsed(text, "Schedule")
    span = float(line.x[-1] - line.x[0])
    top = float(line.y.max())
    if not (span > 0.0 and top > 0.0 and line.y.min() >= 0.0):
        raise InputError('Schedule must have a time of some length and forces above 0, as "0 0, 0.5 1, 1 0" has.')
    time = line.x[0] + span * np.arange(1, count + 1) / count
    force = line(time) / top
    peak = float(line.x[int(np.argmax(line.y))])
    force[min(int(np.searchsorted(time, peak)), count - 1)] = 1.0
    return force
