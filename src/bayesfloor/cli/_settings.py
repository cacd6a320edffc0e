"""The user's settings, and what all verbs do with them: read, prepare and subsample."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayesfloor.cli._console import Output
from bayesfloor.engine._progress import Progress
from bayesfloor.engine._quiet import ignoring

if TYPE_CHECKING:
    import numpy as np

    from bayesfloor.io._data import Data

_FLAGS = {"label": "-y", "features": "-x", "id_column": "--id", "as_role": "--as"}
_SHOWING = ("quiet", "verbose", "no_color", "no_progress")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A verb's options, named as on the command line; options that the verb does not have keep their defaults."""

    scale: str | None
    trees: int
    seed: int
    jobs: int
    path: str = ""
    label: str | None = None
    features: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    embedding: str | None = None
    labels_file: str | None = None
    groups: str | None = None
    id_column: str | None = None
    predictions: str | None = None
    as_role: tuple[str, ...] = ()
    clean_labels: bool = False
    no_auto_groups: bool = False
    strict_input: bool = False
    balanced: bool = False
    priors: str | None = None
    effort: str = "normal"
    max_rows: int | None = None  # 0 means all
    engine: str = "threads"
    scheduler: str | None = None
    checkpoint: str | None = None
    # report
    select: bool = False
    image: str | None = None
    pixels: str | None = None
    show_rows: bool = False
    # features
    most: int | None = None
    pairs: bool = False
    criterion: str | None = None
    holdout: float | None = None
    # output tables
    keep_formulas: bool = False
    # compare
    pca: str | None = None

    @property
    def files(self) -> tuple[str | None, ...]:
        """The input files."""
        return self.path, self.labels_file

    def method(self, progress: Progress) -> dict[str, Any]:
        """Return the arguments of every method."""
        work = {"n_trees": self.trees, "n_jobs": self.jobs, "random_state": self.seed}
        return {"scale": self.scale, **work, "progress": progress}

    def preparing(self, data: Data) -> dict[str, Any]:
        """Return the arguments that say how to turn columns into numbers."""
        return {"prepare": "strict" if self.strict_input else "auto", "roles": self._roles(data)}

    def _roles(self, data: Data) -> dict[str, str] | None:
        """Return the roles that the user gave to feature columns with ``--as``, or None."""
        from bayesfloor.io._column_encoders import ROLES
        from bayesfloor.io._messages import DataError, quote, refuse_unknown

        roles, known = {}, [role for role in ROLES if role != "ordered"]  # an ordered role needs a list of levels
        for said in self.as_role:
            name, equals, role = said.rpartition("=")
            if not equals or role not in known:
                raise DataError(
                    f"--as {quote(said)}: expected COLUMN=ROLE, such as zip=category. Roles: {', '.join(known)}."
                )
            roles[name] = role
        refuse_unknown(roles, data.feature_names)
        return roles or None

    def class_proportions(self) -> str | dict[str, float] | None:
        """Return the class proportions that the answer is for, or None for those of the data."""
        from bayesfloor.io._messages import DataError, quote

        if self.priors is None:
            return "balanced" if self.balanced else None
        if self.balanced:
            raise DataError("Got both --balanced and --priors, but expected only one of them. Leave one out.")
        shares = {}
        for said in self.priors.split(","):
            label, _, share = (part.strip() for part in said.rpartition("="))
            try:
                shares[label] = float(share[:-1]) / 100 if share.endswith("%") else float(share)
            except ValueError:
                label = ""
            if not label:
                raise DataError(f"--priors {quote(said)}: expected CLASS=P, such as no=0.9,yes=0.1.")
        return shares

    def draw_limit(self) -> dict[str, Any]:
        """Return the argument that limits the number of rows, if the user set a limit."""
        return {} if self.max_rows is None else {"max_rows": self.max_rows or None}

    def drawing(self) -> dict[str, Any]:
        """Return the same for ``BayesFloor``, which by default subsamples as many rows as it needs."""
        return {"max_rows": self.max_rows or None, "target_width": None if self.max_rows == 0 else 0.01}


def flag_of(name: str) -> str:
    """Return what to type for a setting."""
    return _FLAGS.get(name, f"--{name.replace('_', '-')}")


def take(given: dict[str, Any]) -> tuple[Output, Settings]:
    """Split a verb's options into its output and its settings."""
    asked = {name: value for name, value in given.items() if name not in _SHOWING}
    return make_output(**{name: given[name] for name in _SHOWING}), Settings(**asked)


def make_output(*, quiet: bool, verbose: bool, no_color: bool, no_progress: bool) -> Output:
    """Make the output that these options describe."""
    return Output(quiet=quiet, color=not no_color, progress=not no_progress, verbose=verbose)


def read(settings: Settings, *, in_place: bool = False) -> Data:
    """Read the input file."""
    from bayesfloor.io._data import open_data

    return open_data(
        settings.path,
        settings.label,
        groups=settings.groups,
        predictions=settings.predictions,
        ids=settings.id_column,
        images=settings.image,
        features=settings.features,
        drop=settings.drop,
        embedding=settings.embedding,
        labels_file=settings.labels_file,
        clean_labels=settings.clean_labels,
        max_rows=settings.max_rows,
        random_state=settings.seed,
        in_place=in_place,
    )


@contextmanager
def without_warning() -> Iterator[None]:
    """Silence the warning about subsampling; ``tell_drawn`` prints one line instead."""
    from bayesfloor.floor._sample import SampledRowsWarning

    with ignoring(SampledRowsWarning):
        yield


def tell_drawn(output: Output, n_used: int, y: np.ndarray) -> None:
    """Print a note if not all labelled rows were used."""
    from bayesfloor.io._labels_and_weights import missing_labels

    n_rows = len(y) - int(missing_labels(y).sum())
    if n_used < n_rows:
        output.note(f"subsampled: {n_used:,} of {n_rows:,} rows; --max-rows 0 uses all")
