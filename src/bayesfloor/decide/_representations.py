"""``compare_representations``: which representation of the same rows to train on."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t

from bayesfloor.answer._answer import Answer
from bayesfloor.answer._hazards import Hazards
from bayesfloor.answer._learners import BLEND, check_effort
from bayesfloor.answer._make_answer import answers_from, know_guessing, make_answers, run_on
from bayesfloor.answer._metrics import ACCURACY, CLASSES, METRICS, NUMBERS, check_metric, choose_metrics, score_text
from bayesfloor.answer._number_answers import SCALE as NUMBER_SCALE
from bayesfloor.answer._number_answers import Numbers, in_tenths, make_number_answers
from bayesfloor.decide._candidates import Candidate, make_candidate, read_candidates
from bayesfloor.decide._features import draw_most
from bayesfloor.floor._edge_counts import likeliest
from bayesfloor.floor._fit import make_fit, may_be_copies
from bayesfloor.floor._make_results import overall_floor
from bayesfloor.floor._results import USUAL
from bayesfloor.floor._sample import Sample, Settings, check_max_rows, cluster_numbers, make_sample, number_groups
from bayesfloor.floor._scaling import apply_scale, check_scale
from bayesfloor.forest._vertices import find_vertices
from bayesfloor.formulas._limits import check_level, two_sided, unit_means
from bayesfloor.io._data import Data, unmask
from bayesfloor.io._labels import Target, missing_labels, read_one_label
from bayesfloor.io._numbers import TASKS, Labels, read_y
from bayesfloor.support._parameters import check_choice, check_n_jobs, check_seed
from bayesfloor.support._results import Result
from bayesfloor.support._tasks import Progress
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import how_many, percent, printable, show_labels

BEST, NO_DIFFERENCE, WORSE = "best", "no clear difference", "worse"
_MAY_OVERTAKE = 0.25  # chance of the lower ceiling from which a representation is not called worse
_AHEAD = 4  # times as many rows, by whose errors representations are ranked


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Representations of the same rows, the best first; arrays have one entry per representation.

    All were raced on the same rows in the same folds. Errors are losses: for accuracy, balanced accuracy, AUC and R^2,
    1 minus the metric.

    Attributes
    ----------
    names : names of the representations.
    how : how each was made: "given", "fitted once" (without labels) or "cross-fitted" (to the training rows only).
    n_features : number of columns.
    n_rows : number of rows on which learners were tested.
    metric : what the errors are for.
    error, error_low, error_high : cross-validated error of a blend of all learners, and its 95 % interval.
    error_4x : the error expected with four times as many rows: the median of the forecast. NaN if there is none.
    lowest, lowest_low, lowest_high : the ceiling: best estimate of the lowest possible error, and its range. The lower
        end is NaN if there is none.
    difference, difference_low, difference_high : the error minus that of the best one on the same rows, and its
        interval. All intervals hold simultaneously at ``level``, whichever representation is the best.
    p_value : of the hypothesis "its error is no higher than that of the best", adjusted for all pairs.
    overtakes : the probability that its lowest possible error is below that of the best one.
    seconds : CPU seconds that it takes to transform 1,000 rows and to predict them with all learners of the blend, as
        measured on the tested rows. What was made beforehand costs nothing here.
    word : "best", "no clear difference" or "worse". Only a representation whose error is significantly higher than
        that of the best one, and that is unlikely to overtake it with more rows, is worse.
    effort : how much work was done.
    level : confidence level of the differences.
    answers : dict of name -> Answer, with all that a check says of each.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from bayesfloor import compare_representations
    >>> X, y = load_wine(return_X_y=True)
    >>> found = compare_representations({"all": X, "first two": X[:, :2]}, y)
    >>> found
    Comparison(2 representations, best all, 1 worse)
    >>> dict(zip(found.names, found.word))
    {'all': 'best', 'first two': 'worse'}
    """

    names: tuple[str, ...]
    how: tuple[str, ...]
    n_features: Ints
    n_rows: int
    metric: str
    error: Floats
    error_low: Floats
    error_high: Floats
    error_4x: Floats
    lowest: Floats
    lowest_low: Floats
    lowest_high: Floats
    difference: Floats
    difference_low: Floats
    difference_high: Floats
    p_value: Floats
    overtakes: Floats
    seconds: Floats
    word: tuple[str, ...]
    effort: str
    level: float
    answers: dict[str, Answer] = field(repr=False)

    @property
    def best_(self) -> str:
        """Name of the best representation."""
        return self.names[0]

    @property
    def not_worse(self) -> tuple[str, ...]:
        """Names of the best and of all others with no clear difference from it."""
        return tuple(name for name, word in zip(self.names, self.word, strict=True) if word != WORSE)

    @property
    def smallest(self) -> str:
        """Name of the representation with the fewest features among those that are not worse."""
        kept = [place for place, word in enumerate(self.word) if word != WORSE]
        return self.names[min(kept, key=lambda place: (self.n_features[place], place))]

    @property
    def of(self) -> Any:  # a Metric, which is no public class
        """The metric itself."""
        return METRICS[self.metric]

    @property
    def quantity(self) -> str:
        """What ``tell`` shows: errors, or scores by another metric."""
        return "error" if self.metric == ACCURACY.name else self.of.words

    def tell(self, loss: float) -> str:
        """Return a loss as an error in percent, or as a score by another metric."""
        return f"{percent(loss)} %" if self.metric == ACCURACY.name else score_text(self.of, loss)

    @property
    def text(self) -> str:
        """The comparison in words."""
        best = printable(self.best_)
        today, ahead, lowest = (self.tell(each[0]) for each in (self.error, self.error_4x, self.lowest))
        ahead = "" if np.isnan(self.error_4x[0]) else f", about {ahead} with four times the rows"
        lines = [f"{best} is best: {self.quantity} {today} with these rows{ahead}, at best about {lowest}."]
        others = [printable(name) for name in self.not_worse[1:]]
        if others:
            lines.append(f"{NO_DIFFERENCE.capitalize()}: {', '.join(others)}.")
        behind = np.flatnonzero(self.error < self.error[0])
        if len(behind):
            names = ", ".join(printable(self.names[place]) for place in behind.tolist())
            lines.append(f"With these rows alone, {names} had a better {self.quantity}.")
        if self.smallest != self.best_:
            size = self.n_features[self.names.index(self.smallest)]
            lines.append(f"{printable(self.smallest)} is the smallest of these, with {how_many(size, 'feature')}.")
        return " ".join(lines)

    def _summary(self) -> str:
        best, n_worse = show_labels(self.names)[0], len(self.names) - len(self.not_worse)
        return f"{how_many(len(self.names), 'representation')}, best {best}, {n_worse} worse"

    def _columns(self) -> dict[str, Any]:
        names = ("how", "n_features", *_NUMBERS, "word")
        return {"representation": self.names, **{name: getattr(self, name) for name in names}}

    def to_dict(self) -> dict[str, Any]:
        """Return all values as plain Python objects, ready for JSON."""
        return {**super().to_dict(), "best": self.best_}


