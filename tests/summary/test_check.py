"""``check``: one call that gives one answer, whatever holds the data and whatever is in them."""

import gzip
import json
import re
from contextlib import nullcontext
from dataclasses import replace
from functools import reduce
from operator import getitem

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import norm
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

from bayesfloor import Check, assert_reachable, check
from bayesfloor.summary import _check
from bayesfloor.summary._text import to_full_text
from bayesfloor.support._words import percent

N = 90


@pytest.fixture(scope="module")
def table(gaussians):
    X, y = gaussians(0, [30, 30, 30], d=3)
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    return frame.assign(label=np.array(["low", "mid", "top"])[y], patient=np.arange(N) // 3)


def parts(found, *without):
    """All of a check but the names of columns and what else is told."""
    given = json.loads(found.to_json().replace("groups (patient)", "groups"))  # the column's name is known or not
    for place in ("facts.label", "facts.columns", *without):
        *parents, last = place.split(".")
        del reduce(getitem, parents, given)[last]
    return given


FRAMES = {"pandas": lambda frame: frame, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}


@pytest.fixture(scope="module")
def plain(table):
    return check(table[["u", "v", "w"]].to_numpy(), table["label"].to_numpy())


@pytest.mark.parametrize("kind", FRAMES)
def test_a_column_of_any_frame_serves_as_labels(table, plain, kind):
    """Most data come as one table, from one of three libraries; the answer is that of arrays."""
    found = check(FRAMES[kind](table.drop(columns="patient")), "label")

    assert parts(found, "features.columns") == parts(plain, "features.columns")
    assert (found.facts.label, plain.facts.label) == ("label", "")


@pytest.fixture(scope="module")
def grouped(table):
    X, y, groups = table[["u", "v", "w"]].to_numpy(), table["label"].to_numpy(), table["patient"].to_numpy()
    return check(X, y, groups=groups)


@pytest.mark.parametrize("kind", FRAMES)
def test_a_column_of_any_frame_serves_as_groups(table, grouped, kind):
    """A forgotten column of patients among the features would give them away."""
    found = check(FRAMES[kind](table), "label", groups="patient")

    assert parts(found, "features.columns") == parts(grouped, "features.columns")
    assert (found.answer.unit, grouped.answer.unit) == ("groups (patient)", "groups")
    assert (found.facts.n_groups, found.facts.n_features) == (30, 3)


@pytest.mark.parametrize("with_groups", [False, True])
def test_the_order_of_rows_does_not_matter(table, plain, grouped, global_random_seed, with_groups):
    """A shuffled file is the same file; only numbers of rows, and the fingerprint, may tell."""
    order = np.random.default_rng(global_random_seed).permutation(N)
    moved = table.iloc[order]
    groups = moved["patient"].to_numpy() if with_groups else None
    found = check(moved[["u", "v", "w"]].to_numpy(), moved["label"].to_numpy(), groups=groups)
    before = grouped if with_groups else plain
    but = ("facts.fingerprint", "suspicious.scores.row", "suspicious.nearest")

    assert parts(found, *but) == parts(before, *but)
    assert order[found.suspicious.scores.row].tolist() == before.suspicious.scores.row.tolist()
    assert [order[n] if n >= 0 else n for n in found.suspicious.nearest] == before.suspicious.nearest.tolist()
    assert repr(found) == repr(before)


def test_nothing_is_written_to_the_input(table):
    """A check is a look."""
    frame = table.copy()
    check(frame, "label", groups="patient")

    pd.testing.assert_frame_equal(frame, table)


def test_a_name_without_a_frame_is_refused(gaussians):
    """An array has no names, and a text is no list of labels."""
    X, _ = gaussians(0, [10, 10])

    with pytest.raises(TypeError, match=r"the name of a column, but X is a ndarray, not a data frame"):
        check(X, "label")


def test_names_that_cannot_be_are_refused_with_those_there_are(table):
    """A slip is found at once; rows of one class have no edges among themselves; no model is always right."""
    with pytest.raises(ValueError, match=r"no column 'lable'\. Did you mean 'label'\? Columns: 'u', 'v', 'w', 'label'"):
        check(table, "lable")
    with pytest.raises(ValueError, match=r"no column 'patients'\. Did you mean 'patient'"):
        check(table, "label", groups="patients")

    with pytest.raises(ValueError, match="label"):
        check(table[["u", "v", "w", "label"]], "label", groups="label")

    with pytest.raises(ValueError, match=r"and no columns, but expected at least one feature"):
        check(table[["label"]], "label")

    with pytest.raises(ValueError, match=r"'label' as y and as predictions, but expected two different columns\."):
        check(table[["u", "v", "w", "label"]], "label", predictions="label")


@pytest.mark.slow
@pytest.mark.parametrize("kind", FRAMES)
def test_a_column_of_any_frame_serves_as_predictions(table, plain, kind):
    """It is no feature: the rest of the answer stays as it was."""
    frame = table.drop(columns="patient").assign(model=table["label"].to_numpy()[::-1])
    found = check(FRAMES[kind](frame), "label", predictions="model")
    by_value = check(table[["u", "v", "w"]], table["label"], predictions=frame["model"].tolist())

    assert found.gap.to_dict() == by_value.gap.to_dict()
    assert found.gap.overall.error == pytest.approx(2 / 3)
    alone = replace(found, gap=None, model_score=None, budget=plain.budget)
    assert parts(alone, "features.columns") == parts(plain, "features.columns")


@pytest.mark.parametrize("more", [-1, 1])
def test_there_is_a_prediction_for_every_row(table, more):
    """Those beyond the last row were left out in silence."""
    with pytest.raises(ValueError, match=rf"predictions of shape \({N + more},\), but expected one .* {N} rows"):
        check(table[["u", "v", "w"]], table["label"], predictions=np.zeros(N + more, int))


@pytest.mark.parametrize("target", [0, 95, "0.9", True, float("nan")])
def test_a_target_that_is_no_accuracy_is_refused_before_any_work(target):
    """Percentages are the usual slip, and data may be large."""
    with pytest.raises(ValueError, match=r"Got target=.*, but expected an accuracy above 0 and up to 1"):
        check(None, None, target)


def test_missing_values_are_filled_or_refused_as_asked_and_rows_without_a_label_counted(table):
    """A silent guess would be a wrong floor later: what was done is told; rows keep their numbers."""
    frame = table.copy()
    frame.loc[3, "u"] = np.nan
    found = check(frame, "label", groups="patient")

    assert str(found.prepared) == "Prepared: missing values filled in u"
    assert str(found.prepared) in repr(found)
    assert Check.from_json(found.to_json()).prepared == found.prepared
    with pytest.raises(ValueError, match=r"1 column that would have to be prepared.*u \(filled 1 missing value"):
        check(frame, "label", groups="patient", prepare="strict")

    frame = table.astype({"label": object})
    frame.loc[[0, 7], "label"] = None
    found = check(frame, "label", groups="patient")

    assert (found.prepared.n_unlabelled, found.facts.n_rows) == (2, len(frame) - 2)
    assert "2 rows without a label left out" in repr(found)
    assert not {0, 7} & set(found.samples.row.tolist())


@pytest.mark.slow
def test_a_table_is_the_same_by_every_road(table, tmp_path):
    """File, packed file, frame, lazy frame and stream."""
    table.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress((tmp_path / "t.csv").read_bytes()))
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    (tmp_path / "parts").mkdir()
    for part in range(2):
        table[45 * part : 45 * part + 45].to_csv(tmp_path / "parts" / f"{part}.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet")
    files = [tmp_path / "t.csv", str(tmp_path / "t.csv.gz"), tmp_path / "parts", tmp_path / "t.parquet"]
    roads = [*files, arrow, arrow.to_reader(), pl.from_pandas(table).lazy()]
    first, *others = [check(road, "label", groups="patient") for road in roads]

    for other in others:
        assert other.answer.to_dict() == first.answer.to_dict()
        assert other.prepared == first.prepared


