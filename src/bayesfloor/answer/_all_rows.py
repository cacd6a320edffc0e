"""All rows: a race of learners that see any number of rows, and what it adds to the answer from 50,000.

Both races say something of the lowest possible error. The one with the better learner gives the curve and the forecast
for more rows; the limit is extrapolated from both, below what either was shown to reach.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayesfloor.answer._answer import Answer, Basis, Reason
from bayesfloor.answer._big_learners import BOOSTING, FEW, NETWORK, Bench, Trained, n_rounds
from bayesfloor.answer._combine import combine, find_upper
from bayesfloor.answer._curve_ends import LEVEL, Ends
from bayesfloor.answer._finished_points import FinishedPoints
from bayesfloor.answer._make_answer import CHOICE, LEARN_ON, know_guessing
from bayesfloor.answer._metrics import LEAST_CHANCE, METRICS, Metric
from bayesfloor.answer._race import Race, add_part
from bayesfloor.floor._sample import Settings
from bayesfloor.formulas._learning_curves import weighted_quantiles
from bayesfloor.support._errors import InputError
from bayesfloor.support._results import Result
from bayesfloor.support._tasks import free_memory
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import number_text, printable, two_digits

if TYPE_CHECKING:
    from bayesfloor.io._all_rows import Rows

logger = logging.getLogger(__name__)

ENOUGH = 100_000  # training rows from which there is more to see than the first race saw
_SMALLEST, _FACTOR = 12_500, 5  # sizes are doubled up to FEW, and from a million on multiplied by this
_NEAR = 1.5  # sizes that are closer to the last one than this are left out
_BASE = 400e6  # bytes that learning takes with hardly any rows
_PER_ROW, _PER_CLASS = 60, 16  # bytes beside one for each column
# The least gain, as a fraction of guessing, that pays for a minute of one core; it grows as the root of the seconds.
_PAYS = 0.008
_TREE, _READ, _STEP = 7e-9, 1.2e-7, (9e-6, 3e-8)  # CPU seconds per row and column; of the network per row, and column
_MORE_TREES = 0.3  # exponent of their growth with the rows
_ENDS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
# Reasons that an answer makes of its own race.
_OF_RACE = (
    *(Basis.UNTRAINED, Basis.NO_SIGNAL, Basis.RANKING, Basis.LITTLE_SIGNAL, Basis.FEW_ROWS, Basis.FEW_OF_CLASS),
    *(Basis.FEW_NUMBERS, Basis.ONE_KIND, Basis.MAY_BE_ZERO, Basis.WIDE, Basis.NEIGHBOURS_ALONE),
)


class Stopped(StrEnum):
    """Why learners were trained on no more rows.

    Examples
    --------
    >>> from bayesfloor.answer import Stopped
    >>> Stopped("all rows") is Stopped.ALL
    True
    """

    ALL = "all rows"
    ASKED = "as many as asked for"
    NO_GAIN = "does not pay"
    MEMORY = "not enough memory"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, eq=False, repr=False)
class Point(Result):
    """A learner trained on so many rows.

    Attributes
    ----------
    n_rows : number of training rows.
    learner : its name.
    loss, low, high : its loss on held-out rows, in the unit of the answer's errors, and the 95 % interval.
    n_trees, n_leaves : rounds of boosting, and the most leaves of a tree; 0 for other learners.
    capped : whether more trees would have been better.
    seconds, cpu_seconds : what training and testing took.

    Examples
    --------
    >>> from bayesfloor.answer import Point
    >>> Point(50_000, "boosting", 0.243, 0.241, 0.245, 132, 31, False, 2.4, 2.4)
    Point(50,000 rows, boosting: 0.24)
    """

    n_rows: int
    learner: str
    loss: float
    low: float
    high: float
    n_trees: int = 0
    n_leaves: int = 0
    capped: bool = False
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    def _summary(self) -> str:
        return f"{self.n_rows:,} rows, {printable(self.learner)}: {number_text(self.loss, 2)}"


@dataclass(frozen=True, eq=False, repr=False)
class Ahead(Result):
    """What was forecast for so many rows, before learners were trained on them, and what came.

    Attributes
    ----------
    n_rows : number of training rows.
    from_rows : number of training rows that the forecast was made from.
    loss, low, high : median of the forecast and its 95 % interval.
    came : the lowest loss that any learner then had.

    Examples
    --------
    >>> from bayesfloor.answer import Ahead
    >>> Ahead(1_000_000, 200_000, 0.18, 0.16, 0.20, 0.175).came
    0.175
    """

    n_rows: int
    from_rows: int
    loss: float
    low: float
    high: float
    came: float


@dataclass(frozen=True, eq=False, repr=False)
class AllRows(Result):
    """What learners that see any number of rows add to the answer from 50,000.

    Attributes
    ----------
    points : tuple of Point
        Each learner's loss at each number of training rows.
    before : tuple of Ahead
        For each number of rows above 50,000, what was forecast for it by the answer before.
    first, first_loss, first_rows : the best estimate and the range from the first race alone, its best learner's loss,
        and its number of training rows.
    n_rows, n_used : rows with a label, and the most rows that learners were trained on.
    stopped : why not on more.
    gain, seconds : how far the lowest loss is expected to fall with the next number of rows, and the estimated CPU
        seconds that this takes; NaN if there are no more rows.
    next_rows : that number; 0 if there are no more rows.

    Examples
    --------
    >>> from bayesfloor.answer import AllRows, Point, Stopped
    >>> points = (Point(50_000, "boosting", 0.24, 0.23, 0.25), Point(800_000, "boosting", 0.18, 0.17, 0.19))
    >>> found = AllRows(points, (), (0.21, 0.19, 0.24), 0.24, 40_000, 1_000_000, 800_000, Stopped.ALL)
    >>> round(found.best.loss, 2), round(found.brought, 2)
    (0.18, 0.06)
    """

    points: tuple[Point, ...]
    before: tuple[Ahead, ...]
    first: tuple[float, float, float]
    first_loss: float
    first_rows: int
    n_rows: int
    n_used: int
    stopped: Stopped
    gain: float = np.nan
    seconds: float = np.nan
    next_rows: int = 0

    @property
    def best(self) -> Point:
        """The learner with the lowest loss among those trained on the most rows."""
        return min((point for point in self.points if point.n_rows == self.n_used), key=lambda point: point.loss)

    @property
    def brought(self) -> float:
        """How far below the first race's best loss this one is; negative if other learners are better."""
        return self.first_loss - self.best.loss

    @property
    def capped(self) -> bool:
        """Whether more trees would have been better at the most rows."""
        return any(point.capped for point in self.points if point.n_rows == self.n_used)

    def _summary(self) -> str:
        best = f"{number_text(self.best.loss, 2)} by {printable(self.best.learner)}"
        return f"{self.n_used:,} of {self.n_rows:,} rows: {best}"

    def _columns(self) -> dict[str, Any]:
        return {name: [getattr(point, name) for point in self.points] for name in Point.__dataclass_fields__}


