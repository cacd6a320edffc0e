"""The benchmark of messy files: what is asked of the command, and what is told of made-up cells."""

import pytest


@pytest.fixture(scope="module")
def messy(benchmark_module):
    """The benchmark."""
    return benchmark_module("messy")


def entry(name="titanic.csv", **facts):
    """What a manifest says of a file."""
    plain = {"label": "y", "groups": None, "labels_file": None, "best_error": 0.2, "expect": "runs"}
    return {"name": name, **plain, **facts}


def ran(truth, lower, upper, error=0.25):
    """A cell of a file that ran."""
    said = {"lower": lower, "estimate": upper, "upper": upper, "best": "forest", "errors": {"forest": error}}
    return {"truth": truth, "expected": "ran", "outcome": "ran", "seconds": 2.0, "reliability": "good", **said}


def refused(expected):
    """A cell of a file that was refused."""
    return {"truth": None, "expected": expected, "outcome": "refused", "seconds": 1.0, "message": "error: no"}


@pytest.fixture
def results():
    """Cells of four files, a pipeline and two ways to prepare."""
    way = {"estimate": 0.21, "lower": None, "upper": 0.3, "best": "forest", "errors": {"forest": 0.25}}
    cost = {"seconds": 4.0, "alone": 0.5, "width": 7, "packages": 18}
    return {
        "cases": {
            "file/101/survey.csv": ran(0.2, 0.1, 0.3),
            "file/101/zipcodes.csv": ran(0.2, None, 0.1),
            "file/101/titanic.csv": ran(0.2, 0.1, 0.15),
            "file/101/regression.csv": refused("refused"),
            "pipeline/101/survey.csv": {"errors": {"ordered": 0.22, "indicators": 0.24}, "seconds": 1.0},
            "prepare/101/survey.csv": {"truth": 0.2, "ways": {"auto": way | cost, "skrub": way | cost}},
            "prepare/101/mixed.csv": {"truth": 0.2, "ways": {"auto": way | cost, "skrub": {"message": "no"}}},
        },
    }


def test_the_command_is_the_manifests(messy):
    """Label, groups and file of labels, and nothing else; of several labels the first."""
    plain = messy.command_of(entry(groups="patient"))
    several = entry("multilabel.csv", label=["a", "b"], best_error_per_label={"a": 0.1, "b": 0.3})
    apart = messy.command_of(entry("X.npy", label=None, labels_file="y.txt"))

    assert plain == ["bayesfloor", "check", "titanic.csv", "-y", "y", "--groups", "patient", "--json", "-"]
    assert messy.command_of(several)[3:5] == ["-y", "a"]
    assert messy.truth_of(several) == 0.1
    assert apart == ["bayesfloor", "check", "X.npy", "--labels-file", "y.txt", "--json", "-"]


def test_every_goal_is_judged(messy, results):
    """A truth below the range of codes is no mistake; one above the range of others is."""
    assert [(one.figure, one.goal, one.met) for one in messy.goals(results)] == [
        ("0 of 4", "<= 0", True),
        ("0.667", ">= 0.9", False),
        ("0.0300", "<= 0.02", False),
    ]


def test_a_file_that_does_not_run_as_expected_is_named(messy, results):
    """Which one is what a reader asks first."""
    results["cases"]["file/101/survey.csv"] = refused("ran")
    first = next(iter(messy.goals(results)))

    assert (first.measured.endswith(", survey.csv (101)"), first.figure, first.met) == (True, "1 of 4", False)
    assert ("survey.csv", "101", "refused, expected: ran") in [line[:3] for line in messy.tables(results)["files"]]
    assert ("survey.csv, seed 101: error: no",) in messy.tables(results)["messages"]


def test_nothing_measured_gives_no_goal(messy):
    """A page can be made of any part of the cells."""
    assert list(messy.goals({"cases": {}})) == []
    assert [len(lines) for lines in messy.tables({"cases": {}}).values()] == [1] * 5


def test_a_generator_with_other_files_is_refused(messy):
    """A new file must not be left out unseen."""
    with pytest.raises(SystemExit, match=r"differ in new\.csv"):
        messy.check_names(dict.fromkeys([*messy.FILES, "new.csv"]))
