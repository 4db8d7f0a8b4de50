"""The same bits on every processor: small scenes through all rooms, in processes that take theirs for another one.

OpenBLAS, numpy and the C library each choose code by what the processor can do. All three choices can be made by hand,
as far as this processor has what they ask for. What AVX-512 does is seen where there is some; elsewhere
`tests/architecture/test_arithmetic` stands for it.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .processor_scenes import SCENES

try:
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
except ImportError:
    from numpy.core._multiarray_umath import __cpu_dispatch__, __cpu_features__


ROOT = Path(__file__).resolve().parents[2]
HERE = [name for name in __cpu_dispatch__ if __cpu_features__[name]]
WIDE = [name for name in HERE if name.startswith("AVX512")]
OLD_LIBRARY = "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-AVX,-FMA4,-AVX2_Usable,-FMA_Usable"

#: Core of OpenBLAS, what numpy does without, and whether the C library does without the same.
PAIRS = {
    "Prescott, nothing": ("Prescott", HERE, True),
    "Sandybridge, no AVX2": ("Sandybridge", [*(n for n in HERE if n in ("AVX2", "FMA3")), *WIDE], True),
    "Sandybridge, all": ("Sandybridge", [], False),
    "Haswell, no AVX-512": ("Haswell", WIDE, False),
    "Zen, nothing": ("Zen", HERE, False),
    "Zen, no AVX2": ("Zen", [*(n for n in HERE if n in ("AVX2", "FMA3")), *WIDE], True),
    "SkylakeX, all": ("SkylakeX", [], False),
    "SkylakeX, no AVX-512": ("SkylakeX", WIDE, False),
}
#: OpenBLAS takes one at its word, and a processor without AVX-512 stops at the first such instruction.
NEEDS = {"SkylakeX": "AVX512F", "Haswell": "AVX2", "Zen": "AVX2", "Sandybridge": "AVX", "Prescott": "SSE3"}


def hashes(**more: str) -> dict[str, str]:
    """The hash of each scene, as a process with these variables computes it."""
    known = {name: value for name, value in os.environ.items() if name not in ("OPENBLAS_CORETYPE", "GLIBC_TUNABLES")}
    command = [sys.executable, "-m", "tests.verification.processor_scenes"]
    run = subprocess.run(command, cwd=ROOT, env=known | more, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return dict(line.rsplit(" ", 1) for line in run.stdout.splitlines())


@pytest.fixture(scope="module")
def here() -> dict[str, str]:
    found = hashes()
    assert set(found) == set(SCENES)
    return found


@pytest.mark.parametrize("pair", PAIRS)
def test_all_scenes_have_the_bits_that_they_have_here(pair, here):
    core, without, old = PAIRS[pair]
    if not __cpu_features__.get(NEEDS[core], False):
        pytest.skip(f"this processor has no {NEEDS[core]}")
    variables = {"OPENBLAS_CORETYPE": core}
    if without:
        variables["NPY_DISABLE_CPU_FEATURES"] = " ".join(without)
    if old:
        variables["GLIBC_TUNABLES"] = OLD_LIBRARY
    there = hashes(**variables)
    assert not [name for name in SCENES if here[name] != there.get(name)], f"these scenes differ under {variables}"
