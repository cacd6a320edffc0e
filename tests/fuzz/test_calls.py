"""Hostile calls of every public callable: the right answer, or an error of ours that names the argument.

A case is a call whose arguments are good but for one or two. Cases are drawn by number, so that each can be drawn
again; those that ever failed are in ``corpus/calls.json`` and run for ever.
"""

import json
import re
import warnings
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError

import bayesfloor
from bayesfloor import decide as labels
from bayesfloor import decide as selection
from bayesfloor import forest, formulas, io, summary
from bayesfloor.io import InputError

pytestmark = [pytest.mark.usefixtures("linear_alone"), pytest.mark.filterwarnings("ignore")]

CORPUS = Path(__file__).parent / "corpus" / "calls.json"
N = 120  # enough for a check to look for groups and leaks


class Odd:
    """Something that nothing is known of."""

    def __repr__(self):
        return "<odd>"


def rows(**more):
    rng = np.random.default_rng(0)
    y = np.arange(N) % 2
    return {"X": rng.normal(size=(N, 3)) + y[:, None], "y": y, **more}


def fitted():
    return bayesfloor.BayesFloor(interval="fast").fit(**rows())


def checked():
    return bayesfloor.check(**rows(), effort="quick")


def estimator(make, *names):
    """Call of ``fit`` with parameters of the estimator among the arguments."""

    def call(**given):
        parameters = {name: given.pop(name) for name in names if name in given}
        return make(**parameters).fit(**given)

    return call


_FLOOR = ("n_trees", "scale", "max_rows", "target_width", "n_jobs", "random_state", "prepare")

# Every public callable that takes data or settings: how to call it, good arguments, and what else it takes.
CALLS = {
    "spanning_forest": (forest.spanning_forest, lambda: {"X": rows()["X"]}, ("n_trees", "groups", "method", "n_jobs")),
    "class_forests": (
        forest.class_forests,
        lambda: {"X": rows()["X"], "codes": rows()["y"]},
        ("n_trees", "groups", "n_jobs"),
    ),
    "BayesFloor": (
        estimator(bayesfloor.BayesFloor, *_FLOOR, "priors", "interval", "roles", "y_kind"),
        lambda: rows(interval="fast"),
        (*_FLOOR, "priors", "roles", "y_kind", "groups", "sample_weight"),
    ),
    "BayesFloor.relabel": (lambda y: fitted().relabel(y), lambda: {"y": rows()["y"]}, ()),
    "BayesFloor.answer": (lambda **given: fitted().answer(**given), lambda: {"effort": "quick"}, ("learners",)),
    "Answer.chance": (lambda **given: fitted().answer("quick").chance(**given), lambda: {"target": 0.9}, ("rows",)),
    "check": (
        summary.check,
        lambda: rows(effort="quick"),
        (
            *(name for name in _FLOOR if name != "max_rows"),
            "rows",
            "target",
            "groups",
            "predictions",
            "priors",
            "roles",
            "y_kind",
            "clean_labels",
            "auto_groups",
            "learners",
        ),
    ),
    "assert_reachable": (summary.assert_reachable, lambda: rows(target=0.01, effort="quick"), ("groups",)),
    "Check.gates": (
        lambda **given: checked().gates(**given),
        lambda: {"max_error": 0.9},
        ("max_pair_error", "max_class_error", "baseline", "max_error_rise"),
    ),
    "SmartSVM": (
        estimator(bayesfloor.SmartSVM, "estimator", "cut", "n_trees", "scale", "routing", "random_state"),
        rows,
        ("estimator", "cut", "n_trees", "scale", "routing", "random_state", "sample_weight"),
    ),
    "SmartSVM.predict": (lambda X: bayesfloor.SmartSVM().fit(**rows()).predict(X), lambda: {"X": rows()["X"]}, ()),
    "FloorSelector": (
        estimator(bayesfloor.FloorSelector, "n_features", "level", "holdout", "max_rows"),
        lambda: rows(n_features=1),
        ("level", "holdout", "max_rows", "groups"),
    ),
    "compare_representations": (
        selection.compare_representations,
        lambda: {"candidates": {"a": rows()["X"], "b": rows()["X"][:, :1]}, "y": rows()["y"]},
        ("X", "groups", "metric", "effort", "scale", "level", "max_rows", "random_state"),
    ),
    "two_samples": (
        selection.two_samples,
        lambda: {"A": rows()["X"][::2], "B": rows()["X"][1::2]},
        ("n_trees", "scale", "level", "random_state"),
    ),
    "gap": (
        lambda **given: selection.gap(fitted(), **given),
        lambda: {"y_true": rows()["y"], "y_pred": rows()["y"]},
        ("groups", "level"),
    ),
    "merge_advice": (lambda **given: selection.merge_advice(fitted(), **given), dict, ("target",)),
    "suspicious_labels": (labels.suspicious_labels, rows, ("groups", "n_trees", "scale", "random_state", "prepare")),
    "open_data": (io.open_data, rows, ("groups", "weight", "predictions", "random_state", "max_rows")),
    "TablePreparer": (
        estimator(io.TablePreparer, "roles", "strict", "random_state"),
        lambda: {"X": rows()["X"]},
        ("roles", "strict"),
    ),
    "henze_penrose": (formulas.henze_penrose, lambda: {"n_cross": 3, "n1": 20, "n2": 20}, ()),
    "explain": (summary.explain, lambda: {"term": "BF101"}, ()),
}

