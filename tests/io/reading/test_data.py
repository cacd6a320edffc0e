"""What is read fits the estimator, whatever it was stored in."""

import pyarrow as pa

from bayesfloor import BayesFloor
from bayesfloor.io import open_data

N = 40  # rows of the table and of the arrays


def test_the_data_fit_the_estimator(table, add, write_as):
    """What is read is there to be fitted, texts included."""
    data = open_data(write_as("a.csv", add(table, "flag", [True, False] * (N // 2))), "label")

    fit = BayesFloor(interval="fast").fit(data.X, data.y)

    assert fit.n_features_in_ == 4
    assert fit.classes_.tolist() == ["cat", "dog"]


def test_columns_with_a_part_of_their_own_are_no_features(tmp_path, table, add, write_as):
    """An id among the features makes nonsense of any distance."""
    table = add(table, "key", [f"r{i}" for i in range(N)])
    table = add(table, "patient", [i // 4 for i in range(N)])
    table = add(table, "picture", [f"img/{i}.png" for i in range(N)])

    data = open_data(write_as("a.csv", table), "label", ids="key", groups="patient", images="picture")

    assert data.feature_names == ("u", "v", "colour")
    assert data.ids.tolist() == [f"r{i}" for i in range(N)]
    assert data.groups.tolist() == [i // 4 for i in range(N)]
    assert data.images[3] == str(tmp_path / "img" / "3.png")


def test_addresses_and_whole_paths_of_pictures_stay(tmp_path, text_file):
    """Only a relative path needs the folder."""
    path = text_file("u,label,pic\n1,a,/x/y.png\n2,b,https://e.org/a.png\n3,a,z.png\n")

    data = open_data(path, "label", images="pic")

    assert data.images == ["/x/y.png", "https://e.org/a.png", str(tmp_path / "z.png")]


def test_what_is_not_chosen_may_hold_anything(table, add, write_as):
    """A dropped column cannot be wrong."""
    table = add(table, "when", pa.array([0] * N, pa.timestamp("s")))
    table = add(table, "gaps", pa.array([None] * N, pa.float64()))

    data = open_data(write_as("a.parquet", table), "label", drop=("when", "gaps"))

    assert data.feature_names == ("u", "v", "colour")
