"""The models that a node may get: how each is trained, what it costs, and how fast it predicts.

Trees and networks come from the registry of learners, with their formulas of cost. So the choice of a model
depends on the data and on these formulas, never on the speed of a machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from bayesfloor.answer._learners import REGISTRY, Size, code_encoder
from bayesfloor.answer._race import class_scores, fit_temperature
from bayesfloor.leaving.hierarchy_linear_models import train_discriminant, train_logistic
from bayesfloor.leaving.hierarchy_pairwise_models import train_kernel_pairs
from bayesfloor.leaving.hierarchy_problem import Problem
from bayesfloor.support._tasks import ignoring
from bayesfloor.support._types import Floats, Ints

_MOST_CLASSES = 40  # for kernel machines, one per pair of classes, and boosting, which grows a tree per class
_MOST_KERNEL_ROWS = 30_000
_COMPONENTS = 500  # of a Nystroem map
_KERNELS = ((1.0, 1.0), (10.0, 1.0), (100.0, 1.0), (10.0, 4.0))  # cost, and multiple of gamma
_LEAST = 1e-3  # probability shared by all classes, whatever the scores

Train = Callable[[Floats, Ints, Floats | None], Any]


@dataclass(frozen=True)
class Candidate:
    """A model to try: its family, how to train it, and its seconds by size: for training, and to predict a row.

    A candidate with a ``guide`` is tried only if the family of that name is not clearly behind.
    """

    name: str
    family: str
    train: Train
    seconds: Callable[[Size], float]
    row_seconds: Callable[[Size], float]
    guide: str = ""

    def fit(self, problem: Problem, random_state: int) -> Any:
        """Train the model; where that is impossible, return one that knows only how frequent the classes are."""
        from sklearn.dummy import DummyClassifier

        X, codes, weight = problem.X, problem.codes, problem.weight
        encoder = None if problem.code is None else code_encoder(problem.code, random_state)
        with ignoring():  # a model with warnings is not chosen if it is poor
            try:
                X = X if encoder is None else encoder.fit_transform(X, codes)
                model = self.train(X, codes, weight) if len(np.unique(codes)) > 1 else None
            except (ValueError, np.linalg.LinAlgError):
                model = None
            model, encoder = (DummyClassifier().fit(X, codes, weight), None) if model is None else (model, encoder)
        model = model if hasattr(model, "calibrated") else Calibrated(model.classes_, model)
        return model if encoder is None else Encoded(model.classes_, encoder, model)


@dataclass(frozen=True, eq=False)
class Encoded:
    """A model that sees class rates instead of codes."""

    classes_: Ints
    encoder: Any
    model: Any

    def predict(self, X: Floats) -> Ints:
        """Return the most likely class."""
        return self.model.predict(self.encoder.transform(X))

    def predict_proba(self, X: Floats) -> Floats:
        """Return the probability of each class."""
        return self.model.predict_proba(self.encoder.transform(X))

    def calibrated(self, X: Floats, codes: Ints) -> Encoded:
        """Return the model, calibrated on rows that it has not seen."""
        return replace(self, model=self.model.calibrated(self.encoder.transform(X), codes))

    def like(self, other: Encoded) -> Encoded:
        """Return the model with another model's calibration."""
        return replace(self, model=self.model.like(other.model))


@dataclass(frozen=True, eq=False)
class Calibrated:
    """A model whose scores are multiplied by a factor before they become probabilities."""

    classes_: Ints
    model: Any
    temperature: float = 1.0

    def predict(self, X: Floats) -> Ints:
        """Return the class with the highest score."""
        return self.classes_[class_scores(self.model, X).argmax(axis=1)]

    def predict_proba(self, X: Floats) -> Floats:
        """Return the probability of each class."""
        from scipy.special import softmax

        scores = class_scores(self.model, X)[:, : len(self.classes_)].astype(np.float64)  # networks have half of it
        found = softmax(self.temperature * scores, axis=1)
        return (1 - _LEAST) * found + _LEAST / len(self.classes_)

    def calibrated(self, X: Floats, codes: Ints) -> Calibrated:
        """Return the model with the factor that suits these rows, which it has not seen."""
        known = np.isin(codes, self.classes_)
        if not known.any():
            return self
        scores = class_scores(self.model, X[known])[:, : len(self.classes_)]
        return replace(self, temperature=fit_temperature(scores, np.searchsorted(self.classes_, codes[known]))[0])

    def like(self, other: Any) -> Calibrated:
        """Return the model with another model's factor."""
        return replace(self, temperature=other.temperature)


