"""Break small meshes with random settings: `python -m tests.fuzz_settings.run --cases 500 --seed 1 [--verbose]`.

Prints what became of them, names each bad case by the command that replays it, and ends with status 1 if there is one.
"""

import sys

from tests.series import main

if __name__ == "__main__":
    sys.exit(main("fuzz_settings", __doc__, 500))
