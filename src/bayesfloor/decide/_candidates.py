"""Candidates of a comparison: frames, arrays, columns of X, and transformers with or without labels."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin  # noqa: TID253 - itself imported when first used

from bayesfloor.io._data import as_frame, recognise
from bayesfloor.io._features import Features, read_any
from bayesfloor.support._errors import InputError, InputTypeError
from bayesfloor.support._parameters import take_rows
from bayesfloor.support._types import Floats, Ints
from bayesfloor.support._words import printable

MOST = 20  # candidates
_HELD = 5  # a transformer that needs labels is tried on every fifth row, fitted to the others


class LabelsSeenWarning(UserWarning):
    """Warn that a representation may have been fitted with the labels of the rows it is judged on.

    Examples
    --------
    >>> import warnings
    >>> from bayesfloor.decide import LabelsSeenWarning
    >>> warnings.simplefilter("ignore", LabelsSeenWarning)  # if you know it was fitted to other rows
    """


@dataclass(frozen=True, eq=False)
class Candidate:
    """A representation of all rows, with ``how`` it was made: "given", "fitted once" or "cross-fitted".

    ``seconds`` is the CPU time that making 1,000 rows takes. With ``first``, a transformer that needs labels, features
    are the numbers of rows, and learners that predict spend that time.
    """

    name: str
    how: str
    features: Features
    seconds: float = 0.0
    first: Refitted | None = None

    @property
    def n_features(self) -> int:
        """Number of features that learners see."""
        return int(self.features.values.shape[1]) if self.first is None else self.first.n_columns


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
        what = "a list of columns" if is_columns(candidate) else "a transformer" if is_transformer(candidate) else ""
        if what and X is None:
            raise InputError(f"Representation {name!r} is {what}, but there is no X to take it from. Pass X=X.")
    if len(given) > MOST:
        raise InputError(
            f"Got {len(given)} representations, but expected at most {MOST}: each is a race of learners. Compare the "
            f"first ones, dict(list(candidates.items())[:{MOST}]), and the best of them with the others."
        )
    return dict(given)


def is_columns(candidate: Any) -> bool:
    """Whether the candidate is a list of columns of X: names, or numbers if X is an array."""
    return isinstance(candidate, (list, tuple)) and all(isinstance(each, (str, int)) for each in candidate)


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


def make_candidate(name: str, candidate: Any, X: Any, codes: Any, n_rows: int, rows: Ints) -> Candidate:
    """Make a representation of all rows; ``rows`` are those with a label, and ``codes`` are the labels of all.

    Transformers are fitted without labels, to all rows. Those that need labels are fitted later, to training rows.
    """
    from sklearn.base import clone

    if is_columns(candidate):
        return Candidate(name, "given", read_values(name, _columns(name, candidate, X), n_rows))
    if not is_transformer(candidate):
        return Candidate(name, "given", read_values(name, candidate, n_rows))
    _warn_if_frozen(name, candidate)
    how, fitted = "given", candidate
    if hasattr(candidate, "fit") and not _is_frozen(candidate):
        how, fitted = "fitted once", None
        if not is_supervised(candidate):
            # An error is usually because of missing labels; any other will come again with labels.
            with suppress(AttributeError, TypeError, ValueError):
                fitted = clone(candidate).fit(X)
    if fitted is None:
        return _make_refitted(name, candidate, X, codes, n_rows, rows)
    start = time.process_time()
    made = fitted.transform(X)
    seconds = 1000 * (time.process_time() - start) / n_rows
    return Candidate(name, how, read_values(name, made, n_rows), seconds)


def _make_refitted(name: str, candidate: Any, X: Any, codes: Any, n_rows: int, rows: Ints) -> Candidate:
    """Return a candidate to be fitted to training rows, after it was tried on some rows."""
    step = Refitted(candidate, X, 0, {})
    held, rest = rows[::_HELD], np.setdiff1d(rows, rows[::_HELD])
    try:
        step.fit(rest[:, None], codes[rest])
        step.n_columns = step.transform(held[:, None]).shape[1]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"Representation {name!r} could not be fitted, either without labels or with the labels of {len(rest)} "
            f"rows: {error}"
        ) from error
    numbers = Features(np.arange(float(n_rows))[:, None], np.zeros(1, dtype=bool))
    return Candidate(name, "cross-fitted", numbers, first=step)


def _columns(name: str, columns: Any, X: Any) -> Any:
    try:
        return take_rows(X, list(columns), axis=1)
    except (ValueError, IndexError, TypeError, KeyError) as error:
        raise InputError(f"Representation {name!r}: X has no columns {printable(list(columns))}: {error}") from error


def read_values(name: str, values: Any, n_rows: int | None = None) -> Features:
    """Read a representation as numbers and check that it has one row per label."""
    try:
        features = read_any(recognise(values))
    except (TypeError, ValueError) as error:
        raise type(error)(f"Representation {name!r}: {error}") from error
    if n_rows is not None and len(features.values) != n_rows:
        raise InputError(
            f"Representation {name!r} has {len(features.values)} rows, but expected {n_rows}, the length of y."
        )
    return features


class Refitted(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Fits a transformer that needs labels to the training rows of a learner; rows are given by their numbers.

    Learners with the same training rows share the fit.
    """

    def __init__(self, transformer: Any, X: Any, n_columns: int, made: dict[Any, Any]) -> None:
        self.transformer = transformer
        self.X = X
        self.n_columns = n_columns
        self.made = made  # fits, and what they made of rows

    def __sklearn_clone__(self) -> Refitted:
        return Refitted(self.transformer, self.X, self.n_columns, self.made)

    def fit(self, rows: Any, y: Any) -> Self:
        """Fit the transformer to these rows, unless that was done before."""
        from sklearn.base import clone

        numbers = np.asarray(rows)[:, 0].astype(np.int64)
        self.key_ = numbers.tobytes()
        if self.key_ not in self.made:
            self.made[self.key_] = clone(self.transformer).fit(take_rows(self.X, numbers), np.asarray(y))
        return self

    def transform(self, rows: Any) -> Floats:
        """Return the representation of these rows."""
        numbers = np.asarray(rows)[:, 0].astype(np.int64)
        key = self.key_, numbers.tobytes()
        if key not in self.made:
            found = self.made[self.key_].transform(take_rows(self.X, numbers))
            self.made[key] = np.asarray(found.toarray() if hasattr(found, "toarray") else found, dtype=np.float64)
        made: Floats = self.made[key]
        return made


def _warn_if_frozen(name: str, candidate: Any) -> None:
    """Warn if a transformer that needs labels is already fitted: we cannot know which rows it saw."""
    parts = candidate.get_params(deep=True).values() if hasattr(candidate, "get_params") else ()
    if any(_is_frozen(part) and is_supervised(part.estimator) for part in (candidate, *parts)):
        warnings.warn(
            LabelsSeenWarning(
                f"Representation {name!r} is already fitted with labels. If it saw the labels of these rows, it ranks "
                "too high. Pass it without FrozenEstimator, so that it is judged on rows it was not fitted to."
            ),
            stacklevel=4,  # the caller of compare_representations
        )


def _is_frozen(candidate: Any) -> bool:
    from sklearn.frozen import FrozenEstimator

    return isinstance(candidate, FrozenEstimator)
