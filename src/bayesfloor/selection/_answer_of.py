"""Find the answer that a decision is based on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.answer._answer import Answer
from bayesfloor.engine._errors import InputError

if TYPE_CHECKING:
    from bayesfloor.floor._bayes_floor import BayesFloor  # which loads scikit-learn


def answer_of(floor: BayesFloor, answer: Answer | None = None) -> Answer:
    """Return the given answer, or the floor's own if none is given."""
    from bayesfloor.floor._bayes_floor import check_floor

    check_floor(floor)
    if answer is None:
        return floor.answer()
    if answer.n_classes != len(floor.classes_):
        raise InputError(
            f"Got an answer for {answer.n_classes:,} classes, but the floor has {len(floor.classes_):,}. "
            "Pass answer=floor.answer()."
        )
    return answer
