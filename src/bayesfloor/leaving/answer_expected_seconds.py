"""How long the race of an answer is expected to take, stage by stage."""

from __future__ import annotations

from bayesfloor.answer._learners import REGISTRY, Size
from bayesfloor.answer._make_answer import LEARN_ON
from bayesfloor.answer._race import PARTS, choose_learners, n_tested_folds, stage_of
from bayesfloor.support._tasks import effective_n_jobs

_GROWTH = 0.75  # measured: cost grows with this power of the number of training rows, over all learners of a race


def expected_seconds(
    n_rows: int, n_features: int, n_classes: int, effort: str, n_jobs: int | None
) -> dict[str, list[float]]:
    """Return the expected seconds of each stage of the race, learner by learner in the order in which they run."""
    size = Size(min(n_rows, LEARN_ON), n_features, n_classes, effort=effort)
    chosen, _ = choose_learners(size, random_state=0)
    at_once = effective_n_jobs(n_jobs) / n_tested_folds(int(size.n_rows), effort)
    seconds = [REGISTRY[name].cost(size) / at_once for name in reversed(chosen)]
    return {stage_of(part): [part**_GROWTH * each for each in seconds] for part in PARTS}