def make_candidates(size: Size, gamma: float, random_state: int) -> list[Candidate]:
    """Return the models for a problem of this size; ``gamma`` suits the spread of its rows."""
    found = [*LINEAR]
    found += [_registered(name, size, random_state) for name in ("forest", "network")]
    if size.n_classes > _MOST_CLASSES:
        return found
    found.append(_registered("boosting", size, random_state))
    if size.n_rows <= _MOST_KERNEL_ROWS:
        return found + [_kernel(C, factor * gamma) for C, factor in _KERNELS]
    return found + [_mapped(factor * gamma, random_state) for factor in (1.0, 4.0)]


def suitable_gamma(X: Floats) -> float:
    """Return 1 / (features times their mean variance)."""
    return 1 / (X.shape[1] * max(float(X.var(axis=0).mean()), 1e-12))


def _linear_row(size: Size) -> float:
    return 1e-10 * size.n_classes * (size.n_features + 5)


DISCRIMINANT = Candidate(
    "linear discriminant",
    "linear discriminant",
    train_discriminant,
    lambda s: 1e-3 + 5e-10 * s.n_rows * s.n_features * (s.n_features + s.n_classes),
    _linear_row,
)


def logistic(C: float) -> Candidate:
    """Return a logistic regression; C is for features with variance 1."""
    name = f"logistic regression (C={C:g})"
    return Candidate(name, name, partial(train_logistic, C=C), _logistic_seconds, _linear_row)


def _logistic_seconds(size: Size) -> float:
    return 0.01 + 5e-8 * size.n_rows * size.n_features * size.n_classes


LINEAR = (DISCRIMINANT, logistic(1.0), logistic(30.0))

_ROW_SECONDS: dict[str, Callable[[Size], float]] = {
    "forest": lambda _: 2e-5,
    "network": lambda s: 1e-6 + 2e-7 * (s.n_features + s.n_classes) / 10,
    "boosting": lambda s: 6e-6 * (1 if s.n_classes == 2 else s.n_classes),
}
_NAMES = {"forest": "random forest", "network": "neural network", "boosting": "gradient boosting"}
_PER_CLASSES = {"forest": 70, "network": 120, "boosting": np.inf}  # classes that double what the registry expects
_GUIDES = {"boosting": _NAMES["forest"]}  # trees that cost a fraction


def _registered(name: str, size: Size, random_state: int) -> Candidate:
    """Return a learner of the registry."""
    learner = REGISTRY[name]

    def train(X: Floats, codes: Ints, weight: Floats | None) -> Any:
        model = learner.make(size._replace(n_rows=len(X)), random_state)
        place = f"{model.steps[-1][0]}__sample_weight" if hasattr(model, "steps") else "sample_weight"
        return model.fit(X, codes, **({} if weight is None else {place: weight}))

    def seconds(size: Size) -> float:
        return learner.cost(size) * (1 + size.n_classes / _PER_CLASSES[name])

    return Candidate(_NAMES[name], _NAMES[name], train, seconds, _ROW_SECONDS[name], _GUIDES.get(name, ""))


def _kernel(C: float, gamma: float) -> Candidate:
    train = partial(train_kernel_pairs, C=C, gamma=gamma)
    name = f"RBF SVM (C={C:g}, gamma={gamma:.3g})"
    return Candidate(
        name, "RBF SVM", train, REGISTRY["kernel"].cost, lambda s: 1e-9 * s.n_rows * (2 + s.n_features / 20)
    )


def _mapped(gamma: float, random_state: int) -> Candidate:
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    def train(X: Floats, codes: Ints, weight: Floats | None) -> Any:
        mapping = Nystroem(gamma=gamma, n_components=min(_COMPONENTS, len(X)), random_state=random_state)
        model = make_pipeline(mapping, LogisticRegression(C=100.0))
        return model.fit(X, codes, logisticregression__sample_weight=weight)

    return Candidate(
        f"logistic regression on a Nystroem map (gamma={gamma:.3g})",
        "Nystroem map",
        train,
        lambda s: 2e-9 * s.n_rows * _COMPONENTS**2 + _logistic_seconds(s._replace(n_features=_COMPONENTS)),
        lambda s: 1e-8 * _COMPONENTS + _linear_row(s._replace(n_features=_COMPONENTS)),
    )
