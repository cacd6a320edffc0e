"""The ladder of models, cheapest first, and their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.engine._errors import InputTypeError
from bayesfloor.engine._quiet import ignoring
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.hierarchy._pairwise_models import (
    CoupledPairs,
    MappedPairs,
    train_kernel_pairs,
    train_linear_pairs,
)

_MOST_PAIRED = 100  # most classes for one model per pair
_MOST_BOOSTED = 40  # most classes for boosting, which grows a tree per class at every step
_MOST_KERNEL_ROWS = 30_000
_COMPONENTS = 500

Train = Callable[[Floats, Ints, Floats | None], Any]


@dataclass(frozen=True)
class ModelKind:
    """A model to try: its name and how to train it on rows, codes and weights, or the parts of a blend."""

    name: str
    train: Train | None = None
    parts: tuple[ModelKind, ...] = ()

    def fit(self, X: Floats, codes: Ints, weight: Floats | None) -> Any:
        """Train the model without its warnings: a poor model is not chosen anyway."""
        if len(np.unique(codes)) == 1:
            from sklearn.dummy import DummyClassifier

            return DummyClassifier().fit(X, codes)
        if self.train is None:
            raise InputTypeError(f"{self.name} is a blend: train its parts.")
        with ignoring():
            return self.train(X, codes, weight)


@dataclass(frozen=True)
class Rung:
    """Candidates of one kind; the best one is used."""

    candidates: list[ModelKind]


@dataclass(frozen=True, eq=False)
class Blend:
    """The mean of several models' probabilities."""

    classes_: Ints
    models: list[Any]

    def predict_proba(self, X: Floats) -> Floats:
        """Return the mean probability of each class."""
        total = np.zeros((len(X), len(self.classes_)))
        for model in self.models:
            total[:, np.searchsorted(self.classes_, model.classes_)] += model.predict_proba(X)
        return total / len(self.models)

    def predict(self, X: Floats) -> Ints:
        """Return the most likely class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def blend(models: list[Any]) -> Blend:
    """Return a blend of these models."""
    return Blend(np.unique(np.concatenate([model.classes_ for model in models])), models)


def make_ladder(X: Floats, n_classes: int, random_state: int) -> list[Rung]:
    """Return the rungs for a problem of this size."""
    n, d = X.shape
    gamma = 1 / (d * spread_of(X))
    if n_classes > _MOST_PAIRED:
        return [Rung([_discriminant()]), Rung([_one_vs_rest()])]
    kernel = _kernel_rung(gamma) if n <= _MOST_KERNEL_ROWS else _mapped_rung(gamma, random_state)
    boosting = [Rung([_boosting(random_state)])] if n_classes <= _MOST_BOOSTED else []
    return [Rung([linear(1.0), linear(64.0)]), kernel, *boosting]


def spread_of(X: Floats) -> float:
    """Return the mean variance of the features."""
    return max(float(X.var(axis=0).mean()), 1e-12)


def linear(C: float) -> ModelKind:
    """Return a linear SVM for each pair of classes; C is for features with variance 1."""

    def train(X: Floats, codes: Ints, weight: Floats | None) -> CoupledPairs:
        return CoupledPairs(np.unique(codes), train_linear_pairs(X, codes, weight, C / spread_of(X)))

    return ModelKind(f"linear SVM (C={C:g})", train)


def _kernel_rung(gamma: float) -> Rung:
    grid = [(1.0, 1.0), (10.0, 1.0), (100.0, 1.0), (10.0, 4.0), (100.0, 4.0)]
    return Rung([_kernel(C, factor * gamma) for C, factor in grid])


def _kernel(C: float, gamma: float) -> ModelKind:
    def train(X: Floats, codes: Ints, weight: Floats | None) -> CoupledPairs:
        return CoupledPairs(np.unique(codes), train_kernel_pairs(X, codes, weight, C, gamma))

    return ModelKind(f"RBF SVM (C={C:g}, gamma={gamma:.3g})", train)


def _mapped_rung(gamma: float, random_state: int) -> Rung:
    return Rung([_mapped(gamma, random_state), _mapped(4 * gamma, random_state)])


def _mapped(gamma: float, random_state: int) -> ModelKind:
    from sklearn.kernel_approximation import Nystroem

    def train(X: Floats, codes: Ints, weight: Floats | None) -> CoupledPairs:
        mapping = Nystroem(gamma=gamma, n_components=min(_COMPONENTS, len(X)), random_state=random_state).fit(X)
        pairs = train_linear_pairs(mapping.transform(X), codes, weight, 10.0)
        return CoupledPairs(np.unique(codes), MappedPairs(mapping, pairs))

    return ModelKind(f"linear SVM on a Nystroem map (gamma={gamma:.3g})", train)


def _boosting(random_state: int) -> ModelKind:
    from sklearn.ensemble import HistGradientBoostingClassifier

    def train(X: Floats, codes: Ints, weight: Floats | None) -> Any:
        alone = np.unique(codes, return_counts=True)[1].min() < 2  # early stopping cannot split a class of one row
        stopping: Any = False if alone else "auto"
        model = HistGradientBoostingClassifier(early_stopping=stopping, random_state=random_state)
        return model.fit(X, codes, weight)

    return ModelKind("gradient boosting", train)


def _discriminant() -> ModelKind:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    def train(X: Floats, codes: Ints, weight: Floats | None) -> Any:
        if len(X) <= len(np.unique(codes)):  # no variance within classes
            return _one_vs_rest().fit(X, codes, weight)
        return LinearDiscriminantAnalysis().fit(X, codes)

    return ModelKind("linear discriminant", train)


def _one_vs_rest() -> ModelKind:
    from sklearn.svm import LinearSVC

    def train(X: Floats, codes: Ints, weight: Floats | None) -> LinearOneVsRest:
        model = LinearSVC(random_state=0).fit(X, codes, weight)
        return LinearOneVsRest(model.classes_, model.coef_, model.intercept_)

    return ModelKind("one-vs-rest linear SVM", train)


@dataclass(frozen=True, eq=False)
class LinearOneVsRest:
    """A linear SVM for each class against the rest."""

    classes_: Ints
    coef: Floats
    intercept: Floats

    def predict_proba(self, X: Floats) -> Floats:
        """Return the softmax of the margins: their order is meaningful, their size is not."""
        from scipy.special import softmax

        return softmax(2 * (X @ self.coef.T + self.intercept), axis=1)

    def predict(self, X: Floats) -> Ints:
        """Return the class with the largest margin."""
        return self.classes_[(X @ self.coef.T + self.intercept).argmax(axis=1)]
