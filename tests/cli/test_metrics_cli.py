"""``--metric`` and ``--task``: targets in the metric's unit, gates, numbers from a file to the report."""

import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest

from bayesfloor import Check
from bayesfloor.answer._metrics import METRICS
from bayesfloor.cli import _options

NOISE = 10.0  # standard deviation of the prices, given all columns
ODD = 321  # the row whose price was written with a wrong digit
RMSE = ("-y", "price", "--metric", "rmse")


@pytest.fixture(scope="module")
def homes(tmp_path_factory):
    """House prices in thousands, with known noise and a typing error; and a model's predictions."""
    rng, n = np.random.default_rng(0), 600
    area, age = rng.normal(95, 30, n).clip(20, 250).round(1), rng.integers(0, 120, n)
    district = rng.choice(["north", "south", "centre"], n)
    known = 80 + 3 * area - 0.8 * age + pd.Series(district).map({"north": 0, "south": 20, "centre": 90}).to_numpy()
    price = (known + rng.normal(0, NOISE, n)).round(2)
    price[ODD] += 90
    columns = {"area": area, "age": age, "district": district, "model": known.round(1), "price": price}
    path = tmp_path_factory.mktemp("homes") / "homes.csv"
    pd.DataFrame(columns).assign(name=[f"home-{k}" for k in range(n)]).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def priced(run, homes):
    """A check of the prices with a target that can be met, as most would run it; and its folder."""
    asked = ("check", homes.name, *RMSE, "--drop", "model", "--drop", "name", "--target", "40")
    return run(*asked, "--json", "now.json", "--markdown", "now.md", cwd=homes.parent), homes.parent


def suggested(text):
    """The commands at the end of a check, as a shell would take them apart."""
    return [shlex.split(line[line.index("bayesfloor ") :]) for line in text.rpartition("\n\n")[2].splitlines()]


def test_names_of_metrics_are_those_of_the_library():
    """They are written twice, because help must not load NumPy."""
    assert set(_options.METRICS) == set(METRICS)
    assert all(name in _options._METRIC_HELP for name in METRICS)


def test_prices_are_checked_from_the_file_to_the_gate(priced, validate):
    """The target is in the unit of the prices, on all surfaces, and met."""
    ended, folder = priced
    found = json.loads((folder / "now.json").read_text("utf-8"))
    validate(found)
    page = (folder / "now.md").read_text("utf-8")

    assert (ended.code, ended.stderr) == (0, "")
    assert ended.stdout.startswith("An RMSE of 40 is reachable on these features: the best possible RMSE is at most ")
    assert "\nhomes.csv · 600 rows · 3 features · y as numbers (--task classes, or task=, for classes)" in ended.stdout
    assert (found["metric"], found["unit"], found["target"], found["outcome"]) == ("rmse", "of y", 40, "reachable")
    assert NOISE < found["score"] < 40
    assert [(gate["code"], gate["word"]) for gate in found["gates"]] == [("BF301", "ok")]
    assert page.startswith("### An RMSE of 40 is reachable")


def test_a_target_below_the_noise_fails(run, homes):
    """No model predicts the noise; several metrics stand beside one another."""
    asked = ("--metric", "mae", "--target", "2.5", "--effort", "quick")
    ended = run("check", homes, "-y", "price", "--drop", "name", *asked, "--metric", "rmse", "--predictions", "model")

    assert (ended.code, ended.stderr) == (1, "")
    assert ended.stdout.startswith("An MAE of 2.5 is out of reach ")
    assert "\nRMSE           about " in ended.stdout
    assert "\nyour model     " in ended.stdout
    assert "\nBF301          failed: target: an MAE of 2.5, best possible MAE about " in ended.stdout


def test_commands_to_go_on_with_suit_numbers(run, priced):
    """No verb lists rows of numbers but the report; the target is written as it was, and can be read again."""
    ended, folder = priced
    commands = suggested(ended.stdout)
    dropped = ["--drop", "model", "--drop", "name"]
    report = ["bayesfloor", "report", "homes.csv", "-y", "price", *dropped, "--metric", "rmse", "--target", "40"]
    again = run(*commands[0][1:], "--id", "name", "--effort", "quick", cwd=folder)
    page = (folder / "homes.bayesfloor.html").read_text("utf-8")

    assert [words[1] for words in commands] == ["report", "check", "explain"]
    assert commands[0] == report
    assert commands[2][2] == "BF122"
    assert (again.code, again.stderr) == (0, "")
    assert f">home-{ODD}<" in page
    assert "True numbers against predicted ones" in page
    assert "metric=&#39;rmse&#39;" in page
    assert "An RMSE of 40 is reachable" in page


def test_a_baseline_by_another_metric_fails_and_by_the_same_is_compared(run, priced):
    """The names of metrics are in the file."""
    asked = ("check", "homes.csv", "-y", "price", "--drop", "model", "--drop", "name", "--baseline", "now.json")
    same, other = (run(*asked, "--metric", name, cwd=priced[1]) for name in ("rmse", "mae"))

    assert (same.code, other.code) == (0, 1)
    assert "\nBF305          ok: best possible RMSE about " in same.stdout
    assert "\nBF305          failed: the baseline has no answer by MAE." in other.stdout


