"""``--predictions``: a model beside the floor."""

import json

import numpy as np
import pytest

from bayesfloor import Check

pytestmark = pytest.mark.slow


def make_rows(sizes, gap):
    """Features around centres so far apart, and the number of each row's class."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    X = np.random.default_rng(0).normal(size=(len(codes), 3))
    X[:, 0] += gap * codes
    return X, codes


@pytest.fixture(scope="module")
def tried(tmp_path_factory, write):
    """Three classes far apart, and a model that gets every third row wrong."""
    X, codes = make_rows((100, 100, 100), 8)
    codes[::50] = (codes[::50] + 1) % 3
    animals = np.array(["cat", "dog", "hen"])
    answers = np.where(np.arange(len(codes)) % 3, codes, (codes + 1) % 3)
    return write(tmp_path_factory.mktemp("tried") / "tried.csv", X, animals[codes], model=animals[answers])


@pytest.fixture(scope="module")
def checked(run, tried):
    """The check with the model's column."""
    return run("check", tried, "-y", "label", "--predictions", "model", "--json", tried.with_name("check.json"))


def test_a_model_is_held_against_the_floor_and_is_no_feature(checked, tried):
    """It would be the best feature of all."""
    found = Check.from_json(tried.with_name("check.json"))

    assert (checked.code, checked.stderr) == (0, "")
    assert found.facts.n_features == 3
    assert found.gap.overall.word == "room to improve"
    assert found.gap.overall.error == pytest.approx(1 / 3)
    assert "your model     66.7 % accuracy (error 33.3 %): room to improve" in checked.stdout


def test_the_next_commands_take_the_model_for_no_feature_either(checked, tried):
    """They are there to be copied."""
    assert f"bayesfloor samples {tried} -y label --drop model\n" in checked.stdout
    assert f"bayesfloor report {tried} -y label --predictions model\n" in checked.stdout


def test_a_report_holds_the_model(run, tried, tmp_path):
    """In a section of its own."""
    ended = run("report", tried, "-y", "label", "--predictions", "model", "-o", tmp_path / "r.html")

    assert (ended.code, ended.stderr) == (0, "")
    assert "Your model against the floor" in (tmp_path / "r.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (("--predictions", "label"), "column 'label' is given as -y and as --predictions"),
        (("--predictions", "modle"), "Did you mean 'model'?"),
        (("--predictions", "x1"), "which is not one of the labels: 'cat', 'dog', 'hen'."),
    ],
)
def test_predictions_that_are_none_are_refused_in_a_line(run, tried, asked, why):
    """Before any work."""
    ended = run("check", tried, "-y", "label", *asked)

    assert (ended.code, ended.stdout) == (2, "")
    assert why in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_predictions_of_an_npz_are_an_array(run, tmp_path):
    """As labels are."""
    X, codes = make_rows((60, 60), 3)
    np.savez(tmp_path / "data.npz", X=X, y=codes, answers=codes[::-1])
    ended = run("check", "data.npz", "--predictions", "answers", "--json", "-", cwd=tmp_path)

    assert (ended.code, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["gap"]["overall"]["error"] == 1.0
