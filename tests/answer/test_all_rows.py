"""All rows: a race of learners that grow with the rows, and what it adds to the first answer."""

import base64
import re
import zlib
from dataclasses import replace
from types import SimpleNamespace

import lightgbm
import numpy as np
import pytest

from bayesfloor import BayesFloor
from bayesfloor.answer import Basis, Stopped
from bayesfloor.answer._all_rows import Known, long_race, planned_sizes, predicted_bytes, refuse_memory
from bayesfloor.answer._big_learners import Bench, Trained, n_leaves
from bayesfloor.answer._finished_points import FinishedPoints
from bayesfloor.answer._make_answer import make_answers
from bayesfloor.floor._sample import Settings
from bayesfloor.io import open_data
from bayesfloor.io._all_rows import open_rows
from bayesfloor.support._errors import InputError

N = 22_000


def lattice(n, seed=3):
    """Rows whose class depends on 64 cells, with a Bayes error of 20 %."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 4)).astype(np.float32)
    sign = np.random.default_rng(1).random(64) < 0.5
    clean = sign[(X[:, 0] * 8).astype(int) * 8 + (X[:, 1] * 8).astype(int)]
    return X, np.where(rng.random(n) < 0.2, ~clean, clean).astype(int)


def first_race(X, y, n=4000, metrics="accuracy"):
    data = replace(open_data(X, y))
    floor = BayesFloor().fit(X[:n], y[:n])
    settings = Settings()
    answers = make_answers(floor.overall_, floor.fitted_, settings, "quick", None, None, "", metrics)
    rows = open_rows(data, floor.fitted_.sample.features)
    return SimpleNamespace(rows=rows, answers=answers, known=Known(X.shape[1], settings, classes=floor.classes_))


@pytest.fixture(scope="module")
def before():
    return first_race(*lattice(N))


@pytest.fixture(scope="module")
def found(before):
    return long_race(before.rows, before.answers, before.known)


def test_sizes_are_doubled_up_to_200_000_and_then_five_times_as_large():
    assert planned_sizes(800_000) == [12_500, 25_000, 50_000, 100_000, 200_000, 800_000]
    assert planned_sizes(10_000_000)[-4:] == [200_000, 1_000_000, 5_000_000, 10_000_000]
    assert planned_sizes(1_200_000)[-2:] == [200_000, 1_200_000]  # a million is too close to it
    assert planned_sizes(10_000) == [10_000]


def test_leaves_grow_with_the_rows():
    assert [n_leaves(n) for n in (12_500, 50_000, 199_500, 1_000_000, 5_000_000)] == [31, 31, 127, 127, 255]


def test_each_size_has_every_learner_on_the_same_held_out_rows(found):
    _, told = found

    assert {(point.n_rows, point.learner) for point in told.points} == {
        (n, name) for n in {point.n_rows for point in told.points} for name in ("boosting", "network", "blend")
    }
    assert abs(told.points[0].n_rows - 12_500) < 500
    assert told.n_used == told.points[-1].n_rows
    assert told.n_rows == N
    assert told.stopped is Stopped.ALL
    assert np.isnan(told.gain)


def test_rows_to_stop_on_and_to_test_on_are_not_trained_on(before):
    bench = Bench(before.rows)
    tested, stopping, end = bench._ends

    assert len(bench.tested) == np.count_nonzero(before.rows.place < tested)
    assert bench.most == np.count_nonzero(before.rows.place >= stopping)
    assert end == 1


def test_rows_of_a_group_are_on_one_side():
    """Otherwise the held-out rows would be known ones."""
    X, y = lattice(20_000)
    groups = np.arange(20_000) // 7
    data = open_data(X, y, groups=groups)
    bench = Bench(open_rows(data, BayesFloor().fit(X[:2000], y[:2000]).fitted_.sample.features))

    rest = np.setdiff1d(np.arange(20_000), bench.row)
    assert not np.intersect1d(groups[bench.row], groups[rest]).size
    assert len(np.unique(bench.cluster)) == len(np.unique(groups[bench.row])) < len(bench.row)


def test_the_answer_rests_on_the_better_race(before, found):
    answers, told = found
    answer, first = answers["accuracy"], before.answers["accuracy"]

    assert told.best.loss < first.errors[first.best]
    assert answer.errors[answer.best] == told.best.loss
    assert answer.upper < first.upper
    assert 0.2 < answer.upper < 0.25
    assert first.estimate < answer.estimate < answer.upper
    assert abs(answer.estimate - 0.2) < 0.05  # on 2,200 held-out rows
    assert answer.forecast.n_rows == told.n_used


def test_the_upper_end_is_at_a_stricter_level_than_that_of_one_race(found):
    """It is the lower of two limits, each of which could be wrong."""
    answers, told = found

    assert answers["accuracy"].upper > told.best.loss + 1.96 * np.sqrt(0.2 * 0.8 / (N / 10))


def test_the_model_is_that_of_lightgbm_from_memory(before):
    """Pieces change nothing: the same rows, bins and parameters give the same trees."""
    bench = Bench(before.rows)
    pieces = bench._dataset(20_000, bench._parameters)
    X, y, place = before.rows.take(bench._ends[1], bench._end(20_000))
    whole = lightgbm.Dataset(X, y.astype(np.float32), reference=bench._bins, params=bench._parameters)
    one, two = (lightgbm.train(bench._parameters, data, 5).model_to_string() for data in (pieces, whole))

    assert len(place) == pieces.num_data()
    assert one == two


def test_the_same_call_gives_the_same_points(before, found):
    again = long_race(before.rows, before.answers, before.known)[1]

    assert [(point.n_rows, point.loss) for point in again.points] == [
        (point.n_rows, point.loss) for point in found[1].points
    ]


def test_finished_points_are_not_trained_again(before, found, tmp_path):
    long_race(before.rows, before.answers, before.known, resume=str(tmp_path))
    files = sorted(tmp_path.iterdir())
    (again, told) = long_race(before.rows, before.answers, before.known, resume=str(tmp_path))

    assert len(files) == 4
    assert all(path.suffix == ".json" for path in files)
    assert [point.loss for point in told.points] == [point.loss for point in found[1].points]
    assert again["accuracy"].estimate == found[0]["accuracy"].estimate
    assert files == sorted(tmp_path.iterdir())


SCORES = np.arange(8, dtype=np.float32).reshape(4, 2)
POINT = Trained(12_482, SCORES, 30, 31, seconds=1.0, cpu_seconds=0.5)


def test_a_finished_point_comes_back_as_it_was(tmp_path):
    kept = FinishedPoints(str(tmp_path / "a" / "b"), "rows", "settings")
    kept.write("boosting", 12_500, POINT)
    found = kept.read("boosting", 12_500, (4, 2))

    assert found[2:] == POINT[2:]
    assert found.scores.tolist() == SCORES.tolist()
    assert kept.read("network", 12_500, (4, 2)) is None
    assert kept.read("boosting", 12_500, (4, 3)) is None
    assert FinishedPoints(str(tmp_path / "a" / "b"), "other", "settings").read("boosting", 12_500, (4, 2)) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda _: "",
        lambda text: text[:-20],
        lambda text: text * 2,
        lambda _: "[" * 100_000,
        lambda _: "null",
        lambda text: text.replace("12482", "-1"),
        lambda text: text.replace("12482", "true"),
        lambda text: text.replace("1.0", "NaN"),
        lambda text: text.replace('"learner": "boosting"', '"learner": "network"'),
        lambda text: re.sub('"scores": "[^"]*"', '"scores": "AAAA"', text),
        lambda text: re.sub('"scores": "[^"]*"', f'"scores": "{BOMB}"', text),
        lambda text: re.sub('"scores": "[^"]*"', f'"scores": "{NANS}"', text),
    ],
    ids=("empty", "cut", "twice", "deep", "null", "negative", "true", "nan", "other", "few", "bomb", "nans"),
)
def test_a_file_that_is_no_point_counts_as_none(tmp_path, change):
    kept = FinishedPoints(str(tmp_path), "rows", "settings")
    kept.write("boosting", 12_500, POINT)
    (path,) = tmp_path.iterdir()
    path.write_text(change(path.read_text()))

    assert kept.read("boosting", 12_500, (4, 2)) is None


BOMB, NANS = (
    base64.b64encode(zlib.compress(data)).decode() for data in (bytes(10_000_000), np.full(8, np.nan, "<f4").tobytes())
)


def test_a_folder_that_cannot_be_made_is_refused(before, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"Got resume=.*expected a folder that can be written to: "):
        long_race(before.rows, before.answers, before.known, resume=str(tmp_path / "file"))


def test_an_interrupt_keeps_the_points_that_are_done(before):
    def stop(stage, done, _total):
        if "12,500" not in stage and done > 3:
            raise KeyboardInterrupt

    known = before.known._replace(settings=replace(before.known.settings, progress=stop))
    told = long_race(before.rows, before.answers, known)[1]

    assert told.stopped is Stopped.INTERRUPTED
    assert len(told.points) == 3
    assert told.next_rows > told.n_used


def test_an_interrupt_before_the_first_point_ends_the_work(before):
    def stop(*_):
        raise KeyboardInterrupt

    known = before.known._replace(settings=replace(before.known.settings, progress=stop))
    with pytest.raises(KeyboardInterrupt):
        long_race(before.rows, before.answers, known)


def test_classes_that_the_first_race_lacks_are_left_out_of_the_test():
    X, y = lattice(20_000)
    y[4000:4200] = 2
    before = first_race(X, y)
    answers, told = long_race(before.rows, before.answers, before.known)

    assert before.rows.classes.tolist() == [0, 1, 2]
    assert answers["accuracy"].n_classes == 2
    assert answers["accuracy"].evidence().predicted["boosting"].shape[1] == 2
    assert told.best.loss < 0.3


def test_other_metrics_are_answered_from_the_same_race():
    before = first_race(*lattice(N), metrics=["roc_auc", "log_loss"])
    answers, told = long_race(before.rows, before.answers, before.known, 12_500)

    assert list(answers) == ["roc_auc", "log_loss", "accuracy"]
    assert told.stopped is Stopped.ASKED
    assert told.next_rows > 12_500
    assert answers["roc_auc"].upper < before.answers["roc_auc"].upper
    assert answers["log_loss"].estimate <= answers["log_loss"].upper
    assert told.best.loss == min(answers["roc_auc"].errors.values())


def test_numbers_have_points_in_the_unit_of_the_metric():
    rng = np.random.default_rng(0)
    X = rng.random((20_000, 3))
    y = 1e6 + 10 * np.sin(5 * X[:, 0]) + rng.normal(size=20_000)
    from bayesfloor.answer._hazards import Hazards
    from bayesfloor.answer._number_answers import in_tenths, make_number_answers, read_rows

    data = open_data(X, y, task="numbers")
    settings, few = Settings(), replace(data, X=data.X[:3000], y=data.y[:3000])
    rows = read_rows(few, in_tenths(few), settings)
    first = make_number_answers(rows, settings, "quick", None, Hazards(), metric=["rmse", "r2"])
    answers, told = long_race(open_rows(data, rows.sample.features), first, Known(3, settings))

    assert abs(told.best.loss - 1) < 0.05
    assert 0.9 < answers["rmse"].estimate < answers["rmse"].upper < 1.1
    assert answers["r2"].estimate < 0.1


def test_training_that_would_not_fit_into_memory_is_refused_with_the_number():
    assert predicted_bytes(10_000_000, 20, 2) < 1.7e9
    with pytest.raises(InputError, match=r"10,000,000,000 rows takes about [\d,]+ MB of memory, but .* Pass rows="):
        refuse_memory(10_000_000_000, 20, 2)


def test_trees_that_were_still_improving_give_no_lower_end(monkeypatch, before):
    monkeypatch.setattr("bayesfloor.answer._big_learners._TREES", 3)
    answers, told = long_race(before.rows, before.answers, before.known)

    assert told.capped
    assert answers["accuracy"].has(Basis.CAPPED)
    assert np.isnan(answers["accuracy"].curve_lower)
