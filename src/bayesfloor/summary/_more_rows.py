"""``rows=``: whether learners see more rows than the first race, and what to say of it."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from importlib.util import find_spec
from numbers import Integral
from typing import Any

import numpy as np

from bayesfloor.answer._all_rows import ENOUGH, AllRows, Known, Stopped, long_race, refuse_memory
from bayesfloor.answer._answer import Answer
from bayesfloor.answer._big_learners import training_rows
from bayesfloor.answer._finished_points import FinishedPoints
from bayesfloor.answer._hazards import LATER, Hazards
from bayesfloor.answer._make_answer import LEARN_ON
from bayesfloor.answer._metrics import IN_PERCENT, METRICS, score_text
from bayesfloor.answer._pieces import load_lightgbm
from bayesfloor.io._data import Data
from bayesfloor.io._features import Features
from bayesfloor.io._labels import missing_labels
from bayesfloor.support._errors import InputError
from bayesfloor.support._words import how_many, number_text, percent, two_digits

logger = logging.getLogger(__name__)

AUTO, ALL = "auto", "all"


def drawn_at_most(rows: object) -> int | None:
    """Return to how many rows a check is limited, or None; raise unless ``rows`` has a meaning."""
    number = isinstance(rows, Integral) and not isinstance(rows, bool)
    if not (number and rows > 0) and not (isinstance(rows, str) and rows in (AUTO, ALL)):  # type: ignore[operator]
        raise InputError(f"Got rows={rows!r}, but expected 'auto', 'all' or a number of rows, such as 1_000_000.")
    return int(rows) if number and rows <= LEARN_ON else None  # type: ignore[call-overload,operator]


@dataclass(frozen=True)
class MoreRows:
    """What was asked for beyond the rows that the first race sees."""

    rows: Any
    resume: str | None
    y_kind: str
    client: Any = None  # of a Dask cluster

    @property
    def most(self) -> int | None:
        """The largest number of training rows, or None."""
        return None if isinstance(self.rows, str) else int(self.rows)

    def checked(self, data: Data) -> Data:
        """Return the data, with a note if LightGBM is missing; raise before the work starts if more is impossible."""
        n = _n_labelled(data)
        if not self._is_wanted(n):
            return data
        if self.resume is not None:
            FinishedPoints(self.resume, "", "")  # raises if the folder cannot be made
        if self.rows != AUTO:
            load_lightgbm()
            most = training_rows(n)
            if self.client is None:  # bins are in this process
                refuse_memory(most if self.most is None else min(self.most, most), data.X.shape[1], _n_classes(data))
        elif find_spec("lightgbm") is None:
            note = (
                f"learners saw at most {LEARN_ON:,} of {how_many(n, 'row')}; "
                'for all rows: pip install "bayesfloor[large]"'
            )
            return replace(data, notes=(*data.notes, note))
        return data

    def _is_wanted(self, n: int) -> bool:
        return training_rows(n) >= ENOUGH and (self.most is None or self.most > LEARN_ON)

    def race(
        self, data: Data, features: Features, hazards: Hazards, answers: dict[str, Answer], known: Known
    ) -> tuple[dict[str, Answer], AllRows | None]:
        """Return the answers with what more rows show, if learners can be given them."""
        auto, own = self.rows == AUTO, hazards.dependence
        if not self._is_wanted(_n_labelled(data)) or (auto and find_spec("lightgbm") is None):
            return answers, None
        held = own is not None and own.applied
        columns = hazards.group_columns if held else ()
        race = next(iter(answers.values())).evidence()
        copies = data.groups is None and len(np.unique(race.cluster)) < len(race.cluster)
        if hazards.time == LATER or hazards.undecided or hazards.synthetic or ((held or copies) and not columns):
            if auto:
                return answers, None
            raise InputError(
                f"Got rows={self.rows!r}, but rows that depend on each other were found, such as copies, and no column "
                "says which. Pass rows=50_000, or groups."
            )
        from bayesfloor.io._all_rows import open_rows

        try:
            rows = open_rows(
                data, features, groups=columns, y_kind=self.y_kind, random_state=known.settings.random_state
            )
            return long_race(rows, answers, known, self.most, auto=auto, resume=self.resume, client=self.client)
        except InputError as error:  # of rows that the sample does not resemble, or that cannot be read in pieces
            if not auto:
                raise
            logger.warning("learners saw at most %s rows: %s", f"{LEARN_ON:,}", error)
            return answers, None


def _n_labelled(data: Data) -> int:
    if data.drawn is not None:
        return data.n_rows - data.n_unlabelled
    y = np.asarray(data.y) if data.y is not None else np.empty(0)
    return int(np.count_nonzero(~missing_labels(y))) if y.ndim == 1 else 0


def _n_classes(data: Data) -> int:
    y = np.asarray(data.y)
    return len(np.unique(y[~missing_labels(y)].astype(str))) if data.task == "classes" else 1


def all_rows_text(found: AllRows, answer: Answer) -> str:
    """Say what more rows brought, and what the next would."""
    best, metric = found.best, answer.of

    def tell(loss: float) -> str:
        return f"{percent(loss)} %" if metric.of_errors else score_text(metric, loss)

    gain = _gain(answer, found.brought)
    brought = f"bring {gain}" if found.brought > 0 else "bring nothing yet"
    told = f"{brought}: {tell(found.first_loss)} from {found.first_rows:,} rows, {tell(best.loss)} from {best.n_rows:,}"
    if found.stopped is Stopped.INTERRUPTED:
        told = f"{told}; interrupted"
    if not found.next_rows:
        return told
    seconds = f"about {two_digits(found.seconds):,} CPU seconds"
    memory = ", but would not fit into memory" if found.stopped is Stopped.MEMORY else ""
    return f"{told}; {found.next_rows:,} would bring about {_gain(answer, found.gain)} more in {seconds}{memory}"


def _gain(answer: Answer, gain: float) -> str:
    """Return how far a loss falls: in points, or in the unit of the metric."""
    if METRICS[answer.metric].name in IN_PERCENT:
        return f"{100 * gain:.1f} points"
    return number_text(gain, 2)
