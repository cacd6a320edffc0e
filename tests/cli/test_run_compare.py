"""``bayesfloor compare``: which file, or which size, is the best to train on."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The same rows as a good and a bad representation, in several forms, with labels of their own."""
    place = tmp_path_factory.mktemp("compare")
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(3), 120)
    labels = np.array(["cat", "dog", "hen"])[codes]
    good = rng.normal(size=(len(codes), 2)) + 5 * np.eye(3)[codes][:, :2]
    bad = np.column_stack([good + 4 * rng.normal(size=good.shape), 30 * rng.normal(size=(len(codes), 3))])
    np.save(place / "good.npy", good)
    np.save(place / "bad.npy", bad)
    (place / "labels.txt").write_text("\n".join(labels) + "\n", encoding="utf-8")
    for name, X in (("good", good), ("bad", bad)):
        columns = {f"x{k}": X[:, k] for k in range(X.shape[1])}
        pq.write_table(pa.table({**columns, "label": labels, "who": np.arange(len(X))}), place / f"{name}.parquet")
    pacsv.write_csv(pa.table({"a": bad[:, 0], "b": bad[:, 4], "label": labels[::-1]}), place / "other.csv")
    pacsv.write_csv(pa.table({"a": bad[1:, 0], "label": labels[1:]}), place / "short.csv")
    (place / "more").mkdir()
    np.save(place / "more" / "good.npy", bad)
    return place


@pytest.fixture(scope="module")
def shown(run, folder):
    return run("compare", "bad.npy", "good.npy", "--labels-file", "labels.txt", "--json", "found.json", cwd=folder)


def test_the_better_file_comes_first_and_the_other_is_worse(shown):
    """Named, with its size, its errors, how far it is behind and a word."""
    head, first, second, _, told, *_ = shown.stdout.splitlines()

    assert (shown.code, shown.stderr) == (0, "")
    assert head.split()[:4] == ["representation", "features", "error", "today"]
    assert first.split()[:2] == ["good.npy", "2"]
    assert first.split()[-1] == "best"
    assert second.split()[:2] == ["bad.npy", "5"]
    assert second.split()[-1] == "worse"
    assert " to +" in second
    assert told.startswith("good.npy is best: ")


@pytest.mark.usefixtures("shown")
def test_json_holds_the_comparison(folder):
    given = json.loads((folder / "found.json").read_text("utf-8"))

    assert given["best"] == "good.npy"
    assert given["names"] == ["good.npy", "bad.npy"]
    assert given["word"] == ["best", "worse"]


def test_labels_may_come_from_each_file(run, folder):
    """As a table has them; a column that names rows is no feature and must agree, too."""
    asked = ("-y", "label", "--id", "who", "--max-rows", "300", "--json", "-")
    ended = run("compare", "bad.parquet", "good.parquet", *asked, cwd=folder)

    assert ended.code == 0
    assert ended.stderr == "subsampled: 300 of 360 rows; --max-rows 0 uses all\n"
    assert json.loads(ended.stdout)["n_features"] == [2, 5]


def test_files_of_one_name_are_told_apart_by_their_folders(run, folder):
    """Versions often have one name."""
    ended = run("compare", "good.npy", "more/good.npy", "--labels-file", "labels.txt", cwd=folder)

    assert ended.code == 0
    assert "\nmore/good.npy " in ended.stdout


def test_one_file_is_compared_with_its_principal_components(run, folder):
    """The learners scale columns themselves, so that raw columns do not lose."""
    ended = run("compare", "bad.parquet", "-y", "label", "--drop", "who", "--pca", "5,2", "--json", "-", cwd=folder)
    given = json.loads(ended.stdout)
    size = dict(zip(given["names"], given["n_features"], strict=True))
    word = dict(zip(given["names"], given["word"], strict=True))

    assert (ended.code, ended.stderr) == (0, "")
    assert size == {"raw": 5, "standardised": 5, "pca-2": 2, "pca-5": 5}
    assert "worse" not in (word["raw"], word["standardised"])
    assert given["how"].count("fitted once") == 3


def test_the_metric_and_the_effort_can_be_chosen(run, folder):
    """Scores are then those of the metric."""
    asked = ("--labels-file", "labels.txt", "--metric", "log_loss", "--effort", "quick", "--json", "-")
    ended = run("compare", "bad.npy", "good.npy", *asked, cwd=folder)
    given = json.loads(ended.stdout)

    assert (ended.code, given["metric"], given["effort"]) == (0, "log_loss", "quick")
