"""Break things in many random files: `python -m tests.fuzz_scenes.run --cases 10000 --seed 1 [--start 0] [--verbose]`.

Prints what became of them, names each bad case by the command that replays it, and ends with status 1 if there is one.
"""

import sys

from tests.series import main

if __name__ == "__main__":
    sys.exit(main("fuzz_scenes", __doc__, 10000))
