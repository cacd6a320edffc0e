"""The answer that a decision rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.answer._answer import Answer

if TYPE_CHECKING:
    from bayesfloor.floor._bayes_floor import BayesFloor  # which loads scikit-learn


def answer_of(floor: BayesFloor, answer: Answer | None = None) -> Answer:
    """The answer given, or else the floor's own."""
    from bayesfloor.floor._bayes_floor import check_floor

    check_floor(floor)
    if answer is None:
        return floor.answer()
    if answer.n_classes != len(floor.classes_):
        raise ValueError(
            f"Got an answer for {answer.n_classes:,} classes, but the floor has {len(floor.classes_):,}. "
            "Pass the floor's own: floor.answer()."
        )
    return answer