_NUMBERS = tuple(item.name for item in fields(Comparison) if item.type == "Floats")


def compare_representations(
    candidates: dict[str, Any],
    y: Any,
    X: Any = None,
    *,
    groups: Any = None,
    metric: str = "auto",
    task: str = "auto",
    effort: str = "quick",
    scale: str | None = "auto",
    level: float = 0.95,
    max_rows: int | None = 50_000,
    n_jobs: int | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Rank representations of the same rows by a race of learners on each, in the same folds.

    Parameters
    ----------
    candidates : dict of name -> array, data frame, list of columns, transformer or pipeline
        Up to 20 representations to compare. Lists of columns are those of ``X``. Transformers are fitted to ``X`` once,
        without labels. Transformers that need labels are fitted again to the training rows of each fold, and of each
        training size. An array that was made with these labels cannot be recognised and will rank too high.
    y : array-like of shape (n_rows,)
        Classes or numbers.
    X : array-like or data frame of shape (n_rows, n_features), default=None
        The data that transformers are fitted to, and that columns are taken from.
    groups : array-like of shape (n_rows,), default=None
        Rows of the same group are in the same fold. If rows look like copies of each other in all representations,
        copies are groups.
    metric, task : str, default="auto"
        As in ``check``.
    effort : {"quick", "normal", "thorough"}, default="quick"
        How much work to do for each representation, as in ``check``.
    scale : {"auto", "standard", "robust", "unit"} or None, default="auto"
        As in ``BayesFloor``, for each representation.
    level : float, default=0.95
        Simultaneous confidence level of the differences.
    max_rows : int, default=50_000
        Race on at most about this many rows, subsampled from all classes at the same rate; at most 50,000 are used.
    n_jobs, random_state, progress
        As in ``BayesFloor``.

    Returns
    -------
    Comparison
        With ``best_``, ``text`` and ``frame()``.

    Notes
    -----
    Errors today are those of a blend of all learners, whose weights are chosen by other folds, so that no choice of
    learners flatters a representation. The order is that of the errors expected with four times as many rows, since
    a representation is chosen for the rows at hand and for those to come; without a forecast, errors today count.

    "Worse" needs two things: a paired test of the errors today, corrected for all pairs, because the best one was
    chosen by the same rows; and a probability of less than 25 % that the lowest possible error is below that of the
    best one. It is about models like these learners: among many noise columns they may miss what a better model, or
    far more rows, would find.

    Any function of X has a Bayes error at least as high as X itself. A representation can still be better than X: it
    may be easier to learn from with this many rows.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.decomposition import PCA
    >>> from bayesfloor import compare_representations
    >>> X, y = load_wine(return_X_y=True)
    >>> found = compare_representations({"all": X, "colour": [9, 10], "pca-2": PCA(2)}, y, X=X)
    >>> found.best_, found.metric
    ('all', 'accuracy')
    """
    check_metric(metric, None)
    check_choice("task", task, TASKS)
    check_effort(effort)
    check_scale(scale)
    check_level(level)
    check_max_rows(max_rows)
    check_n_jobs(n_jobs)
    check_seed(random_state)
    given = read_candidates(candidates, X)
    labels = read_y(unmask(y), task)
    target, truth = _read_labels(labels)
    n = len(truth)
    made = []
    for name, candidate in given.items():  # not a comprehension: it would add a frame to the stack level of warnings
        made.append(make_candidate(name, candidate, X, truth, n, target.row))
    numbers = None if groups is None else number_groups(groups, n)
    samples = _same_rows(made, [make_sample(each.features, target, numbers) for each in made])
    drawn = draw_most(samples[0], max_rows, np.random.default_rng(random_state), 3)
    kept = np.flatnonzero(np.isin(samples[0].row, drawn.row))
    samples = [each.take(kept) for each in samples]
    how: dict[str, Any] = {"n_jobs": n_jobs, "random_state": random_state}
    settings = Settings(scale=scale, interval="fast", target_width=None, **how)
    runs = []
    for number, (each, sample) in enumerate(zip(made, samples, strict=True)):
        y_own = truth[sample.row] if labels.task == NUMBERS else None
        runs.append(_run(each, sample, y_own, settings, effort, metric))
        if progress is not None:
            progress("representations", number + 1, len(made))
    return _compare(runs, level, effort)


def _read_labels(labels: Labels) -> tuple[Target, Any]:
    """Return one class per row, which are tenths of numbers, and the class codes or numbers of all rows."""
    n = len(missing_labels(labels.y))
    if labels.task == NUMBERS:
        return read_one_label(in_tenths(Data(None, labels.y)).y, n), labels.y
    target = read_one_label(labels.y, n)
    codes = np.zeros(n, dtype=np.int64)
    codes[target.row] = likeliest(target.shares)
    return target, codes


def _same_rows(made: list[Candidate], samples: list[Sample]) -> list[Sample]:
    """Put all samples into the same order of rows, which is by content; rows that look like copies become groups.

    With the same order, the same rows are subsampled and dealt to the same folds.
    """
    told = [each.first is None for each in made]  # of the others, only the numbers of rows are known
    order = samples[told.index(True) if any(told) else 0].row
    places = np.searchsorted(np.sort(order), order)
    samples = [sample.take(np.argsort(sample.row)[places]) for sample in samples]
    if samples[0].groups is not None or not any(told):
        return samples
    vertices = [find_vertices(sample.features.values)[1] for sample, own in zip(samples, told, strict=True) if own]
    distinct, alike = np.unique(np.column_stack(vertices), axis=0, return_inverse=True)
    if not may_be_copies(len(order), len(distinct)):  # rows that differ in any representation are separate cases
        return [replace(sample, rows_are="cases") for sample in samples]
    alike = alike.ravel()  # NumPy 2.0 returns a column
    return [replace(sample, groups=alike, cluster=alike) for sample in samples]


class _Run(NamedTuple):
    """A candidate, its answer, and the loss of the blend in each cluster of rows."""

    made: Candidate
    answer: Answer
    losses: Floats
    seconds: float


def _run(made: Candidate, sample: Sample, y: Floats | None, settings: Settings, effort: str, metric: str) -> _Run:
    """Answer as a check with this effort does, on these rows."""
    if y is not None:
        points = sample.features.values if made.first else apply_scale(sample.features, NUMBER_SCALE)
        rows = Numbers(sample, points, y, find_vertices(points)[1], copies=False)
        answers = make_number_answers(rows, settings, effort, None, Hazards(), metric=metric, first=made.first)
    elif made.first is not None:
        points, cluster, n_classes = sample.features.values, cluster_numbers(sample), len(sample.classes)
        metrics = choose_metrics(metric, CLASSES, sample.codes)
        metrics = list(dict.fromkeys([*metrics, ACCURACY]))
        race = run_on(sample, points, sample.codes, cluster, settings, effort, {}, metrics, first=made.first)
        guessing = 1 - float(sample.class_sizes.max()) / len(sample)
        known = know_guessing(sample.codes, cluster, n_classes, guessing)
        answers = answers_from(race, metrics, known, made.n_features, settings, effort)
    else:
        fit = make_fit(sample, settings, USUAL)
        floor = overall_floor(fit.counts, fit.options)
        points = fit.points
        answers = make_answers(floor, fit, settings, effort, None, metric=metric)
    answer = next(iter(answers.values()))
    race = answer.evidence()
    name = BLEND if BLEND in race.predicted else answer.best
    losses = race.losses[answer.metric][name][-1] if name else answer.of.guess(race.codes if y is None else y)
    seconds = made.seconds + sum(race.seconds.values())
    return _Run(made, answer, unit_means(losses, race.cluster), seconds)


def _compare(runs: list[_Run], level: float, effort: str) -> Comparison:
    """Rank the candidates, and compare each with the best."""
    metric, n, M = runs[0].answer.of, len(runs[0].losses), len(runs)
    losses = np.stack([run.losses for run in runs])
    mean, shown = losses.mean(axis=1), [float(metric.shown(max(each.losses.mean(), 0.0))) for each in runs]
    ahead = np.array([_ahead(run.answer, today) for run, today in zip(runs, shown, strict=True)])
    ranked = np.lexsort((np.array(shown), np.where(np.isnan(ahead), shown, ahead))).tolist()
    best = ranked[0]
    # Differences are in the metric's own unit, which for a root is not that of the losses.
    unit = np.array(
        [(a - shown[best]) / (m - mean[best]) if m != mean[best] else 1.0 for a, m in zip(shown, mean, strict=True)]
    )
    away, gap = losses - losses[best], mean - mean[best]
    std_error = away.std(axis=1, ddof=1) / np.sqrt(n)
    n_tests = max(1, M * (M - 1))  # each may be the best, and each other one worse
    reach = t.isf((1 - level) / n_tests, n - 1) * std_error
    p_value = np.minimum(1.0, n_tests * t.sf(np.divide(gap, std_error, out=np.zeros(M), where=std_error > 0), n - 1))
    known = [None if run.answer.forecast is None else run.answer.forecast.lowest for run in runs]
    least = known[best]
    overtakes = np.array([np.nan if one is None or least is None else (one[:, None] < least).mean() for one in known])
    own = two_sided(0.95, n - 1) * losses.std(axis=1, ddof=1) / np.sqrt(n)
    worse = (p_value <= 1 - level) & ~(overtakes >= _MAY_OVERTAKE)
    answers = [run.answer for run in runs]
    columns: dict[str, Any] = {
        "names": [run.made.name for run in runs],
        "how": [run.made.how for run in runs],
        "n_features": np.array([run.made.n_features for run in runs]),
        "error": np.array(shown),
        "error_low": np.array([metric.shown(max(each, 0.0)) for each in mean - own]),
        "error_high": np.array([metric.shown(each) for each in mean + own]),
        "error_4x": ahead,
        "lowest": np.array([each.estimate for each in answers]),
        "lowest_low": np.array([each.useful_lower for each in answers]),
        "lowest_high": np.array([each.upper for each in answers]),
        "difference": unit * gap,
        "difference_low": unit * (gap - reach),
        "difference_high": unit * (gap + reach),
        "p_value": np.where(np.arange(M) == best, 1.0, p_value),
        "overtakes": overtakes,
        "seconds": np.array([run.seconds for run in runs]),
        "word": [BEST if k == best else WORSE if worse[k] else NO_DIFFERENCE for k in range(M)],
    }
    sorted_columns: dict[str, Any] = {
        name: values[ranked] if isinstance(values, np.ndarray) else tuple(values[k] for k in ranked)
        for name, values in columns.items()
    }
    return Comparison(
        **sorted_columns,
        n_rows=runs[0].answer.n_rows,
        metric=metric.name,
        effort=effort,
        level=level,
        answers={runs[k].made.name: answers[k] for k in ranked},
    )


def _ahead(answer: Answer, today: float) -> float:
    """Return the error expected with four times the rows; NaN if nothing can be said."""
    known = answer.forecast
    if known is None:
        return np.nan
    found = float(known.quantiles([0.5], _AHEAD * known.n_rows)[0])
    return max(min(found, today), answer.estimate)  # more rows do no harm
