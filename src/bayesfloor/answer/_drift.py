"""Find rows whose rule changes with time: a model trained on the past is then worse on what comes later.

For later periods there is no single Bayes error: more rows of the same months say nothing of the next one. All that can
be measured is the error on the next period of models that were trained on the past, and how much it varies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayesfloor.answer._labelled_table import LabelledTable
from bayesfloor.answer._row_order import orders
from bayesfloor.answer._thresholds import DRIFT as T
from bayesfloor.formulas._limits import two_sided
from bayesfloor.support._results import Result
from bayesfloor.support._tasks import one_blas_thread, one_openmp_thread
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import percent, quoted

_KINDS = _LINEAR, _FOREST = ("linear", "forest")


@dataclass(frozen=True, repr=False)
class Drift(Result):
    """How much worse a model is on later rows than between known ones.

    Attributes
    ----------
    column : the column with the times; empty for the order of rows.
    n_periods, n_worse : number of periods, each tested by a quick model that was trained on all earlier ones, and of
        those with a higher error than between known rows.
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
    n_worse: int
    error_between: float
    error_later: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Whether the error rises by more than periods differ by chance, and enough to matter."""
        rise, reach = self.error_later - self.error_between, (self.high - self.low) / 2
        return rise > T.rise and (rise > T.one_sided * reach or self.n_worse == self.n_periods)

    def _summary(self) -> str:
        by = f" by {quoted(self.column)}" if self.column else ""
        later = f"{percent(self.error_later)} % ({percent(self.low)} to {percent(self.high)} %)"
        return f"error {percent(self.error_between)} % between known rows, {later} on the next period{by}"


def find_drift(table: LabelledTable, seed: int, *, always: bool = False) -> Drift | None:
    """Return how much worse later rows are; None without drift or, if ``always``, without an order by time."""
    for name, order in orders(table):
        if len(order) < T.fewest_rows or _comes_in_parts(table.codes[order]) or (not name and _is_sorted(table)):
            continue
        n_rows = T.most_rows if name else T.most_in_file
        units = order[np.unique(np.linspace(0, len(order) - 1, n_rows).astype(np.int64))]
        codes = np.unique(table.codes[units], return_inverse=True)[1]
        X = table.numbers(units).values
        X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), np.finfo(np.float64).tiny)
        kind, is_suspicious = _find_suspicious(X, codes, seed)
        if always or is_suspicious:
            found = _measure(kind, X, codes, name, seed)
            if always or found.is_clear:
                return found
    return None


def _comes_in_parts(codes: Ints) -> bool:
    """Whether a class occurs in far fewer periods than by chance, as in files that are sorted by class."""
    period = np.arange(len(codes)) * T.n_periods // len(codes)
    sizes = np.bincount(codes)
    seen = np.bincount(np.unique(np.column_stack([codes, period]), axis=0)[:, 0], minlength=len(sizes))
    by_chance = T.n_periods * (1 - (1 - 1 / T.n_periods) ** sizes)
    return bool((seen < T.spread * by_chance - 1).any() or seen.sum() < T.spread * by_chance.sum())


def _is_sorted(table: LabelledTable) -> bool:
    """Whether the file is sorted by one of its columns: then its order is no time."""
    steps = np.diff(table.numbers(np.arange(min(len(table), T.fewest_rows))).values, axis=0)
    return bool((((steps >= 0).all(axis=0) | (steps <= 0).all(axis=0)) & (steps != 0).any(axis=0)).any())


def _find_suspicious(X: Floats, codes: Ints, seed: int) -> tuple[str, bool]:
    """Return a kind of model, and whether it does clearly worse on the later half than on random rows.

    Of kinds that both do so, or neither, it is the one with the lower error on random rows.
    """
    half, found = np.arange(len(X)) >= len(X) // 2, {}
    mixed = np.random.default_rng([seed, 27]).permutation(half)
    for kind in _KINDS:
        later, between = (_wrong(kind, X, codes, ~test, test, seed) for test in (half, mixed))
        error = np.sqrt(later.var() / len(later) + between.var() / len(between))
        is_clear = bool(later.mean() - between.mean() > max(T.rise, T.clear * error))
        found[kind] = (not is_clear, between.mean())
    best = min(found, key=found.__getitem__)
    return best, not found[best][0]


def _measure(kind: str, X: Floats, codes: Ints, name: str, seed: int) -> Drift:
    """Train on all earlier periods and test on the next one; and, to compare, cross-validate on random rows."""
    fold = np.random.default_rng([seed, 28]).permutation(len(X)) % T.folds
    wrong = [_wrong(kind, X, codes, fold != k, fold == k, seed) for k in range(T.folds)]
    between = float(np.concatenate(wrong).mean())
    period = np.arange(len(X)) * T.n_periods // len(X)
    tested = range(T.n_periods // 2, T.n_periods)
    errors = np.array([_wrong(kind, X, codes, period < k, period == k, seed).mean() for k in tested])
    reach = two_sided(0.95, len(errors) - 1) * errors.std(ddof=1) / np.sqrt(len(errors))
    low, high = max(0.0, float(errors.mean() - reach)), min(1.0, float(errors.mean() + reach))
    return Drift(name, len(errors), int(np.count_nonzero(errors > between)), between, float(errors.mean()), low, high)


def _wrong(kind: str, X: Floats, codes: Ints, train: np.ndarray, test: np.ndarray, seed: int) -> Floats:
    """Return which of the test rows a quick model gets wrong."""
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.linear_model import RidgeClassifier

    with one_openmp_thread(), one_blas_thread():
        made = (
            ExtraTreesClassifier(T.trees, min_samples_leaf=T.leaf, random_state=seed)
            if kind == _FOREST
            else RidgeClassifier()
        )
        return np.asarray(made.fit(X[train], codes[train]).predict(X[test]) != codes[test], dtype=np.float64)
