"""Feature scaling, and the choice of a scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bayesfloor.floor._edge_counts import VertexLabels, class_edges
from bayesfloor.floor._sample import Sample, draw_rows
from bayesfloor.forest._spanning_forest import spanning_forest
from bayesfloor.io._features import Features
from bayesfloor.support._errors import InputError
from bayesfloor.support._types import Floats, Ints

NO_SCALE = "none"  # the name shown for scale=None
_GRID = 470  # bits below the largest value
_DUST = 2.0 ** -(_GRID - 60)  # fraction of the largest value above which the grid keeps all digits of a value
_CHOSEN_ON = 2000  # rows: enough to compare scales, in about a second


def _keep(values: Floats) -> tuple[Floats, Floats]:
    return np.zeros(values.shape[1]), np.ones(values.shape[1])


def _standard(values: Floats) -> tuple[Floats, Floats]:
    return values.mean(axis=0), _deviation(values)


def _robust(values: Floats) -> tuple[Floats, Floats]:
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], axis=0)
    return middle, np.where(high > low, high - low, _deviation(values))


def _deviation(values: Floats) -> Floats:
    """Compute standard deviations, exactly 0 for constant columns: dividing by a rounding error would blow them up."""
    return np.where(np.ptp(values, axis=0) > 0, values.std(axis=0), 0.0)


# Each function returns, for every column, a centre to subtract and a spread to divide by. "unit" scales rows instead.
SCALES: dict[str, Callable[[Floats], tuple[Floats, Floats]]] = {
    NO_SCALE: _keep,
    "standard": _standard,
    "robust": _robust,
    "unit": _keep,
}


@dataclass(frozen=True, eq=False)
class Scaler:
    """A scale fitted to some rows, which can be applied to these and other rows."""

    name: str
    quantity: np.ndarray
    middle: Floats
    spread: Floats

    def apply(self, values: Floats) -> Floats:
        """Return the rows with their quantity columns scaled."""
        if self.name == NO_SCALE:
            return _drop_tiny_digits(values)
        if self.quantity.all():
            return _drop_tiny_digits(self._divided(values))
        scaled = values.copy()
        scaled[:, self.quantity] = self._divided(values[:, self.quantity])
        return _drop_tiny_digits(scaled)

    def _divided(self, own: Floats) -> Floats:
        """Return centred columns divided by their spread; constant columns and all-zero rows stay as they are."""
        centred = np.subtract(own, self.middle, order="C")  # the only copy: data may be large
        length = np.sqrt((centred**2).sum(axis=1, keepdims=True)) if self.name == "unit" else self.spread
        return np.divide(centred, np.where(length > 0, length, 1.0), out=centred)


def _drop_tiny_digits(values: Floats) -> Floats:
    """Set digits below 2**-k of the largest value to zero.

    The square of such a difference would be denormal or zero, and two different rows would seem equal.
    """
    largest = max(values.max(initial=0.0), -values.min(initial=0.0))
    coarse = largest * _DUST
    if not ((values < coarse) & (values > -coarse) & (values != 0)).any():
        return values
    shift = int(np.frexp(largest)[1]) - _GRID
    return np.ldexp(np.rint(np.ldexp(values, -shift)), shift)


def fit_scale(features: Features, name: str) -> Scaler:
    """Fit the named scale to these rows."""
    return Scaler(name, features.quantity, *SCALES[name](features.values[:, features.quantity]))


_FEWEST_QUANTITIES = {NO_SCALE: 0, "standard": 1, "robust": 1, "unit": 3}  # "unit" loses a dimension


def check_scale(scale: object) -> None:
    """Raise if the scale is unknown; "none" is only a display name, and the parameter must be None."""
    if scale is not None and (not isinstance(scale, str) or scale not in {"auto", *SCALES} - {NO_SCALE}):
        asked = isinstance(scale, str) and scale == NO_SCALE
        advice = " Pass scale=None to use the features as they are." if asked else ""
        raise InputError(f"Got scale={scale!r}, but expected 'auto', 'standard', 'robust', 'unit' or None.{advice}")


def as_parameter(name: str) -> str | None:
    """Turn a scale's name into a value for the parameter ``scale``."""
    return None if name == NO_SCALE else name


def apply_scale(features: Features, name: str) -> Floats:
    """Return the features with their quantity columns scaled."""
    return fit_scale(features, name).apply(features.values)


def pick_scale(
    scale: str | None, sample: Sample, random_state: int, n_jobs: int | None
) -> tuple[str, dict[str, float]]:
    """Return the name of the scale to use, and G under each scale tried."""
    if scale != "auto":
        return scale or NO_SCALE, {}
    few, (rng,) = len(sample) <= _CHOSEN_ON, np.random.default_rng(random_state).spawn(1)  # a separate stream
    units = np.arange(len(sample)) if few else draw_rows(sample, _CHOSEN_ON, rng)
    none = np.zeros(len(sample), dtype=int)
    return _choose_scale(sample.features.take(units), sample.labels(none, 1), units, n_jobs)


def _choose_scale(
    features: Features, labels: VertexLabels, rows: Ints, n_jobs: int | None
) -> tuple[str, dict[str, float]]:
    """Return the scale to use, and G of the first tree on these rows under each scale.

    The choice is the first scale in the list whose G is within a standard error of the smallest:
    smaller differences are noise, and "unit" would lose a dimension for no benefit.
    """
    rates, quantities = {}, np.count_nonzero(features.quantity)
    groups = None if labels.groups is None else labels.groups[rows]
    for name in [name for name in SCALES if quantities >= _FEWEST_QUANTITIES[name]]:
        forest = spanning_forest(apply_scale(features, name), 1, groups, n_jobs=n_jobs)
        own = labels.take(rows, forest.vertex, forest.n_vertices)
        rates[name] = class_edges(forest, own).cross_rate
    least = min(rates.values())
    enough = least + np.sqrt(max(least, 1 / len(rows)) / len(rows))
    return next(name for name, rate in rates.items() if rate <= enough), rates
