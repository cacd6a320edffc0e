"""Prepare representations for comparison: take arrays as they are, fit transformers without label leakage.

A transformer is first fitted to all rows without labels. Only a transformer that needs labels gets them, and
only the labels of rows that it does not transform.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.engine._errors import InputError, InputTypeError
from bayesfloor.engine._private_imports import take_rows
from bayesfloor.engine._types import Ints
from bayesfloor.floor._bayes_floor import BayesFloor
from bayesfloor.io._features import Features, read_features
from bayesfloor.io._frame_columns import as_frame
from bayesfloor.io._labels_and_weights import missing_labels


class LabelsSeenWarning(UserWarning):
    """Warn that a representation may have been fitted with the labels of the rows it is judged on.

    Examples
    --------
    >>> import warnings
    >>> from bayesfloor.selection import LabelsSeenWarning
    >>> warnings.simplefilter("ignore", LabelsSeenWarning)  # if you know it was fitted to other rows
    """


@dataclass(frozen=True, eq=False)
class Candidate:
    """A representation of all rows, with ``how`` it was made: "given", "fitted once" or "cross-fitted"."""

    name: str
    how: str
    features: Features


def read_candidates(given: Any, X: Any) -> dict[str, Any]:
    """Return the candidates after all checks that do not need fitting."""
    if not isinstance(given, Mapping) or not given:
        found = "nothing" if given is None or isinstance(given, Mapping) else f"a {type(given).__name__}"
        raise InputTypeError(
            f"Got {found} as candidates, but expected a dict with at "
            'least one name and representation, such as {"raw": X, "pca-20": PCA(20)}.'
        )
    for name, candidate in given.items():
        if not isinstance(name, str):
            raise InputTypeError(f"Got {name!r} as the name of a representation, but expected a string.")
        if candidate is None or isinstance(candidate, type):
            what = "nothing" if candidate is None else f"the class {candidate.__name__}"
            raise InputTypeError(
                f"Representation {name!r} is {what}, but expected an array or a transformer such as PCA(20)."
            )
        if is_transformer(candidate) and X is None:
            raise InputError(f"Representation {name!r} is a transformer, but there is no X to transform. Pass X=X.")
    return dict(given)


def is_transformer(candidate: Any) -> bool:
    """Whether the candidate is a transformer; data frames do not count, although pandas has DataFrame.transform."""
    if as_frame(candidate) is not None:
        return False
    if hasattr(candidate, "fit") and not hasattr(candidate, "transform"):
        raise InputTypeError(
            f"Got {type(candidate).__name__}, which has no transform method, but expected an array or a transformer."
        )
    return hasattr(candidate, "transform")


def is_supervised(transformer: Any) -> bool:
    """Whether a transformer's tags say that it needs labels."""
    from sklearn.base import is_classifier, is_regressor
    from sklearn.utils import get_tags

    try:
        needed = bool(get_tags(transformer).target_tags.required)
    except (AttributeError, TypeError):
        return False
    return needed or is_classifier(transformer) or is_regressor(transformer)


def make_once(name: str, candidate: Any, X: Any, n_rows: int) -> Candidate | None:
    """Return the representation, or None if making it needs labels."""
    if not is_transformer(candidate):
        return Candidate(name, "given", read_values(name, candidate, n_rows))
    _warn_if_frozen(name, candidate)
    if not hasattr(candidate, "fit") or _is_frozen(candidate):
        return Candidate(name, "given", read_values(name, candidate.transform(X), n_rows))
    if is_supervised(candidate):
        return None
    from sklearn.base import clone

    try:
        fitted = clone(candidate).fit(X)
    except (AttributeError, TypeError, ValueError):  # usually because of missing labels; other errors recur with labels
        return None
    return Candidate(name, "fitted once", read_values(name, fitted.transform(X), n_rows))


def cross_fit(name: str, candidate: Any, X: Any, y: np.ndarray, folds: list[Ints]) -> Candidate:
    """Transform each fold with a transformer fitted to the other folds."""
    from sklearn.base import clone

    parts, labelled = [], np.flatnonzero(~missing_labels(y))
    for fold in folds:
        rest = np.setdiff1d(labelled, fold)
        try:
            fitted = clone(candidate).fit(take_rows(X, rest), np.array(y[rest].tolist()))
        except (TypeError, ValueError) as error:
            raise InputError(
                f"Representation {name!r} could not be fitted, either without labels or with the labels of "
                f"{len(rest)} rows: {error}"
            ) from error
        parts.append(read_values(name, fitted.transform(take_rows(X, fold)), len(fold)))
    values = np.zeros((len(y), max(part.values.shape[1] for part in parts)))  # a fold may have fewer columns
    for fold, part in zip(folds, parts, strict=True):
        values[fold, : part.values.shape[1]] = part.values
    return Candidate(name, "cross-fitted", Features(values, np.ones(values.shape[1], dtype=bool)))


def read_values(name: str, values: Any, n_rows: int | None = None) -> Features:
    """Read a representation as numbers and check that it has one row per label."""
    values = values.toarray() if hasattr(values, "toarray") else values
    try:
        features = read_features(BayesFloor(), values)
    except (TypeError, ValueError) as error:
        raise type(error)(f"Representation {name!r}: {error}") from error
    if n_rows is not None and len(features.values) != n_rows:
        raise InputError(
            f"Representation {name!r} has {len(features.values)} rows, but expected {n_rows}, the length of y."
        )
    return features


def _warn_if_frozen(name: str, candidate: Any) -> None:
    """Warn if a transformer that needs labels is already fitted: we cannot know which rows it saw."""
    if any(is_supervised(part) for part in _frozen_parts(candidate)):
        warnings.warn(
            LabelsSeenWarning(
                f"Representation {name!r} is already fitted with labels. If it saw the labels of these rows, it ranks "
                "too high. Pass it without FrozenEstimator, so that it is judged on rows it was not fitted to."
            ),
            stacklevel=5,  # the caller of compare_representations
        )


def _frozen_parts(candidate: Any) -> Iterator[Any]:
    inside = candidate.get_params(deep=True).values() if hasattr(candidate, "get_params") else ()
    yield from (part.estimator for part in (candidate, *inside) if _is_frozen(part))


def _is_frozen(candidate: Any) -> bool:
    from sklearn.frozen import FrozenEstimator

    return isinstance(candidate, FrozenEstimator)
