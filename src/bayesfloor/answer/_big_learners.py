"""Learners for any number of rows: LightGBM and a network, trained in pieces and tested on the same rows at each size.

Rows are chosen by their place, a hash between 0 and 1: to test on, to stop early on, and then the training rows, of
which more contain fewer. Up to ``FEW`` of these stay in memory. From more, LightGBM makes bins piece by piece, whose
limits come from the rows in memory; the network reads random parts of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayesfloor.answer._learners import REGISTRY, Size, code_encoder
from bayesfloor.answer._metrics import CLASSES, LEAST_CHANCE
from bayesfloor.answer._number_learners import REGRESSORS
from bayesfloor.answer._on_dask import Job, boost_on_workers
from bayesfloor.answer._pieces import load_lightgbm, pieces
from bayesfloor.support._tasks import Progress, effective_n_jobs, ignoring, one_blas_thread
from bayesfloor.support._types import Floats, Ints

if TYPE_CHECKING:
    from bayesfloor.io._all_rows import Rows

BOOSTING, NETWORK = "boosting", "network"
FEW = 200_000  # training rows that stay in memory, and from which the limits of bins are chosen
_TEST, _STOP = 200_000, 100_000  # most rows to test on, and to stop early on
_TEST_PART, _STOP_PART = 0.1, 0.05  # most of all rows
_LEAVES = ((5_000_000, 255), (200_000, 127), (100_000, 63), (0, 31))  # from so many rows on
_RATE, _PATIENCE, _LEAST_STOP = 0.15, 20, 2000
_TREES, _TREES_PER_CLASS = 1000, 150  # most rounds, and the fewest that many classes get
_SEEN = 600_000  # rows that the network sees in all epochs together, if it has fewer
_MOST_SEEN = 10_000_000  # rows of which it reads a part, if there are more
_EPOCHS = 10
_IN_MEMORY, _MOST_PARTS = 10_000_000, 8  # numbers that it reads at a time; each part is read from the whole table
_MOST_COLUMNS = 1000  # with more, the network takes too long
_BATCH, _STEP, _LEAST_STEP = 200, 0.005, 1e-5


def training_rows(n: int) -> int:
    """Return how many of so many rows are left to train on."""
    return n - min(_TEST, int(_TEST_PART * n)) - min(_STOP, int(_STOP_PART * n))


class Trained(NamedTuple):
    """What a learner predicts for the tested rows after training on ``n_rows``; and what that took.

    ``scores`` are log probabilities of the classes, or numbers. ``capped`` says that more trees would have been better.
    """

    n_rows: int
    scores: np.ndarray
    n_trees: int = 0
    n_leaves: int = 0
    capped: bool = False
    seconds: float = 0.0
    cpu_seconds: float = 0.0


@dataclass(eq=False)
class Bench:
    """Rows to train on and to test on, and how to train."""

    rows: Rows
    absolute: bool = False  # whether numbers are to have small absolute errors, rather than squared ones
    random_state: int = 0
    n_jobs: int | None = None
    progress: Progress | None = None
    client: Any = None  # of a Dask cluster, to boost on more rows than stay in memory

    @property
    def n_classes(self) -> int:
        """The number of classes; 0 for numbers."""
        return len(self.rows.classes) if self.rows.task == CLASSES and self.rows.classes is not None else 0

    @cached_property
    def _ends(self) -> tuple[float, float, float]:
        """Places at which the rows to test on, to stop on and to keep in memory end."""
        n = self.rows.n
        tested = min(_TEST / n, _TEST_PART)
        stopping = tested + min(_STOP / n, _STOP_PART)
        return tested, stopping, min(stopping + FEW / n, 1.0)

    @property
    def most(self) -> int:
        """The number of rows that learners can be trained on."""
        return int(np.count_nonzero(self.rows.place >= self._ends[1]))

    @cached_property
    def tested(self) -> Ints:
        """The rows to test on, as numbers among those with a label."""
        return np.flatnonzero(self.rows.place < self._ends[0])

    @property
    def row(self) -> Ints:
        """The tested rows' numbers in the input."""
        return self.rows.row_of(self.tested)

    @property
    def truth(self) -> np.ndarray:
        """The classes or numbers of the tested rows."""
        y = self.rows.y[self.tested]
        return y.astype(np.int64) if self.n_classes else y

    @property
    def cluster(self) -> Ints:
        """Which of the tested rows belong together."""
        if not self.rows.grouped:
            return np.arange(len(self.tested))
        return np.unique(self.rows.place[self.tested], return_inverse=True)[1]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what learners predict for the tested rows."""
        n = len(self.tested)
        return (n, self.n_classes) if self.n_classes else (n,)

    @property
    def settings_text(self) -> str:
        """What a finished point depends on besides the rows."""
        constants = (_RATE, _PATIENCE, _LEAVES, _SEEN, _MOST_SEEN, _EPOCHS, n_rounds(self.n_classes))
        versions = [version(name) for name in ("lightgbm", "scikit-learn", "numpy")]
        return repr((self._parameters | {"num_threads": 0}, constants, versions))

    @cached_property
    def _held(self) -> tuple[Any, ...]:
        """Features and labels to test on, to stop on and to train on; and the places of the last."""
        ends = self._ends
        X, y, place = self.rows.take(0.0, ends[2])
        test, stop = place < ends[0], (place >= ends[0]) & (place < ends[1])
        few = place >= ends[1]
        return (X[test], y[test]), (X[stop], y[stop]), (X[few], y[few], place[few])

    @cached_property
    def _unit(self) -> tuple[float, float]:
        """Centre and spread of numbers; labels of classes stay as they are."""
        y = self._held[2][1]
        return (0.0, 1.0) if self.n_classes else (float(y.mean()), float(y.std()) or 1.0)

    def _labels(self, y: Any) -> np.ndarray:
        return np.asarray((y - self._unit[0]) / self._unit[1], dtype=np.float32)

    def _end(self, size: int) -> float:
        """Return the place at which so many training rows end."""
        return 1.0 if size >= self.most else self._ends[1] + size / self.rows.n

    def train(self, name: str, size: int) -> Trained:
        """Train a learner on about so many rows, and test it."""
        wall, cpu = time.perf_counter(), time.process_time()
        with one_blas_thread(), ignoring():
            found = self._boost(size) if name == BOOSTING else self._network(size)
        return found._replace(seconds=time.perf_counter() - wall, cpu_seconds=time.process_time() - cpu)

    def learner(self, name: str, found: Trained) -> Any:
        """Return an estimator of scikit-learn's kind that learns the same from rows in memory, not fitted."""
        if name == NETWORK:
            registry = REGISTRY if self.n_classes else REGRESSORS
            return registry[NETWORK].make(Size(found.n_rows, self.rows.n_columns, self.n_classes), self.random_state)
        lightgbm = load_lightgbm()
        kind = lightgbm.LGBMClassifier if self.n_classes else lightgbm.LGBMRegressor
        more = {"objective": "regression_l1"} if self.absolute else {}
        return kind(
            n_estimators=found.n_trees,
            num_leaves=found.n_leaves,
            learning_rate=_RATE,
            random_state=self.random_state,
            n_jobs=self._parameters["num_threads"],
            verbose=-1,
            **more,
        )

    # LightGBM

    @cached_property
    def _parameters(self) -> dict[str, Any]:
        K = self.n_classes
        objective = "regression_l1" if self.absolute else "regression"
        if K:
            objective = "binary" if K == 2 else "multiclass"
        more = {"num_class": K} if K > 2 else {}
        return {
            "objective": objective,
            "learning_rate": _RATE,
            "min_data_in_leaf": 20,
            "feature_pre_filter": False,
            "deterministic": True,
            "force_row_wise": True,
            "seed": self.random_state,
            "num_threads": effective_n_jobs(self.n_jobs),
            "verbose": -1,
            **more,
        }

    @cached_property
    def _bins(self) -> Any:
        """Rows in memory as LightGBM's bins, whose limits all other rows share."""
        X, y, _ = self._held[2]
        options = self._parameters | {"num_leaves": n_leaves(FEW)}
        return (
            load_lightgbm()
            .Dataset(X, self._labels(y), params=options, categorical_feature=self._codes, free_raw_data=False)
            .construct()
        )

    @property
    def _codes(self) -> Any:
        return "auto" if self.rows.code is None else np.flatnonzero(self.rows.code).tolist()

    def _dataset(self, size: int, options: dict[str, Any]) -> Any:
        lightgbm, (low, high) = load_lightgbm(), (self._ends[1], self._end(size))
        if high <= self._ends[2]:
            X, y, place = self._held[2]
            X, y = X[place < high], y[place < high]
        else:
            X = list(pieces(lightgbm, self.rows, low, high, self._told(size)))
            y = self.rows.y[(self.rows.place >= low) & (self.rows.place < high)]
        return lightgbm.Dataset(X, self._labels(y), reference=self._bins, params=options).construct()

    def _boost(self, size: int) -> Trained:
        lightgbm, leaves, most = load_lightgbm(), n_leaves(size), n_rounds(self.n_classes)
        options = self._parameters | {"num_leaves": leaves}
        if self.client is not None and self._end(size) > self._ends[2]:
            return self._boost_on_workers(size, options, most)
        data = self._dataset(size, options)
        n, (X, y) = data.num_data(), self._held[1]
        some = slice(0, max(_LEAST_STOP, n // 5))  # few training rows would not have many to stop on
        stop = lightgbm.Dataset(X[some], self._labels(y[some]), reference=self._bins, params=options)
        told = self._told(size)

        def tell(env: Any) -> None:
            told("boosting on", env.iteration + 1, most)

        stopping = lightgbm.early_stopping(_PATIENCE, verbose=False)
        model = lightgbm.train(options, data, most, [stop], callbacks=[tell, stopping])
        n_trees = model.best_iteration or model.current_iteration()
        return self._tested(model, n, n_trees, leaves, capped=model.current_iteration() >= most)

    def _boost_on_workers(self, size: int, options: dict[str, Any], most: int) -> Trained:
        low, high = self._ends[1], self._end(size)
        stop, few = ((X, self._labels(y)) for X, y in (self._held[1], self._held[2][:2]))
        job = Job(options, most, _PATIENCE, low, high, self._unit, self._codes, (few, stop))
        self._told(size)("boosting on workers", 0, most)
        model, n_trees, capped = boost_on_workers(self.client, self.rows, job)
        n = int(np.count_nonzero((self.rows.place >= low) & (self.rows.place < high)))
        return self._tested(model, n, n_trees, options["num_leaves"], capped=capped)

    def _tested(self, model: Any, n: int, n_trees: int, n_leaves: int, *, capped: bool) -> Trained:
        threads = self._parameters["num_threads"]
        found = model.predict(self._held[0][0], num_iteration=n_trees, num_threads=threads)
        return Trained(n, self._scores(np.asarray(found)), n_trees, n_leaves, capped)

    def _scores(self, found: Floats) -> np.ndarray:
        if not self.n_classes:
            return np.asarray(found * self._unit[1] + self._unit[0], dtype=np.float32)
        if found.ndim == 1:
            found = np.column_stack([1 - found, found])
        return np.log(np.maximum(found, LEAST_CHANCE / 10)).astype(np.float32)

    def _told(self, size: int) -> Callable[[str, int, int], None]:
        def tell(what: str, done: int, total: int) -> None:
            if self.progress is not None:
                self.progress(f"{what} {size:,} rows", done, total)

        return tell

    # The network

    @property
    def has_network(self) -> bool:
        """Whether a network suits these columns."""
        return self.rows.n_columns <= _MOST_COLUMNS

    def _network(self, size: int) -> Trained:
        """Train a network with one hidden layer: a few epochs, with steps that become smaller."""
        from sklearn.neural_network import MLPClassifier, MLPRegressor

        size = min(size, self.most, max(FEW, _MOST_SEEN))
        kind = MLPClassifier if self.n_classes else MLPRegressor
        model: Any = kind(
            hidden_layer_sizes=(200,), learning_rate_init=_STEP, batch_size=_BATCH, random_state=self.random_state
        )
        n_epochs, seen, done = int(np.clip(round(_SEEN / size), 1, _EPOCHS)), 0, 0
        more = {"classes": np.arange(self.n_classes)} if self.n_classes else {}
        told, n_steps = self._told(size), n_epochs * size
        for _ in range(n_epochs):
            seen = 0
            for X, y, order in self._parts(size):
                for start in range(0, len(order), _AT_ONCE):
                    part = order[start : start + _AT_ONCE]
                    if done:  # steps fall along half a cosine; scikit-learn makes its optimiser with the first
                        left = 0.5 * (1 + np.cos(np.pi * done / n_steps))
                        model._optimizer.learning_rate_init = _STEP * left + _LEAST_STEP  # noqa: SLF001
                    labels = y[part].astype(np.int64) if self.n_classes else self._labels(y[part])
                    model.partial_fit(self._scaled(X[part]), labels, **more)
                    seen, done = seen + len(part), done + len(part)
                    told("network on", done, n_steps)
        X = self._scaled(self._held[0][0])
        found = model.predict_proba(X) if self.n_classes else model.predict(X)
        return Trained(seen, self._scores(np.asarray(found, dtype=np.float64)))

    @cached_property
    def _scale(self) -> tuple[Any, np.ndarray, np.ndarray]:
        """What turns codes into class rates or mean numbers, and the centre and spread of each column after that."""
        X, y, _ = self._held[2]
        encoder = None
        if self.rows.code is not None:
            encoder = code_encoder(self.rows.code, self.random_state, self.rows.task).fit(X, y)
            X = encoder.transform(X)
        middle, spread = np.nanmean(X, axis=0), np.nanstd(X, axis=0)
        spread = np.where(spread > 0, spread, 1.0)
        return encoder, np.nan_to_num(middle).astype(np.float32), spread.astype(np.float32)

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        """Return columns with mean 0 and spread 1, gaps as the mean, and no value far outside."""
        encoder, middle, spread = self._scale
        made = X if encoder is None else encoder.transform(X).astype(np.float32)
        scaled = (made - middle) / spread
        return np.clip(np.nan_to_num(scaled, copy=False), -_FAR, _FAR, out=scaled)

    def _parts(self, size: int) -> Iterator[tuple[np.ndarray, np.ndarray, Ints]]:
        """Yield random parts of the training rows and an order for each: the table may be sorted."""
        low, high = self._ends[1], self._end(size)
        if high <= self._ends[2]:
            X, y, place = self._held[2]
            yield X, y, np.argsort(np.where(place < high, place, 2.0), kind="stable")[: int((place < high).sum())]
            return
        n_parts = min(_MOST_PARTS, int(np.ceil(size * self.rows.n_columns / _IN_MEMORY)))
        for start, end in pairwise(np.linspace(low, high, n_parts + 1).tolist()):
            X, y, place = self.rows.take(start, end)
            yield X, y, np.argsort(place, kind="stable")


_FAR = 10.0  # of standardised values
_AT_ONCE = 10_000  # rows of a step after which work may be interrupted


def n_leaves(size: int) -> int:
    """Return the number of leaves of trees for so many rows: a learner that does not grow gains nothing from more."""
    return next(leaves for least, leaves in _LEAVES if size >= 0.9 * least)


def n_rounds(n_classes: int) -> int:
    """Return the most rounds; each has a tree per class if there are more than two."""
    return _TREES if n_classes <= 2 else max(_TREES_PER_CLASS, 2 * _TREES // n_classes)