class Known(NamedTuple):
    """What the first race's answers rest on, besides the race."""

    n_columns: int
    settings: Settings
    own: tuple[str, ...] = ()  # names of the user's learners
    new_rows: bool = True  # whether test rows are new
    classes: np.ndarray | None = None  # in the order of the first race's codes


def planned_sizes(most: int) -> list[int]:
    """Return the numbers of training rows at which learners are trained, up to this one."""
    sizes = [_SMALLEST]
    while sizes[-1] < most:
        sizes.append(2 * sizes[-1] if sizes[-1] < FEW else max(_FACTOR * sizes[-1], 1_000_000))
    sizes = [size for size in sizes if size * _NEAR <= most or size == most]
    return sizes if sizes and sizes[-1] == most else [*sizes, most]


def predicted_bytes(n: int, n_columns: int, n_classes: int) -> float:
    """Return how much memory LightGBM takes for so many rows: bins, scores and gradients."""
    return _BASE + n * (n_columns + _PER_CLASS * max(n_classes, 1) + _PER_ROW)


def refuse_memory(n: int, n_columns: int, n_classes: int) -> None:
    """Raise if so many rows will not fit into memory, because LightGBM would end the process."""
    needed, free = predicted_bytes(n, n_columns, n_classes), free_memory()
    if needed <= free:
        return
    fitting = int((free - _BASE) / ((needed - _BASE) / n))
    fewer = f"rows={two_digits(fitting):_}" if fitting > ENOUGH else "rows='auto'"
    raise InputError(
        f"Learning from {n:,} rows takes about {needed / 1e6:,.0f} MB of memory, but {free / 1e6:,.0f} MB are free. "
        f"Pass {fewer}, or run it on a larger machine."
    )