@pytest.mark.slow
def test_a_transformer_may_prepare_the_table(table):
    """Whoever has a way of their own keeps it."""
    own = make_column_transformer((StandardScaler(), ["u", "v"]))
    found = check(table, "label", groups="patient", prepare=own)

    assert found.answer.to_dict() != check(table[["u", "label", "patient"]], "label", groups="patient").answer.to_dict()
    assert not found.prepared
    gaps = table.assign(u=table["u"].where(table["u"] > 0))
    assert check(gaps, "label", groups="patient", prepare=own).answer.upper <= 1
    with pytest.raises(ValueError, match="Got prepare='none', but expected 'auto', 'strict' or a transformer"):
        check(table, "label", prepare="none")


def test_groups_that_make_class_proportions_unreachable_can_be_switched_off():
    """Nobody asked for them."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(60), 10)
    y = (patient % 2) ^ (rng.random(600) < 0.2)
    table = pd.DataFrame(rng.normal(size=(60, 3))[patient] + 0.1 * rng.normal(size=(600, 3))).add_prefix("x")
    table = table.assign(patient_id=[f"P-{p:03d}" for p in patient])

    with pytest.raises(ValueError, match=r"priors cannot be reached.*--no-auto-groups, or auto_groups=False"):
        check(table, y, priors=[0.9, 0.1], effort="quick")


def test_what_is_no_class_is_refused(gaussians):
    """Prices, if classes were asked for; and a matrix of 0 and 1 is one of votes only if that is said."""
    X, y = gaussians(0, [60, 60])
    votes = np.column_stack([np.ones(120), y, np.arange(120) % 2]).astype(int)

    with pytest.raises(ValueError, match="looks like regression"):
        check(X, 1000 * np.arange(120), task="classes")
    with pytest.raises(ValueError, match="y_kind='both', but expected"):
        check(X, y, y_kind="both")
    assert check(X, votes, y_kind="votes").facts.n_classes == 3


def test_every_kind_of_data_has_a_whole_summary(each):
    """One feature or a hundred classes, nothing to see or nothing but suspects: all parts are there."""
    K = len(each.labels)

    assert each.verdict.endswith(".")
    assert each.verdict in " ".join(repr(each).split())
    assert each.pairs.estimate.shape == each.pairwise.matrix.shape == (K, K)
    assert each.classes.estimate.shape == (K,)
    assert 0 <= np.nan_to_num(each.answer.lower) <= each.answer.estimate <= each.answer.upper <= 1
    assert each.overall.lower <= each.overall.estimate <= each.overall.upper
    assert len(each.tree.order) == K
    assert len(each.traits) == 8
    assert len(each.gates(max_error=0.1, max_pair_error=0.1, max_class_error=0.1)) == 3 + (each.target is not None)


SMALL = {
    "one feature": (np.random.default_rng(0).normal(size=(40, 1)), np.arange(40) % 2),
    "one row a class": (np.random.default_rng(0).normal(size=(5, 2)), np.arange(5)),
    "one row of a class": (np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) == 7),
    "three rows": (np.random.default_rng(0).normal(size=(3, 2)), np.array([0, 1, 1])),
    "four rows": (np.random.default_rng(0).normal(size=(4, 2)), np.array([0, 0, 1, 1])),
    "more features than rows": (np.random.default_rng(0).normal(size=(20, 50)), np.arange(20) % 2),
    "huge numbers": (np.random.default_rng(0).normal(size=(40, 2)) * 1e140, np.arange(40) % 2),
    "tiny numbers": (np.random.default_rng(0).normal(size=(40, 2)) * 1e-140, np.arange(40) % 2),
    "two rows": (np.array([[0.0], [1.0]]), np.array([0, 1])),
}


@pytest.mark.parametrize("kind", SMALL)
def test_small_and_odd_data_are_looked_at_or_refused_in_words(kind):
    """The first try is often a toy: it must not end in another library's words."""
    try:
        found = check(*SMALL[kind])
    except ValueError as error:
        assert "but expected" in str(error)  # noqa: PT017 - either way is fine, a foreign message is not
    else:
        assert Check.from_json(found.to_json()).verdict == found.verdict


