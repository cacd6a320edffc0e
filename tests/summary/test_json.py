"""A check as JSON: exact, described by a schema, and refused in words when it is not one."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from bayesfloor import Check, check
from bayesfloor.summary import schema
from bayesfloor.summary._json import SCHEMA_VERSION, dump

GATES = {"max_error": 0.1, "max_pair_error": 0.1, "max_class_error": 0.1}


@pytest.fixture(scope="module")
def validator():
    return jsonschema.Draft202012Validator(schema())


@pytest.fixture(scope="module")
def text(made):
    return made("target").to_json()


def forbid(name):
    raise AssertionError(f"{name} in the JSON")


def test_every_check_fits_the_schema(each, validator):
    """Other programs rely on the form; the command line writes gates with the check."""
    gates = each.gates(**GATES, baseline=each)
    given = json.loads(dump(each, gates))
    validator.check_schema(schema())
    validator.validate(json.loads(each.to_json()))
    validator.validate(given)

    assert [gate["code"] for gate in given["gates"]] == [gate.code for gate in gates]
    assert Check.from_json(dump(each, gates)).to_json() == each.to_json()


def test_the_json_is_plain_ascii_without_nan(each):
    """NaN is no JSON, and a file without an encoding is read by everything."""
    text = each.to_json()
    json.loads(text, parse_constant=forbid)

    assert text.isascii()
    assert not {c for c in text if not c.isprintable()} - {"\n"}


def differences(one, two, where=""):
    """Where two JSON values differ, but for the last digits of numbers."""
    if isinstance(one, dict) and isinstance(two, dict) and one.keys() == two.keys():
        return [found for name in one for found in differences(one[name], two[name], f"{where}.{name}")]
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        parts = (differences(*pair, f"{where}[{k}]") for k, pair in enumerate(zip(one, two, strict=True)))
        return [found for part in parts for found in part]
    same = one == pytest.approx(two, rel=1e-6) if isinstance(one, float) and isinstance(two, float) else one == two
    return [] if same else [f"{where}: {one!r}, kept as {two!r}"]


def test_the_kept_checks_are_what_their_data_give(fresh_and_kept):
    """Most tests of texts, tables and gates read kept checks; these must be those of today's code."""
    fresh, kept = (json.loads(one.to_json()) for one in fresh_and_kept)
    fresh["facts"] |= {name: kept["facts"][name] for name in ("version", "versions")}

    assert differences(fresh, kept) == [], "to make them again: python tests/summary/conftest.py"


def test_a_restored_check_is_the_same(fresh):
    """To the last bit, as a baseline of last month must be; reports and gates are often made elsewhere, later."""
    text = fresh.to_json()
    found = Check.from_json(text)

    assert found.to_json() == text
    assert repr(found) == repr(fresh)
    assert found.to_markdown() == fresh.to_markdown()
    assert found._repr_html_() == fresh._repr_html_()
    assert found.gates(**GATES, baseline=fresh) == fresh.gates(**GATES, baseline=found)
    for target in (0.5, 0.9, 1.0):
        assert found.answer.verdict(target) == fresh.answer.verdict(target)
        np.testing.assert_equal(found.answer.chance(target, 1000), fresh.answer.chance(target, 1000))


def test_restored_results_give_frames_and_intervals(made):
    """They are the same classes, not a look-alike."""
    before = made("target")
    found = Check.from_json(before.to_json())

    assert found.overall.interval(0.9) == before.overall.interval(0.9)
    assert found.overall.limit_interval() == before.overall.limit_interval()
    assert found.overall.upper_limit(0.99) == before.overall.upper_limit(0.99)
    assert (found.pairwise.alike() == before.pairwise.alike()).all()
    parts = ("answer", "pairs", "classes", "pairwise", "one_vs_rest", "suspicious")
    for one, two in [
        (found.answer.curve, before.answer.curve),
        *((getattr(found, part), getattr(before, part)) for part in parts),
    ]:
        assert one.frame().equals(two.frame())


