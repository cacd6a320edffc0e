"""Codes such as zip codes, whose order means nothing, for learners that know numbers only."""

from __future__ import annotations

from typing import Any

import numpy as np


def encode_codes(learners: dict[str, Any], code: np.ndarray | None, random_state: int) -> dict[str, Any]:
    """Learners before which codes become the class rates of their rows, by the rows of each training fold alone."""
    if code is None:
        return learners
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline

    def encoder() -> Any:
        rates = _rates(random_state)
        return make_column_transformer((rates, np.flatnonzero(code)), remainder="passthrough", sparse_threshold=0)

    return {name: make_pipeline(encoder(), learner) for name, learner in learners.items()}


def _rates(random_state: int) -> Any:
    """Class rates of codes by five shuffled folds, which scikit-learn takes as an object from 1.9 on and not before."""
    from sklearn.model_selection import StratifiedKFold
    from sklearn.preprocessing import TargetEncoder

    if getattr(TargetEncoder(), "random_state", "deprecated") == "deprecated":
        return TargetEncoder(cv=StratifiedKFold(5, shuffle=True, random_state=random_state))
    return TargetEncoder(random_state=random_state)
