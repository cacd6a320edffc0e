"""``learning_curve`` and ``samples_for``: how the floor comes down with more rows, and how many would be enough."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from bayesfloor.counts._edges import ClassEdges, class_edges
from bayesfloor.counts._labels import Floats, Ints, Labels
from bayesfloor.engine._tasks import run_tasks
from bayesfloor.floor._bounds import error_bounds
from bayesfloor.floor._results import Result
from bayesfloor.floor._sample import Sample, cluster_numbers, deal
from bayesfloor.floor._spread import fast_errors, without_forced
from bayesfloor.floor._trees import grow_labelled, prepare
from bayesfloor.answer._verdict import check_target
from bayesfloor.forest._forest import Forest
from bayesfloor.formulas._growth import Copies, Growth, persistence, usual_exponent
from bayesfloor.formulas._limits import check_level, two_sided
from bayesfloor.formulas._multiclass import Bounds, add_forced, multiclass_bounds

if TYPE_CHECKING:
    from bayesfloor.floor._bayes_floor import BayesFloor  # which loads scikit-learn

_HALVINGS = 4  # down to a sixteenth of the rows
_DEALS = 2  # of all rows: about as much work as the fit
_FEWEST = 30  # rows of a part, or groups
_FEWEST_OF_CLASS = 2  # rows of a part for each class
_TIE_REACH = 12  # standard deviations that the range of G over orders of ties spans
_DOUBLINGS = np.arange(0, 20.5, 0.5)  # that more rows are looked for in: a million times as many
_LEVEL = 0.95


class Prediction(NamedTuple):
    """G at another number of rows, and the interval that would hold what is measured there."""

    cross_rate: float
    low: float
    high: float


class LimitBounds(NamedTuple):
    """Bounds on the Bayes error at the limit; ``low`` and ``high`` are those at the ends of its interval."""

    lower: float
    estimate: float
    upper: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class LearningCurve(Result):
    """How G, the share of cross edges, falls with the number of rows.

    Attributes
    ----------
    n_rows : sizes, ascending; the last is that of the rows in use.
    cross_rate : mean G of parts of so many rows, which together are all rows.
    std_error : its standard error. All sizes use all rows, so that it is about the same for each.
    lower, estimate, upper : bounds on the Bayes error from each, as a fit with so many rows would give.
    limit, limit_std_error : G for infinitely many rows of which no more are copies than are now; the
        exponent's uncertainty included.
    """

    n_rows: Ints
    cross_rate: Floats
    std_error: Floats
    lower: Floats
    estimate: Floats
    upper: Floats
    limit: float
    limit_std_error: float
    _growth: Growth = field(repr=False)
    _copies: Copies = field(repr=False)
    _shares: Floats = field(repr=False)
    _correct_bias: bool = field(repr=False)

    def __repr__(self) -> str:
        return (
            f"LearningCurve({self.cross_rate[0]:.3f} at {self.n_rows[0]} to {self.cross_rate[-1]:.3f} "
            f"at {self.n_rows[-1]} rows, limit {self.limit:.3f})"
        )

    @property
    def text(self) -> str:
        """The curve in words."""
        low, high = self.limit_interval()
        sizes = ", ".join(f"{rate:.3f} at {n}" for n, rate in zip(self.n_rows, self.cross_rate, strict=True))
        twice = self.predict(2 * int(self.n_rows[-1]))
        return (
            f"Share of cross edges by number of rows: {sizes}.\n"
            f"With twice the rows it would be {twice.cross_rate:.3f} ({twice.low:.3f} to {twice.high:.3f}), "
            f"with ever more {self.limit:.3f} ({low:.3f} to {high:.3f})."
        )

    def predict(self, n_rows: int, level: float = _LEVEL) -> Prediction:
        """G that would be measured with so many rows.

        More rows are those at hand and others drawn alike, fewer are some of those at hand: so the
        interval has the sampling error of both numbers of rows, less what they share, and what is not
        known of the curve.

        Parameters
        ----------
        n_rows : int
            Number of rows.
        level : float, default=0.95
            How likely the interval is to hold what is measured.

        Returns
        -------
        Prediction
        """
        check_level(level)
        if isinstance(n_rows, (bool, np.bool_)) or not isinstance(n_rows, Real) or not 2 <= float(n_rows) < np.inf:
            raise ValueError(f"Got n_rows={n_rows!r}, but expected a number of rows of at least 2.")
        found = self._growth.at(float(n_rows)).quantile(np.array([0.5, 0.5 - level / 2, 0.5 + level / 2]))
        apart = add_forced(self._copies.unmixed(found), self._shares * float(n_rows))
        middle, low, high = self._copies.mixed(apart, float(n_rows))
        doubt = two_sided(level) * self._copies.spread(float(apart[0]), float(n_rows))
        ends = middle, middle - np.hypot(middle - low, doubt), middle + np.hypot(high - middle, doubt)
        return Prediction(*(float(np.clip(end, 0.0, 1.0)) for end in ends))

    def limit_interval(self, level: float = _LEVEL) -> tuple[float, float]:
        """Interval of G for infinitely many rows, as far as the extrapolation holds."""
        check_level(level)
        low, high = self._growth.limit_interval(level)
        return low, min(high, 1.0)

    def limit_bounds(self, level: float = _LEVEL) -> LimitBounds:
        """Bounds on the Bayes error from G for infinitely many rows, and from the ends of its interval."""
        ends = (self.limit, *self.limit_interval(level))
        middle, low, high = (_bounds(rate, self._shares, correct_bias=self._correct_bias) for rate in ends)
        return LimitBounds(*(float(value) for value in (*middle, low.lower, high.upper)))

    def _columns(self) -> dict[str, Any]:
        names = ("n_rows", "cross_rate", "std_error", "lower", "estimate", "upper")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, eq=False)
class SamplesNeeded(Result):
    """How many rows bring the share of cross edges down to a target's error.

    Attributes
    ----------
    target : the accuracy asked for.
    n_rows : rows at hand.
    needed : rows at which G is expected to come down to 1 - target; infinite if it is not.
    low, high : 95 % interval of it; ``low`` may be the rows at hand and ``high`` infinite.
    word : "enough", "more rows", "never" or "undecided".
    """

    target: float
    n_rows: int
    needed: float
    low: float
    high: float
    word: str

    @property
    def text(self) -> str:
        """The answer in words."""
        rows = f"{_tell(self.needed)} rows ({_tell(self.low)} to {_tell(self.high)})"
        told = {
            "enough": f"{self.n_rows} rows are enough",
            "more rows": f"about {rows} would be enough",
            "never": "no number of rows is enough: the error that these features leave is larger",
            "undecided": self._guess(),
        }[self.word]
        return (
            f"For an accuracy of {self.target:g}, {told}. "
            "Counted for nearest neighbours in the trees; good classifiers need fewer."
        )

    def _guess(self) -> str:
        if not np.isfinite(self.low):
            return "no number of rows is shown to be enough"
        guess = f"about {_tell(self.needed)} rows, and any" if np.isfinite(self.needed) else "any number of rows"
        return f"{guess} from {_tell(self.low)} on may be enough, or none ever"

    def _columns(self) -> dict[str, Any]:
        return {name: [value] for name, value in self.to_dict().items()}


def learning_curve(floor: BayesFloor) -> LearningCurve:
    """How the share of cross edges falls with the number of rows, and where it would end.

    The rows are dealt into halves, these again, down to sixteenths, and the trees of every part are
    grown. G(n) = L + b n^(-a) is fitted to what they show, averaging over exponents and limits by how
    well they fit; so predictions carry what is not known of the exponent.

    Parameters
    ----------
    floor : BayesFloor
        A fitted one. Its scale, number of trees, groups and weights are used.

    Returns
    -------
    LearningCurve

    Notes
    -----
    Edges between equal rows are no part of the curve: their share, which grows with the number of rows,
    is foretold from how many rows are there once and twice, for up to four times as many rows.

    The curve is extrapolated. A posterior that so few rows do not resolve at all looks like chance,
    and falls later than its beginning tells.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from bayesfloor import BayesFloor, learning_curve
    >>> X, y = load_digits(return_X_y=True)
    >>> floor = BayesFloor(scale=None, interval="fast").fit(X[:600], y[:600])
    >>> curve = learning_curve(floor)
    >>> curve.n_rows
    array([ 37,  75, 150, 300, 600])
    >>> predicted = curve.predict(1797)
    >>> measured = BayesFloor(scale=None).fit(X, y).overall_.cross_rate
    >>> bool(predicted.low < measured < predicted.high)
    True
    """
    from bayesfloor.floor._bayes_floor import check_floor

    check_floor(floor)
    fit = floor.fitted_
    levels = [[_count(fit.forest, fit.labels)], *_measure_halvings(floor)]
    n_rows = len(fit.sample) / 2.0 ** np.arange(len(levels))[::-1]
    copies = _find_copies(fit.labels, levels, n_rows)
    growth = _fit(floor, levels, n_rows, copies)
    rates = np.array([np.mean([part.cross_rate for part in parts]) for parts in levels[::-1]])
    even = fit.labels.class_sizes / fit.labels.class_sizes.sum()
    bounds = [error_bounds(rate, even * n, fit.options) for rate, n in zip(rates, n_rows, strict=True)]
    return LearningCurve(
        n_rows=n_rows.astype(np.int64),
        cross_rate=rates,
        std_error=np.full(len(rates), growth.std_error),
        lower=np.array([each.lower for each in bounds]),
        estimate=np.array([each.estimate for each in bounds]),
        upper=np.array([each.upper for each in bounds]),
        limit=growth.limit,
        limit_std_error=growth.limit_std_error,
        _growth=growth,
        _copies=copies,
        _shares=even,
        _correct_bias=floor.bias_correction,
    )


def samples_for(floor: BayesFloor | LearningCurve, target: float) -> SamplesNeeded:
    """How many rows would bring an accuracy within reach.

    The tree is itself a classifier (its root apart, each row takes its parent's label), so that its
    share of cross edges bounds the Bayes error from above at every number of rows. The answer is the
    number at which it comes down to ``1 - target``. That is an upper estimate: good classifiers need
    fewer rows than nearest neighbours do.

    Parameters
    ----------
    floor : BayesFloor or LearningCurve
        A fitted floor, or its curve, which then need not be measured again.
    target : float
        Accuracy in (0, 1].

    Returns
    -------
    SamplesNeeded
        "enough" if even the high end of the interval of G at hand is within the target's error; "more
        rows" if some number of rows brings the high end there; "never" if even the lower bound at the
        low end of the limit's interval is above; else "undecided".

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from bayesfloor import BayesFloor, samples_for
    >>> X, y = load_digits(return_X_y=True)
    >>> floor = BayesFloor(scale=None, interval="fast").fit(X, y)
    >>> samples_for(floor, target=0.9).word
    'enough'
    """
    check_target(target)
    curve = floor if isinstance(floor, LearningCurve) else learning_curve(floor)
    error, here = 1 - float(target), int(curve.n_rows[-1])
    reach = 1.96 * curve.std_error[-1]
    ends = np.array([curve.predict(n) for n in here * 2.0**_DOUBLINGS])
    ends[0] += [0.0, -reach, reach]  # G at hand is known, what it stands for is not
    needed, low, high = (_first_below(each, error) * here for each in ends.T)
    word = _word(curve, error, high / here)
    return SamplesNeeded(float(target), here, needed, low, high, word)


def _word(curve: LearningCurve, error: float, times: float) -> str:
    """What can be said, ``times`` as many rows bringing the high end of the interval there."""
    if times <= 1:
        return "enough"
    if curve.limit_bounds().low > error:
        return "never"
    return "more rows" if np.isfinite(times) else "undecided"


def _first_below(rates: Floats, error: float) -> float:
    """How many times as many rows bring a curve down to the error."""
    falling = np.minimum.accumulate(rates)
    if falling[-1] > error:
        return np.inf
    after = int(np.argmax(falling <= error))
    if after == 0:
        return 1.0
    share = (falling[after - 1] - error) / (falling[after - 1] - falling[after])
    return float(2 ** (_DOUBLINGS[after - 1] + share * (_DOUBLINGS[after] - _DOUBLINGS[after - 1])))


class _Part(NamedTuple):
    """G of some rows.

    ``apart`` is that of their edges that have a length, less those forced, and ``equal`` that of the
    edges between equal rows, which are a ``share`` of all.
    """

    cross_rate: float
    apart: float
    equal: float
    share: float


def _find_copies(labels: Labels, levels: list[list[_Part]], n_rows: Floats) -> Copies:
    """Equal rows and how their share grew."""
    shares = np.array([np.mean([part.share for part in parts]) for parts in levels[::-1]])
    times = labels.rows_at[labels.rows_at > 0]
    counts = int(np.count_nonzero(times == 1)), int(np.count_nonzero(times == 2)), len(times)
    return Copies(n_rows, shares, counts, levels[0][0].equal)


def _fit(floor: BayesFloor, levels: list[list[_Part]], n_rows: Floats, copies: Copies) -> Growth:
    """The curve behind the rates of all sizes, at today's share of copies."""
    free = [copies.mixed(np.array([part.apart for part in parts])) for parts in levels]
    error, exponent = _error(floor), usual_exponent(floor.overall_.dimension)
    changes = [change for one, two in pairwise(free) for change in _changes(one, two)]
    means = np.array([each.mean() for each in free[::-1]])
    return Growth(n_rows, means, error, persistence(changes, error, _DEALS), exponent)


def _changes(parts: Floats, halves: Floats) -> list[Floats]:
    """Of every deal, the mean rate of each part's halves less its own."""
    whole = np.tile(parts, _DEALS) if len(parts) == 1 else parts
    return list((halves.reshape(-1, 2).mean(axis=1) - whole).reshape(_DEALS, -1))


def _error(floor: BayesFloor) -> float:
    """Standard error of G at hand, with what other orders of equally long edges would change."""
    overall, fit = floor.overall_, floor.fitted_
    n = len(fit.sample)
    if overall.n_rows == n:
        drawn = overall.std_error
    else:  # of all rows, which are more than those at hand
        drawn, _ = fast_errors(fit.forest, fit.labels, fit.counts.edges)
    ties = np.nan_to_num(overall.tie_spread[1] - overall.tie_spread[0]) / _TIE_REACH
    return max(float(np.hypot(drawn, ties)), 1 / n)


def _measure_halvings(floor: BayesFloor) -> list[list[_Part]]:
    """Halves of all rows, halves of these and so on; of each deal the parts of one size side by side."""
    sample, points, rng = floor.fitted_.sample, floor.fitted_.points, np.random.default_rng(floor.random_state)
    dealt = [_halve(sample, _n_halvings(sample), rng) for _ in range(_DEALS)]
    sizes = [[units for deals in level for units in deals] for level in zip(*dealt, strict=True)]
    parts = [units for level in sizes for units in level]
    prepare(len(sample) // 2, points.shape[1], floor.n_trees, 2 * len(sizes) * _DEALS)
    tasks = ((points[units], sample.take(units), floor.n_trees) for units in parts)
    found = run_tasks(
        _measure, tasks, n_jobs=floor.n_jobs, progress=floor._progress, stage="parts of the rows", total=len(parts)
    )
    measured = iter(list(found))
    return [[next(measured) for _ in level] for level in sizes]


def _n_halvings(sample: Sample) -> int:
    """How often the rows may be halved."""
    fewest = max(_FEWEST, _FEWEST_OF_CLASS * len(sample.classes))
    n_drawn = int(cluster_numbers(sample).max()) + 1
    return int(min(_HALVINGS, max(0, np.floor(np.log2(n_drawn / fewest)))))


def _halve(sample: Sample, times: int, rng: np.random.Generator) -> list[list[Ints]]:
    """Halves, quarters and so on, each next to the other half of what it was cut from."""
    levels: list[list[Ints]] = [[np.arange(len(sample))]]
    for _ in range(times):
        levels.append([units[half] for units in levels[-1] for half in deal(sample.take(units), 2, rng)])
    return levels[1:]


def _measure(X: Floats, sample: Sample, n_trees: int) -> _Part:
    """Counts of a part of the rows, in which some classes may be missing."""
    forest, labels = grow_labelled(X, sample, n_trees)
    there = np.flatnonzero(labels.class_sizes)
    return _count(forest, labels.with_shares(csr_array(labels.shares[:, there])))


def _count(forest: Forest, labels: Labels) -> _Part:
    every, apart = class_edges(forest, labels), class_edges(forest, replace(labels, joined=False))
    equal = every.matrix - apart.matrix
    share = float(np.triu(equal).sum()) / every.n_edges if every.n_edges else 0.0
    return _Part(every.cross_rate, without_forced(apart.cross_rate, labels), ClassEdges(equal).cross_rate, share)


def _bounds(rate: float, shares: Floats, *, correct_bias: bool) -> Bounds:
    return multiclass_bounds(rate, len(shares), float(1 - shares.max()), correct_bias=correct_bias)


def _tell(n_rows: float) -> str:
    return f"{n_rows:,.0f}" if np.isfinite(n_rows) else "ever more"
