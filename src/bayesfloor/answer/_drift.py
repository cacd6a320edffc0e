"""Find rows whose rule changes with time: a model trained on the past is then worse on what comes later.

For later periods there is no single Bayes error: more rows of the same months say nothing of the next one. All that can
be measured is the error on the next period of models that were trained on the past, and how much it varies.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from bayesfloor.answer._dependence import orders
from bayesfloor.answer._labelled_table import LabelledTable
from bayesfloor.answer._thresholds import DRIFT as T
from bayesfloor.formulas._limits import two_sided
from bayesfloor.support._results import Result
from bayesfloor.support._tasks import one_blas_thread, one_openmp_thread
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import percent, quoted


@dataclass(frozen=True, repr=False)
class Drift(Result):
    """How much worse a model is on later rows than between known ones.

    Attributes
    ----------
    column : the column with the times; empty for the order of rows.
    n_periods : number of periods, each tested by a quick model that was trained on all earlier ones.
    error_between : error of such a model on random rows.
    error_later, low, high : mean error on the next period, and its 95 % interval over periods.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import bayesfloor
    >>> rng = np.random.default_rng(0)
    >>> X, day = rng.normal(size=(1500, 2)), np.arange(1500)
    >>> y = (X[:, 0] * np.cos(day / 400) + X[:, 1] * np.sin(day / 400) > 0).astype(int)
    >>> table = pd.DataFrame(X, columns=["a", "b"]).assign(date=pd.Timestamp("2020-01-01") + pd.to_timedelta(day, "D"))
    >>> bayesfloor.check(table, y, effort="quick").drift.column
    'date'
    """

    column: str
    n_periods: int
    error_between: float
    error_later: float
    low: float
    high: float

    def _summary(self) -> str:
        by = f" by {quoted(self.column)}" if self.column else ""
        later = f"{percent(self.error_later)} % ({percent(self.low)} to {percent(self.high)} %)"
        return f"error {percent(self.error_between)} % between known rows, {later} on the next period{by}"


def find_drift(table: LabelledTable, seed: int, *, always: bool = False) -> Drift | None:
    """Return how much worse later rows are; None without drift or, if ``always``, without an order by time."""
    for name, order in orders(table):
        if len(order) < T.fewest_rows or _comes_in_parts(table.codes[order]):
            continue
        if not name:  # a file that is sorted by one of its columns has no order by time
            steps = np.diff(table.numbers(np.arange(T.fewest_rows)).values, axis=0)
            if (((steps >= 0).all(axis=0) | (steps <= 0).all(axis=0)) & (steps != 0).any(axis=0)).any():
                continue
        units = order[np.unique(np.linspace(0, len(order) - 1, T.most_rows).astype(np.int64))]
        codes = np.unique(table.codes[units], return_inverse=True)[1]
        X = table.numbers(units, name).values  # later times are new to every model, and honest rows are not
        if not X.shape[1]:
            continue
        X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), np.finfo(np.float64).tiny)
        model, between, is_worse = _compare(X, codes, seed)
        if always or is_worse:
            found = _measure(model, X, codes, between, name)
            if always or found.error_later - found.error_between > T.rise:
                return found
    return None


def _comes_in_parts(codes: Ints) -> bool:
    """Whether a class occurs in far fewer periods than by chance, as in files that are sorted by class."""
    period = np.arange(len(codes)) * T.n_periods // len(codes)
    sizes = np.bincount(codes)
    seen = np.bincount(np.unique(np.column_stack([codes, period]), axis=0)[:, 0], minlength=len(sizes))
    by_chance = T.n_periods * (1 - (1 - 1 / T.n_periods) ** sizes)
    return bool((seen < T.spread * by_chance - 1).any() or seen.sum() < T.spread * by_chance.sum())


def _compare(X: Floats, codes: Ints, seed: int) -> tuple[_Model, float, bool]:
    """Return the better model, its error on random rows, and whether time matters.

    It does if a model of one half of the time errs more on the other half than one of as many random rows, or if the
    latter errs ever more. Both are tested on the same rows, so that what is hard about these cancels out.
    """
    time = np.linspace(-1, 1, len(X))
    mixed = np.random.default_rng([seed, 27]).permutation(time > 0)
    between, best = min(
        ((model.wrong_in_halves(X, codes, mixed), model) for model in _Model), key=lambda e: e[0].mean()
    )
    more = best.wrong_in_halves(X, codes, time > 0) - between
    rising = time * (between - between.mean())
    is_worse = any(
        each.mean() > clear * each.std() / np.sqrt(len(X)) for each, clear in zip((more, rising), T.clear, strict=True)
    )
    return best, float(between.mean()), is_worse


def _measure(model: _Model, X: Floats, codes: Ints, between: float, name: str) -> Drift:
    """Train on all earlier periods and test on the next one."""
    period = np.arange(len(X)) * T.n_periods // len(X)
    tested = range(T.n_periods // 2, T.n_periods)
    errors = np.array([model.wrong(X, codes, period < k, period == k).mean() for k in tested])
    reach = two_sided(0.95, len(errors) - 1) * errors.std(ddof=1) / np.sqrt(len(errors))
    low, high = max(0.0, float(errors.mean() - reach)), min(1.0, float(errors.mean() + reach))
    return Drift(name, len(errors), between, float(errors.mean()), low, high)


class _Model(Enum):
    """A quick model."""

    LINEAR, NEAREST = range(2)

    def wrong(self, X: Floats, codes: Ints, train: np.ndarray, test: np.ndarray) -> Floats:
        """Return which of the test rows it gets wrong; neighbours are looked for in an even part of many rows."""
        from sklearn.linear_model import RidgeClassifier
        from sklearn.neighbors import KNeighborsClassifier

        rows, model = np.flatnonzero(train), RidgeClassifier()
        if self == _Model.NEAREST:
            model = KNeighborsClassifier(T.neighbours, algorithm="brute")
            rows = rows[:: -(-len(rows) // T.most_in_memory)]
        with one_openmp_thread(), one_blas_thread():
            return np.asarray(model.fit(X[rows], codes[rows]).predict(X[test]) != codes[test], dtype=np.float64)

    def wrong_in_halves(self, X: Floats, codes: Ints, half: np.ndarray) -> Floats:
        """Return which rows it gets wrong if it is trained on the other half."""
        wrong = np.empty(len(X))
        wrong[half], wrong[~half] = self.wrong(X, codes, ~half, half), self.wrong(X, codes, half, ~half)
        return wrong