def long_race(
    rows: Rows,
    answers: dict[str, Answer],
    known: Known,
    most: int | None = None,
    *,
    auto: bool = False,
    resume: str | None = None,
    client: Any = None,
) -> tuple[dict[str, Answer], AllRows]:
    """Train learners on more and more rows; return the answers by the same metrics from both races, and the points.

    ``most`` limits the training rows, and ``auto`` ends where more do not pay. Finished points are kept in the folder
    ``resume``.
    """
    settings = known.settings
    absolute = next(iter(answers)) == "mae"
    bench = Bench(rows, absolute, settings.random_state, settings.n_jobs, settings.progress, client)
    sizes = planned_sizes(bench.most if most is None else min(most, bench.most))
    long = _Long(bench, answers, known, sizes)
    points = None if resume is None else FinishedPoints(resume, rows.fingerprint, bench.settings_text)
    stopped = Stopped.ALL if sizes[-1] == bench.most else Stopped.ASKED
    try:
        for size in sizes:
            if reason := long.reason_to_stop(size, auto=auto):
                stopped = reason
                break
            long.look_ahead(size)
            long.add({name: _train(bench, name, size, points) for name in long.names})
    except KeyboardInterrupt:
        if not long.done:
            raise
        logger.info("interrupted after %s rows", long.done[-1])
        stopped = Stopped.INTERRUPTED
    return long.results(stopped)


def _train(bench: Bench, name: str, size: int, points: FinishedPoints | None) -> Trained:
    """Train a learner, unless that was done before."""
    found = None if points is None else points.read(name, size, bench.shape)
    if found is None:
        found = bench.train(name, size)
        if points is not None:
            points.write(name, size, found)
    return found


