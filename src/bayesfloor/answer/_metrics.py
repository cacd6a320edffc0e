"""The metrics that an answer can be for: each as a loss per row, so that races, curves and forecasts need nothing else.

A metric that is not a mean over rows, such as the area under the ROC curve, becomes one: each row gets the metric plus
the row's influence on it. The mean of these losses is the metric, and their variance that of the metric (delta method).
A posterior is a matrix of class probabilities; folds have different models, so rows are ranked within a fold only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from bayesfloor.answer._forecast import HIDDEN, STRETCH
from bayesfloor.formulas._learning_curves import Prior
from bayesfloor.formulas._limits import class_weights, effective_count, mean_limit, upper_limit, weighted_losses
from bayesfloor.support._errors import InputError
from bayesfloor.support._parameters import check_choice
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import MOST_DIGITS, accuracy, number_text, target_text

CLASSES, NUMBERS = "classes", "numbers"
IN_PERCENT = ("accuracy", "balanced_accuracy")
AUTO = "auto"
# Other metrics stand beside accuracy if the rarest class has less than these fractions of the rows and of an equal
# share: with many classes, each has few rows without being rare.
RARE, _UNEVEN = 0.1, 0.5
FEWEST_OF_CLASS = 60  # rows of the rarest class from which metrics that weight classes equally have a tested end
_TIMES_RAREST = 3.0  # most independent rows, relative to the classes' number times the rarest class's rows
LEAST_CHANCE = 1e-4  # smallest probability of a class
_LARGE = 0.9  # of the largest loss
_LARGEST = 1e300  # of a target
DIGITS = 12  # of a loss that a target allows

Losses = Callable[[Floats, Any, Ints], Floats]  # from predictions, labels or numbers, and folds


@dataclass(frozen=True)
class Metric:
    """One metric: how it is called, how losses follow from predictions, and how losses are shown.

    ``is_score`` says that the metric is 1 - loss; otherwise it is the loss itself, and lower is better. ``power`` turns
    a limit of the Brier score into one of the loss (0: it is of no use), ``weighted`` says that all classes count
    equally, and ``shown`` turns the mean loss into the metric's unit. The rest are constants of curves and forecast.
    """

    name: str
    words: str
    task: str
    losses: Losses
    guess: Callable[[Any], Floats]
    is_score: bool = True
    most: float = np.inf
    weighted: bool = False
    prior: Prior = Prior()  # noqa: RUF009 - frozen
    power: float = 0.0
    stretch: float = STRETCH
    hidden: float = HIDDEN
    shown: Callable[[Any], Any] = np.asarray
    example: float = 0.95
    unit: str = "fraction"  # of scores

    @property
    def of_errors(self) -> bool:
        """Whether losses are errors: 1 for a row with the wrong class, and 0 for the others."""
        return self.name == "accuracy"

    @property
    def of_squares(self) -> bool:
        """Whether losses are squared distances of numbers."""
        return self.name in ("r2", "rmse")

    def score(self, loss: float) -> float:
        """Return the metric that a loss stands for."""
        return 1 - loss if self.is_score else loss

    def loss(self, score: float) -> float:
        """Return the loss that a score allows; 1 - 0.9 alone would be slightly less than 0.1."""
        return round(1 - float(score), DIGITS) if self.is_score else float(score)

    def check_target(self, target: object, name: str = "target") -> None:
        """Raise if the target, or a model's score of that name, is no value of this metric to aim at."""
        number = isinstance(target, Real) and not isinstance(target, (bool, np.bool_))
        if number and 0 < float(target) <= (1 if self.is_score else _LARGEST):  # type: ignore[arg-type]
            return
        span = "above 0 and up to 1" if self.is_score else "above 0"
        raise InputError(f"Got {name}={target!r}, but expected {with_article(self)} {span}, such as {self.example:g}.")

    def limit(self, losses: Floats, truth: Any, cluster: Ints, level: float) -> float:
        """Return the upper confidence limit of the expected loss; 1 if there are too few rows of a class for one."""
        if self.name in ("accuracy", "balanced_accuracy", "roc_auc"):
            heaviest = 1.0
            if self.weighted:
                sizes = np.bincount(truth)
                if sizes.min() < FEWEST_OF_CLASS:
                    return self.most
                heaviest = float(class_weights(np.full(len(sizes), 1 / len(sizes)), truth).max())
            n = effective_count(losses, cluster, heaviest=heaviest, most=_TIMES_RAREST if self.weighted else None)
            return float(upper_limit(np.clip(losses.mean(), 0, 1) * n, n, level))
        found = mean_limit(losses, cluster, level)
        if np.isfinite(self.most):  # skewness says nothing of large losses that are too rare to be among these rows
            n, large = len(np.unique(cluster)), float(np.mean(losses > _LARGE * self.most))
            found = max(found, self.most * float(upper_limit(large * n, n, level)))
        return min(found, self.most)


