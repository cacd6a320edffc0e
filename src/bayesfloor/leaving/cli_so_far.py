"""Say what is known while a check runs: only what is measured, and clearly not the last word."""

from __future__ import annotations

from dataclasses import dataclass

from bayesfloor.support._words import how_many, percent


@dataclass
class SoFar:
    """One provisional line, refined as more is known; empty before anything is."""

    target: float | None
    measure: str
    text: str = ""
    _settled: str = ""

    def bounded(self, lower: float, upper: float, guessing: float) -> None:
        """Say what the limits settle; the answer can only narrow them. Those of guessing say nothing."""
        from bayesfloor.answer._answer import OUT_OF_REACH, REACHABLE

        error = self._error()
        known = f"at most {percent(upper, error)}"
        if error is not None and upper <= error:
            self._settled = f"is {REACHABLE}"
        elif error is not None and lower > error:
            self._settled, known = f"is {OUT_OF_REACH}", f"at least {percent(lower, error)}"
        if self._settled or upper < guessing:
            self._say(self._settled, f"the lowest possible error is {known} %")

    def trained(self, error: float, n_train: int) -> None:
        """Say how low the error of the models is, and whether that reaches the target."""
        allowed = self._error()
        measured = "" if allowed is None else "reached" if error <= allowed else "not reached"
        known = f"lowest cross-validated error {percent(error, allowed)} %"
        self._say(self._settled or measured, f"{known} with {how_many(n_train, 'training row')}")

    def _error(self) -> float | None:
        """Return the error that the target allows."""
        from bayesfloor.answer._answer import target_error

        return None if self.target is None else target_error(self.target)

    def _say(self, verdict: str, known: str) -> None:
        headline = "" if self.target is None or not verdict else f"{100 * self.target:.6g} % {self.measure} {verdict}: "
        self.text = f"so far: {headline}{known}"
