"""``BayesFloor``: bounds on the lowest error that any classifier could reach on labelled data."""

from __future__ import annotations

import copy
import logging
from dataclasses import fields
from html import escape
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator  # noqa: TID253 - itself imported when first used
from sklearn.utils.validation import check_is_fitted  # noqa: TID253 - itself imported when first used

from bayesfloor.floor._fit import Fit, make_fit
from bayesfloor.floor._make_results import one_vs_rest_floor, overall_floor, pairwise_floor, sample_scores
from bayesfloor.floor._pair_counts import PairCounts, count_pairs, pair_counts, soft_pair_counts
from bayesfloor.floor._results import Floor, OneVsRestFloor, Options, PairwiseFloor, SampleScores
from bayesfloor.floor._sample import Settings, announce, check_max_rows, read_sample
from bayesfloor.floor._scaling import as_parameter, check_scale
from bayesfloor.forest._spanning_forest import Forest, check_n_trees
from bayesfloor.formulas._bounds import soft_confusion
from bayesfloor.io._data import checked_data
from bayesfloor.io._labels import read_target
from bayesfloor.io._open_data import open_data
from bayesfloor.support._errors import InputError, InputTypeError
from bayesfloor.support._parameters import check_choice, check_n_jobs, check_roles, check_seed
from bayesfloor.support._tasks import Progress
from bayesfloor.support._types import Floats

if TYPE_CHECKING:
    from bayesfloor.answer._answer import Answer

logger = logging.getLogger(__name__)


