"""Finished points of a long race in a folder, so that a run that was ended goes on: one JSON file for each."""

from __future__ import annotations

import base64
import json
import logging
import zlib
from hashlib import sha256
from pathlib import Path

import numpy as np

from bayesfloor.answer._big_learners import Trained
from bayesfloor.support._errors import InputError
from bayesfloor.support._files import write_whole
from bayesfloor.support._words import printable

logger = logging.getLogger(__name__)

_KIND = "bayesfloor finished point 1"
_NUMBERS = ("n_rows", "n_trees", "n_leaves")
_MOST = 1_000_000_000  # bytes of a file


class FinishedPoints:
    """The points in a folder that belong to the same rows and settings; other files are left alone.

    What a learner predicts for the tested rows is kept as compressed numbers of four bytes.
    """

    def __init__(self, folder: str, fingerprint: str, settings: str) -> None:
        self.folder, self.key = Path(folder), sha256(f"{fingerprint}\n{settings}".encode()).hexdigest()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"Got resume={printable(folder)!r}, but expected a folder that can be written to: {error.strerror}."
            ) from error

    def _path(self, name: str, size: int) -> Path:
        return self.folder / f"{self.key[:16]}-{size}-{name}.json"

    def write(self, name: str, size: int, point: Trained) -> None:
        """Write a point, whole or not at all."""
        told = point._asdict()
        scores = np.ascontiguousarray(told.pop("scores"), dtype="<f4")
        packed = base64.b64encode(zlib.compress(scores.tobytes(), 1)).decode()
        head = {"kind": _KIND, "key": self.key, "learner": name, "size": size, "shape": list(scores.shape)}
        write_whole(self._path(name, size), json.dumps({**head, **told, "scores": packed}) + "\n")

    def read(self, name: str, size: int, shape: tuple[int, ...]) -> Trained | None:
        """Return a finished point; None if there is none, or if the file is no such point."""
        path = self._path(name, size)
        try:
            with path.open("rb") as file:
                text = file.read(min(_MOST, 8 * int(np.prod(shape)) + 10_000))  # a longer one is cut, and no JSON
            return self._point(json.loads(text), name, size, shape)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, RecursionError, zlib.error) as error:
            logger.warning("%s is no finished point and is measured again: %s", printable(path.name), error)
            return None

    def _point(self, given: dict[str, object], name: str, size: int, shape: tuple[int, ...]) -> Trained:
        head = {"kind": _KIND, "key": self.key, "learner": name, "size": size, "shape": list(shape)}
        if any(given[key] != value for key, value in head.items()):
            raise InputError("of other rows or settings")
        n_bytes = 4 * int(np.prod(shape))
        data = zlib.decompressobj().decompress(base64.b64decode(str(given["scores"]), validate=True), n_bytes + 1)
        if len(data) != n_bytes:
            raise InputError("with too few or too many numbers")
        scores = np.frombuffer(data, dtype="<f4").reshape(shape)
        figures = {key: given[key] for key in (*_NUMBERS, "capped", "seconds", "cpu_seconds")}
        whole = all(type(figures[key]) is int and 0 <= figures[key] < 2**53 for key in _NUMBERS)  # type: ignore[operator]
        times = all(type(figures[key]) is float and 0 <= figures[key] < 1e12 for key in ("seconds", "cpu_seconds"))  # type: ignore[operator]
        if not (whole and times and type(figures["capped"]) is bool and np.isfinite(scores).all()):
            raise InputError("with figures that make no sense")
        return Trained(scores=scores, **figures)  # type: ignore[arg-type]
