"""Encode codes such as zip codes, whose order means nothing, for learners that accept only numbers."""

from __future__ import annotations

from typing import Any

import numpy as np


def encode_codes(learners: dict[str, Any], code: np.ndarray | None, random_state: int) -> dict[str, Any]:
    """Put a target encoder before each learner; it replaces codes with class rates from the training folds only."""
    if code is None:
        return learners
    from sklearn.pipeline import make_pipeline

    return {name: make_pipeline(code_encoder(code, random_state), learner) for name, learner in learners.items()}


def code_encoder(code: np.ndarray, random_state: int) -> Any:
    """Return a transformer that replaces codes with class rates, and keeps all other columns."""
    from sklearn.compose import make_column_transformer

    rates = _rates(random_state)
    return make_column_transformer((rates, np.flatnonzero(code)), remainder="passthrough", sparse_threshold=0)


def _rates(random_state: int) -> Any:
    """Return a target encoder with five shuffled folds; scikit-learn accepts a splitter only from version 1.9."""
    from sklearn.model_selection import StratifiedKFold
    from sklearn.preprocessing import TargetEncoder

    if getattr(TargetEncoder(), "random_state", "deprecated") == "deprecated":
        return TargetEncoder(cv=StratifiedKFold(5, shuffle=True, random_state=random_state))
    return TargetEncoder(random_state=random_state)