def test_a_check_cannot_be_changed_and_later_targets_are_checked(made):
    """What was found stays found; the answer takes any target after the fact."""
    with pytest.raises(AttributeError):
        made("iris").target = 0.5

    for ask in (made("iris").answer.verdict, made("iris").answer.chance):
        with pytest.raises(ValueError, match="Got target=95"):
            ask(95)


def test_samples_votes_and_noise_read_as_what_they_are(made):
    """A warning on top of a doubt would be noise; votes are no rows; what no learner sees is not ruled out."""
    found = made("sampled")

    assert (found.facts.n_rows, found.facts.n_used) == (50_100, 300)
    assert "BF206" in {finding.code for finding in found.findings}
    assert "300 of 50,100 rows" in repr(found)

    found = made("votes")

    assert found.facts.n_rows == 40
    assert found.suspicious.n_conflict <= 40
    assert found.suspicious.n_suspect <= 40

    found = made("noise")

    assert "BF101" in {finding.code for finding in found.findings}
    assert found.outcome == "unlikely"
    assert found.answer.chance(1.0) == 0.05
    assert replace(found, target=None).verdict.startswith("No signal found: ")


def test_labels_stay_different_harmless_and_give_no_orders(made, hostile_names):
    """Whatever classes are called, none is lost; a class called <script> is a class."""
    found = made("hostile")

    assert sorted(found.pairwise.classes.tolist()) == sorted(hostile_names)
    assert len(set(found.labels)) == len(hostile_names)
    assert all(label.isprintable() and label for label in found.labels)

    assert "<script>alert" not in found._repr_html_()
    assert "<script" not in found.to_markdown()
    assert "<b>" not in found.to_markdown()