def wrong(posterior: Floats, codes: Ints, fold: Ints) -> Floats:  # noqa: ARG001
    """Return 1 for rows whose likeliest class is not theirs."""
    return np.asarray(posterior.argmax(axis=1) != codes, dtype=np.float64)


def balanced(posterior: Floats, codes: Ints, fold: Ints) -> Floats:  # noqa: ARG001
    """Return losses whose mean is the mean error within the classes, of the rule that is best for it."""
    sizes = np.bincount(codes, minlength=posterior.shape[1])
    weight = class_weights((sizes > 0) / np.count_nonzero(sizes), codes)
    return weighted_losses((posterior * weight[: posterior.shape[1]]).argmax(axis=1) != codes, codes, weight)


def brier_score(posterior: Floats, codes: Ints, fold: Ints | None = None) -> Floats:  # noqa: ARG001
    """Return the squared distance of each row's posterior from its label."""
    return np.asarray(1 - 2 * posterior[np.arange(len(codes)), codes] + (posterior**2).sum(axis=1))


def log_loss(posterior: Floats, codes: Ints, fold: Ints) -> Floats:  # noqa: ARG001
    """Return minus the logarithm of the probability of each row's class; calibration keeps it finite."""
    return np.asarray(-np.log(posterior[np.arange(len(codes)), codes]))


def ranking(posterior: Floats, codes: Ints, fold: Ints) -> Floats:
    """Return losses whose mean is 1 - AUC: of the second class, or the mean over all classes against the others."""
    classes = np.flatnonzero(np.bincount(codes, minlength=posterior.shape[1])).tolist()
    ranked = classes[1:] if len(classes) == 2 else classes
    return np.mean([_misranked(posterior[:, k], codes == k, fold) for k in ranked], axis=0)


def _misranked(score: Floats, own: np.ndarray, fold: Ints) -> Floats:
    """Return 1 - AUC plus each row's influence on it (DeLong et al. 1988)."""
    placed, rate, rows = np.zeros(len(score)), 0.0, 0
    for number in np.unique(fold):
        inside = fold == number
        one, two = np.flatnonzero(inside & own), np.flatnonzero(inside & ~own)
        if not len(one) or not len(two):
            continue
        # Of each row, the fraction of the other class on the wrong side of it; ties count half.
        of_one, of_two = 1 - _below(score[two], score[one]), _below(score[one], score[two])
        loss, n = float(of_one.mean()), len(one) + len(two)
        placed[one], placed[two] = n / len(one) * (of_one - loss), n / len(two) * (of_two - loss)
        rate, rows = rate + n * loss, rows + n
    return placed + (rate / rows if rows else 0.5)


def _below(scores: Floats, at: Floats) -> Floats:
    """Return the fraction of the scores that are below each of these values; ties count half."""
    ordered = np.sort(scores)
    return np.asarray(np.searchsorted(ordered, at, "left") + np.searchsorted(ordered, at, "right")) / (2 * len(scores))


