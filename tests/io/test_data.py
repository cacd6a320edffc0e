"""Features are recognised once: a matrix, a sparse matrix or a data frame."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from bayesfloor.io import Data, InputError, open_data
from bayesfloor.io._data import WIDE, recognise

X = np.arange(12.0).reshape(4, 3)
MATRICES = {
    "array": lambda: X,
    "Fortran": lambda: np.asfortranarray(X),
    "list": X.tolist,
    "rows": lambda: list(X),
    "masked": lambda: np.ma.array(X, mask=False),
    "cube": lambda: X.reshape(4, 3, 1),
}
SPARSE = (sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix, sparse.lil_matrix, sparse.dia_array)


@pytest.mark.parametrize("kind", MATRICES)
def test_arrays_of_any_kind_are_matrices(kind):
    """Lists, masks and cubes are not asked about again."""
    data = recognise(MATRICES[kind]())

    assert data.form == "matrix"
    assert type(data.X) is np.ndarray
    np.testing.assert_array_equal(data.X, X)
    assert data.native is data.X
    assert data.notes == (("flattened 3 x 1 numbers per row",) if kind == "cube" else ())


@pytest.mark.parametrize("kind", SPARSE)
def test_sparse_matrices_have_one_format(kind):
    """They stay sparse until somebody asks for those that are small."""
    data = recognise(kind(X))

    assert (data.form, data.X.format) == ("sparse", "csr")
    dense = data.dense_if_small()
    assert dense.form == "matrix"
    np.testing.assert_array_equal(dense.X, X)
    assert recognise(kind((2, WIDE + 1))).dense_if_small().form == "sparse"


def test_sparse_cubes_are_laid_flat_too():
    data = recognise(sparse.coo_array(X.reshape(2, 2, 3)))

    np.testing.assert_array_equal(data.X.toarray(), X.reshape(2, 6))
    assert data.notes == ("flattened 2 x 3 numbers per row",)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_frames_keep_their_library(library):
    """The frame itself comes back, not a copy."""
    frame = library({"a": [1, 2], "b": ["x", None]})
    data = recognise(frame)

    assert (data.form, data.X.columns) == ("frame", ["a", "b"])
    assert data.native is frame
    assert data.dense_if_small() is data


def test_what_is_recognised_stays_as_it_is():
    """Every door may ask again at no cost."""
    data = open_data(X, [0, 1, 0, 1])

    assert recognise(data) is data
    assert recognise(data.X).X is data.X
    frame = recognise(pd.DataFrame(X)).X
    assert recognise(frame).native is frame.to_native()


def test_masked_numbers_are_missing():
    """As a mask says."""
    data = recognise(np.ma.array(X.astype(int), mask=X == 4))

    assert np.argwhere(np.isnan(data.X)).tolist() == [[1, 1]]


@pytest.mark.parametrize("wrong", [[1, 2], 5, {"a": 1}, ["a", "b"], [[1], [2, 3]], pd.Series([1, 2])])
def test_what_is_no_table_is_refused(wrong):
    """In the words of scikit-learn."""
    with pytest.raises(InputError, match=r"^Some rows cannot be used: .*([Ee]xpected|inhomogeneous)"):
        recognise(wrong, "Some rows")


def test_data_are_summed_up_in_a_line():
    data = open_data(pd.DataFrame({"a": [1, 2], "kind": ["x", "y"]}), "kind", weight=[1, 2])

    assert repr(data) == "Data(2 rows, 1 features, label kind, with weight)"
    assert repr(Data(X)) == "Data(4 rows, 3 features)"
