"""Turn features into numbers: numeric arrays are used as they are, tables and arrays with gaps are prepared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayesfloor.engine._errors import InputError, blame
from bayesfloor.engine._show import quoted
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.io._checked_arrays import checked_array, checked_data
from bayesfloor.io._frame_columns import as_frame, read_frame

if TYPE_CHECKING:
    from bayesfloor.io._column_encoders import Column

AUTO, STRICT = "auto", "strict"
LARGEST = 1e151  # the squares of a million such numbers still have a finite sum
WIDE = 2000  # columns; up to this many, all learners see all of them
_MOST_BYTES = 200_000_000  # largest array that a sparse matrix is converted to


@dataclass(frozen=True, eq=False)
class Features:
    """Features as numbers, with information about their columns."""

    values: Floats
    quantity: np.ndarray  # which columns may be scaled
    code: np.ndarray | None = None  # which columns are codes, whose order means nothing
    content: Ints | None = None  # a number for each row, equal if the rows were equal before any lossy step
    prepared: tuple[Column, ...] = ()  # how each column of a table was treated; empty for arrays used as they are
    exact: Any = None  # all columns, sparse or not, if the values are only their first components
    notes: tuple[str, ...] = ()  # other steps, in words

    def take(self, rows: Ints) -> Features:
        """Return the features of these rows."""
        content = None if self.content is None else self.content[rows]
        exact = None if self.exact is None else self.exact[rows]
        return replace(self, values=self.values[rows], content=content, exact=exact)


class TypedTable(NamedTuple):
    """Features, the input column that each came from, and the preparer for new rows."""

    features: Features
    source: Ints
    preparer: Any = None


def read_features(estimator: Any, X: Any, prepare: Any = AUTO, roles: Mapping[str, Any] | None = None) -> Features:
    """Return ``X`` as numbers; set ``n_features_in_`` and ``feature_names_in_``."""
    return read_columns(estimator, X, prepare, roles).features


def read_columns(estimator: Any, X: Any, prepare: Any = AUTO, roles: Mapping[str, Any] | None = None) -> TypedTable:
    """Return ``X`` as numbers, and the column of ``X`` that each column of numbers came from."""
    check_prepare(prepare, roles)
    table = _read_columns(estimator, X, prepare, roles)
    refuse_huge(table.features.values)
    return table


def _read_columns(estimator: Any, X: Any, prepare: Any, roles: Mapping[str, Any] | None) -> TypedTable:
    if not isinstance(prepare, str):
        return _by_transformer(estimator, X, prepare)
    if as_frame(X) is None:
        values = _read_array(estimator, X, allow_gaps=prepare == AUTO)
        if roles is None and not np.isnan(values).any():
            return _all_quantities(values)
        X = values
    return _by_preparer(estimator, X, prepare, roles)


def refuse_huge(values: Any) -> None:
    """Raise if numbers are too large to square: scaling and learners would give meaningless results."""
    numbers = values.data if is_sparse(values) else values
    largest = max(numbers.max(initial=0.0), -numbers.min(initial=0.0))
    if largest > LARGEST:
        raise InputError(
            f"Got {largest:.3g} in X, but expected numbers of at most {LARGEST:g}: squares of larger ones overflow. "
            "Remove the outliers, or change the unit of the column: X / 1e10."
        )


def check_prepare(prepare: Any, roles: Mapping[str, Any] | None) -> None:
    """Raise if ``prepare`` is unknown, or if both ``roles`` and a transformer are given."""
    known = (AUTO, STRICT) if isinstance(prepare, str) else hasattr(prepare, "fit_transform")
    if (isinstance(known, tuple) and prepare not in known) or not known:
        raise InputError(
            f"Got prepare={prepare!r}, but expected 'auto', 'strict' or a transformer with fit_transform, such as "
            "bayesfloor.io.TablePreparer()."
        )
    if roles is not None and not isinstance(prepare, str):
        raise InputError(
            "Got both roles and a transformer, but expected only one of them. Set roles in the transformer."
        )


def _by_preparer(estimator: Any, X: Any, prepare: str, roles: Mapping[str, Any] | None) -> TypedTable:
    from bayesfloor.io._table_preparer import TablePreparer

    _check_shape(X)
    checked_data(estimator, X, skip_check_array=True)
    preparer = TablePreparer(roles, strict=prepare == STRICT)
    values = preparer.fit_transform(X)
    lossy = [column.name for column in preparer.columns_ if column.lossy and column.width]
    content = number_rows(X, [column.name for column in preparer.columns_ if column.width]) if lossy else None
    code = preparer.code_ if preparer.code_.any() else None
    features = Features(values, preparer.quantity_, code, content, preparer.columns_)
    return TypedTable(features, preparer.source_, preparer)


def _by_transformer(estimator: Any, X: Any, prepare: Any) -> TypedTable:
    """Apply the user's transformer to the table; all columns of the result are quantities, and gaps are filled."""
    from sklearn.base import clone

    from bayesfloor.io._table_preparer import TablePreparer

    checked_data(estimator, X, skip_check_array=True)
    preparer = clone(prepare)
    with blame("prepare"):
        made = dense_if_small(preparer.fit_transform(X))
    options = {"dtype": np.float64, "ensure_min_samples": 2}
    if is_sparse(made):
        return _all_quantities(checked_array(made, "prepared X", accept_sparse="csr", **options), preparer)
    values = checked_array(made, "prepared X", order="C", ensure_all_finite="allow-nan", **options)
    if np.isnan(values).any():  # some transformers leave gaps, for models that accept them
        values = TablePreparer().fit_transform(values)
    return _all_quantities(values, preparer)