@dataclass
class _Long:
    """The race as far as it got."""

    bench: Bench
    first: dict[str, Answer]
    known: Known
    sizes: list[int]
    done: list[int] = field(default_factory=list)  # actual numbers of training rows
    trained: list[dict[str, Trained]] = field(default_factory=list)
    before: list[tuple[int, int, list[float]]] = field(default_factory=list)
    shares: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        bench, first = self.bench, next(iter(self.first.values())).evidence()
        self.names = [BOOSTING, *([NETWORK] if bench.has_network else [])]
        metrics = [METRICS[name] for name in first.losses]
        row, truth, cluster = bench.row, bench.truth, bench.cluster
        numbers = None if bench.n_classes else truth
        codes = self._place[truth] if numbers is None else np.zeros(len(row), dtype=np.int64)
        self._kept = np.flatnonzero(codes >= 0)  # the first race knows nothing of other classes
        nothing = np.zeros(len(self._kept), dtype=np.int64)
        self._race = Race(
            row[self._kept],
            codes[self._kept],
            nothing,
            cluster[self._kept],
            np.array(self.sizes),
            {metric.name: {} for metric in metrics},
            {},
            {},
            first.priors,
            numbers,
            parts=tuple(size / self.sizes[-1] for size in self.sizes),
            looks=sum(size >= min(FEW, self.sizes[-1]) for size in self.sizes),
        )

    @cached_property
    def _place(self) -> Ints:
        """The place of each class among those of the first race; -1 if it has no row there."""
        own, known = self.bench.rows.classes, self.known.classes
        if own is None or known is None:
            return np.arange(self.bench.n_classes)
        place = {label: at for at, label in enumerate(known.tolist())}
        return np.array([place.get(label, -1) for label in own.tolist()])

    def _in_order(self, scores: np.ndarray) -> Floats:
        """Return scores of the rows in the race with a column for each class of the first race, or numbers."""
        own = scores[self._kept].astype(np.float64)
        if not self.bench.n_classes:
            return own
        found = np.full((len(own), int(self._place.max()) + 1), np.log(LEAST_CHANCE))
        found[:, self._place[self._place >= 0]] = own[:, self._place >= 0]
        return found

    def add(self, found: dict[str, Trained]) -> None:
        """Add the losses at the next number of rows."""
        number = len(self.done)
        scores = {name: [(self._in_order(each.scores), each.cpu_seconds)] for name, each in found.items()}
        self.shares = add_part(self._race, number, scores)
        self.done.append(found[BOOSTING].n_rows)
        self.trained.append({name: each._replace(scores=np.empty(0)) for name, each in found.items()})

    @property
    def race(self) -> Race:
        """The race up to now."""
        n = len(self.done)
        losses = {metric: {name: each[:n] for name, each in by.items()} for metric, by in self._race.losses.items()}
        sizes = np.array(self.done)
        parts = tuple((sizes / sizes[-1]).tolist())
        learners = {name: self.bench.learner(name, each) for name, each in self.trained[-1].items()}
        more: Any = {"losses": losses, "shares": self.shares, "learners": learners}
        return replace(self._race, n_train=sizes, parts=parts, **more)

    def _ends(self, metric: Metric, race: Race, guessing: float | None) -> Ends:
        rng = np.random.default_rng([self.known.settings.random_state, CHOICE])
        n_classes = max(next(iter(self.first.values())).n_classes, 1)
        return Ends(race, n_classes, self.known.n_columns, rng, metric, guessing)

    def answer(self, name: str) -> Answer:
        """Return the answer by a metric from both races."""
        first, metric, known = self.first[name], METRICS[name], self.known
        guessing, limit = None, None
        if metric.of_errors:
            found = know_guessing(
                self._race.codes, self._race.cluster, first.n_classes, self._guessing, first.race.priors
            )
            guessing, limit = found.guessing, found.limit
        long = self._ends(metric, self.race, guessing)
        short = self._ends(metric, first.evidence(), first.guessing if metric.of_errors else None)
        base, other = (long, short) if self.is_better else (short, long)
        uppers = [
            find_upper(
                each,
                np.inf,
                limit if limit is not None else each.guessing_limit(),
                list(known.own),
                new_rows=known.new_rows,
                share=0.5,
            )
            for each in (base, other)
        ]
        upper = min(uppers, key=lambda each: each[0])
        cautions = [each for each in first.reasons if each.basis not in _OF_RACE]
        if self.is_better and self.trained[-1][BOOSTING].capped:
            cautions.append(Reason(Basis.CAPPED, (float(self.done[-1]),)))
        proved = first.lower if first.proved and metric.shown is np.asarray else 0.0
        return combine(base, upper, proved, tuple(cautions), first.effort, first.unit, other)

    @property
    def _guessing(self) -> float:
        codes = self._race.codes
        return float(1 - np.bincount(codes).max() / len(codes))

    @property
    def is_better(self) -> bool:
        """Whether the best learner of this race has a lower loss than that of the first."""
        return self._best(self._race, len(self.done) - 1) <= self._best(next(iter(self.first.values())).evidence(), -1)

    @property
    def main(self) -> Metric:
        """The metric of the answer."""
        return METRICS[next(iter(self.first))]

    def _best(self, race: Race, number: int) -> float:
        return min(float(race.losses[self.main.name][name][number].mean()) for name in race.predicted)

    @property
    def least(self) -> float:
        """The lowest loss in either race."""
        races = [(next(iter(self.first.values())).evidence(), -1)]
        races += [(self._race, len(self.done) - 1)] if self.done else []
        return min(self._best(*each) for each in races)

    def look_ahead(self, size: int) -> None:
        """Keep what is forecast for so many rows."""
        if size <= LEARN_ON:
            return
        answer = self.answer(self.main.name) if self.done and self.done[-1] >= 0.9 * FEW else self.first[self.main.name]
        if answer.forecast is not None:
            levels = answer.forecast.quantiles([0.5, *_ENDS], size).tolist()
            self.before.append((len(self.done), answer.forecast.n_rows, levels))

    def reason_to_stop(self, size: int, *, auto: bool) -> Stopped | None:
        """Return why learners should not be trained on so many rows; None if they should."""
        if size <= FEW or not self.done:
            return None
        n_columns, n_classes = self.bench.rows.n_columns, self.bench.n_classes
        if self.bench.client is None and predicted_bytes(size, n_columns, n_classes) > free_memory():
            return Stopped.MEMORY
        gain, seconds = self.gain(size)
        guessing = next(iter(self.first.values())).guessing
        return Stopped.NO_GAIN if auto and gain < _PAYS * guessing * np.sqrt(seconds / 60) else None

    def gain(self, size: int) -> tuple[float, float]:
        """Return how far the lowest loss is expected to fall with so many rows, and the CPU seconds that it takes."""
        answer, shown, race = self.answer(self.main.name), self.main.shown, self.race
        if answer.has(Basis.NO_SIGNAL, Basis.RANKING):
            return 0.0, self.cost(size)
        ends = self._ends(self.main, race, answer.guessing if self.main.of_errors else None)
        growth, least = size / self.done[-1], self.least
        value, weight = ends.at(growth)
        fall = least - float(weighted_quantiles(value, weight, np.array([0.5]))[0]) * ends.one
        if len(self.done) > 1:  # a curve that has become flat falls no more, whatever curves do as a rule
            losses = race.losses[self.main.name][min(ends.means, key=ends.means.__getitem__)]
            steps = losses[-2] - losses[-1]
            most = float(steps.mean() + steps.std() / np.sqrt(len(steps)))
            fall = min(fall, most * np.log(growth) / np.log(self.done[-1] / self.done[-2]))
        return float(shown(least) - shown(least - max(fall, 0.0))), self.cost(size)

    def cost(self, size: int) -> float:
        """Return the CPU seconds that so many rows will take, by a formula: it is the same on every machine."""
        rows, n_classes = self.bench.rows, self.bench.n_classes
        last = self.trained[-1][BOOSTING].n_trees
        n_trees = min(last * (size / self.done[-1]) ** _MORE_TREES, n_rounds(n_classes)) * (
            n_classes if n_classes > 2 else 1
        )
        columns = size * rows.n_columns
        per_row, per_column = _STEP
        return float(columns * (_READ + _TREE * n_trees) + size * (per_row + per_column * rows.n_columns))

    def results(self, stopped: Stopped) -> tuple[dict[str, Answer], AllRows]:
        """Return the answers by all metrics, and what was measured."""
        answers = {name: self.answer(name) for name in self.first}
        first, n = next(iter(self.first.values())), len(self.done)
        gain, seconds, more = np.nan, np.nan, 0
        if n < len(self.sizes) or self.sizes[-1] < self.bench.most:
            more = self.sizes[n] if n < len(self.sizes) else self.bench.most
            gain, seconds = self.gain(more)
        points = tuple(self._points())
        shown, came = self.main.shown, np.minimum.accumulate([self._best(self._race, at) for at in range(n)])
        short = self._best(first.evidence(), -1)
        before = tuple(
            Ahead(self.done[at], made, levels[0], levels[1], levels[2], float(shown(min(came[at], short))))
            for at, made, levels in self.before
            if at < n
        )
        told = AllRows(
            points=points,
            before=before,
            first=(first.estimate, first.lower, first.upper),
            first_loss=float(shown(short)),
            first_rows=int(first.evidence().n_train[-1]),
            n_rows=self.bench.rows.n,
            n_used=self.done[-1],
            stopped=stopped,
            gain=gain,
            seconds=seconds,
            next_rows=more,
        )
        return answers, told

    def _points(self) -> Sequence[Point]:
        race, shown = self.race, self.main.shown
        ends = self._ends(self.main, race, None)
        all_sizes = np.ones(len(self.done), dtype=bool)
        made = []
        for name in race.predicted:
            loss = race.losses[self.main.name][name].mean(axis=1)
            low, high = ends.interval(name, all_sizes)
            for at, n in enumerate(self.done):
                each = self.trained[at].get(name)
                more = {} if each is None else {key: getattr(each, key) for key in _MEASURED}
                figures = tuple(float(shown(value[at])) for value in (loss, low, high))
                made.append(Point(n, name, figures[0], figures[1], figures[2], **more))
        return sorted(made, key=lambda point: point.n_rows)


_MEASURED = ("n_trees", "n_leaves", "capped", "seconds", "cpu_seconds")
