"""Report the progress of long work through one callback, ``progress(stage, done, total)``."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]


class Listener:
    """A progress callback that also hears the size of the data and what is known so far; this one ignores it all."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Hear how much of a stage is done."""

    def sized(self, n_rows: int, n_features: int, n_classes: int) -> None:
        """Hear the size of the data that the stages to come will use."""

    def bounded(self, lower: float, upper: float, guessing: float) -> None:
        """Hear limits of the lowest possible error that the answer can only narrow, and the error of guessing."""

    def trained(self, error: float, n_train: int) -> None:
        """Hear the lowest cross-validated error of models with this many training rows."""


def as_listener(progress: Progress | None) -> Listener:
    """Return the callback if it is a listener, otherwise one that ignores everything: users pass plain functions."""
    return progress if isinstance(progress, Listener) else Listener()
