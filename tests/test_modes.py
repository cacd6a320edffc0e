"""The same call in every mode that people run Python in."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow(nightly=True)

CALL = """
import numpy as np
import bayesfloor
rng = np.random.default_rng(0)
y = np.arange(300) % 3
found = bayesfloor.check(rng.normal(size=(300, 4)) + y[:, None], y, effort="quick")
print(f"{found.answer.estimate:.12f}")
"""
AGAIN = """
import gc, os, threading
import numpy as np
import psutil
import bayesfloor
rng = np.random.default_rng(0)
y = np.arange(60) % 2
X = rng.normal(size=(60, 3)) + y[:, None]
me, seen = psutil.Process(), []
for number in range(200):
    bayesfloor.check(X, y, effort="quick", n_jobs=2)
    if number in (49, 199):
        gc.collect()
        seen.append((me.memory_info().rss, threading.active_count(), me.num_fds()))
(early, *before), (late, *after) = seen
assert late - early < 30e6, seen
assert after == before, seen
"""


def ended(*options, call=CALL, **more):
    return subprocess.run([sys.executable, *options, "-c", call], capture_output=True, text=True, check=False, **more)


@pytest.mark.parametrize("options", [("-O",), ("-OO",), ("-W", "error"), ("-X", "dev"), ("-I",)], ids="".join)
def test_every_mode_gives_the_same_answer(options):
    """Without asserts, without docstrings, with warnings as errors, with all checks of Python."""
    if "-I" in options and "PYTHONPATH" in os.environ:
        pytest.skip("the package is found by PYTHONPATH, which -I leaves out")
    plain, found = ended(), ended(*options)

    assert (found.returncode, found.stdout) == (0, plain.stdout), found.stderr
    assert found.stderr == ""


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
def test_two_hundred_checks_leave_nothing_behind():
    """Memory, threads and descriptors stay as they are."""
    pytest.importorskip("psutil")
    found = ended(call=AGAIN)

    assert found.returncode == 0, found.stderr


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds to the limit")
@pytest.mark.parametrize("megabytes", [600, 900, 1200, 2000])
def test_too_little_memory_is_an_error_and_no_crash(megabytes):
    """Whatever is missing: no signal ends the process."""
    import resource

    found = ended(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20)))

    assert found.returncode >= 0, found.stderr[-2000:]