def _all_quantities(values: Any, preparer: Any = None) -> TypedTable:
    """Return a table whose columns may all be scaled, each made from its own input column."""
    width = values.shape[1]
    return TypedTable(Features(values, np.ones(width, dtype=bool)), np.arange(width), preparer)


def is_sparse(X: Any) -> bool:
    """Whether X is a SciPy sparse array or matrix."""
    from scipy.sparse import issparse

    return bool(issparse(X))


def dense_if_small(X: Any) -> Any:
    """Convert a sparse matrix to an array if the array is small; return anything else unchanged."""
    small = is_sparse(X) and (X.ndim != 2 or (X.shape[1] <= WIDE and 8 * np.prod(X.shape, dtype=float) <= _MOST_BYTES))
    return X.toarray() if small else X


def _check_shape(X: Any) -> None:
    n, width = as_frame(X).shape if as_frame(X) is not None else X.shape
    if not width:
        raise InputError(f"Got a data frame with {n} rows and no columns, but expected at least one feature.")
    if n < 2:
        raise InputError(f"Found {type(X).__name__} with {n} sample(s), while a minimum of 2 is required.")


def number_rows(X: Any, names: list[str]) -> Ints:
    """Number the distinct rows of these columns as they are before preparation; return each row's number."""
    codes = np.zeros(len(X), dtype=np.int64)
    for values in read_frame(X):
        if values.name in names:
            flat = values.data if values.data.ndim == 1 else values.data.view(f"V{values.data[:1].nbytes}").ravel()
            own = np.unique(flat, return_inverse=True)[1]
            codes = np.unique(codes * (int(own.max()) + 1) + own, return_inverse=True)[1]
    return codes


def _read_array(estimator: Any, X: Any, *, allow_gaps: bool) -> Floats:
    finite: Any = "allow-nan" if allow_gaps else True
    try:
        return np.asarray(
            checked_data(estimator, X, dtype=np.float64, order="C", ensure_min_samples=2, ensure_all_finite=finite)
        )
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        raise InputError(
            f"Got an array that contains text, but expected numbers: {error.__cause__ or error}. "
            "Pass a data frame, whose columns are prepared one by one, or encode the text first."
        ) from error


def read_new(estimator: Any, X: Any, preparer: Any) -> Floats:
    """Return new rows as numbers, prepared like the fitted rows."""
    given = as_frame(X)
    if preparer is None:
        values = X if given is None else given.to_numpy()
        return np.asarray(checked_data(estimator, values, reset=False, dtype=np.float64))
    if given is None and hasattr(preparer, "feature_names_in_"):
        _refuse_without_names(preparer.columns_)
    checked_data(estimator, X, reset=False, skip_check_array=True)
    return np.asarray(preparer.transform(X))


def _refuse_without_names(columns: tuple[Column, ...]) -> None:
    other = [column.name for column in columns if not (column.as_is and column.role in ("number", "boolean"))]
    if other:
        name = quoted(other[0])
        raise InputError(f"Got an array, but column {name} was not plain numbers in fit. Pass a data frame again.")
