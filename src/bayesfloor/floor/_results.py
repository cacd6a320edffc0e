"""What a fit finds: frozen values, with tables and intervals; nothing is computed from points here."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from bayesfloor.engine._result import Result
from bayesfloor.engine._show import percent, show_labels, span
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.floor._bounds_by_options import Options, error_bounds
from bayesfloor.formulas._confidence_limits import check_level, two_sided, upper_limit
from bayesfloor.formulas._label_noise import cross_rate_without_noise, shares_without_noise
from bayesfloor.formulas._multiclass_bounds import Bounds
from bayesfloor.formulas._multiple_tests import alike_p_value

ALIKE_MARGIN = 0.1  # two classes are alike if no more than this share of chance's cross edges is missing
_OF_ONE = {"classes": "class", "sizes": "size", "p_values": "p_value"}  # in tables with a line for each
FEW = 30  # rows of a class below which its figures say little


@dataclass(frozen=True, eq=False, repr=False)
class Floor(Result):
    """Tree bounds of the whole problem.

    Attributes
    ----------
    lower, upper : float
        Bounds on the Bayes error, asymptotic in the number of rows: too high where ``bias`` is large. How low the
        error can go, with a range, is what ``BayesFloor.answer`` says.
    estimate : float
        The middle of the two; with two classes the paper's HP-estimate. It is not consistent.
    cross_rate : float
        G, the share of edges that join two classes, from which the bounds come.
    std_error : float
        Standard error of G.
    bias : float
        How much of G is expected to go with ever more rows, from how it fell between n/4 and n, at the rate n^(-2/m)
        of trees in m dimensions.
    limit : float
        G without that: the trees' extrapolation to infinitely many rows. It is not the Bayes error, and what more rows
        do to the error of a model is in ``BayesFloor.answer().curve``.
    dimension : float
        Intrinsic dimension, from how edges got shorter between n/4 and n.
    resolution : float
        The estimate that perfectly separate classes would show; nothing below it can be seen.
    tie_spread : (float, float)
        Range of G over other orders of equally long edges; both ends are G where there are none, and
        NaN where it was not measured anew (``relabel``).
    conflict : float
        Share of rows that no classifier can get right, since equal rows have other labels. The one
        lower bound that assumes nothing.
    p_value : float
        Of "labels have nothing to do with the features", by the Friedman-Rafsky test.
    constant_error : float
        Error of always answering the largest class; no bound exceeds it.
    interval_method : str
        How ``std_error`` was found: "subsample" or "fast".
    limit_std_error : float
        Standard error of ``limit``.
    n_rows, n_classes : int
        Rows behind the bounds, and classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> overall = BayesFloor().fit(*load_iris(return_X_y=True)).overall_
    >>> bool(overall.lower <= overall.estimate <= overall.upper)
    True
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
        """Confidence interval of G at this number of rows."""
        return _around(self.cross_rate, two_sided(level, self._degrees) * self.std_error)

    def limit_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval of G for infinitely many rows, as far as the extrapolation holds."""
        return _around(self.limit, two_sided(level, self._degrees) * self.limit_std_error)

    def without_noise(self, rate: float) -> Bounds:
        """Bounds for clean labels, where a share ``rate`` of them is known to be drawn anew at random.

        Uniform noise of rate rho leaves (1 - rho)^2 of the distance between G and its largest value, and
        1 - rho of that between a class's share and 1/K.
        """
        clean = float(cross_rate_without_noise(self.cross_rate, rate, self.n_classes))
        sizes = shares_without_noise(self._sizes / self._sizes.sum(), rate) * self._sizes.sum()
        return error_bounds(max(0.0, clean), sizes, Options(self._bias_correction, self._subtract_forced))

    def upper_limit(self, level: float = 0.95) -> float:
        """Upper confidence limit for the Bayes error itself, at every n and dimension.

        Clopper-Pearson on the cross edges of the first tree; never above ``constant_error``, since the
        floor is that of the rows' own class shares.
        """
        return min(self.constant_error, self.tree_limit(level))

    def tree_limit(self, level: float) -> float:
        """The same of any class shares, which may lie above ``constant_error``."""
        check_level(level)
        return min(1.0, float(upper_limit(self._first_cross, self._first_edges, level)))

    def _columns(self) -> dict[str, Any]:
        low, high = self.interval()
        names = ("lower", "estimate", "upper", "cross_rate", "std_error", "bias", "limit", "resolution", "conflict")
        return {**{name: [getattr(self, name)] for name in names}, "cross_rate_low": [low], "cross_rate_high": [high]}


def hardest_class(classes: np.ndarray, errors: Floats) -> str:
    """How many classes there are, and which has the highest error."""
    worst = int(np.nanargmax(errors))
    return f"{len(classes)} classes, hardest {show_labels(classes.tolist())[worst]}: {percent(errors[worst])} %"


def _around(middle: float, reach: float) -> tuple[float, float]:
    return max(0.0, middle - reach), min(1.0, middle + reach)


@dataclass(frozen=True, eq=False, repr=False)
class PairwiseFloor(Result):
    """The floor of every pair of classes, each from the pair's own trees. All matrices are K x K.

    Attributes
    ----------
    classes : array of labels, in the order of rows and columns.
    matrix : normalised HP-estimate: 0 for separate classes, 1 for classes that cannot be told apart.
    lower, estimate, upper : bounds on the pair's Bayes error, and their middle.
    cross : R, the mean number of cross-class edges of a tree.
    sizes : how many rows each class has.
    p_values : Friedman-Rafsky p-values of "the two classes are alike".
    holm, benjamini_hochberg : the same, adjusted for testing all pairs.
    resolution : the normalised estimate that separate classes of these sizes would show.
    at_resolution : where nothing more than that was seen: not measurable, not to be ranked.
    std_error : of R, for pairs that may be alike; NaN for the others.
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
        """Pairs shown to be alike: fewer than ``margin`` of chance's cross edges are missing.

        An equivalence test, Holm-adjusted over the pairs tested. R is biased towards chance in many
        dimensions, so nothing is claimed where ``claims`` is false.
        """
        one, two = np.triu_indices(len(self.classes), 1)
        p = self._alike_p_values(margin)
        tested = ~np.isnan(p)
        shown = np.zeros(self.matrix.shape, dtype=bool)
        if self.claims and tested.any():
            from bayesfloor.formulas._multiple_tests import holm

            chosen = np.flatnonzero(tested)[holm(p[tested]) <= level]
            shown[one[chosen], two[chosen]] = shown[two[chosen], one[chosen]] = True
        return shown

    def _alike_p_values(self, margin: float) -> Floats:
        one, two = np.triu_indices(len(self.classes), 1)
        n1, n2 = self.sizes[one], self.sizes[two]
        p = alike_p_value(self.cross[one, two], self.std_error[one, two], 2 * n1 * n2 / (n1 + n2), margin)
        return np.where(np.isnan(self.std_error[one, two]), np.nan, p)

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
    """Each class against the rest: the chance that the best classifier errs about it.

    Attributes
    ----------
    classes, sizes : labels, and how many rows each has.
    lower, estimate, upper : bounds for each class and their middle; ``upper`` is the smallest of the next four.
    upper_classes, upper_root, upper_any, upper_pairs : K/2 times the two-class bound, the bound by its root, G of
        all classes, and the sum over the class's pairs.
    upper_finite : (K - 1) times the class's cross rate, a bound at every n in expectation.
    class_rate, std_error : share of edges with exactly one end in the class, and its standard error.
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
    upper_classes: Floats
    upper_root: Floats
    upper_any: Floats
    upper_pairs: Floats
    upper_finite: Floats
    class_rate: Floats
    std_error: Floats
    few: np.ndarray
    _degrees: float = field(repr=False)

    def _summary(self) -> str:
        return hardest_class(self.classes, self.estimate)

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Confidence intervals of the class rates."""
        reach = two_sided(level, self._degrees) * self.std_error
        return np.maximum(0.0, self.class_rate - reach), np.minimum(1.0, self.class_rate + reach)

    def _columns(self) -> dict[str, Any]:
        low, high = self.interval()
        columns = {_OF_ONE.get(item.name, item.name): getattr(self, item.name) for item in fields(self) if item.repr}
        return {**columns, "class_rate_low": low, "class_rate_high": high}


