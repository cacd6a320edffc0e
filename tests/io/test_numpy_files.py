"""NumPy's files become features and labels."""

from pathlib import Path

import numpy as np
import pytest

from bayesfloor.io import open_data

N = 40  # rows of the table and of the arrays


def save(path, **arrays):
    np.savez(path, **arrays)
    return str(path)


def test_a_npz_has_x_and_y(tmp_path, arrays, feed):
    """The usual names need no flags, from a pipe as well."""
    X, y = arrays
    path = save(tmp_path / "a.npz", X=X, y=y, key=np.arange(N), pic=np.array(["p.png"] * N))

    data = open_data(path, None, ids="key", groups="key", images="pic")

    assert np.array_equal(data.X, X)
    assert data.y.tolist() == y.tolist()
    assert data.feature_names == ("x0", "x1", "x2")
    assert data.label == "y"
    assert data.ids.tolist() == data.groups.tolist() == list(range(N))
    assert data.images[0] == str(tmp_path / "p.png")
    feed(Path(path).read_bytes())
    assert np.array_equal(open_data("-", None).X, X)


def test_arrays_of_other_names_are_found_or_asked_for(tmp_path, arrays, message):
    """Two arrays are clear, four are not."""
    X, y = arrays
    two = save(tmp_path / "two.npz", data=X, target=y)
    four = save(tmp_path / "four.npz", train=X, y_train=y, test=X, y_test=y)

    assert open_data(two, None).label == "target"
    assert message(four, None) == (
        "which array holds the features? Use --embedding. "
        "Arrays: train (40, 3), y_train (40,), test (40, 3), y_test (40,)"
    )
    assert message(four, None, embedding="train").startswith("which array holds the labels? Use -y. Arrays: train")
    assert message(four, "y_trian", embedding="train").startswith("no array 'y_trian'. Did you mean 'y_train'? Arrays:")
    assert open_data(four, "y_train", embedding="train").X.shape == (N, 3)


def test_arrays_of_pictures_are_laid_flat(tmp_path, arrays):
    """Pixels are features; bytes and texts are labels."""
    path = save(tmp_path / "a.npz", X=np.arange(N * 4, dtype=np.uint8).reshape(N, 2, 2), y=np.array([b"a", b"b"] * 20))

    data = open_data(path, None, drop=("x0",))

    assert data.X.shape == (N, 3)
    assert data.y.tolist()[:2] == ["a", "b"]
    assert arrays


def test_pickles_are_never_read(tmp_path, arrays, message):
    """A pickle runs what its author wants."""
    X, y = arrays
    path = save(tmp_path / "a.npz", X=X, y=y.astype(object))
    np.save(tmp_path / "a.npy", X.astype(object))

    assert message(path, None) == (
        "array 'y' contains Python objects, which are not read for safety. Save it again as numbers or text."
    )
    assert message(tmp_path / "a.npy", "0").startswith("a.npy contains Python objects, which are not read for safety.")


def test_an_array_called_allow_pickle_is_an_array_like_others(tmp_path, arrays, message):
    """What NumPy says of Python objects must not be mistaken for a name."""
    X, y = arrays
    path = save(tmp_path / "a.npz", X=X, y=y)

    assert message(path, "allow_pickle").startswith("no array 'allow_pickle'.")


def test_a_label_array_called_like_a_feature_is_no_feature_left_out(tmp_path, arrays):
    """Features of an array have names of our making, which are not those of arrays."""
    X, y = arrays
    path = save(tmp_path / "a.npz", X=X, x0=y)

    assert open_data(path, "x0", drop=("x1",)).feature_names == ("x0", "x2")


def test_arrays_that_do_not_fit_are_refused(tmp_path, arrays, message):
    """Shapes are the usual mistake."""
    X, y = arrays
    wild = X.copy()
    wild[4, 1] = np.inf
    path = tmp_path / "a.npz"

    assert message(save(path, X=X, y=y[:-1]), None) == (
        "there are 39 labels, but there are 40 rows of features. Expected one per row, in the same order."
    )
    assert message(save(path, X=X, y=y, key=y[:3]), None, ids="key").startswith("array 'key' has 3 values, but")
    assert message(save(path, X=X[:, 0], y=y), None).startswith("array 'X' has shape (40,), but expected rows and")
    assert message(save(path, X=X.astype(str), y=y), None).startswith("array 'X' has type <U32, but expected numbers.")
    assert message(save(path, X=X, y=np.eye(N)), None).startswith("array 'y' has shape (40, 40): several labels")
    assert message(save(path, X=X, y=np.zeros((N, 1, 2))), None).startswith("array 'y' has shape (40, 1, 2) and type")
    assert message(save(path, X=wild, y=y), None).startswith("array 'X' has infinite numbers in 1 row, the first in")
    assert message(save(path, X=X, y=np.where(y, np.nan, 1)), None).startswith("column 'y' has only one value")
    assert message(save(path, X=X, y=np.full(N, np.nan)), None).startswith("column 'y' is empty.")


def test_gaps_in_arrays_stay(tmp_path, arrays):
    """They are filled later, as those of tables are; a label that is missing is none."""
    X, y = arrays
    X[4, 1], holes = np.nan, np.where(np.arange(N) == 2, np.nan, y)
    np.save(tmp_path / "a.npy", np.column_stack([X, holes]))
    both = [open_data(save(tmp_path / "a.npz", X=X, y=holes), None), open_data(str(tmp_path / "a.npy"), "-1")]

    for data in both:
        assert np.array_equal(data.X, X, equal_nan=True)
        assert data.y.tolist() == [0, 1, None, *y[3:].tolist()]
        assert type(data.y[0]) is int


@pytest.mark.parametrize("label", ["3", "-1"])
def test_a_npy_may_hold_its_labels_in_a_column(tmp_path, arrays, label):
    """One matrix is the simplest file there is."""
    X, y = arrays
    np.save(tmp_path / "a.npy", np.column_stack([X, y]))

    data = open_data(str(tmp_path / "a.npy"), label)

    assert np.array_equal(data.X, X)
    assert data.y.dtype == np.int64
    assert data.y.tolist() == y.tolist()
    assert data.label == label


def test_a_npy_without_labels_says_how_to_give_them(tmp_path, arrays, message):
    """It has no names to choose from."""
    np.save(tmp_path / "a.npy", arrays[0])
    path = tmp_path / "a.npy"

    assert message(path, None) == (
        "which column is the label? a.npy has no column names: pass a number, such as -y -1 for the last column, "
        "or a file of labels with --labels-file"
    )
    assert message(path, "3") == (
        "no column '3'. a.npy has no column names: expected a number from 0 to 2, or -1 for the last."
    )
    assert message(path, "1").startswith("column '1' has 40 different numbers in 40 rows: looks like regression")
    assert message(path, "1", ids="key").startswith("a.npy has no column names, so --id cannot be used.")
    assert "so --embedding cannot be used" in message(path, "1", embedding="key")


def test_a_npy_of_labels_alone_is_refused(tmp_path, message):
    """Without features there is nothing to tell classes apart by."""
    np.save(tmp_path / "a.npy", np.array([[0], [1], [0]]))

    assert message(tmp_path / "a.npy", "0").startswith("no columns are left as features.")
