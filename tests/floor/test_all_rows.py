"""Fits to rows told by where they are: the same answers as of arrays, of however few rows are drawn."""

import copy
import os
import pickle
import tempfile
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from bayesfloor import BayesFloor, check
from bayesfloor.floor._sample import SampledRowsWarning
from bayesfloor.floor._scaling import fit_scale
from bayesfloor.io import open_rows
from bayesfloor.leaving import floor_all_rows as _all_rows
from bayesfloor.leaving import forest_out_of_core as _out_of_core
from bayesfloor.leaving.engine_checkpoint import CheckpointError

pytestmark = pytest.mark.slow

NAMES = np.array(["cat", "dog", "hen"])
EXACT = [
    "lower",
    "estimate",
    "upper",
    "cross_rate",
    "resolution",
    "conflict",
    "p_value",
    "n_rows",
    "n_classes",
    "constant_error",
]
EXACT_OF_CLASSES = ["sizes", "lower", "class_rate"]
RESULTS = ["overall_", "pairwise_", "one_vs_rest_", "samples_"]
ALL = {"scale": None, "target_width": None, "interval": "fast"}  # of all rows, which are not scaled
BESIDE_ALL = _all_rows._BESIDE_ALL


# Where equal rows make no difference, one set will do.
plain = pytest.mark.parametrize("data", ["no two rows equal"], indirect=True)


