"""Scales of features, and the choice among them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bayesfloor.counts._class_edges import class_edges
from bayesfloor.counts._vertex_labels import VertexLabels
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.floor._grow import grow
from bayesfloor.floor._sample import Sample, draw_rows
from bayesfloor.io._features import Features

NO_SCALE = "none"  # what scale=None is called wherever it is shown
_CHOSEN_ON = 2000  # rows: enough to tell scales apart, and done in a second


def _keep(values: Floats) -> tuple[Floats, Floats]:
    return np.zeros(values.shape[1]), np.ones(values.shape[1])


def _standard(values: Floats) -> tuple[Floats, Floats]:
    return values.mean(axis=0), _deviation(values)


def _robust(values: Floats) -> tuple[Floats, Floats]:
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], axis=0)
    return middle, np.where(high > low, high - low, _deviation(values))


def _deviation(values: Floats) -> Floats:
    """Standard deviations, exactly 0 of what is constant: rounding would leave a little, and dividing blow it up."""
    return np.where(np.ptp(values, axis=0) > 0, values.std(axis=0), 0.0)


# Of each column a middle to be taken off and a spread to be divided by; "unit" is of rows instead.
SCALES: dict[str, Callable[[Floats], tuple[Floats, Floats]]] = {
    NO_SCALE: _keep,
    "standard": _standard,
    "robust": _robust,
    "unit": _keep,
}


@dataclass(frozen=True, eq=False)
class Scaler:
    """A scale as it was fitted to some rows, for these and for others."""

    name: str
    quantity: np.ndarray
    middle: Floats
    spread: Floats

    def apply(self, values: Floats) -> Floats:
        """Rows with their quantities scaled."""
        if self.name == NO_SCALE:
            return values
        scaled, own = values.copy(), values[:, self.quantity]
        length = np.sqrt((own**2).sum(axis=1, keepdims=True)) if self.name == "unit" else self.spread
        scaled[:, self.quantity] = _divide(own - self.middle, length)
        return scaled


def _divide(values: Floats, by: Floats) -> Floats:
    """Divide, leaving alone what a constant column or an empty row would divide by zero."""
    return values / np.where(by > 0, by, 1.0)


def fit_scale(features: Features, name: str) -> Scaler:
    """The scale of this name for these rows."""
    return Scaler(name, features.quantity, *SCALES[name](features.values[:, features.quantity]))


_FEWEST_QUANTITIES = {NO_SCALE: 0, "standard": 1, "robust": 1, "unit": 3}  # "unit" gives up a dimension


def check_scale(scale: object) -> None:
    """Refuse what is no scale; the name of "none" is for people, who ask for it by None."""
    if scale is not None and (not isinstance(scale, str) or scale not in {"auto", *SCALES} - {NO_SCALE}):
        advice = " Pass scale=None to use the features as they are." if scale == NO_SCALE else ""
        raise ValueError(f"Got scale={scale!r}, but expected 'auto', 'standard', 'robust', 'unit' or None.{advice}")


def as_parameter(name: str) -> str | None:
    """The name of a scale as the parameter ``scale`` takes it."""
    return None if name == NO_SCALE else name


def apply_scale(features: Features, name: str) -> Floats:
    """Features with their quantities scaled."""
    return fit_scale(features, name).apply(features.values)


def pick_scale(
    scale: str | None, sample: Sample, random_state: int, n_jobs: int | None
) -> tuple[str, dict[str, float]]:
    """The name of the scale to use, and G under each that was tried."""
    if scale != "auto":
        return scale or NO_SCALE, {}
    few, (rng,) = len(sample) <= _CHOSEN_ON, np.random.default_rng(random_state).spawn(1)  # a stream of its own
    units = np.arange(len(sample)) if few else draw_rows(sample, _CHOSEN_ON, rng)
    none = np.zeros(len(sample), dtype=int)
    labels = VertexLabels(none, sample.shares, 1, sample.weight, sample.groups is None, sample.groups)
    return choose_scale(sample.features, labels, units, n_jobs)


def choose_scale(
    features: Features, labels: VertexLabels, rows: Ints, n_jobs: int | None
) -> tuple[str, dict[str, float]]:
    """The scale to use, and G of the first tree on these rows under each.

    The first in the list whose G is within a standard error of the smallest: differences below that
    are noise, and "unit" gives up a dimension for nothing. Scales are fitted to all rows.
    """
    rates, quantities = {}, np.count_nonzero(features.quantity)
    for name in [name for name in SCALES if quantities >= _FEWEST_QUANTITIES[name]]:
        forest = grow(
            apply_scale(features, name)[rows], 1, None if labels.groups is None else labels.groups[rows], n_jobs
        )
        own = labels.take(rows, forest.vertex, forest.n_vertices)
        rates[name] = class_edges(forest, own).cross_rate
    least = min(rates.values())
    enough = least + np.sqrt(max(least, 1 / len(rows)) / len(rows))
    return next(name for name, rate in rates.items() if rate <= enough), rates