def test_infinities_hostile_names_and_what_was_asked_for_come_back_as_they_were(made, hostile_names):
    """Null stands for infinity; escapes are for the eye; results have their words, tables and all."""
    before = made("constant")

    assert before.overall.dimension == float("inf")
    assert Check.from_json(before.to_json()).overall.dimension == float("inf")

    found = Check.from_json(made("hostile").to_json())

    assert sorted(found.pairwise.classes.tolist()) == sorted(hostile_names)
    assert found.facts.name == made("hostile").facts.name

    for kind, part in (("chosen", "gap"), ("alike", "merge")):
        before = getattr(made(kind), part)
        found = getattr(Check.from_json(made(kind).to_json()), part)

        assert found.frame().equals(before.frame())
        assert found.text == before.text
        assert found.to_dict() == before.to_dict()
    assert Check.from_json(made("alike").to_json()).merge.mapping == made("alike").merge.mapping


@pytest.mark.parametrize("kind", ["noise", "iris"])
def test_a_lower_end_that_there_is_not_is_null(made, kind):
    answer = json.loads(made(kind).to_json())["answer"]
    found = Check.from_json(made(kind).to_json()).answer

    assert (answer["lower"] is None) == (kind == "noise") == np.isnan(found.lower)
    assert (answer["estimate"], answer["upper"]) == (found.estimate, found.upper)


def test_what_is_not_kept_is_refused_in_words(made, text):
    """Posteriors of all rows would make large files; parts of old files are not written either."""
    for gone in ("envelope", "trust", "pair_errors", "reachable"):
        assert f'"{gone}"' not in text
    with pytest.raises(
        ValueError, match=r"read from a file, which does not contain the evidence\. Run the check again"
    ):
        Check.from_json(made("iris").to_json()).answer.evidence()


@pytest.mark.parametrize("kind", [str, Path])
def test_files_hold_what_was_returned(made, text, tmp_path, kind):
    """A path may be a text; a diff of two checks shows which part changed, as each has a line of its own."""
    path = tmp_path / "check.json"

    assert made("target").to_json(kind(path)) == text
    assert path.read_bytes() == text.encode()
    assert Check.from_json(kind(path)).to_json() == text
    assert len(text.splitlines()) == len(json.loads(text)) + 2


@pytest.mark.parametrize("version", [0, SCHEMA_VERSION - 1, SCHEMA_VERSION + 1, "1", None, 1.5])
def test_other_versions_are_refused_with_advice(text, version):
    """Read as if nothing had changed, old figures would be wrong in silence."""
    given = {**json.loads(text), "schema_version": version}

    with pytest.raises(ValueError, match=rf"Got schema_version .*, but expected {SCHEMA_VERSION}.*Run the check again"):
        Check.from_json(json.dumps(given))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        *((other, r"this is not a check.*Run the check again") for other in ("{}", "[]", "[1, 2]", '{"a": 1}')),
        *((broken, r"Got invalid JSON: .* Expected the output of Check.to_json") for broken in ("", "{", "[1, 2")),
        (b"\x89PNG\r\n\x1a\n\xff\xfe\x00", r"Got invalid JSON: .* Expected the output of Check.to_json"),
    ],
)
def test_what_is_no_check_is_refused_with_advice(tmp_path, given, message):
    """Any file may be given by mistake: other JSON, a picture, an empty variable of a script."""
    path = tmp_path / "check.json"
    path.write_bytes(given if isinstance(given, bytes) else given.encode())

    for source in (path, given) if isinstance(given, str) else (path,):
        with pytest.raises(ValueError, match=message):
            Check.from_json(source)


def test_every_cut_of_a_file_is_refused(text, tmp_path):
    """Wherever a download stops; and a file that is not there says so by its name."""
    path = tmp_path / "cut.json"
    for share in (0.0, 0.1, 0.5, 0.9, 0.999):
        path.write_text(text[: int(share * len(text))])

        with pytest.raises(ValueError, match=r"Got invalid JSON"):
            Check.from_json(path)
    with pytest.raises(FileNotFoundError, match=r"nowhere\.json"):
        Check.from_json(tmp_path / "nowhere.json")


NEEDED = ["facts", "target", "answer", "classes", "pairs", "overall", "one_vs_rest", "pairwise", "suspicious", "gap"]


@pytest.mark.parametrize("part", NEEDED)
def test_missing_parts_and_figures_are_refused_with_advice(text, part):
    """An editor was at work."""
    whole = json.loads(text)
    broken = [{name: value for name, value in whole.items() if name != part}]
    inside = whole[part] if isinstance(whole[part], dict) else {}
    broken += [{**whole, part: {key: inside[key] for key in inside if key != name}} for name in inside]
    for given in broken:
        with pytest.raises(ValueError, match=r"Got a check with missing or invalid parts.*Run the check again"):
            Check.from_json(json.dumps(given))