def write_parts(folder, X, n_parts=3, **columns):
    """A folder of Parquet files with features u, v, ... and other columns."""
    table = pa.table({**{"uvwxyz"[k]: X[:, k] for k in range(X.shape[1])}, **columns})
    for part in range(n_parts):
        start, stop = (k * len(X) // n_parts for k in (part, part + 1))
        pq.write_table(table.slice(start, stop - start), folder / f"part-{part}.parquet", row_group_size=7000)
    return folder


@pytest.fixture(scope="module", autouse=True)
def few():
    """Few rows will do: 800 are drawn where all are used, and blocks have 700."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_all_rows, "_BESIDE_ALL", 800)
        patch.setattr(_out_of_core, "_block_rows", lambda *_: 700)
        yield


@pytest.fixture(scope="module", params=["no two rows equal", "whole numbers"])
def data(request, global_random_seed, gaussians, tmp_path_factory):
    """3,000 rows of three classes in a shuffled order, and a folder of them."""
    rng = np.random.default_rng(global_random_seed)
    X, codes = gaussians(rng, [1400, 1000, 600])
    order = rng.permutation(len(X))
    X, y = X[order], NAMES[codes[order]]
    X = np.round(3 * X) if request.param == "whole numbers" else X
    return write_parts(tmp_path_factory.mktemp("parts"), X, label=y), X, y


@pytest.fixture(scope="module")
def near(data):
    """The fit to arrays."""
    return BayesFloor(**ALL).fit(*data[1:])


@pytest.fixture(scope="module")
def far(data):
    """The fit to files."""
    return BayesFloor(**ALL).fit(data[0], "label")


def equal_in_all_rows(far, near):
    """Refuse what is not equal, bit by bit, of that which comes from the trees of all rows."""
    for name in EXACT:
        assert getattr(far.overall_, name) == getattr(near.overall_, name), name
    for name in EXACT_OF_CLASSES:
        np.testing.assert_array_equal(getattr(far.one_vs_rest_, name), getattr(near.one_vs_rest_, name), name)
    np.testing.assert_array_equal(far.soft_confusion_, near.soft_confusion_)
    assert far.classes_.tolist() == near.classes_.tolist()


def same_results(one, two):
    """Refuse fits that differ anywhere."""
    for name in RESULTS:
        assert getattr(one, name).to_dict() == getattr(two, name).to_dict(), name
    np.testing.assert_array_equal(one.rows_, two.rows_)
    np.testing.assert_array_equal(one.soft_confusion_, two.soft_confusion_)


# All rows, in blocks


def test_files_of_more_rows_than_are_drawn_give_what_arrays_give(tmp_path, global_random_seed, gaussians, monkeypatch):
    """As users have it: 60,000 rows, of which 50,000 are drawn for what needs all pairs."""
    monkeypatch.setattr(_all_rows, "_BESIDE_ALL", BESIDE_ALL)
    monkeypatch.setattr(_out_of_core, "_block_rows", lambda *_: 15_000)
    rng = np.random.default_rng(global_random_seed)
    X, codes = gaussians(rng, [30_000, 20_000, 10_000], shift=1.5)
    order = rng.permutation(len(X))
    X, y = X[order], NAMES[codes[order]]
    far = BayesFloor(**ALL, n_jobs=2).fit(write_parts(tmp_path, X, label=y), "label")
    near = BayesFloor(**ALL, n_jobs=2).fit(X, y)

    equal_in_all_rows(far, near)
    assert far.overall_.std_error == pytest.approx(near.overall_.std_error, rel=0.05)
    assert far.one_vs_rest_.std_error == pytest.approx(near.one_vs_rest_.std_error, rel=0.1)
    assert abs(far.overall_.bias - near.overall_.bias) < far.overall_.limit_std_error
    assert far.overall_.dimension == pytest.approx(near.overall_.dimension, rel=0.05)
    assert (len(far.rows_), far.work_.n_blocks) == (50_000, 4)
    assert far.samples_.label.tolist() == y[far.samples_.row].tolist()


def test_all_rows_give_what_arrays_give_whether_or_not_some_are_equal(far, near):
    """Exactly: blocks, files and the order of rows are no part of the answer."""
    equal_in_all_rows(far, near)
    assert far.work_.n_blocks == 5
    assert near.work_ is None


def test_bounds_without_pairs_of_all_rows_are_none_the_narrower(far, near):
    """Pairs of all rows are not grown: of the bounds of a class, that from its pairs is left out."""
    assert (far.one_vs_rest_.upper >= near.one_vs_rest_.upper).all()


@plain
def test_what_is_not_of_all_rows_is_of_those_drawn(far, data):
    """Rows are called by their numbers in the input, wherever they were read."""
    _, _, y = data

    assert len(far.rows_) == 800
    np.testing.assert_array_equal(far.samples_.row, far.rows_)
    assert far.samples_.label.tolist() == y[far.rows_].tolist()
    assert far.pairwise_.sizes.sum() == 800
    assert (far.overall_.n_rows, far.one_vs_rest_.sizes.sum()) == (3000, 3000)


def test_errors_and_drift_are_near_those_of_arrays(far, near):
    """They come from the rows drawn: their errors scaled, and the drift from quarters of these to all."""
    one, two = far.overall_, near.overall_

    assert 0.8 < one.std_error / two.std_error < 2  # of many equal rows it falls faster than their root
    assert np.isfinite(one.bias) == np.isfinite(two.bias)
    if np.isfinite(two.bias):
        assert abs(one.bias - two.bias) < 2 * two.limit_std_error
        assert one.dimension == pytest.approx(two.dimension, rel=0.25)
    assert one.tie_spread[0] <= one.cross_rate <= one.tie_spread[1]


def test_a_few_more_rows_than_are_drawn_do_not_blow_up_the_drift(data, monkeypatch):
    """Between 2,995 and 3,000 rows nothing changes but by chance, which must not be taken for a trend."""
    monkeypatch.setattr(_all_rows, "_BESIDE_ALL", 2995)
    far, near = BayesFloor(**ALL).fit(data[0], "label"), BayesFloor(**ALL).fit(*data[1:])

    equal_in_all_rows(far, near)
    assert far.overall_.std_error == pytest.approx(near.overall_.std_error, rel=0.05)
    for name in ("bias", "dimension", "limit_std_error"):
        one, two = getattr(far.overall_, name), getattr(near.overall_, name)
        assert one == pytest.approx(two, rel=0.2, abs=near.overall_.std_error, nan_ok=True), name


def test_the_same_fit_gives_the_same_again(far, data):
    """Also of what is drawn."""
    same_results(BayesFloor(**ALL).fit(data[0], "label"), far)


@plain
def test_another_seed_draws_others_and_leaves_all_rows_what_they_are(far, data):
    """Only what is drawn is left to chance."""
    other = BayesFloor(**ALL, random_state=1).fit(data[0], "label")

    equal_in_all_rows(other, far)
    assert set(other.rows_) != set(far.rows_)


def test_threads_change_nothing(far, data):
    """As everywhere."""
    same_results(BayesFloor(**ALL, n_jobs=2).fit(data[0], "label"), far)


def test_dask_changes_nothing(dask_client, far, data, tmp_path):
    """Of files, of handles and of arrays that are nowhere but here."""
    folder, X, y = data
    for given in [(folder, "label"), (open_rows(folder, ["u", "v"]), y), (X, y)]:
        found = BayesFloor(**ALL).fit(*given, client=dask_client)

        same_results(found, far)
        assert found.work_.engine.startswith("Dask, 2 tasks ")
    kept = BayesFloor(**ALL).fit(folder, "label", client=dask_client, checkpoint=tmp_path / "kept")
    same_results(kept, far)


@plain
@pytest.mark.process
def test_processes_change_nothing(far, data):
    """Rows in this process's memory go to others by a file."""
    with parallel_config("loky", n_jobs=2):
        for given in [(data[0], "label"), (open_rows(data[1]), data[2])]:
            same_results(BayesFloor(**ALL).fit(*given), far)


@plain
def test_npy_files_and_label_files_change_nothing(far, data, tmp_path):
    """The third way to keep rows."""
    _, X, y = data
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    for labels in (y, y.tolist(), tmp_path / "y.npy", str(tmp_path / "y.npy")):
        same_results(BayesFloor(**ALL).fit(tmp_path / "X.npy", labels), far)


@plain
def test_a_scale_is_fitted_to_the_rows_drawn_and_used_for_all(data):
    """All rows must be measured with one ruler."""
    folder, X, y = data
    far = BayesFloor(scale="standard", target_width=None).fit(folder, "label")
    scaler = fit_scale(far.fitted_.sample.features, "standard")
    near = BayesFloor(**ALL).fit(scaler.apply(X), y)

    assert far.scale_ == "standard"
    np.testing.assert_allclose(scaler.middle, X[far.rows_].mean(axis=0), atol=1e-12)
    equal_in_all_rows(far, near)


@plain
def test_a_class_too_rare_to_be_drawn_is_there_all_the_same(data, tmp_path):
    """A class that is lost makes every bound too low."""
    _, X, y = data
    drawn = BayesFloor(**ALL).fit(write_parts(tmp_path, X, label=y), "label").rows_
    rare = np.setdiff1d(np.arange(len(y)), drawn)[[3, 700, 1500]]
    labels = y.copy()
    labels[rare] = "yak"
    far, near = BayesFloor(**ALL).fit(write_parts(tmp_path, X, label=labels), "label"), BayesFloor(**ALL).fit(X, labels)

    equal_in_all_rows(far, near)
    assert far.classes_.tolist() == [*NAMES, "yak"]
    assert far.one_vs_rest_.sizes[-1] == 3
    assert far.pairwise_.sizes[-1] == 2
    assert set(far.rows_) - set(drawn) == set(rare[:2])
    assert far.samples_.label.tolist() == labels[far.samples_.row].tolist()
    assert far.answer().n_rows == 802


@plain
def test_options_hold_for_all_rows(data):
    """Bounds as the user wants them."""
    given = {**ALL, "n_trees": 1, "subtract_forced": True, "bias_correction": False, "interval": "subsample"}
    far, near = BayesFloor(**given).fit(data[0], "label"), BayesFloor(**given).fit(*data[1:])

    equal_in_all_rows(far, near)
    assert far.overall_.interval_method == "subsample"


# What can be done with a fitted floor


@plain
@pytest.mark.parametrize("make", [lambda floor: pickle.loads(pickle.dumps(floor)), copy.deepcopy])  # noqa: S301
def test_copies_have_all_results(far, make):
    """Files that were mapped must not be needed again."""
    other = make(far)

    same_results(other, far)
    assert other.work_ == far.work_
    assert other.overall_.interval() == far.overall_.interval()
    assert other.answer().to_dict() == far.answer().to_dict()


@plain
def test_a_clone_is_not_fitted(far):
    """As of any estimator."""
    other = clone(far)

    assert other.get_params() == far.get_params()
    with pytest.raises(NotFittedError):
        other.verdict(0.5)


@plain
def test_other_labels_are_those_of_the_input(far, data):
    """One for each row of the files, of which those drawn are used."""
    _, _, y = data
    merged = np.where(y == "dog", "cat", y)
    other = far.relabel(merged)

    assert other.classes_.tolist() == ["cat", "hen"]
    assert other.samples_.label.tolist() == merged[other.samples_.row].tolist()
    assert other.overall_.n_rows == 800
    assert other.work_ is None
    assert far.work_ is not None
    assert other.pairwise_.sizes.sum() == 800
    with pytest.raises(ValueError, match="3000"):
        far.relabel(merged[far.rows_])


@plain
def test_a_second_fit_starts_from_nothing(data):
    """Neither work nor rows of the first are left."""
    floor = BayesFloor(**ALL).fit(data[0], "label")
    floor.answer()
    floor.fit(*data[1:])

    assert floor.work_ is None
    assert floor.overall_.n_rows == len(floor.rows_) == 3000
    same_results(floor, BayesFloor(**ALL).fit(*data[1:]))


def test_a_fit_that_failed_is_no_fit(tmp_path):
    """Nobody may take what was there before for a result."""
    write_parts(tmp_path, np.full((50, 2), np.nan), label=np.arange(50) % 2)
    floor = BayesFloor(**ALL)
    with pytest.raises(ValueError, match="NaN"):
        floor.fit(tmp_path, "label")
    with pytest.raises(NotFittedError):
        floor.verdict(0.5)


# Few rows, and samples of many


@pytest.mark.parametrize(
    "given", [{}, {"target_width": None}, {"priors": "balanced", "target_width": None}, {"scale": "robust"}]
)
def test_small_files_give_what_arrays_give(given, gaussians, global_random_seed, tmp_path):
    """All rows are drawn, and nothing differs."""
    X, y = gaussians(np.random.default_rng(global_random_seed), [150, 100])
    np.save(tmp_path / "X.npy", X)
    near = BayesFloor(**given).fit(X, y)
    for place, labels in [(write_parts(tmp_path, X, label=y), "label"), (tmp_path / "X.npy", y)]:
        far = BayesFloor(**given).fit(place, labels)

        same_results(far, near)
        assert far.work_ is None
        assert far.n_features_in_ == 2
        assert far.answer().to_dict() == near.answer().to_dict()


def test_a_client_or_a_checkpoint_changes_nothing_for_arrays(dask_client, gaussians, tmp_path):
    """Who passes them always need not think."""
    X, y = gaussians(np.random.default_rng(0), [60, 60])
    near = BayesFloor().fit(X, y)

    same_results(BayesFloor().fit(X, y, client=dask_client, checkpoint=tmp_path / "none"), near)
    same_results(BayesFloor().fit(X, y, checkpoint=tmp_path / "none"), near)


# Ways in which rows are drawn, and what is said of it.
DRAWN = {
    "max_rows": ({"max_rows": 500}, r"50\d of 3000 rows are used: limited by max_rows=500\."),
    "pool": ({}, r"800 of 3000 rows are used: the data are large, so only a sample is read\. Pass target_width=None"),
}


@plain
@pytest.mark.parametrize("kind", DRAWN)
def test_a_sample_is_announced_at_the_line_that_asked_for_it(kind, data, monkeypatch):
    """How many of how many, and why; the user's line, not one of ours."""
    monkeypatch.setattr(_all_rows, "POOL", 800)
    given, message = DRAWN[kind]
    for place, labels in [(open_rows(data[0], ["u", "v"]), "label"), (open_rows(data[1]), data[2])]:
        with pytest.warns(SampledRowsWarning, match=message) as told:
            floor = BayesFloor(**given).fit(place, labels)

        assert [warning.filename for warning in told] == [__file__]
        assert f"{len(floor.rows_)} of 3000" in str(told[0].message)
        assert floor.samples_.label.tolist() == data[2][floor.samples_.row].tolist()


def test_growing_samples_of_files_are_announced_at_the_users_line_too(tmp_path):
    """They stop when the interval is narrow enough."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((51_000, 1))
    folder = write_parts(tmp_path, X, label=(X[:, 0] > 0).astype(int))
    with pytest.warns(
        SampledRowsWarning, match=r"12500 of 51000 rows .* narrow enough for target_width=0\.01\."
    ) as told:
        floor = BayesFloor(scale=None, n_trees=1).fit(folder, "label")

    assert [warning.filename for warning in told] == [__file__]
    assert (floor.rows_.max() > 50_000, len(floor.curve_)) == (True, 1)


@plain
def test_all_rows_are_no_sample(data):
    """Nothing is to be warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BayesFloor(**ALL).fit(data[0], "label")


# What is refused


@plain
@pytest.mark.parametrize("name", ["groups", "sample_weight"])
def test_groups_and_weights_are_refused(data, name):
    """In silence they would be left out."""
    for given in [(data[0], "label"), (open_rows(data[1]), data[2])]:
        with pytest.raises(ValueError, match=r"groups and sample_weight need rows in memory\. Pass arrays"):
            BayesFloor(**ALL).fit(*given, **{name: np.ones(3000)})


@plain
def test_priors_are_refused_where_rows_are_not_drawn(data):
    """The trees of all rows have the shares of all rows."""
    with pytest.raises(ValueError, match=r"Got priors with max_rows=None and target_width=None.*Pass max_rows=100_000"):
        BayesFloor(priors="balanced", target_width=None).fit(data[0], "label")


@plain
def test_what_is_no_client_is_refused_before_anything_is_read(data):
    """An address is the usual slip."""
    with pytest.raises(TypeError, match=r"expected a distributed\.Client"):
        BayesFloor().fit(data[0], "label", client="tcp://127.0.0.1:8786")


@plain
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_gap_is_told_by_its_row_whether_or_not_it_is_drawn(far, data, tmp_path, value):
    """Else it would depend on the seed whether it is found, and in which row."""
    _, X, y = data
    undrawn = np.setdiff1d(np.arange(2000, 3000), far.rows_)[0]
    for row in (int(undrawn), int(far.rows_[-1])):
        gap = X.copy()
        gap[row, 1] = value
        with pytest.raises(ValueError, match=rf"the first is row {row} \(counted from 0\)"):
            BayesFloor(**ALL).fit(write_parts(tmp_path, gap, label=y), "label")


@plain
def test_a_missing_label_is_told_by_its_row(data, tmp_path):
    """Of a column and of an array, where all rows are asked for; others are left out and counted."""
    _, X, y = data
    labels = y.astype(object)
    labels[1234] = None
    write_parts(tmp_path, X, label=pa.array(labels.tolist(), pa.string()))
    for place, told in [((tmp_path, "label"), "row 1234 "), ((open_rows(X), labels), "row 1,235 ")]:
        with pytest.raises(ValueError, match=told):
            BayesFloor(target_width=None).fit(*place)
    with pytest.warns(SampledRowsWarning):
        assert BayesFloor(max_rows=900).fit(tmp_path, "label").fitted_.sample.n_unlabelled == 1


@plain
def test_one_class_is_refused(data, tmp_path):
    """There is nothing to tell."""
    write_parts(tmp_path, data[1], label=np.zeros(3000, dtype=int))
    with pytest.raises(ValueError, match="has only one value, '0', but expected at least 2 classes"):
        BayesFloor().fit(tmp_path, "label")
    with pytest.raises(ValueError, match="one class"):
        BayesFloor(**ALL).fit(tmp_path, "label")


# Checkpoints, and what is left behind


@plain
def test_a_checkpoint_is_gone_on_with_and_only_for_the_same_files(far, data, tmp_path):
    """The second run grows no block again; a file that changed is another run."""
    folder, kept = write_parts(tmp_path, data[1], label=data[2]), tmp_path / "kept"
    stages = []
    for _ in range(2):
        seen = set()
        found = BayesFloor(**ALL, progress=lambda stage, *_, seen=seen: seen.add(stage)).fit(
            folder, "label", checkpoint=kept
        )
        stages.append(seen)
        same_results(found, far)
    os.utime(folder / "part-1.parquet", (1, 1))

    assert "blocks" in stages[0] - stages[1]
    with pytest.raises(CheckpointError, match=r"belongs to another run, which differs in data\."):
        BayesFloor(**ALL).fit(folder, "label", checkpoint=kept)


@plain
def test_a_checkpoint_of_another_scale_is_another_run(data, tmp_path):
    """Scaled rows are other rows, in the same files."""
    kept = tmp_path / "kept"
    BayesFloor(**ALL).fit(data[0], "label", checkpoint=kept)
    with pytest.raises(CheckpointError, match=r"differs in data\."):
        BayesFloor(scale="standard", target_width=None).fit(data[0], "label", checkpoint=kept)


@plain
def test_no_temporary_files_are_left(data, tmp_path, monkeypatch):
    """Neither after a fit nor after one that was stopped."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def stop(stage, *_):
        if stage == "joins":
            raise TimeoutError(stage)

    BayesFloor(**ALL).fit(data[0], "label")
    with pytest.raises(TimeoutError):
        BayesFloor(**ALL, progress=stop).fit(data[0], "label")
    assert list(tmp_path.iterdir()) == []


@plain
def test_a_check_says_what_was_drawn_and_where_the_rest_was_done(data):
    """Numbers of two kinds of rows stand side by side, and readers must know which is which."""
    found = check(data[0], "label", scale=None, target_width=None, name="parts")
    trait = next(trait for trait in found.traits if trait.code == "BF206")

    assert (found.facts.n_rows, found.facts.n_used, found.overall.n_rows) == (3000, 800, 3000)
    assert found.facts.label == "label"
    assert found.facts.engine.startswith("joblib, 1 task at a time, 5 blocks")
    assert "\nparts · 3,000 rows, subsampled to 800 except for the tree bounds · 2 features · 3 classes" in repr(found)
    assert not trait.weak
    assert "all 3,000 rows (joblib, 1 task at a time, 5 blocks" in trait.text
    assert "everything else from a subsample of 800" in trait.text
    assert "BF206" not in {finding.code for finding in found.findings}