def squared(predicted: Floats, y: Floats, fold: Ints) -> Floats:  # noqa: ARG001
    """Return squared errors."""
    return np.asarray((y - predicted) ** 2)


def unexplained(predicted: Floats, y: Floats, fold: Ints) -> Floats:
    """Return losses whose mean is 1 - R^2."""
    return relative_to_spread(squared(predicted, y, fold), y)


def relative_to_spread(losses: Floats, y: Floats) -> Floats:
    """Return losses whose mean is the ratio of the mean loss to the variance of y, with each row's influence on it."""
    spread = (y - y.mean()) ** 2
    ratio = losses.mean() / spread.mean()
    return np.asarray(ratio + (losses - ratio * spread) / spread.mean())


def absolute(predicted: Floats, y: Floats, fold: Ints) -> Floats:
    """Return absolute errors, after a shift to the median residual of the other folds."""
    away = y - predicted
    middle = np.array(
        [np.median(away[fold != number]) if (fold != number).any() else 0.0 for number in range(fold.max() + 1)]
    )
    return np.asarray(np.abs(away - middle[fold]))


def _guess_class(losses: Losses) -> Callable[[Ints], Floats]:
    """Return losses of always predicting the class proportions."""

    def guess(codes: Ints) -> Floats:
        shares = np.bincount(codes) / len(codes)
        return losses(np.tile(np.maximum(shares, 1e-12), (len(codes), 1)), codes, np.zeros(len(codes), dtype=np.int64))

    return guess


def _guess_number(losses: Losses, middle: Callable[[Floats], Any]) -> Callable[[Floats], Floats]:
    """Return losses of always predicting one number."""

    def guess(y: Floats) -> Floats:
        return losses(np.full(len(y), middle(y)), y, np.zeros(len(y), dtype=np.int64))

    return guess


def _known(loss: Callable[[Ints], float]) -> Callable[[Ints], Floats]:
    return lambda codes: np.full(len(codes), loss(codes))


# Chosen metric by metric on training problems (``docs/theory/metrics.md``): constants of curves by the score of the
# forecast, and then the smallest stretch with which the truth is below the 2.5 % quantile in at most 2.5 % of them; a
# step more for three metrics, for which that rule was too narrow for families that had not chosen the constants.
_WIDER: Any = {"prior": Prior(exponent=0.2, spread=0.4, misfit=0.02), "stretch": 1.1}
_OF_LOGS: Any = {"prior": Prior(exponent=0.2, spread=0.4, misfit=0.01), "stretch": 1.1, "hidden": -4.0}
_BALANCED: Any = {"prior": Prior(exponent=0.2, spread=0.4, misfit=0.02), "power": 1.38, "hidden": -4.0}
_OF_SQUARES: Any = {"prior": Prior(spread=0.4, ratio=(4.0, 0.7), misfit=0.02), "stretch": 1.3}
_OF_DISTANCES: Any = {"prior": Prior(ratio=(4.0, 0.5), misfit=0.02), "stretch": 1.1}
_EVEN: Any = {"most": 1.0, "weighted": True}
_IN_NATS: Any = {"is_score": False, "most": -np.log(LEAST_CHANCE), "example": 0.3, "unit": "nats"}
_OF_BRIER: Any = {"is_score": False, "most": 2.0, "example": 0.2, "unit": "squared distance"}
_IN_UNITS: Any = {"is_score": False, "example": 12.0, "unit": "of y"}