class BayesFloor(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Bound the lowest possible error of any classifier, using minimum spanning trees.

    The rows are joined by Euclidean minimum spanning trees. The more edges join two classes, the more
    the classes overlap. This gives bounds on the lowest possible error: for the whole problem, for every
    pair of classes and for every class against the rest.

    Parameters
    ----------
    n_trees : int, default=3
        Number of orthogonal spanning trees, as in the paper. More trees mean less variance and more
        bias: one tree is more accurate for the bounds alone; three are better for tests, pairs and
        samples.
    priors : None, "balanced", array-like or dict, default=None
        Class proportions that the floor refers to; None keeps those of the data. For the trees, each class
        is subsampled without replacement to match them; the learners of ``answer`` see all rows, and their
        errors are weighted. "balanced" gives the floor for balanced accuracy.
    scale : {"auto", "standard", "robust", "unit"} or None, default="auto"
        How to scale the features before measuring distances. "auto" picks the scale with the smallest
        fraction of cross-class edges on at most 2,000 rows; ``scale_`` names it. Because the labels
        decide the choice, p-values are multiplied by the number of scales tried. The paper does not
        scale (None).
    bias_correction : bool, default=True
        Cap estimates at the error of always predicting the largest class, as the paper does.
    normalize : bool, default=True
        Divide the pairwise matrix by the smaller class's proportion, as the paper does.
    subtract_forced : bool, default=False
        Subtract the cross-class edges that even separate classes must have from estimates and lower
        bounds. The paper does not.
    max_rows : int, default=None
        Use at most about this many rows: a sample in the class proportions, with at least one row per class.
    target_width : float, default=0.01
        For more than 50,000 rows: use larger and larger samples until the 95 % interval for the fraction
        of cross-class edges is narrower than this. ``curve_`` records each sample. None uses all rows.
    interval : {"auto", "subsample", "fast"}, default="auto"
        How to compute standard errors: "subsample" uses quarters of the rows; "fast" uses the trees
        alone and widens the result a little. "auto" uses quarters if they cost no more than the fit.
    n_jobs : int, default=None
        Number of threads, as in joblib.
    random_state : int, default=0
        Seed for all random choices.
    verbose : int, default=0
        If greater than 0, log each stage.
    progress : callable, default=None
        Called as ``progress(stage, done, total)`` during the work.
    prepare : "auto", "strict" or transformer, default="auto"
        How to turn table columns into numbers, as in ``check``. Arrays without missing values are used as they are.
    roles : dict of column -> role, default=None
        The role of each column, as in ``check``.
    y_kind : "auto" or "votes", default="auto"
        How to read a label matrix, as in ``check``.

    Attributes
    ----------
    overall_ : Floor
        The whole problem.
    pairwise_ : PairwiseFloor
        Every pair of classes, each from the pair's own trees.
    one_vs_rest_ : OneVsRestFloor
        Every class against the rest.
    soft_confusion_ : (K, K) array
        Probability that two independent labels at the same point are class i and class j.
    samples_ : SampleScores
        Rows whose label does not fit their neighbours.
    classes_ : array
        Class labels.
    scale_ : str or None
        The scale in use, as a value that ``scale`` accepts; ``scale_rates_`` has the fraction of cross-class edges
        for each scale tried.
    rows_ : int array
        Which input rows were used.
    curve_ : list of dict
        Number of rows, fraction of cross-class edges and its standard error for each growing sample.
    fitted_ : Fit
        The record of the fit behind all results: rows, points, trees and counts.

    Notes
    -----
    The result does not depend on the order of the rows or on the names of the classes. The order of the columns
    changes the trees only if edges are equally long, but it does change random choices: the subsamples behind
    standard errors, and the learners behind ``answer``. These changes stay within the given intervals.
    Equal rows are one point with several labels. Equally long edges are ordered by their content, and
    ``overall_.tie_spread`` gives the range of G under other orders.

    All lower bounds are asymptotic, and too high for sparse data. ``answer`` gives the best estimate and range.

    References
    ----------
    van den Burg and Hero (2017), arXiv:1711.03512. Berisha, Wisler, Hero and Spanias (2016), IEEE
    Transactions on Signal Processing 64(3).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import BayesFloor
    >>> X, y = load_iris(return_X_y=True)
    >>> floor = BayesFloor().fit(X, y)
    >>> print(f"{floor.overall_.lower:.3f} to {floor.overall_.upper:.3f}")
    0.031 to 0.060
    >>> print(floor.pairwise_.matrix.round(2))
    [[0.   0.02 0.02]
     [0.02 0.   0.12]
     [0.02 0.12 0.  ]]
    >>> floor.pairwise_.at_resolution[0]  # setosa: too small to measure
    array([False,  True,  True])
    """

    _pairwise: PairwiseFloor | None
    _answers: dict[str, Answer]

    def __init__(
        self,
        *,
        n_trees: int = 3,
        priors: Any = None,
        scale: str | None = "auto",
        bias_correction: bool = True,
        normalize: bool = True,
        subtract_forced: bool = False,
        max_rows: int | None = None,
        target_width: float | None = 0.01,
        interval: str = "auto",
        n_jobs: int | None = None,
        random_state: int = 0,
        verbose: int = 0,
        progress: Progress | None = None,
        prepare: Any = "auto",
        roles: dict[str, Any] | None = None,
        y_kind: str = "auto",
    ) -> None:
        self.n_trees = n_trees
        self.priors = priors
        self.scale = scale
        self.bias_correction = bias_correction
        self.normalize = normalize
        self.subtract_forced = subtract_forced
        self.max_rows = max_rows
        self.target_width = target_width
        self.interval = interval
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.progress = progress
        self.prepare = prepare
        self.roles = roles
        self.y_kind = y_kind

    def fit(self, X: Any, y: Any = None, groups: Any = None, sample_weight: Any = None) -> BayesFloor:
        """Grow the trees and count their cross-class edges.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features), str or path
            Numbers, or a table whose columns ``prepare`` turns into numbers. Data with more than 2,000 columns
            are reduced to 100 components for the trees; data with more than two dimensions are flattened. X can
            also be a file (CSV, Parquet, Arrow, ``.npy``, ``.npz``), a folder of files, or an Arrow stream; at
            most a million rows of a large file are kept.
        y : array-like of shape (n_rows,) or (n_rows, n_classes), or str
            Labels, votes for each class (whole numbers; each vote counts as a row) or probabilities (rows that add
            up to 1). For a table, y can also be the name of a column, and for a
            file the path of a ``.npy`` file; both hold one label per row.
        groups : array-like of shape (n_rows,), or name of a column, default=None
            Rows of the same group (a patient, a video) are never joined: near-duplicates would otherwise
            make the floor falsely low.
        sample_weight : array-like of shape (n_rows,), default=None
            How many rows of the population each row represents. An edge counts as the product of its rows'
            weights divided by the mean weight around it. This is a rough estimate from few neighbours: if only the
            class proportions differ, ``priors`` is better. p-values ignore weights; ``answer`` does not support them.

        Returns
        -------
        self
        """
        settings = self._settings
        check_settings(settings)
        drawing: Any = {"max_rows": self.max_rows, "random_state": self.random_state}
        data = open_data(X, y, groups=groups, weight=sample_weight, **drawing)
        sample = read_sample(data, settings)
        checked_data(self, data.native, skip_check_array=True)  # sets n_features_in_ and feature_names_in_
        fit = make_fit(sample, settings, Options(self.bias_correction, self.subtract_forced, self.normalize))
        if data.drawn is not None and len(fit.sample) == len(sample):
            announce(sample, "the file is large, so only a sample of it is read", level=3)
        self._measure(fit)
        return self

    def answer(self, effort: str = "normal", learners: Any = None) -> Answer:
        """Estimate the lowest possible error: best estimate and range.

        Models of several kinds are cross-validated on more and more of the rows. The best estimate is where their
        learning curves level off. The answer does not depend on any target.

        Parameters
        ----------
        effort : {"quick", "normal", "thorough"}, default="normal"
            How much work to do: about 0.5, 1.5 or 8 times a 5-fold cross-validation of a random forest with 100 trees.
        learners : dict of name -> classifier, default=None
            Your own classifiers to add to the race, such as the model you want to use.

        Returns
        -------
        Answer

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from bayesfloor import BayesFloor
        >>> floor = BayesFloor().fit(*load_wine(return_X_y=True))
        >>> answer = floor.answer(learners={"naive Bayes": GaussianNB()})
        >>> "naive Bayes" in answer.errors
        True
        """
        from bayesfloor.answer._make_answer import make_answer

        check_is_fitted(self)
        check_choice("effort", effort, ("quick", "normal", "thorough"))
        if learners is None and effort in self._answers:
            return self._answers[effort]
        made = make_answer(self.overall_, self.fitted_, self._settings, effort, learners)
        if learners is None:
            self._answers[effort] = made
        return made

    def relabel(self, y: Any) -> BayesFloor:
        """Count the edges of the same trees again with new labels.

        The result has ``pairwise_`` only if the new labels merge whole classes: with any other labels, pairs have
        different rows and different trees, and need a new fit.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            New labels for the input rows.

        Returns
        -------
        BayesFloor
            A copy with new results.
        """
        check_is_fitted(self)
        n = self.fitted_.sample.n_input
        target = read_target(y, n)
        if target.n_unlabelled:
            raise InputError(
                f"Got no label for {target.n_unlabelled:,} rows, but expected one for each. "
                "To leave these rows out, fit again: BayesFloor().fit(X, y)."
            )
        if len(target.row) != n:
            raise InputError(
                "Got votes as new labels, but expected one label per row, or probabilities. "
                "To use votes, fit again: BayesFloor().fit(X, y)."
            )
        other, fit = copy.copy(self), self.fitted_.relabel(target.classes, target.shares)
        other._pairwise = None
        other._results(fit, None)
        return other

    @property
    def pairwise_(self) -> PairwiseFloor:
        """Every pair of classes, each from the pair's own trees."""
        if "_pairwise" not in self.__dict__:
            raise AttributeError("This BayesFloor is not fitted yet: call fit(X, y) first.")
        if self._pairwise is None:
            self._pairwise = self._merge_pairs()
        return self._pairwise

    @property
    def _settings(self) -> Settings:
        given = {item.name: getattr(self, item.name) for item in fields(Settings)}
        return Settings(**{**given, "progress": self.progress or (_log_progress if self.verbose else None)})

    def _measure(self, fit: Fit) -> None:
        pairs = (pair_counts if fit.sample.hard else soft_pair_counts)(fit.forests, fit.labels)
        self._results(fit, pairs)
        dimension = fit.counts.spread.dimension
        self._pairwise = pairwise_floor(fit.forests.pair, fit.labels, pairs, self.classes_, dimension, fit.options)

    def _results(self, fit: Fit, pairs: PairCounts | None) -> None:
        """Set all results except ``pairwise_``."""
        counts, classes = fit.counts, fit.sample.classes
        self.fitted_, self.classes_, self.scale_rates_, self.curve_ = fit, classes, fit.scale_rates, fit.curve
        self.scale_ = as_parameter(fit.scale)
        self.rows_ = np.unique(fit.sample.row)
        self.overall_: Floor = overall_floor(counts, fit.options)
        self.one_vs_rest_: OneVsRestFloor = one_vs_rest_floor(counts, pairs, classes)
        self.soft_confusion_: Floats = soft_confusion(counts.edges.matrix)
        alike = counts.content.vertex
        self.samples_: SampleScores = sample_scores(fit.forest, fit.labels, alike, fit.sample.row, classes)
        self._answers: dict[str, Answer] = {}

    def _merge_pairs(self) -> PairwiseFloor:
        """Compute the pairs of merged classes without measuring any distance again."""
        fit, merged = self.fitted_, self.fitted_.merged
        if merged is None:
            raise AttributeError(
                "pairwise_ needs new labels that only merge whole classes: otherwise pairs have different rows "
                "and trees. Fit again with these labels: BayesFloor().fit(X, y)."
            )

        def pair(i: int, j: int) -> Forest:
            return fit.forests.of(np.flatnonzero(np.isin(merged, [i, j])).tolist())

        counts, dimension = count_pairs(pair, fit.labels), fit.counts.spread.dimension
        return pairwise_floor(pair, fit.labels, counts, fit.sample.classes, dimension, fit.options)

    def _html_repr(self) -> str:
        """Return what a notebook shows: the latest answer or the tree bounds, above scikit-learn's parameters."""
        box: str = super()._html_repr()
        if "overall_" not in self.__dict__:
            return box
        found = [*self._answers.values()][-1:]
        hint = "Tree bounds are too high if data are sparse. For the best estimate and its range, call answer()."
        bounds = [each for each in (self.overall_, self._pairwise) if each is not None]  # shown, not computed
        lines = [*map(repr, found)] or [*map(repr, bounds), hint]
        return f"<pre>{escape(chr(10).join(lines))}</pre>{box}"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = self.prepare == "auto"
        tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.sparse = True
        return tags


def check_settings(settings: Settings) -> None:
    """Raise if a parameter is wrong; priors and groups are checked with the labels."""
    check_n_trees(settings.n_trees)
    check_scale(settings.scale)
    check_choice("interval", settings.interval, ("auto", "subsample", "fast"))
    check_n_jobs(settings.n_jobs)
    check_max_rows(settings.max_rows)
    check_seed(settings.random_state)
    check_roles(settings.roles)
    if settings.target_width is not None and (
        not isinstance(settings.target_width, Real) or not settings.target_width > 0
    ):
        raise InputError(f"Got target_width={settings.target_width!r}, but expected None or a positive number.")


def check_floor(floor: object) -> None:
    """Raise unless this is a fitted ``BayesFloor``; the message shows only the type, because a ``Check`` is long."""
    if not isinstance(floor, BayesFloor):
        raise InputTypeError(f"Got a {type(floor).__name__}, but expected a fitted BayesFloor: BayesFloor().fit(X, y).")
    check_is_fitted(floor)


def _log_progress(stage: str, done: int, total: int) -> None:
    if done == total or done % max(1, total // 10) == 0:
        logger.info("%s: %d of %d", stage, done, total)
