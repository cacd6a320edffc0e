"""Compute bounds on the Bayes error of all classes, with the options of a fit."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from bayesfloor.formulas._bounds import (
    Bounds,
    cross_rate_without_noise,
    multiclass_bounds,
    random_cross_rate,
    remove_forced,
    shares_without_noise,
)
from bayesfloor.formulas._limits import alike_p_value, check_level, holm, two_sided, upper_limit
from bayesfloor.support._results import Result, make_frame
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import percent, show_labels, span


@dataclass(frozen=True)
class Options:
    """How to turn counts into bounds and p-values; ``n_scales`` is how many scales were compared using the labels."""

    bias_correction: bool
    subtract_forced: bool
    normalize: bool = True
    n_scales: int = 1


USUAL = Options(bias_correction=True, subtract_forced=False)


def error_bounds(cross_rate: Any, sizes: Floats, options: Options = USUAL) -> Bounds:
    """Compute bounds on the Bayes error of all classes from one or more cross rates.

    The upper bound includes the edges that even separate classes must have.
    """
    rate, raw = (bounded_rate(cross_rate, sizes, subtract_forced=each) for each in (options.subtract_forced, False))
    cap, correct_bias = constant_error(sizes), options.bias_correction
    bounds = multiclass_bounds(rate, len(sizes), cap, correct_bias=correct_bias)
    return bounds._replace(upper=np.minimum(raw, cap))


def constant_error(sizes: Floats) -> float:
    """Return the error of always predicting the largest class."""
    return float(1 - sizes.max() / sizes.sum())


def bounded_rate(cross_rate: Any, sizes: Floats, *, subtract_forced: bool) -> Any:
    """Return the rate that the bounds use: R / n for two classes, as in the paper, otherwise R / |E|."""
    n, K = sizes.sum(), len(sizes)
    if subtract_forced:
        cross_rate = remove_forced(cross_rate, random_cross_rate(sizes), (K - 1) / (n - 1))
    return cross_rate * (n - 1) / n if K == 2 else cross_rate


ALIKE_MARGIN = 0.1  # classes are alike if they lack at most this fraction of the cross-class edges expected by chance
_OF_ONE = {"classes": "class", "sizes": "size", "p_values": "p_value"}  # column names in tables with one entry per line
FEW = 30  # a class with fewer rows has unreliable figures


@dataclass(frozen=True, eq=False, repr=False)
class Floor(Result):
    """Tree bounds for the whole problem.

    Attributes
    ----------
    lower, upper : bounds on the Bayes error, asymptotic in the number of rows: too high if ``bias`` is large. For the
        best estimate of the lowest possible error, with a range, call ``BayesFloor.answer``.
    estimate : the midpoint of the two; with two classes, the paper's HP-estimate. It is not a consistent estimate.
    cross_rate : G, the fraction of edges that join two classes, from which the bounds are computed.
    std_error : standard error of G.
    bias : the part of G that is expected to vanish as the number of rows grows without limit. It is extrapolated from
        how much G fell between n/4 and n rows, at the rate n^(-2/m) of trees in m dimensions.
    limit : G minus ``bias``: the trees' extrapolation to infinitely many rows. It is not the Bayes error. For the
        effect of more rows on a model's error, see ``BayesFloor.answer().curve``.
    dimension : intrinsic dimension, estimated from how much edges shorten between n/4 and n rows.
    resolution : the estimate for perfectly separate classes; anything smaller is too small to measure.
    tie_spread : (float, float)
        Range of G over other orders of equally long edges. Both ends equal G if there are no ties. They
        are NaN after ``relabel``, which does not measure the range again.
    conflict : smallest fraction of rows that a classifier can get wrong, because equal rows have different labels. This
        is the only lower bound without assumptions.
    p_value : Friedman-Rafsky p-value for "the labels have nothing to do with the features".
    constant_error : error of always predicting the largest class; no bound exceeds it.
    interval_method : how ``std_error`` was computed: "subsample" or "fast".
    limit_std_error : standard error of ``limit``.
    n_rows, n_classes : number of rows behind the bounds, and number of classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> overall = BayesFloor().fit(*load_iris(return_X_y=True)).overall_
    >>> overall
    Floor(tree bounds 3.1 to 6.0 %, cross-class edges 6.0 %, 150 rows, 3 classes)
    >>> print(f"{overall.lower:.3f} to {overall.upper:.3f}")
    0.031 to 0.060
    """

    lower: float
    estimate: float
    upper: float
    cross_rate: float
    std_error: float
    interval_method: str
    bias: float
    limit: float
    limit_std_error: float
    dimension: float
    resolution: float
    tie_spread: tuple[float, float]
    conflict: float
    p_value: float
    n_rows: int
    n_classes: int
    constant_error: float
    _sizes: Floats = field(repr=False)
    _bias_correction: bool = field(repr=False)
    _subtract_forced: bool = field(repr=False)
    _first_cross: float = field(repr=False)
    _first_edges: float = field(repr=False)
    _degrees: float = field(repr=False)

    def _summary(self) -> str:
        bounds = f"tree bounds {span(self.lower, self.upper)}, cross-class edges {percent(self.cross_rate)} %"
        return f"{bounds}, {self.n_rows:,} rows, {self.n_classes} classes"

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the confidence interval for G at this number of rows."""
        return _around(self.cross_rate, two_sided(level, self._degrees) * self.std_error)

    def limit_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the confidence interval for G with infinitely many rows, if the extrapolation holds."""
        return _around(self.limit, two_sided(level, self._degrees) * self.limit_std_error)

    def without_noise(self, rate: float) -> Bounds:
        """Return bounds for clean labels, if a known fraction ``rate`` of the labels was replaced at random.

        Uniform noise of rate rho multiplies the distance between G and its largest value by (1 - rho)^2,
        and the distance between a class's proportion and 1/K by 1 - rho.
        """
        clean = float(cross_rate_without_noise(self.cross_rate, rate, self.n_classes))
        sizes = shares_without_noise(self._sizes / self._sizes.sum(), rate) * self._sizes.sum()
        return error_bounds(max(0.0, clean), sizes, Options(self._bias_correction, self._subtract_forced))

    def upper_limit(self, level: float = 0.95) -> float:
        """Return an upper confidence limit for the Bayes error itself, valid for every n and dimension.

        This is the Clopper-Pearson limit for the cross-class edges of the first tree. It never exceeds
        ``constant_error``, because the floor refers to the class proportions of the rows.
        """
        return min(self.constant_error, self.tree_limit(level))

    def tree_limit(self, level: float) -> float:
        """Return the same limit without the cap at ``constant_error``, for any class proportions."""
        check_level(level)
        return min(1.0, float(upper_limit(self._first_cross, self._first_edges, level)))

    def _columns(self) -> dict[str, Any]:
        low, high = self.interval()
        names = ("lower", "estimate", "upper", "cross_rate", "std_error", "bias", "limit", "resolution", "conflict")
        return {**{name: [getattr(self, name)] for name in names}, "cross_rate_low": [low], "cross_rate_high": [high]}


def hardest_class(classes: np.ndarray, errors: Floats) -> str:
    """Describe in words how many classes there are and which has the highest error."""
    worst = int(np.nanargmax(errors))
    return f"{len(classes)} classes, hardest class {show_labels(classes.tolist())[worst]}: {percent(errors[worst])} %"


def _around(middle: float, reach: float) -> tuple[float, float]:
    return max(0.0, middle - reach), min(1.0, middle + reach)


@dataclass(frozen=True, eq=False, repr=False)
class PairwiseFloor(Result):
    """The floor for every pair of classes, each from the pair's own trees. All matrices are K x K.

    Attributes
    ----------
    classes : array of labels, in the order of rows and columns.
    matrix : HP-estimate relative to guessing: 0 for separate classes, 1 for indistinguishable classes.
    lower, estimate, upper : bounds on the pair's Bayes error, and their midpoint.
    cross : R, the mean number of cross-class edges per tree.
    sizes : number of rows in each class.
    p_values : Friedman-Rafsky p-values for "the two classes are alike".
    holm, benjamini_hochberg : the same, adjusted for testing all pairs.
    resolution : the entry of ``matrix`` that separate classes of these sizes would get.
    at_resolution : pairs at that value: their error is too small to measure, so do not rank them.
    std_error : standard error of R for pairs that may be alike; NaN for the others.
    claims : whether the intrinsic dimension is low enough to claim that classes are alike.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> pairs = BayesFloor().fit(*load_iris(return_X_y=True)).pairwise_
    >>> pairs.frame().shape[0]
    3
    """

    classes: np.ndarray
    matrix: Floats
    lower: Floats
    estimate: Floats
    upper: Floats
    cross: Floats
    sizes: Floats
    p_values: Floats
    holm: Floats
    benjamini_hochberg: Floats
    resolution: Floats
    at_resolution: np.ndarray
    std_error: Floats
    claims: bool

    def _summary(self) -> str:
        pairs = np.triu_indices(len(self.classes), 1)
        return (
            f"{len(self.classes)} classes, relative to guessing up to {percent(self.matrix[pairs].max())} %, "
            f"{np.count_nonzero(self.at_resolution[pairs])} of {len(pairs[0])} pairs too small to measure"
        )

    def alike(self, margin: float = ALIKE_MARGIN, level: float = 0.05) -> np.ndarray:
        """Find pairs shown to be alike: they lack less than ``margin`` of the cross-class edges expected by chance.

        This is an equivalence test, Holm-adjusted over the pairs tested. R is biased towards chance in
        many dimensions, so nothing is claimed if ``claims`` is false.
        """
        one, two = np.triu_indices(len(self.classes), 1)
        n1, n2 = self.sizes[one], self.sizes[two]
        p = alike_p_value(self.cross[one, two], self.std_error[one, two], 2 * n1 * n2 / (n1 + n2), margin)
        tested = ~np.isnan(self.std_error[one, two])
        shown = np.zeros(self.matrix.shape, dtype=bool)
        if self.claims and tested.any():
            chosen = np.flatnonzero(tested)[holm(p[tested]) <= level]
            shown[one[chosen], two[chosen]] = shown[two[chosen], one[chosen]] = True
        return shown

    def _columns(self) -> dict[str, Any]:
        one, two = np.triu_indices(len(self.classes), 1)
        names = ("lower", "estimate", "upper", "cross", "p_values", "holm", "benjamini_hochberg", "resolution")
        return {
            "class_1": self.classes[one],
            "class_2": self.classes[two],
            "normalised": self.matrix[one, two],
            **{_OF_ONE.get(name, name): getattr(self, name)[one, two] for name in names},
            "at_resolution": self.at_resolution[one, two],
            "merge": self.alike()[one, two],
        }


@dataclass(frozen=True, eq=False, repr=False)
class OneVsRestFloor(Result):
    """Each class against the rest: the chance that the best classifier confuses it with another, in either direction.

    Attributes
    ----------
    classes, sizes : labels, and the number of rows in each class.
    lower, estimate, upper : bounds for each class and their midpoint; ``upper`` is the smallest of several bounds.
    class_rate, std_error : fraction of edges with exactly one end in the class, and its standard error.
    few : classes with fewer than 30 rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> classes = BayesFloor().fit(*load_iris(return_X_y=True)).one_vs_rest_
    >>> classes.classes.tolist()
    [0, 1, 2]
    """

    classes: np.ndarray
    sizes: Floats
    lower: Floats
    estimate: Floats
    upper: Floats
    class_rate: Floats
    std_error: Floats
    few: np.ndarray
    _degrees: float = field(repr=False)

    def _summary(self) -> str:
        return hardest_class(self.classes, self.estimate)

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return confidence intervals for the class rates."""
        reach = two_sided(level, self._degrees) * self.std_error
        return np.maximum(0.0, self.class_rate - reach), np.minimum(1.0, self.class_rate + reach)

    def _columns(self) -> dict[str, Any]:
        low, high = self.interval()
        columns = {_OF_ONE.get(item.name, item.name): getattr(self, item.name) for item in fields(self) if item.repr}
        return {**columns, "class_rate_low": low, "class_rate_high": high}


