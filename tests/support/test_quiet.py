"""The process is left as it was found: warning filters, logger levels, threads of BLAS."""

import logging
import threading
import warnings

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import bayesfloor
from bayesfloor.support import _tasks
from bayesfloor.support._tasks import ignoring, logging_only, one_blas_thread


def overlap(one, two):
    """Enter one, then another, then leave the first first, as threads do."""
    one.__enter__()
    two.__enter__()
    one.__exit__(None, None, None)
    inside = look()
    two.__exit__(None, None, None)
    return inside


def look():
    """What the process has of threads and filters."""
    blas = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    return blas, list(warnings.filters), warnings.showwarning


def test_overlapping_limits_of_blas_leave_it_as_it_was():
    """It was left at one thread for good."""
    before = look()[0]
    inside = overlap(one_blas_thread(), one_blas_thread())[0]

    assert set(before) != {1}, "the tests need BLAS with several threads to see anything"
    assert set(inside) == {1}
    assert look()[0] == before


def test_the_last_thread_puts_back_what_the_first_one_set():
    """Newer versions of threadpoolctl listen to the first one only."""
    before, inside, leave = look()[0], threading.Event(), threading.Event()

    def first():
        with one_blas_thread():
            inside.set()
            leave.wait()

    thread = threading.Thread(target=first)
    thread.start()
    inside.wait()
    with one_blas_thread():
        leave.set()
        thread.join()

        assert set(look()[0]) == {1}
    assert look()[0] == before


def test_a_library_that_is_loaded_later_is_limited_too(monkeypatch):
    """SciPy brings a BLAS of its own, and is imported when it is first needed."""
    asked = []

    class Controller:
        def __init__(self, _, n):
            self.n = n

        def limit(self, limits):
            asked.append((self.n, limits))
            return self

        def restore_original_limits(self):
            asked.append((self.n, "restored"))

    monkeypatch.setattr(_tasks, "_pools", Controller)
    n = len(_tasks.sys.modules)
    with one_blas_thread(), one_blas_thread():
        monkeypatch.setitem(_tasks.sys.modules, "a_new_blas", object())
        with one_blas_thread():
            pass

    assert asked == [(n, 1), (n + 1, 1), (n + 1, "restored"), (n, "restored")]


@pytest.mark.parametrize("first", [{}, {"category": UserWarning}, {"message": "x"}])
def test_overlapping_filters_leave_what_was_there(first):
    """Python's own way leaves the filters of the one that came first."""
    before, filters = look(), warnings.filters
    inside = overlap(ignoring(**first), ignoring())

    assert inside[1][0] == ("ignore", None, Warning, None, 0)
    assert look() == before
    assert warnings.filters is filters


def test_what_is_not_asked_for_still_warns():
    """Only that category, only that text."""
    with ignoring(UserWarning), ignoring(message="known"):
        warnings.warn("anything", UserWarning, stacklevel=1)
        warnings.warn("known, of any kind", RuntimeWarning, stacklevel=1)
        with pytest.warns(RuntimeWarning, match="unknown"):
            warnings.warn("unknown", RuntimeWarning, stacklevel=1)


def test_nothing_is_shown_while_other_threads_have_no_filters():
    """Scikit-learn empties them in its threads, and then warns that they are empty."""
    shown = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(warnings, "showwarning", lambda *args: shown.append(args))
        with ignoring(), warnings.catch_warnings():
            warnings.resetwarnings()
            warnings.warn("`sklearn.utils.parallel.delayed` should be used with", UserWarning, stacklevel=1)

    assert shown == []


def test_levels_of_loggers_are_put_back():
    """Those of other packages are not ours to keep."""
    logger = logging.getLogger("distributed.client")
    before = logger.level
    with logging_only("distributed.client", logging.CRITICAL):
        assert logger.level == logging.CRITICAL

    assert logger.level == before


@pytest.mark.slow(nightly=True)
@pytest.mark.usefixtures("real_race")
def test_checks_in_several_threads_leave_the_process_as_it_was(rng):
    """Filters grew, and BLAS stayed at one thread."""
    y = np.repeat([0, 1], 150)
    X = rng.normal(size=(300, 4)) + y[:, None]
    shown = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.showwarning = lambda *args: shown.append(args)
        before = look()
        threads = [threading.Thread(target=bayesfloor.check, args=(X, y), kwargs={"n_jobs": 2}) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert look() == before
    assert shown == []
