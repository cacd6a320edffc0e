"""``BayesFloor``: the lowest error any classifier could reach on labelled data, before any is trained."""

from __future__ import annotations

import copy
import logging
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator  # noqa: TID253 - this module is itself imported when first used
from sklearn.utils.validation import check_is_fitted  # noqa: TID253

from bayesfloor.counts._class_edges import class_edges
from bayesfloor.counts._pair_counts import PairCounts, count_pairs, pair_counts, soft_pair_counts
from bayesfloor.engine._progress import Progress
from bayesfloor.engine._row_handles import is_handle
from bayesfloor.engine._types import Floats
from bayesfloor.floor._bounds_by_options import Options
from bayesfloor.floor._fit_record import Counts, Fit, make_fit
from bayesfloor.floor._grow import grow_labelled, prepare
from bayesfloor.floor._make_results import (
    one_vs_rest_floor,
    overall_floor,
    pairwise_floor,
    sample_scores,
)
from bayesfloor.floor._results import Floor, OneVsRestFloor, PairwiseFloor, SampleScores
from bayesfloor.floor._sample import (
    LARGE,
    Sample,
    announce,
    check_max_rows,
    draw_rows,
    draw_to_shares,
    read_priors,
    read_sample,
)
from bayesfloor.floor._scaling import apply_scale, as_parameter, check_scale, pick_scale
from bayesfloor.floor._uncertainty import fast_errors
from bayesfloor.forest._forest import Forest, check_n_trees
from bayesfloor.formulas._confidence_limits import two_sided
from bayesfloor.formulas._multiclass_bounds import soft_confusion
from bayesfloor.io._data import open_data, stays_in_place
from bayesfloor.io._labels_and_weights import read_target

if TYPE_CHECKING:
    from bayesfloor.answer._answer import Answer
    from bayesfloor.forest._out_of_core import Work  # which loads the compiled kernels

logger = logging.getLogger(__name__)

_FIRST_SAMPLE = 12_500
_FORESTS = 8  # of all rows that a fit comes to, about: scales, classes, quarters


