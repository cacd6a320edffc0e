"""Types of Arrow become ones that can be fitted."""

import sys
from decimal import Decimal

import numpy as np
import pyarrow as pa

from bayesfloor import BayesFloor
from bayesfloor.io import open_data

N = 40  # rows of the table and of the arrays


def test_arrow_types_become_ones_that_can_be_fitted(table, add, write_as):
    """Frames of other tools bring types of their own."""
    numbers = list(range(N))
    table = add(table, "category", pa.array(["s", "t"] * (N // 2)).dictionary_encode())
    table = add(table, "decimal", pa.array([Decimal(i) / 4 for i in numbers]))
    table = add(table, "half", pa.array(np.arange(N, dtype=np.float16)))
    table = add(table, "small", pa.array(numbers, pa.uint8()))
    table = add(table, "large", pa.array(["s", "t"] * (N // 2), pa.large_string()))
    table = add(table, "view", pa.array(["s", "t"] * (N // 2), pa.string_view()))

    data = open_data(write_as("a.arrow", table), "label")

    assert data.native.column("decimal").to_pylist()[:3] == [0, 0.25, 0.5]
    assert BayesFloor(interval="fast").fit(data.X, data.y).n_features_in_ == 9


def test_an_extension_type_is_what_it_stores(table, write_as):
    """A tensor per row is a list of numbers."""
    kind = pa.fixed_shape_tensor(pa.float32(), [3])
    stored = pa.array([[1.0, 2.0, i] for i in range(N)], pa.list_(pa.float32(), 3))
    table = table.select(["label"]).append_column("tensor", pa.ExtensionArray.from_storage(kind, stored))

    data = open_data(write_as("a.arrow", table), "label")

    assert data.X[1].tolist() == [1.0, 2.0, 1.0]
    assert data.feature_names[0] == "tensor[0]"


def test_missing_pyarrow_says_what_to_install(table, monkeypatch, write_as, message):
    """It comes with an extra that may have been left out."""
    path = write_as("a.csv", table)
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    assert message(path).endswith('python -m pip install "bayesfloor[cli]"')