def test_nothing_printed_has_control_characters_and_no_estimate_is_above_guessing(each):
    """A terminal, a diff and a web page may all be ruled by them; guessing is always there."""
    gates = each.gates(max_error=0.1, max_pair_error=0.1, max_class_error=0.1, baseline=each)
    printed = [repr(each), each.to_markdown(), each.verdict, each._repr_html_().replace("\N{NO-BREAK SPACE}", " ")]
    printed += [item.text for item in (*each.findings, *each.traits, *gates)]
    printed += [reason for reason in each.tree.reason if reason]

    for text in printed:
        assert not {c for c in text if not c.isprintable()} - {"\n"}, text

    assert each.answer.estimate <= min(each.answer.upper, each.answer.guessing + 1e-9)
    assert each.answer.upper <= 1 - 1 / each.answer.n_classes + 1e-9


def test_learners_with_hostile_names_are_harmless_too(made, altered):
    """Learners are named by users, and the best one is named in the summary."""
    name = "\x1b[31mbest\n<b>"
    found = altered(made("two classes"), answer={"errors": {name: 0.001, "neighbours": 0.4}, "best": name})
    printed = [to_full_text(found), found.to_markdown(), *(t.text for t in found.traits)]

    assert r"\x1b[31mbest\n" in printed[0]
    assert "<b>" not in printed[1]
    for text in printed:
        assert not {c for c in text if not c.isprintable()} - {"\n"}, text


@pytest.mark.parametrize("target", [0.97, 0.98, 0.99])
def test_wine_is_never_out_of_reach(made, target):
    """The trees' bound alone forbids what a linear model does: the mistake that would end trust in all this."""
    found = replace(made("wine"), target=target)

    assert found.overall.lower > 1 - target
    assert found.outcome != "out of reach"
    assert "out of reach" not in found.verdict
    assert {gate.word for gate in found.gates()} <= {"ok", "open"}


@pytest.mark.parametrize(
    ("kind", "target", "words"),
    [
        ("wine", 0.9, {"reachable"}),
        ("iris", 0.9, {"reachable"}),
        ("iris", 0.95, {"reachable", "likely"}),
        ("iris", 0.97, {"open"}),
        ("breast cancer", 0.95, {"reachable"}),
        ("breast cancer", 0.99, {"open"}),
    ],
)
def test_well_known_sets_have_sane_verdicts(made, kind, target, words):
    """What many have reached is reachable; what nobody has reached is not called so."""
    assert made(kind).answer.verdict(target) in words


@pytest.mark.slow
def test_noise_never_looks_easy(gaussians, global_random_seed):
    """One draw in twenty passes a test at 5 %; none may promise much."""
    found = check(*gaussians(global_random_seed, [100, 100], shift=0.0))

    assert found.answer.verdict(0.7) != "reachable"
    assert found.answer.estimate > 0.3


@pytest.fixture(scope="module")
def known(gaussians):
    """Checks of two Gaussians whose lowest possible error is known, one a seed."""
    return [check(*gaussians(seed, [150, 150], shift=2.5)) for seed in range(10)]


TRUTH = norm.cdf(-1.25)


@pytest.mark.slow
@pytest.mark.parametrize("away", [0.001, 0.03, 0.08])
def test_what_is_out_of_reach_is_never_called_reachable(known, away):
    """A promise that no model can keep costs months."""
    assert "reachable" not in {found.answer.verdict(1 - TRUTH + away) for found in known}


@pytest.mark.slow
@pytest.mark.parametrize("away", [0.001, 0.03, 0.3])
def test_what_is_reachable_is_never_called_out_of_reach(known, away):
    """A wrong no ends a project that would have worked."""
    assert "out of reach" not in {found.answer.verdict(1 - TRUTH - away) for found in known}


@pytest.mark.slow
def test_verdicts_are_given_where_they_can_be_and_the_truth_lies_in_the_range(known):
    """Always open would never be wrong, and of no use; both ends are at 95 %."""
    assert {found.answer.verdict(1 - TRUTH - 0.12) for found in known} == {"reachable"}
    assert "out of reach" in {found.answer.verdict(0.97) for found in known}

    assert sum(found.answer.lower <= TRUTH <= found.answer.upper for found in known) >= 8