@dataclass(frozen=True, eq=False, repr=False)
class LabelClaims(Result):
    """Labels that a classifier's posterior says are wrong, not merely suspicious.

    Attributes
    ----------
    row : number of each row in the input.
    p_value : of "the label was drawn from the posterior": small where no such label is likely there.
    chance : that the label is a flip, at the assumed rate of flips.
    wrong : the longest list whose share of false claims is expected to stay within the rate allowed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> found = bayesfloor.check(*load_iris(return_X_y=True), target=0.9, effort="quick")
    >>> len(found.answer.wrong_labels().row)
    150
    """

    row: Ints
    p_value: Floats
    chance: Floats
    wrong: np.ndarray

    def _summary(self) -> str:
        return f"{len(self.row):,} rows, {np.count_nonzero(self.wrong):,} called wrong"


@dataclass(frozen=True, eq=False, repr=False)
class SampleScores(Result):
    """Rows whose label does not fit their neighbours in the forest.

    Attributes
    ----------
    row : position of each row in the input; all of them, unless only some were used.
    label : its label.
    score : higher means odder; for ranking.
    p_value : of "the label is no odder here than the labels around it are".
    suspect : rows to look at, false discoveries controlled at 5 % (Benjamini-Hochberg). Where classes
        overlap, they are ambiguous rather than wrong.
    suggested_label : the label of most neighbours.
    power : chance that a wrong label of this row would have been listed.
    conflict : rows whose equals have other labels.
    degree, cross : (expected) edges of the row, and those that lead to other labels.

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
    power: Floats
    conflict: np.ndarray
    degree: Floats
    cross: Floats

    def _summary(self) -> str:
        return f"{len(self.row):,} rows, {np.count_nonzero(self.suspect):,} suspicious"