@dataclass(frozen=True, eq=False, repr=False)
class SampleScores(Result):
    """Rows whose label does not fit their neighbours in the forest.

    Attributes
    ----------
    row : position of each row in the input; all rows, unless a sample was used.
    label : the row's label.
    score : for ranking; higher is more suspicious.
    p_value : p-value for "this label fits its neighbours as well as the labels around it do".
    suspect : rows with suspicious labels, with the false discovery rate controlled at 5 % (Benjamini-Hochberg). Where
        classes overlap, these rows are ambiguous rather than wrong.
    suggested_label : the label of most neighbours.
    conflict : rows that equal a row with a different label.
    degree, cross : (expected) number of edges of the row, and number of those that lead to other labels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> samples = BayesFloor().fit(*load_iris(return_X_y=True)).samples_
    >>> len(samples.row), int(samples.suspect.sum())
    (150, 2)
    """

    row: Ints
    label: np.ndarray
    score: Floats
    p_value: Floats
    suspect: np.ndarray
    suggested_label: np.ndarray
    conflict: np.ndarray
    degree: Floats
    cross: Floats

    def _summary(self) -> str:
        return f"{len(self.row):,} rows, {np.count_nonzero(self.suspect):,} suspicious"

    def to_cleanlab(self) -> Any:
        """Return the rows as a pandas data frame with the columns that cleanlab gives to label issues.

        ``cleanlab.classification.CleanLearning.fit(X, y, label_issues=...)`` takes it. The index is the row's position
        in the input. ``label_quality`` is ``p_value``, and low for suspicious labels; cleanlab's ``Datalab`` calls this
        column ``label_score``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from bayesfloor.decide import suspicious_labels
        >>> issues = suspicious_labels(*load_iris(return_X_y=True)).to_cleanlab()
        >>> print(issues[issues.is_label_issue])
             is_label_issue  label_quality  given_label  predicted_label
        83             True       0.000004            1                2
        106            True       0.000288            2                1
        """
        columns = {
            "is_label_issue": self.suspect,
            "label_quality": self.p_value,
            "given_label": self.label,
            "predicted_label": self.suggested_label,
        }
        return make_frame(columns).set_index(self.row)
