"""The main figures of a check as a flat dict of floats, for experiment trackers."""

from __future__ import annotations

import numpy as np

from bayesfloor.engine._types import Floats
from bayesfloor.summary._check_parts import Measured


def metrics(check: Measured) -> dict[str, float]:
    """Return the figures that are known; trackers refuse None, and some draw NaN as zero."""
    answer, model = check.answer, None if check.gap is None else check.gap.overall
    figures = {
        "lowest_error_estimate": answer.estimate,
        "lowest_error_lower": answer.lower,
        "lowest_error_upper": answer.upper,
        "guessing_error": answer.guessing,
        "best_learner_error": answer.errors.get(answer.best, np.nan),
        "hardest_pair_error": _largest(check.pairs.estimate),
        "hardest_class_error": _largest(check.classes.estimate),
        "suspicious_labels": check.suspicious.n_suspect,
        "rows": check.facts.n_rows,
    }
    if model is not None:
        figures |= {"model_error": model.error, "model_error_low": model.low, "model_error_high": model.high}
    return {name: float(value) for name, value in figures.items() if np.isfinite(value)}


def _largest(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.max()) if len(known) else np.nan