VALUES = {
    "none": lambda: None,
    "true": lambda: True,
    "zero": lambda: 0,
    "minus one": lambda: -1,
    "a half": lambda: 0.5,
    "one and a half": lambda: 1.5,
    "nan": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "beyond 64 bits": lambda: 2**70,
    "complex": lambda: 1j,
    "decimal": lambda: Decimal("sNaN"),
    "no text": str,
    "text": lambda: "nonsense",
    "surrogate": lambda: "\ud800",
    "zero byte": lambda: "a\0b",
    "bytes": lambda: b"1,2\n",
    "empty list": list,
    "list of lists": lambda: [[]],
    "ragged": lambda: [[1, 2], [3]] * (N // 2),
    "dict": lambda: {"a": Odd()},
    "set": lambda: {1, 2},
    "object": Odd,
    "class": lambda: Odd,
    "function": lambda: len,
    "generator": lambda: (i for i in range(N)),
    "range": lambda: range(N),
    "date": lambda: date(2020, 1, 1),
    "scalar array": lambda: np.array(5.0),
    "no rows": lambda: np.zeros((0, 3)),
    "no columns": lambda: np.zeros((N, 0)),
    "few rows": lambda: np.zeros((3, 3)),
    "one value": lambda: np.zeros((N, 3)),
    "three dimensions": lambda: np.zeros((N, 2, 2)),
    "row": lambda: np.arange(float(N)),
    "column": lambda: np.arange(float(N))[:, None],
    "two classes": lambda: np.arange(N) % 2,
    "nans": lambda: np.full(N, np.nan),
    "infinities": lambda: np.full((N, 3), np.inf),
    "huge": lambda: np.full((N, 3), 1e300) * np.arange(N)[:, None],
    "tiny beside huge": lambda: np.r_[1e170, np.arange(N - 1.0)][:, None],
    "complex array": lambda: np.full((N, 3), 1j),
    "negative": lambda: -np.arange(float(N)) - 1,
    "not a time": lambda: np.array(["NaT", "2020-01-01"] * (N // 2), dtype="datetime64[ns]"),
    "durations": lambda: np.arange(N).astype("timedelta64[s]"),
    "masked": lambda: np.ma.array(np.arange(N), mask=np.arange(N) % 2),
    "masked whole": lambda: np.ma.masked_all((N, 3)),
    "structured": lambda: np.zeros(N, dtype=[("a", float), ("b", int)]),
    "objects": lambda: np.array([Odd() for _ in range(N)], dtype=object),
    "mixed": lambda: np.array([1, "1"] * (N // 2), dtype=object),
    "unhashable": lambda: [{}] * N,
    "texts": lambda: np.array(["a", "b"] * (N // 2)),
    "long texts": lambda: np.array(["a", "b"] * (N // 2), dtype=np.dtypes.StringDType()),
    "half precision": lambda: np.arange(N).astype(np.float16),
    "unsigned": lambda: np.full(N, 2**64 - 1, dtype=np.uint64),
    "decimals": lambda: [Decimal("NaN"), Decimal(1)] * (N // 2),
    "several labels": lambda: np.tile([[1, 1, 0], [0, 1, 1]], (N // 2, 1)),
    "sparse": lambda: csr_array(np.eye(N)),
    "sparse of objects": lambda: csr_array((N, 3)),
    "frame": lambda: pd.DataFrame({"a": range(N), "b": ["x", None] * (N // 2)}),
    "frame of twins": lambda: pd.DataFrame(np.zeros((N, 2)), columns=["a", "a"]),
    "frame of objects": lambda: pd.DataFrame({"a": [Odd() for _ in range(N)]}),
    "series with gaps": lambda: pd.Series([1, None] * (N // 2), dtype="Int64"),
    "categories": lambda: pd.Series(["a", None] * (N // 2), dtype="category"),
    "memory": lambda: memoryview(bytes(N)),
}

# Other names that a message may call an argument by.
ALIASES = {
    "X": "rows|columns?|array|numbers|features|frame|table|values|path|file",
    "y": "labels?|class|target|rows",
    "A": "rows|columns?|arrays?|frames?",
    "B": "rows|columns?|arrays?|frames?",
    "weight": "sample_weight",
    "sample_weight": "weights?",
    "predictions": "predict|rows|y_pred",
    "term": "code",
    "candidates": "representations?|rows|columns",
    "y_true": "labels?|rows|y",
    "y_pred": "predict|labels?|rows",
    "prepare": "transformer",
    "n_cross": "n1",
    "baseline": "check",
    "learners": "learner",
    "roles": "role",
    "estimator": "classifier",
    "cut": "tree",
}


def draw_case(number):
    """The name of a callable and the names of odd values for some of its arguments."""
    rng = np.random.default_rng([22, number])
    name = list(CALLS)[rng.integers(len(CALLS))]
    _, good, more = CALLS[name]
    arguments = sorted({*good(), *more})
    chosen = rng.choice(arguments, size=min(len(arguments), int(rng.integers(1, 3))), replace=False)
    return name, {str(argument): str(rng.choice(list(VALUES))) for argument in chosen}


def run_case(name, odd):
    """What is wrong with how a call ended; an empty text if nothing is."""
    call, good, _ = CALLS[name]
    given = {**good(), **{argument: VALUES[value]() for argument, value in odd.items()}}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call(**given)
    except (InputError, NotFittedError, AssertionError, OSError) as error:
        return "" if is_named(str(error), odd) else f"{error!r} names no argument"
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        return f"{type(error).__name__}: {error}"
    return ""


def is_named(message, odd):
    """Whether a message names one of the arguments that were odd."""
    words = "|".join([*map(re.escape, odd), *(ALIASES[name] for name in odd if name in ALIASES)])
    return re.search(rf"\b({words})\b", message, re.IGNORECASE) is not None


def tell(cases):
    told = {json.dumps([name, odd]): run_case(name, odd) for name, odd in cases}
    return [f"{case}: {wrong[:200]}" for case, wrong in told.items() if wrong]


@pytest.mark.parametrize(
    "numbers", [range(300), pytest.param(range(300, 5000), marks=pytest.mark.slow(nightly=True))], ids=["300", "5000"]
)
def test_hostile_calls_are_answered_or_refused_by_name(numbers):
    """Anything else is a bug: a deep error, or one that leaves people guessing."""
    wrong = tell(draw_case(number) for number in numbers)

    assert not wrong, "\n".join(wrong)


def test_what_once_failed_fails_no_more():
    """Every case that ever failed."""
    wrong = tell(json.loads(CORPUS.read_text("utf-8")))

    assert not wrong, "\n".join(wrong)


def test_deep_errors_are_seen(monkeypatch):
    """A fuzzer that finds nothing may be looking at nothing."""
    monkeypatch.setitem(CALLS, "deep", (lambda X: X.missing, lambda: {"X": 1}, ()))
    monkeypatch.setitem(CALLS, "nameless", (refuse_another, lambda: {"level": 1}, ()))

    assert run_case("deep", {"X": "zero"}).startswith("AttributeError")
    assert run_case("nameless", {"level": "minus one"}).endswith("names no argument")


def refuse_another(**_):
    """Refuse by a name that nobody gave."""
    return formulas.henze_penrose(-3, 20, 20)