FLAT = [0.1] * 200
WRONG = {
    "target": ["x", [], {}, 3.5],
    "facts.n_rows": [None, "many", [], {}, -1, 1.5],
    "facts.n_classes": [None, "x"],
    "facts.scale": [None, []],
    "facts.scale_rates": ["x", 3],
    "overall.lower": ["x", [], {}],
    "overall.tie_spread": ["x", [], {}, [1, 2, 3]],
    "answer.estimate": [None, "x", [], 1.5, -0.1],
    "answer.lower": ["x", [], -1],
    "answer.upper": [None, "x", [], 2],
    "answer.reliability": [None, [], 3],
    "answer.errors": [None, "x", [], {"linear": None}, {"linear": 1.5}, {"unknown": 0.1}],
    "answer.n_independent": [None, {}],
    "answer.left_out": [None, "x", [], {"linear": 3}],
    "answer.n_classes": [None, "x", 2],
    "answer.curve": [None, "x", [], {}],
    "answer.curve.n_rows": [[1.5], ["a"], "x", [10**30]],
    "answer.curve.low": [[0.1], [-1.0]],
    "answer.forecast": ["x", [], {}, 3],
    "answer.forecast.n_rows": [None, "x", 0, -1, 1.5, 10**400],
    "answer.forecast.lowest": [None, "x", [], FLAT[1:], [*FLAT, 0.1], [0.2, *FLAT[1:]], [FLAT] * 200, [0.9] * 200],
    "answer.forecast.errors": [None, "x", [], [FLAT] * 6, [FLAT] * 8, [*[FLAT] * 6, FLAT[1:]]],
    # the first and the last of 200 quantiles, of infinitely many rows and of few
    **{f"answer.forecast.{end}": [-0.1, 1.1, None, "x", [0.1]] for end in ("lowest.0", "lowest.199", "errors.0.199")},
    "classes.upper": [None, "x", {}, [0.1], [0.1, 0.1, 1.1]],
    "pairs.upper": [None, "x", {}, [0.1], [0.1, 0.1, 0.1]],
    "pairwise.classes": [None, "x", {}, [], ["a"], [None] * 3],
    "pairwise.claims": ["x", None],
    "prepared.columns": [None, "x", {}, [1], [{}]],
    "prepared.n_unlabelled": [None, "x", True],
    "suspicious.nearest": ["x", {}, ["a"]],
    "suspicious.n_suspect": [None, "x"],
    "gap.overall.error": ["x"],
}


BEYOND = {  # the largest loss: 1 for AUC and balanced accuracy, 2 for the Brier score, 9.2 nats
    "chosen.budget": ["x", [], {}],
    "chosen.budget.metric": ["auc", "rmse", "log_loss", None, 1],
    "chosen.budget.error": [-0.1, 0.2, None, "x"],
    "chosen.budget.low": [-0.1, 0.3, None],
    "chosen.budget.parts": [None, [], {}, ["x"]],
    "chosen.budget.parts.0.name": ["luck", None],
    "chosen.budget.parts.0.loss": [-0.1, 0.5, None],
    "chosen.budget.parts.1.high": [-0.1, 10**400, None],
    "chosen.budget.inside.0.loss": [0.5, None],
    "wine.budget.inside": [[{"name": "overlap", "loss": 0.01, "low": 0.0, "high": 0.02}]],
    "chosen.model_score": ["x", [], {}],
    "chosen.model_score.metric": ["auc", "rmse", "log_loss", None, 1],
    "chosen.model_score.score": [0.5, 1.5, None, "x"],
    "chosen.model_score.loss": [-0.1, 0.5, None],
    "chosen.model_score.low": [0.9, None],
    "chosen.model_score.word": ["luck", "", None],
    "two classes.features.metric": ["auc", "rmse", None],
    "rare.beside": [None, "x", [], {"auc": {}}, {"roc_auc": {}}],
    "rare.beside.roc_auc.metric": ["balanced_accuracy", "auc", "rmse", None, 1],
    "rare.beside.roc_auc.estimate": [-0.1, 1.1, None],
    "rare.beside.roc_auc.upper": [-0.1, 1.1, 0.01],
    "rare.beside.roc_auc.errors.linear": [-0.1, 1.1, None],
    "rare.beside.roc_auc.std_errors": [None, {}, {"linear": -1.0}],
    "rare.beside.balanced_accuracy.forecast.lowest.199": [1.1, -0.1],
    "few.metric": ["accuracy", "balanced_accuracy", "auc", None],
    "few.answer.metric": ["accuracy", "balanced_accuracy", "auc", None],
    "few.target": [1.5, 0, -0.5],
    "few.beside": [{}],
    "log loss.target": [0, -0.5, "x"],
    "log loss.answer.guessing": [-0.1, 9.3],
    "log loss.answer.errors.linear": [-0.1, None],
    "log loss.answer.forecast.lowest.0": [-0.1],
    "log loss.answer.forecast.lowest.199": [9.3],
    "log loss.beside.brier.upper": [2.1],
    "log loss.beside.brier.forecast.lowest.199": [2.1],
    "log loss.beside.brier.curve.high.0": [2.1],
}