@pytest.mark.slow
def test_the_same_call_gives_the_same_check(gaussians):
    """A gate that flickers gets switched off."""
    X, y = gaussians(2, [40, 40])

    assert check(X, y).to_json() == check(X, y).to_json()


def test_class_trees_say_what_is_hard_across_each_split(made):
    """The reason for a split is the hardest pair across it, with the best estimate of the answer."""
    found = made("iris")
    reasons = [found.tree.reason[node] for node in found.tree.splits.tolist()]

    assert reasons[0] == "too small to measure"
    assert reasons[1] == f"hardest pair 1 and 2, error about {percent(found.pairs.estimate[1, 2])} %"


@pytest.mark.slow
def test_duplicates_prove_nothing():
    """A file written twice has each row's twin on the other side of every fold."""
    X, y = load_iris(return_X_y=True)
    once, twice = check(X, y), check(np.vstack([X, X]), np.r_[y, y])

    assert twice.answer.verdict(0.97) != "reachable"
    assert min(twice.answer.errors.values()) > 0.01
    assert twice.answer.upper > 0.5 * once.answer.upper


@pytest.fixture(scope="module")
def noise():
    return np.random.default_rng(0).normal(size=(200, 2)), np.arange(200) % 2


@pytest.fixture(scope="module")
def overlapping(gaussians):
    """Two classes whose lowest possible error is 15.9 %."""
    return gaussians(0, [300, 300])


def test_what_is_reachable_gives_the_check():
    found = assert_reachable(*load_iris(return_X_y=True), 0.9)

    assert isinstance(found, Check)
    assert found.target == 0.9
    assert found.outcome == "reachable"


def test_what_is_out_of_reach_fails_with_the_verdict(overlapping):
    """A test's log is where it is read."""
    with pytest.raises(AssertionError, match=r"^97 % accuracy is out of reach for the kinds of model") as failure:
        assert_reachable(*overlapping, 0.97)

    assert repr(check(*overlapping, 0.97)) in str(failure.value)


LIKELY, OPEN = 0.97, 0.98  # of wine


@pytest.mark.parametrize(("target", "at_least", "passes"), [(LIKELY, 0.2, 2), (OPEN, 0.2, 1), (OPEN, 0.95, 0)])
def test_a_target_needs_a_chance_and_strictly_a_good_one(monkeypatch, made, target, at_least, passes):
    """Without a number a target fails below 20 %; ``strict`` lets nothing pass that is open."""
    found = replace(made("wine"), target=target)
    monkeypatch.setattr(_check, "check", lambda *_, **__: found)
    for strict in (False, True):
        with nullcontext() if passes > strict else pytest.raises(AssertionError, match=re.escape(found.verdict)):
            assert assert_reachable([], [], target, at_least=at_least, strict=strict) is found


def test_what_data_cannot_say_fails(noise):
    """Data from which nothing follows are no pass, whatever is asked for; a percentage for a fraction is refused."""
    with pytest.raises(AssertionError, match=r"^These data cannot say whether 50 % accuracy is .* would decide it\."):
        assert_reachable(np.arange(6.0)[:, None], [0, 0, 1, 1, 2, 2], 0.5, at_least=0.0)
    with pytest.raises(AssertionError, match=r"^90 % accuracy is unlikely to be reachable \(\d+ %\)\. No signal found"):
        assert_reachable(*noise, 0.9)
    with pytest.raises(ValueError, match="Got at_least=20"):
        assert_reachable(*noise, 0.9, at_least=20)


def test_options_are_those_of_check(noise):
    frame = load_iris(as_frame=True).frame
    found = assert_reachable(frame, "target", 0.8, name="flowers", effort="quick", n_trees=2)

    assert (found.facts.name, found.facts.label, found.facts.n_trees) == ("flowers", "target", 2)
    with pytest.raises(TypeError):
        assert_reachable(*noise, 0.9, unknown=1)


@pytest.mark.parametrize("target", [None, 95, 0, "0.9"])
def test_a_target_that_is_no_accuracy_is_an_error_not_a_failure(noise, target):
    """A slip of the pen must not read as bad data."""
    with pytest.raises(ValueError, match="Got target="):
        assert_reachable(*noise, target)


def test_failures_carry_no_control_characters(gaussians):
    """Labels reach the log."""
    X, y = gaussians(0, [60, 60], shift=0.0)

    with pytest.raises(AssertionError) as failure:
        assert_reachable(X, np.array(["\x1b[31mred", "a\rb"], dtype=object)[y], 0.95, strict=True)
    assert not {c for c in str(failure.value) if not c.isprintable()} - {"\n"}
