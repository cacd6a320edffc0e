"""Show one progress line for all stages of the work, and below it what is known so far."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from bayesfloor.cli._interrupts import stop_if_asked
from bayesfloor.cli._so_far import SoFar
from bayesfloor.cli._time_left import TimeLeft
from bayesfloor.engine._progress import Listener

# From the number of rows, features and classes: the stages to come, with the expected seconds of their parts.
Plan = Callable[[int, int, int], Mapping[str, Sequence[float]]]

_PATIENCE = 0.7  # seconds before the line appears; quick work needs none
_WIDTH = 15  # of the bar; 40 columns are enough for the bar and the time


class ProgressBar(Listener):
    """The progress line; hidden if there is no terminal."""

    def __init__(self, so_far: SoFar | None, plan: Plan | None, *, shown: bool, told: bool) -> None:
        self._so_far, self._plan, self._told = so_far, plan, told
        self._time, self._stage = TimeLeft(), "preparing"
        self._live: Any = None
        if shown:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(get_renderable=self._draw, console=Console(stderr=True), transient=True)

    def __enter__(self) -> Self:
        if self._live is not None:
            try:
                self._live.start()
            except BaseException:  # Ctrl-C while it starts must not leave the cursor hidden
                self._live.stop()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Update the progress; the library calls this."""
        stop_if_asked()
        if self._told and stage != self._stage:
            sys.stderr.write(f"{self._time.elapsed:6.1f} s  {stage}\n")
        self._stage = stage
        self._time.hear(stage, done, total)

    def sized(self, n_rows: int, n_features: int, n_classes: int) -> None:
        """Plan the stages to come."""
        if self._live is not None and self._plan is not None:
            self._time.plan(self._plan(n_rows, n_features, n_classes))

    def bounded(self, lower: float, upper: float, guessing: float) -> None:
        """Show what the limits settle."""
        self._time.begin()
        if self._so_far is not None:
            self._so_far.bounded(lower, upper, guessing)

    def trained(self, error: float, n_train: int) -> None:
        """Show the lowest error so far."""
        if self._so_far is not None:
            self._so_far.trained(error, n_train)

    def _draw(self) -> Any:
        """Return the lines as they are now.

        Only a thread of rich draws them, four times per second: Ctrl-C in the middle of a line would leave half of it.
        """
        from rich.console import Group
        from rich.progress_bar import ProgressBar as Bar
        from rich.table import Table
        from rich.text import Text

        if self._time.elapsed < _PATIENCE:
            return Text()
        line, time = Table.grid(padding=(0, 1)), tell_time(self._time.elapsed, self._time.left)
        bar = Bar(1.0, self._time.fraction, width=_WIDTH)
        line.add_row(bar, Text(f"{time}  {self._stage}", no_wrap=True, overflow="ellipsis"))
        return Group(line, Text(self._so_far.text)) if self._so_far is not None and self._so_far.text else line


def tell_time(elapsed: float, left: float | None) -> str:
    """Return the time that has passed, and coarsely the time that is left: it is an estimate."""
    passed = f"{int(elapsed) // 60}:{int(elapsed) % 60:02d}"
    if left is None:
        return passed
    if left < 5:
        return f"{passed}, seconds left"
    if left < 90:
        return f"{passed}, about {5 * math.ceil(left / 5)} s left"
    return f"{passed}, about {round(left / 60)} min left"