def test_a_ranking_is_asked_for_by_auc(run, hard, tmp_path, validate):
    """Of classes; errors stand beside it, and the JSON can be read back."""
    asked = ("check", hard, "-y", "label", "--metric", "roc_auc", "--metric", "brier", "--target", "0.95")
    ended = run(*asked, "--json", tmp_path / "now.json")
    found = Check.from_json(tmp_path / "now.json")
    validate(json.loads((tmp_path / "now.json").read_text("utf-8")))

    assert (ended.code, ended.stderr) == (1, "")
    assert "an AUC of 0.95" in ended.stdout.partition(":")[0].replace("An", "an")
    assert re.search(r"\nBF301 +failed: target: an AUC of 0\.95, best possible AUC about ", ended.stdout)
    assert [found.answer.metric, *found.beside] == ["roc_auc", "brier", "accuracy"]
    assert "--metric roc_auc --metric brier --target 0.95" in ended.stdout


@pytest.mark.parametrize(
    ("metric", "target", "read"),
    [
        ((), "95%", "95%"),
        (("balanced_accuracy",), "0.95", "95%"),
        (("roc_auc", "accuracy"), "1", "1"),
        (("r2",), ".95", "0.95"),
        (("rmse",), "12", "12"),
        (("log_loss",), "3e-2", "0.03"),
    ],
)
def test_a_target_is_written_back_as_it_is_read(metric, target, read):
    """In percent only for accuracies: whatever is suggested must mean the same."""
    from bayesfloor.cli._check import _as_typed
    from bayesfloor.cli._commands import check

    asked = [word for name in metric for word in ("--metric", name)]
    first, again = (
        check.make_context("check", ["a.csv", "--target", text, *asked]).params["target"] for text in (target, read)
    )
    settings = _options.Settings(scale="auto", trees=3, seed=0, jobs=1, metric=metric, task="auto")

    assert first == again == float(target.removesuffix("%")) / (100 if "%" in target else 1)
    assert _as_typed(first, settings) == read


USAGE = {
    "--metric mse": "Invalid value for '--metric': 'mse' is not one of 'accuracy', ",
    "--task regression": "Invalid value for '--task': 'regression' is not one of 'auto', 'classes', 'numbers'.",
    "--metric accuracy --target 98": "'--target': Write --target 98% or --target 0.98.",
    "--target 12": "Write --target 12% or --target 0.12. For another metric than accuracy, add --metric.",
    # The order of options does not matter.
    "--target 98% --metric roc_auc": "'98%' is not a plain number. Did you mean 0.98?",
    "--target 98 --metric roc_auc": "Got target=98.0, but expected an AUC above 0 and up to 1, such as 0.95.",
    "--target 90% --task numbers": "'90%' is not a plain number. Did you mean 0.9?",
    "--metric rmse --target 12%": "'12%' is not a plain number. A target for RMSE is a number such as 12.",
    "--metric rmse --target 1,200": "'1,200' is not a plain number.",
    "--metric rmse --target nan": "'nan' is not a plain number.",
    "--metric rmse --target 0": "Got target=0.0, but expected an RMSE above 0, such as 12.",
    "--metric mae --target -3": "Got target=-3.0, but expected an MAE above 0, such as 12.",
    "--metric mae --target 1e999": "Got target=inf, but expected an MAE above 0, such as 12.",
}
OF_CLASSES = "is for classes, but the labels are numbers."
DATA = {
    "--metric roc_auc": "--metric roc_auc is for classes, but the labels are numbers. If not, add --task classes.",
    "--task classes --metric mae": "column 'price' has 596 different numbers in 600 rows: looks like regression",
    "-y district --metric rmse": "--metric rmse is for numbers, but the labels are classes. If not, ",
    "-y district --task numbers": "Got 'centre' in column 'district', but expected one number per row",
    **{f"{limit} 0%": f"{limit} {OF_CLASSES}" for limit in ("--max-error", "--max-pair-error", "--max-class-error")},
    "--balanced": f"--balanced {OF_CLASSES}",
    "--priors a=1": f"--priors {OF_CLASSES}",
    "--time later": f"--time later {OF_CLASSES}",
}


@pytest.mark.parametrize("words", [*USAGE, *DATA])
def test_what_does_not_suit_the_metric_or_the_labels_ends_before_the_work(run, homes, monkeypatch, words):
    """With two, and a line that says what to write."""
    monkeypatch.setattr("bayesfloor.summary._check.check", None)  # it would end with three
    ended = run("check", homes.name, "-y", "price", *words.split(), cwd=homes.parent)

    assert (ended.code, ended.stdout) == (2, "")
    assert {**USAGE, **DATA}[words] in ended.stderr.splitlines()[-1]


@pytest.mark.parametrize("verb", ["samples", "features", "tree", "compare"])
def test_verbs_for_classes_say_what_is_for_numbers(run, homes, verb):
    """They know no metric."""
    ended = run(verb, homes.name, *["--pca", "2"] * (verb == "compare"), "-y", "price", cwd=homes.parent)

    assert (ended.code, ended.stdout) == (2, "")
    assert 'To predict numbers, use check and pass task="numbers" or --task numbers.' in ended.stderr


def test_whole_numbers_are_numbers_if_that_is_said(run, homes):
    """Up to 100 different ones are classes else; the next commands say it again."""
    asked = ("--drop", "model", "--task", "numbers", "--target", "0.99", "--effort", "quick")
    ended = run("check", homes, "-y", "age", *asked)

    assert ended.code == 1
    assert "an R² of 0.99" in ended.stdout.partition(":")[0].replace("An", "an")
    assert "y as numbers\n" in ended.stdout
    assert suggested(ended.stdout)[0][-6:] == ["--task", "numbers", "--target", "0.99", "--effort", "quick"]