class BayesFloor(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The floor under every classifier's error, from the edges of minimum spanning trees.

    Edges of the Euclidean minimum spanning trees of the rows that join two classes tell how far the
    classes overlap, and so bound the error that no classifier can go below: for the whole problem,
    for every pair of classes and for every class against the rest.

    Parameters
    ----------
    n_trees : int, default=3
        Number of orthogonal spanning trees, as in the paper. More trees mean less variance and more
        bias: for the bounds alone one is nearer to the truth, for tests, pairs and samples three are.
    priors : None, "balanced", array-like or dict, default=None
        Class shares to answer for; None takes the sample's own. Rows are drawn to these shares, each
        class without replacement. "balanced" gives the floor of balanced accuracy.
    scale : {"auto", "standard", "robust", "unit"} or None, default="auto"
        How features are scaled before distances are measured. "auto" takes whichever gives the
        smallest share of cross edges on at most 2,000 rows; ``scale_`` says which. Because the labels
        pick it, p-values are multiplied by the number of scales tried. The paper scales nothing: None.
    bias_correction : bool, default=True
        Keep estimates from exceeding the error of the best constant answer, as the paper does.
    normalize : bool, default=True
        Divide the pairwise matrix by the smaller class's share, as the paper does.
    subtract_forced : bool, default=False
        Take out the edges that join even separate classes, from estimates and lower bounds. The
        paper does not.
    max_rows : int, default=None
        Use about so many rows at most, drawn from every class alike and at least one of each.
    target_width : float, default=0.01
        For more than 50,000 rows: growing samples are drawn until the 95 % interval of the share of
        cross edges is narrower than this. ``curve_`` keeps what each showed. None uses all rows.
    interval : {"auto", "subsample", "fast"}, default="auto"
        How standard errors are found: from quarters of the rows, or quickly from the trees alone
        and somewhat widened. "auto" takes quarters where they cost no more than the fit.
    n_jobs : int, default=None
        Number of threads, as joblib understands it.
    random_state : int, default=0
        Seed of all draws.
    verbose : int, default=0
        Above 0, stages of the work are logged.
    progress : callable, default=None
        Called as ``progress(stage, done, total)`` while the work goes on.
    prepare : "auto", "strict" or transformer, default="auto"
        How the columns of a table become numbers, as in ``check``. Arrays without gaps are used as they are.
    roles : dict of column -> role, default=None
        What columns are, as in ``check``.
    y_kind : "auto" or "votes", default="auto"
        How a matrix of labels is read, as in ``check``.

    Attributes
    ----------
    overall_ : Floor
        The whole problem.
    pairwise_ : PairwiseFloor
        Every pair of classes, each by the pair's own trees.
    one_vs_rest_ : OneVsRestFloor
        Every class against the rest.
    soft_confusion_ : (K, K) array
        How likely two independent labels at one place are class i and class j.
    samples_ : SampleScores
        Rows whose label does not fit their neighbours.
    classes_ : array
        Class labels.
    scale_ : str or None
        The scale in use, as ``scale`` takes it; ``scale_rates_`` has the share of cross edges that each one tried gave.
    rows_ : int array
        Which input rows were used.
    curve_ : list of dict
        Rows, share of cross edges and its standard error of each growing sample.
    fitted_ : Fit
        The record of the fit, which all results rest on: rows, points, trees and counts.
    all_rows_ : Counts or None
        The same of the trees of all rows, where these were grown in blocks and ``fitted_`` is a sample.
    work_ : Work or None
        How the trees of all rows were grown, where they were grown in blocks.

    Notes
    -----
    Rows in another order, classes by another name: the same answer. Equal rows are one point with
    several labels; equally long edges are taken in an order of their own content, and
    ``overall_.tie_spread`` says how far other orders would lead.

    All lower bounds are asymptotic, and too high where data are sparse. ``answer`` gives the best estimate and range.

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
    >>> floor.pairwise_.at_resolution[0]  # setosa: nothing measurable
    array([False,  True,  True])
    """

    all_rows_: Counts | None
    work_: Work | None
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

    def fit(
        self,
        X: Any,
        y: Any = None,
        groups: Any = None,
        sample_weight: Any = None,
        *,
        client: Any = None,
        checkpoint: Any = None,
    ) -> BayesFloor:
        """Grow the trees and count.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features), str, path or Rows
            Numbers, or a table whose columns are prepared as ``prepare`` says. Of more than 2,000 columns,
            trees see 100 components; more than two dimensions are laid flat. Also a file (CSV, Parquet, Arrow,
            ``.npy``, ``.npz``), a folder of them, or an Arrow stream; at most a million rows are kept of large
            files. With ``target_width=None`` Parquet and ``.npy`` files, or what ``open_rows`` returns, stay where
            they are, numbers alone: the trees of all rows are grown, in blocks, and ``overall_``,
            ``one_vs_rest_`` and ``soft_confusion_`` are of all rows, the rest of 50,000.
        y : array-like of shape (n_rows,) or (n_rows, n_classes), or str
            Labels; or votes for each class (whole numbers: each vote counts as a row); or
            probabilities (rows that add up to 1). Of tables also the name of a column, and beside files a
            ``.npy`` file; these take one label per row.
        groups : array-like of shape (n_rows,), or name of a column, default=None
            Rows of one group (a patient, a video) are never joined: near-copies would otherwise make
            the floor falsely low.
        sample_weight : array-like of shape (n_rows,), default=None
            How many rows of the population each row stands for. It reweights the shares of cross
            edges by the mean weight around each, which few neighbours tell roughly: where only class
            shares differ, ``priors`` is better. p-values leave weights out; ``answer`` refuses them.
        client : distributed.Client, default=None
            Draws the rows on a Dask cluster, and grows the trees of all of them there where ``max_rows`` and
            ``target_width`` are None. What is drawn is measured here; few rows are all drawn.
        checkpoint : str or path, default=None
            Folder that finished pieces of the work with all rows are kept in.

        Returns
        -------
        self
        """
        self._check_parameters()
        in_place = stays_in_place(X, client, checkpoint, self.max_rows, self.target_width)
        drawing: Any = {"max_rows": self.max_rows, "random_state": self.random_state}
        data = open_data(X, y, groups=groups, weight=sample_weight, in_place=in_place, **drawing)
        if client is None and checkpoint is None and not is_handle(data.X):
            sample = read_sample(self, data)
            fit, self.all_rows_, self.work_ = self._grow(sample), None, None
            if data.drawn is not None and len(fit.sample) == len(sample):
                announce(sample, "no more are read of a large file", level=3)
        else:
            from bayesfloor.floor._all_rows import count_all, draw_far

            if data.groups is not None or data.weight is not None:
                raise ValueError(
                    "Rows told by where they are take no groups and no sample_weight. "
                    "Pass arrays instead, without client and checkpoint."
                )
            far = draw_far(self, data.X, data.y, client)
            fit = self._grow(far.sample)
            self.all_rows_, self.work_ = count_all(self, fit, far, checkpoint)
        self._measure(fit)
        return self

    def _grow(self, sample: Sample) -> Fit:
        """The record of a fit to as many of the rows as it takes."""
        sample = self._draw(sample)
        prepare(len(sample), sample.features.values.shape[1], self.n_trees, _FORESTS)
        rng = np.random.default_rng(self.random_state)
        scale, rates = pick_scale(self.scale, sample, self.random_state, self.n_jobs)
        points = apply_scale(sample.features, scale)
        sample, points = self._draw_enough(sample, points, rng)
        options = Options(self.bias_correction, self.subtract_forced, self.normalize, max(1, len(rates)))
        ways = self.n_trees, self.interval, rng, self.n_jobs, self._progress
        fit = make_fit(sample, points, scale, rates, options, *ways)
        _warn_if_short(fit.forest)
        return fit

    def answer(self, effort: str = "normal", learners: Any = None) -> Answer:
        """The lowest possible error: best estimate and range.

        Learners of several kinds are cross-validated on growing parts of the rows; where their learning curves end is
        the best estimate. The answer does not depend on any target.

        Parameters
        ----------
        effort : {"quick", "normal", "thorough"}, default="normal"
            How much work to do: about 0.8, 2.2 or 8 times a 5-fold cross-validation of a random forest of 100 trees.
        learners : dict of name -> classifier, default=None
            Classifiers of your own that join the race, such as the model you want to use.

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
        if learners is None and effort in self._answers:
            return self._answers[effort]
        ways = self.random_state, self.n_jobs, self._progress
        made = make_answer(self.overall_, self.fitted_, effort, learners, *ways)
        if learners is None:
            self._answers[effort] = made
        return made

    def verdict(self, target: float) -> str:
        """Whether an accuracy is "reachable", "out of reach" or "too close to call".

        Parameters
        ----------
        target : float
            Accuracy in (0, 1].

        Returns
        -------
        str
            "reachable" only if the upper end of the answer's range meets the target; "out of reach" (for the kinds of
            model tried, even with more rows) only if the lower end is above the target's error.
            ``answer().judge(target)`` says why, and what would settle it.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from bayesfloor import BayesFloor
        >>> X, y = load_wine(return_X_y=True)
        >>> BayesFloor().fit(X, y).verdict(target=0.9)
        'reachable'
        """
        from bayesfloor.answer._verdict import check_target

        check_target(target)
        return self.answer().verdict(target)

    def relabel(self, y: Any) -> BayesFloor:
        """The same trees under other labels.

        ``pairwise_`` of the result is there only if the labels merge whole classes: other pairs have
        other rows, hence other trees, and need a new fit.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            Other labels of the input rows.

        Returns
        -------
        BayesFloor
            A copy with new results.
        """
        check_is_fitted(self)
        n = self.fitted_.sample.n_input
        target = read_target(y, n)
        if target.n_unlabelled:
            raise ValueError(f"Got no label for {target.n_unlabelled:,} rows, but expected one for each. Fit again.")
        if len(target.row) != n:
            raise ValueError(
                "Got votes as new labels, but expected one label a row or probabilities. Fit again instead."
            )
        other, fit = copy.copy(self), self.fitted_.relabel(target.classes, target.shares)
        other.all_rows_ = other.work_ = other._pairwise = None
        other._results(fit, None)
        return other

    @property
    def pairwise_(self) -> PairwiseFloor:
        """Every pair of classes, each by the pair's own trees."""
        if "_pairwise" not in self.__dict__:
            raise AttributeError("This BayesFloor is not fitted yet: call fit first.")
        if self._pairwise is None:
            self._pairwise = self._merge_pairs()
        return self._pairwise

    def _check_parameters(self) -> None:
        check_n_trees(self.n_trees)
        check_scale(self.scale)
        if self.interval not in ("auto", "subsample", "fast"):
            raise ValueError(f"Got interval={self.interval!r}, but expected 'auto', 'subsample' or 'fast'.")
        check_max_rows(self.max_rows)
        if self.target_width is not None and (not isinstance(self.target_width, Real) or not self.target_width > 0):
            raise ValueError(f"Got target_width={self.target_width!r}, but expected None or a positive number.")

    @property
    def _progress(self) -> Progress | None:
        return self.progress or (_log_progress if self.verbose else None)

    def _draw(self, sample: Sample) -> Sample:
        """The rows that priors and ``max_rows`` leave."""
        rng = np.random.default_rng(self.random_state).spawn(2)[1]  # the first is that of scales
        shares = read_priors(self.priors, sample.classes)
        if shares is not None:
            sample = sample.take(draw_to_shares(sample, shares, rng))
        if self.max_rows is not None and len(sample) > self.max_rows:
            sample = sample.take(draw_rows(sample, self.max_rows, rng))
            announce(sample, "max_rows asks for it")
        return sample

    def _draw_enough(self, sample: Sample, points: Floats, rng: np.random.Generator) -> tuple[Sample, Floats]:
        """Growing samples until the interval is narrow enough, or all rows."""
        self.curve_: list[dict[str, float]] = []
        size = _FIRST_SAMPLE
        while self.target_width is not None and len(sample) > LARGE and size < len(sample):
            units = draw_rows(sample, size, rng)
            part = sample.take(units)
            width = self._try_sample(part, points[units])
            if width <= self.target_width:
                announce(part, f"the 95 % interval is {width:.4f} wide, target_width allows more")
                return part, points[units]
            size *= 2
        return sample, points

    def _try_sample(self, part: Sample, points: Floats) -> float:
        """Width of the interval that these rows give."""
        forest, labels = grow_labelled(points, part, self.n_trees, self.n_jobs, self._progress)
        edges = class_edges(forest, labels)
        error, _ = fast_errors(forest, labels, edges)
        self.curve_.append({"n_rows": len(part), "cross_rate": edges.cross_rate, "std_error": error})
        return 2 * two_sided(0.95) * error

    def _measure(self, fit: Fit) -> None:
        """All results of a fit."""
        pairs = (pair_counts if fit.sample.hard else soft_pair_counts)(fit.forests, fit.labels)
        self._results(fit, pairs)
        dimension = (self.all_rows_ or fit.counts).spread.dimension
        self._pairwise = pairwise_floor(fit.forests.pair, fit.labels, pairs, self.classes_, dimension, fit.options)

    def _results(self, fit: Fit, pairs: PairCounts | None) -> None:
        """What the edges of all classes together say: of all rows, where they were counted, else of those in use."""
        counts, classes = self.all_rows_ or fit.counts, fit.sample.classes
        self.fitted_, self.classes_, self.scale_rates_ = fit, classes, fit.scale_rates
        self.scale_ = as_parameter(fit.scale)
        self.rows_ = np.unique(fit.sample.row)
        self.overall_: Floor = overall_floor(counts, fit.options)
        self.one_vs_rest_: OneVsRestFloor = one_vs_rest_floor(
            counts, pairs if self.all_rows_ is None else None, classes
        )
        self.soft_confusion_: Floats = soft_confusion(counts.edges.matrix)
        alike = fit.counts.content.vertex
        self.samples_: SampleScores = sample_scores(fit.forest, fit.labels, alike, fit.sample.row, classes)
        self._answers: dict[str, Answer] = {}

    def _merge_pairs(self) -> PairwiseFloor:
        """Pairs of merged classes, without measuring a distance again."""
        fit, merged = self.fitted_, self.fitted_.merged
        if merged is None:
            raise AttributeError(
                "pairwise_ is not known under labels that do more than merge whole classes: "
                "pairs then have other rows and other trees. Fit again with these labels."
            )

        def pair(i: int, j: int) -> Forest:
            return fit.forests.of(np.flatnonzero(np.isin(merged, [i, j])).tolist())

        counts, dimension = count_pairs(pair, fit.labels), fit.counts.spread.dimension
        return pairwise_floor(pair, fit.labels, counts, fit.sample.classes, dimension, fit.options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = self.prepare == "auto"
        tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.sparse = True
        return tags


def check_floor(floor: object) -> None:
    """Refuse what is no fitted floor; a ``Check`` is told from one in a line, not by all that it shows."""
    if not isinstance(floor, BayesFloor):
        raise TypeError(f"Got a {type(floor).__name__}, but expected a fitted BayesFloor: BayesFloor().fit(X, y).")
    check_is_fitted(floor)


def _warn_if_short(forest: Forest) -> None:
    """Say so where a tree does not span: its edges are counted as they are."""
    short = np.flatnonzero(forest.tree_sizes < forest.n_spanned - 1)
    if len(short):
        logger.warning(
            "Tree %d has %d edges where %d would span: too few points or too large groups. Counts use what is there.",
            short[0] + 1,
            forest.tree_sizes[short[0]],
            forest.n_spanned - 1,
        )


def _log_progress(stage: str, done: int, total: int) -> None:
    if done == total or done % max(1, total // 10) == 0:
        logger.info("%s: %d of %d", stage, done, total)