METRICS = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "accuracy", CLASSES, wrong, _guess_class(wrong), most=1.0, power=1.38),
        Metric(
            "balanced_accuracy",
            "balanced accuracy",
            CLASSES,
            balanced,
            _known(lambda codes: 1 - 1 / np.count_nonzero(np.bincount(codes))),
            **_EVEN,
            **_BALANCED,
        ),
        Metric("roc_auc", "AUC", CLASSES, ranking, _known(lambda _: 0.5), **_EVEN, **_WIDER),
        Metric("log_loss", "log loss", CLASSES, log_loss, _guess_class(log_loss), **_IN_NATS, **_OF_LOGS),
        Metric(
            "brier", "Brier score", CLASSES, brier_score, _guess_class(brier_score), **_OF_BRIER, **_WIDER, hidden=-4.0
        ),
        Metric("r2", "R²", NUMBERS, unexplained, _guess_number(unexplained, np.mean), **_OF_SQUARES),
        Metric(
            "rmse", "RMSE", NUMBERS, squared, _guess_number(squared, np.mean), **_IN_UNITS, **_OF_SQUARES, shown=np.sqrt
        ),
        Metric("mae", "MAE", NUMBERS, absolute, _guess_number(absolute, np.median), **_IN_UNITS, **_OF_DISTANCES),
    )
}
ACCURACY, BRIER, R2 = METRICS["accuracy"], METRICS["brier"], METRICS["r2"]


def check_metric(metric: object, target: object) -> None:
    """Raise before any work if there is no such metric, or if its target makes no sense."""
    names = _as_names(metric)
    for name in names:
        check_choice("metric", name, (AUTO, *METRICS))
    if not names or (AUTO in names and len(names) > 1):
        raise InputError(f"Got metric={metric!r}, but expected one name, or several of {', '.join(METRICS)}.")
    if target is not None:  # accuracy and R^2 have the same span
        METRICS.get(names[0], ACCURACY).check_target(target)


def choose_metrics(metric: object, task: str, codes: Ints) -> list[Metric]:
    """Return the metrics of an answer and of those beside it, from a name, several names or "auto"."""
    names = _as_names(metric)
    known = [AUTO, *(name for name, each in METRICS.items() if each.task == task)]
    if other := next((name for name in names if name not in known), None):
        raise InputError(f"Got metric={other!r}, but the labels are {task}: expected one of {', '.join(known)}.")
    if names != [AUTO]:
        return [METRICS[name] for name in dict.fromkeys(names)]
    if task == NUMBERS:
        return [R2, METRICS["rmse"], METRICS["mae"]]
    sizes = np.bincount(codes)
    sizes = sizes[sizes > 0]
    rare = sizes.min() < min(RARE, _UNEVEN / len(sizes)) * len(codes)
    return [ACCURACY, *([METRICS["balanced_accuracy"], METRICS["roc_auc"]] if rare else [])]


def _as_names(metric: object) -> list[Any]:
    return list(metric) if isinstance(metric, (list, tuple)) else [metric]


def with_article(metric: Metric) -> str:
    """Return the metric's name with its article."""
    return f"{'an' if metric.words[0] in 'aAMR' else 'a'} {metric.words}"


def wish(metric: Metric, target: float) -> str:
    """Return a target in words: "90 % accuracy", "an AUC of 0.9"."""
    if metric.name in IN_PERCENT:
        return f"{target_text(target)} {metric.words}"
    return f"{with_article(metric)} of {target:,.12g}"


def score_text(metric: Metric, loss: float, beside: float | None = None) -> str:
    """Return the score that a loss stands for, with enough digits to differ from that of another loss."""
    if not np.isfinite(loss):
        return "unknown"
    if metric.name in IN_PERCENT:
        return f"{accuracy(loss, beside)} %"

    def tell(loss: float) -> list[str]:
        return [f"{1 - loss:.{n}f}" if metric.is_score else number_text(loss, n) for n in range(3, MOST_DIGITS)]

    texts = tell(loss)
    others = texts if beside is None else tell(beside)
    return next((text for text, other in zip(texts, others, strict=True) if text != other), texts[0])


def span_text(metric: Metric, low: float, high: float, beside: float | None = None) -> str:
    """Return the scores that two losses stand for, the smaller score first."""
    ends = [score_text(metric, loss, beside) for loss in ((high, low) if metric.is_score else (low, high))]
    return f"{ends[0].removesuffix(' %')} to {ends[1]}"