@pytest.mark.parametrize("place", [*WRONG, *BEYOND])
def test_figures_of_another_kind_are_refused_with_advice(made, place):
    """What is loaded must not fail later, far from the file that is to blame."""
    kind, *parts, name = (["target"] if place in WRONG else []) + place.split(".")
    for value in {**WRONG, **BEYOND}[place]:
        given = json.loads(made("chosen" if parts[:1] == ["gap"] else kind).to_json())
        parent = given
        for part in parts:
            parent = parent[int(part) if isinstance(parent, list) else part]
        parent[int(name) if isinstance(parent, list) else name] = value

        with pytest.raises(ValueError, match=r"Run (it|the check) again"):
            Check.from_json(json.dumps(given))


def test_losses_above_1_are_no_nonsense_where_a_metric_has_them(made, validator):
    """Of log loss and Brier score, and of numbers in any unit."""
    given = json.loads(made("log loss").to_json())
    given["answer"]["guessing"], given["beside"]["brier"]["guessing"] = 9.2, 1.9
    found = Check.from_json(json.dumps(given))

    validator.validate(given)
    assert (found.answer.guessing, found.beside["brier"].guessing) == (9.2, 1.9)


def test_the_metric_its_unit_and_its_scores_come_first(made):
    """For other programs, which need not know which metric is 1 minus a loss."""
    for kind, metric, unit in (("wine", "accuracy", "fraction"), ("few", "roc_auc", "fraction")):
        given, answer = json.loads(made(kind).to_json()), made(kind).answer

        assert (given["metric"], given["answer"]["metric"], given["unit"]) == (metric, metric, unit)
        assert (given["score"], given["score_range"][0]) == (1 - answer.estimate, 1 - answer.upper)
        assert given["score_range"][1] == (None if np.isnan(answer.lower) else 1 - answer.lower)
    given, answer = json.loads(made("log loss").to_json()), made("log loss").answer

    assert (given["metric"], given["unit"], list(given["beside"])) == ("log_loss", "nats", ["brier", "accuracy"])
    assert (given["score"], *given["score_range"]) == (answer.estimate, answer.upper, None)


def test_numbers_fit_the_schema_too(validator, global_random_seed):
    """What is about classes is null."""
    X = np.random.default_rng(global_random_seed).normal(size=(150, 2))
    found = check(X, 30 + 12 * X[:, 0], 5.0, metric="rmse", effort="quick")
    given = json.loads(dump(found, found.gates()))

    validator.validate(given)
    assert given["facts"]["task"] == "numbers"
    assert Check.from_json(json.dumps(given)).to_json() == found.to_json()


def test_more_than_is_known_does_no_harm(text):
    """A field of the same version that an older program does not know."""
    given = json.loads(text)
    given["facts"]["new"] = 1

    assert Check.from_json(json.dumps(given)).to_json() == text


@pytest.mark.parametrize(
    ("part", "value"),
    [
        *(("outcome", "maybe"), ("chance", 2), ("answer", {}), ("gates", [{}]), ("verdict", None)),
        *(("metric", "auc"), ("unit", None), ("score", None), ("score_range", [0.9]), ("score_range", [0.9, "x"])),
        *(("target", 1.1), ("beside", []), ("beside", {"auc": {}}), ("beside", {"roc_auc": {}})),
    ],
)
def test_the_schema_refuses_other_forms(text, validator, part, value):
    """A schema that takes everything promises nothing."""
    given = json.loads(text)
    assert not validator.is_valid({**given, part: value})
    assert not validator.is_valid({**given, "answer": {**given["answer"], "estimate": 1.1}})
    assert not validator.is_valid({**given, "beside": {"brier": {**given["answer"], "estimate": -0.1}}})
