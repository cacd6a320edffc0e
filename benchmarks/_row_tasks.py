"""What ``benchmarks.rows`` runs in processes of its own, so that CPU time and peak memory are those of one check."""

# ruff: noqa: SLF001 - parameters of learners are no options of a check

import math
import os
import resource
import signal
import warnings
from contextlib import contextmanager
from time import perf_counter, process_time

from benchmarks._results import plain
from benchmarks._timing import peak_gigabytes, seconds_of

AHEAD = (1_000_000, 5_000_000)  # training rows that forecasts are saved for
LEVELS = (0.025, 0.5, 0.975)


def check_rows(path, workers=0, trees=None, limit=None, **options):
    """Check a table by its column ``y``, on Dask workers if asked for; return what it says and costs.

    ``trees`` is the most rounds of boosting, and ``limit`` the most bytes of memory.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored in a background process
    warnings.simplefilter("ignore")
    from bayesfloor import check
    from bayesfloor.answer import _big_learners

    if trees:
        _big_learners._TREES = _big_learners._TREES_PER_CLASS = trees
    if limit:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    print("ready", flush=True)
    start, cpu = perf_counter(), process_time()
    with _client_of(workers) as client:
        options |= {"client": client} if client else {}
        try:
            found = check(path, "y", n_jobs=1, random_state=0, **options)
        except KeyboardInterrupt:
            return {"interrupted": True}
        except Exception as error:  # noqa: BLE001 - a refusal is a result
            return {"refused": f"{type(error).__name__}: {error}"}
    return told(found) | {
        "wall": plain(perf_counter() - start),
        "cpu": plain(process_time() - cpu),
        "peak": plain(1000 * peak_gigabytes()),
    }


@contextmanager
def _client_of(workers):
    if not workers:
        yield None
        return
    from distributed import Client, LocalCluster

    where = {"host": "127.0.0.1", "dashboard_address": None}
    with LocalCluster(workers, threads_per_worker=1, processes=True, **where) as cluster, Client(cluster) as client:
        print(next(iter(client.run(os.getpid).values())), flush=True)
        yield client


def compare_with_bare(path, n, trees):
    """Return the CPU seconds of a point, and of LightGBM with its parameters on the same rows in memory."""
    import lightgbm

    from bayesfloor.answer import _big_learners
    from bayesfloor.io import open_data
    from bayesfloor.io._all_rows import open_rows
    from bayesfloor.io._features import read_features

    print("ready", flush=True)
    _big_learners._TREES, models, train = trees, [], lightgbm.train

    def kept(*given, **more):
        models.append((train(*given, **more), given))
        return models[-1][0]

    lightgbm.train = kept  # what the point passes to it is used again
    data = open_data(path, "y", at_most=200_000)
    bench = _big_learners.Bench(open_rows(data, read_features(data)), n_jobs=1)
    bench.train(_big_learners.BOOSTING, 20_000)  # reads what is held, and makes the bins
    ours, _ = seconds_of(lambda: bench.train(_big_learners.BOOSTING, n))
    model, (options, _, rounds, stops) = models[-1]
    low, high = bench._ends[1], bench._end(n)
    X, y, _ = bench.rows.take(low, high)
    stopping = lightgbm.early_stopping(_big_learners._PATIENCE, verbose=False)

    def bare():
        rows = lightgbm.Dataset(X, bench._labels(y), reference=bench._bins, params=options).construct()
        found = train(options, rows, rounds, stops, callbacks=[stopping])
        found.predict(bench._held[0][0], num_threads=1)
        return found

    theirs, other = seconds_of(bare)
    texts = [one.model_to_string(num_iteration=-1).split("\nparameters:")[0] for one in (model, other)]
    return {
        "n": len(y),
        "trees": model.current_iteration(),
        "ours": plain(ours),
        "theirs": plain(theirs),
        "ratio": plain(ours / theirs),
        "same": texts[0] == texts[1],
    }


def told(found):
    """Return the answer, each point of the long curve with its forecast, and forecasts for more rows."""
    from bayesfloor.answer import Ahead, Point

    answer, rows = found.answer, found.all_rows
    ahead = {}
    if answer.forecast is not None:
        ahead = {str(n): [plain(each) for each in answer.forecast.quantiles(LEVELS, n)] for n in AHEAD}
    return {
        "estimate": plain(answer.estimate),
        "lower": _known(answer.lower),
        "upper": _known(answer.upper),
        "tested": bool(answer.upper_is_tested),
        "proved": bool(answer.proved),
        "reasons": [reason.basis for reason in answer.reasons],
        "ahead": ahead,
        "first": rows and [_known(each) for each in rows.first],
        "points": [_fields(each, Point) for each in rows.points] if rows else [],
        "before": [_fields(each, Ahead) for each in rows.before] if rows else [],
        "n_used": rows and int(rows.n_used),
        "stopped": rows and str(rows.stopped),
        "gain": rows and _known(rows.gain),
    }


def _fields(found, kind):
    return {name: plain(getattr(found, name)) for name in kind.__dataclass_fields__}


def _known(value):
    return None if value is None or math.isnan(value) else plain(value)
