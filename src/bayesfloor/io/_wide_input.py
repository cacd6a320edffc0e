"""Read sparse, very wide and higher-dimensional input: keep exact values, and compute components for the trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from math import prod
from typing import Any

import numpy as np

from bayesfloor.engine._errors import InputError
from bayesfloor.engine._tasks import one_blas_thread
from bayesfloor.engine._types import Floats, Ints
from bayesfloor.io._checked_arrays import checked_data, unmask
from bayesfloor.io._features import AUTO, WIDE, Features, dense_if_small, is_sparse, read_features, refuse_huge

_COMPONENTS = 100
_SPARSE = 0.25  # exact values are kept sparse if the proportion of nonzero values is below this


def read_any(
    estimator: Any, X: Any, prepare: Any = AUTO, roles: Mapping[str, Any] | None = None, *, reduce: bool = True
) -> Features:
    """Return ``X`` as numbers, even if it is sparse, wide or has more than two dimensions; wide data are reduced."""
    plain, notes = lay_flat(X)
    plain = dense_if_small(plain) if isinstance(prepare, str) else plain
    if is_sparse(plain) and isinstance(prepare, str):
        features = _read_sparse(estimator, plain, roles)
    else:
        features = read_features(estimator, plain, prepare, roles)
    wide = features.values.shape[1] > WIDE or is_sparse(features.values)
    return replace(_reduced(features) if wide and reduce else features, notes=notes)


def lay_flat(X: Any) -> tuple[Any, tuple[str, ...]]:
    """Flatten an array of more than two dimensions to one row per entry of the first axis; return it with a note."""
    X = unmask(X)
    if getattr(X, "ndim", 2) <= 2:
        return X, ()
    shape = tuple(X.shape)
    values = X if is_sparse(X) else np.asarray(X)
    return values.reshape((shape[0], prod(shape[1:]))), tell_flattened(shape)


def tell_flattened(shape: tuple[int, ...]) -> tuple[str, ...]:
    """Return a note if rows of this shape have more than one axis."""
    return (f"flattened {' x '.join(map(str, shape[1:]))} numbers per row",) if len(shape) > 2 else ()


def canonical(X: Any) -> Any:
    """Return a sparse matrix in canonical CSR form: sorted, without duplicates or stored zeros."""
    from scipy.sparse import csr_array

    made = csr_array(X, dtype=np.float64, copy=True)
    made.sum_duplicates()
    made.eliminate_zeros()
    return made


def typical_size(X: Any) -> Floats:
    """Return the mean absolute nonzero value of each column of a CSR matrix, or 1 for a column of zeros.

    Dividing by it makes columns in any unit comparable, without inflating rare ones as a standard deviation would.
    """
    width = X.shape[1]
    size = np.bincount(X.indices, np.abs(X.data), minlength=width) / np.maximum(
        np.bincount(X.indices, minlength=width), 1
    )
    return np.where(size > 0, size, 1.0)


def divide_columns(X: Any, by: Floats) -> Any:
    """Divide each column of a CSR matrix."""
    made = X.copy()
    made.data = made.data / by[made.indices]
    return made


def _read_sparse(estimator: Any, X: Any, roles: Mapping[str, Any] | None) -> Features:
    if roles is not None:
        raise InputError("Got roles for a large sparse matrix, but expected none: all its columns are numbers.")
    values = checked_data(
        estimator, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2, ensure_all_finite=False
    )
    for bad, what in ((np.isnan(values.data), "missing values (NaN)"), (np.isinf(values.data), "infinite values")):
        if bad.any():
            raise InputError(
                f"Got {bad.sum():,} {what} in a sparse matrix of {X.shape[0]:,} x {X.shape[1]:,}, but expected finite "
                "numbers. Replace them first: X.data = numpy.nan_to_num(X.data)."
            )
    refuse_huge(values)
    return Features(values, np.ones(values.shape[1], dtype=bool))


def _reduced(features: Features) -> Features:
    """Replace the values by their components, and keep the original values as ``exact``."""
    from bayesfloor.io._column_encoders import Column

    exact = _exact(features.values)
    first, number = _distinct(exact)
    components = _components(exact[first])[number]
    d, k = exact.shape[1], components.shape[1]
    treatment = f"{d:,} columns reduced to {k} component{'s' * (k > 1)} (linear models use all columns)"
    before = () if all(column.as_is for column in features.prepared) else features.prepared
    return replace(
        features,
        values=components,
        quantity=np.ones(k, dtype=bool),
        code=None,
        content=number if features.content is None else features.content,
        prepared=(*before, Column("all columns", "wide", treatment, k, lossy=True)),
        exact=exact,
    )


def _exact(values: Any) -> Any:
    """Return the values, sparse if most are 0, whatever the input type."""
    few = (values.nnz if is_sparse(values) else np.count_nonzero(values)) < _SPARSE * prod(values.shape)
    if few:
        return canonical(values)
    return values.toarray() if is_sparse(values) else values


def _distinct(exact: Any) -> tuple[Ints, Ints]:
    """Return the first occurrence of each distinct row, sorted by content, and each row's number."""
    rows = _sparse_bytes(exact) if is_sparse(exact) else ((row + 0.0).tobytes() for row in exact)  # -0.0 is 0.0
    digests = np.frombuffer(b"".join(blake2b(row, digest_size=16).digest() for row in rows), dtype="V16")
    _, first, number = np.unique(digests, return_index=True, return_inverse=True)
    return first, number


def _sparse_bytes(exact: Any) -> Any:
    place = exact.indices.astype(np.int64)
    for start, end in zip(exact.indptr[:-1], exact.indptr[1:], strict=True):
        yield place[start:end].tobytes() + exact.data[start:end].tobytes()


def _components(rows: Any) -> Floats:
    """Compute the first components of rows with scaled columns, with a fixed seed."""
    from sklearn.utils.extmath import randomized_svd

    if is_sparse(rows):
        scaled = divide_columns(rows, typical_size(rows))
    else:
        spread = np.where(np.ptp(rows, axis=0) > 0, rows.std(axis=0), 0.0)
        scaled = (rows - rows.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    width = max(1, min(_COMPONENTS, min(rows.shape) - 1))
    with one_blas_thread():  # the number of threads would change the last digits
        left, size, _ = randomized_svd(scaled, width, n_iter=5, random_state=0)
    return np.ascontiguousarray(left * size)
