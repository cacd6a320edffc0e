"""Datasets as the paper may have used them: ``datasets.json`` describes them and how recipes change them.

"paper" gives the numbers of the paper's table, which states no recipe: each is the simplest interpretation of the
table. "honest" leaves out columns that reveal the class, and encodes unordered columns as categories.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks._data import data_folder


@cache
def manifest():
    return json.loads(Path(__file__).with_name("datasets.json").read_text("utf-8"))


def load(name, recipe):
    X, y = load_frame(name, recipe)
    return X.to_numpy(dtype=np.float64), y


def load_frame(name, recipe=None):
    """Return columns and codes; without a recipe the columns as stored."""
    import pandas as pd

    steps = manifest()[name]["recipes"][recipe]["steps"] if recipe else []
    X, y = apply(pd.read_parquet(data_folder() / f"{name}.parquet"), steps)
    return X, np.unique(y.to_numpy(), return_inverse=True)[1]


def apply(frame, steps):
    X, y = frame.drop(columns="target"), frame["target"]
    if y.dtype == "category":
        y = y.astype(object)
    for step in steps:
        how = dict(step)
        X, y = STEPS[how.pop("op")](X, y, **how)
    return X, y


def _merge_classes(X, y, map):  # noqa: A002 - as the file calls it
    return X, y.map(lambda label: map.get(str(label), label))


def _drop_classes(X, y, classes):
    keep = ~y.map(str).isin(classes)
    return X[keep].reset_index(drop=True), y[keep].reset_index(drop=True)


def _drop_columns(X, y, columns):
    return X.drop(columns=columns), y


def _code(X, y, column, levels):
    """Return the levels of a column as numbers, in this order."""
    codes = {level: code for code, level in enumerate(levels)}
    return X.assign(**{column: X[column].astype(object).map(codes)}), y


def _dummies(X, y, columns):
    """Return one indicator per level in the rows, in sorted order, without the first."""
    import pandas as pd

    parts = []
    for column in X.columns:
        if column in columns:
            values = X[column].astype(str)
            levels = sorted(values.unique())[1:]
            parts += [(values == level).astype("uint8").rename(f"{column}={level}") for level in levels]
        else:
            parts.append(X[column])
    return pd.concat(parts, axis=1), y


def _target_as_feature(X, y, name):
    return X.assign(**{name: y.to_numpy()}), y


STEPS = {
    "code": _code,
    "drop_classes": _drop_classes,
    "drop_columns": _drop_columns,
    "dummies": _dummies,
    "merge_classes": _merge_classes,
    "target_as_feature": _target_as_feature,
}
