"""The sentences for reasons: word for word, since they are all that readers see of them."""

import pytest

from bayesfloor.answer import Basis, Reason
from bayesfloor.summary._verdict import reason_text

TOLD = {
    Reason(Basis.GUESSING, (0.5, 0.5, 2)): "no learner is shown to beat always predicting the same class",
    Reason(Basis.GUESSING, (0.42, 0.4, 2)): (
        "no learner is shown to beat always predicting the most frequent class (95 %)"
    ),
    Reason(Basis.LEARNER, (0.123,), ("linear",)): (
        "tested (95 %): a linear model has a cross-validated error of 12.3 %"
    ),
    Reason(Basis.LEAK, names=("tag",)): "column tag may give the label away",
    Reason(Basis.LEAK, names=("a", "b")): "columns a, b may give the label away",
    Reason(Basis.SPELLINGS, (7, 3)): "7 labels look like spellings of 3 classes",
    Reason(Basis.TYPOS, (1,)): "1 label looks like a typo",
    Reason(Basis.TYPOS, (2,)): "2 labels look like typos",
    Reason(Basis.RANKING, (0.988,)): (
        "no learner is clearly more accurate than guessing, but their scores rank the classes (AUC 0.99)"
    ),
    Reason(Basis.DRIFT, (0.1, 0.2, 0.15, 0.25), ("seen",)): (
        "this is for rows between known ones in seen: a quick model has an error of 10.0 % there, and of 20.0 % on the "
        "next period (15.0 to 25.0 %)"
    ),
    Reason(Basis.LATER, (0.2, 0.15, 0.25, 5)): (
        "measured on 5 periods by a quick model trained on earlier ones: error 20.0 % (15.0 to 25.0 %)"
    ),
    Reason(Basis.UNDECIDED, (0.5,)): (
        "50.0 % of rows equal another row, which the data cannot tell to be copies or separate cases"
    ),
    Reason(Basis.SYNTHETIC, (0.4,)): "40.0 % of a class lie exactly between two of its rows, as if made from them",
    Reason(Basis.POSSIBLY_RELATED, (1.0,)): (
        "rows may be related: some are closer to each other than rows usually are"
    ),
    Reason(Basis.NEAR_DUPLICATES, (0.21,)): (
        "21.0 % of rows are near-duplicates of another row, but there are no groups"
    ),
    Reason(Basis.FEW_ROWS, (50,)): "too few rows: fewer than 50 per class",
    Reason(Basis.FEW_OF_CLASS, (60,)): "fewer than 60 rows in the rarest class: an estimate, but no range",
    Reason(Basis.FEW_NUMBERS, (100,)): "too few rows: fewer than 100",
    Reason(Basis.OUTLIERS, (0.4567,)): (
        "outliers decide the squared error (1 % of the rows carry 45.7 % of it), so there is no range: use the mean "
        "absolute error (metric mae) or the logarithm of the numbers"
    ),
    Reason(Basis.ONE_KIND, names=("mine",)): (
        "only the learner mine gets this low: no second kind of learner confirms it"
    ),
    Reason(Basis.CAPPED, (1_000_000.0,)): (
        "trees were still improving when training on 1,000,000 rows ended, so there is no limit"
    ),
    Reason(Basis.WIDE, (0.117,)): "the range is 11.7 points wide",
}


@pytest.mark.parametrize("reason", TOLD, ids=str)
def test_a_reason_is_told_with_its_numbers_and_names(reason):
    """As on every screen."""
    assert reason_text(reason) == TOLD[reason]


def test_every_basis_has_a_sentence():
    """One without would stop a check at its end."""
    told = {reason.basis for reason in TOLD}

    assert all(reason_text(Reason(basis)) for basis in Basis if basis not in told)
