"""Check a file, write the result, and suggest the next steps."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bayesfloor.cli._interrupts import stop_if_asked
from bayesfloor.cli._options import ACCURACIES, Settings, read, target_metric
from bayesfloor.cli._terminal import Output
from bayesfloor.support._files import is_address, redact, refuse_output
from bayesfloor.support._words import as_utf8

if TYPE_CHECKING:
    from bayesfloor.io._data import Data
    from bayesfloor.summary._check import Check
    from bayesfloor.summary._gates import Gate

FILES = (".csv", ".tsv", ".txt", ".gz", ".parquet", ".arrow", ".feather", ".ipc", ".npz", ".npy")


def check_file(output: Output, target: float | None, settings: Settings) -> tuple[Data, Check]:
    """Read a file and check it."""
    priors = settings.class_proportions()
    data = read(settings)  # before slow imports: a wrong name is reported at once
    _refuse_other_task(data, settings)
    from bayesfloor.summary._check import check as look_at

    with output.bar() as bar:
        found = look_at(
            data,
            target=target,
            metric=settings.metric or "auto",
            priors=priors,
            **settings.preparing(data),
            **settings.method(bar),
            **settings.more_rows(),
            effort=settings.effort,
            auto_groups=not settings.no_auto_groups,
            duplicates=settings.duplicates,
            time=settings.time,
            accuracy=settings.accuracy,
            score=settings.score,
            n_test=settings.n_test,
        )
    return data, found


_OF_CLASSES = ("max_error", "max_pair_error", "max_class_error", "balanced", "priors", "image")


def _refuse_other_task(data: Data, settings: Settings) -> None:
    """Raise an error, before the work starts, for options that do not suit what the labels are."""
    from bayesfloor.answer._metrics import METRICS, NUMBERS
    from bayesfloor.io._messages import DataError

    for name in settings.metric:
        task = METRICS[name].task
        if task != data.task:
            raise DataError(
                f"--metric {name} is for {task}, but the labels are {data.task}. If not, add --task {task}."
            )
    given = click.get_current_context().params
    asked = [
        f"--{name.replace('_', '-')}" for name in _OF_CLASSES if not (given.get(name) is None or given[name] is False)
    ]
    asked += ["--time later"] if settings.time == "later" else []
    if asked and data.task == NUMBERS:
        raise DataError(
            f"{asked[0]} is for classes, but the labels are numbers. Leave it out; a limit for numbers is a target, "
            "such as --metric rmse --target 12."
        )


def read_baseline(path: str | None) -> Check | None:
    """Read an earlier check; None without a path."""
    from bayesfloor.io._messages import DataError

    if path is None:
        return None
    from bayesfloor.summary._check import Check

    try:
        return Check.from_json(Path(path))
    except FileNotFoundError as error:
        raise DataError(f"no baseline '{path}'. Make it first: bayesfloor check ... --json {path}") from error
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be used as a baseline: {error}") from error


def print_check(output: Output, found: Check, gates: tuple[Gate, ...], steps: list[tuple[str, str]]) -> None:
    """Print the answer on one screen, or everything with ``--verbose``."""
    from bayesfloor.summary._text import terminal_width, to_full_text, to_text

    form = to_full_text if output.verbose else to_text
    output.result(form(found, terminal_width(), gates, steps))


def write_all(
    output: Output, found: Check, gates: tuple[Gate, ...], json_path: str | None, markdown: str | None
) -> None:
    """Write the result in the requested formats, and to the summary of a CI job."""
    from bayesfloor.summary._json import dump
    from bayesfloor.summary._markdown import to_markdown
    from bayesfloor.support._files import write_whole

    stop_if_asked()
    for path, form in ((json_path, dump), (markdown, to_markdown)):
        if path == "-":
            output.raw(form(found, gates))
        elif path is not None:
            write_whole(path, form(found, gates))
    if page := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with Path(page).open("a", encoding="utf-8", errors="backslashreplace") as stream:
                stream.write(to_markdown(found, gates) + "\n")
        except OSError as error:  # it is a favour, and must not lose the result
            output.note(f"warning: the CI job summary cannot be written: {error}")


def save_model(output: Output, found: Check, data: Data, path: str | None) -> None:
    """Fit the best model to all labelled rows and write it, if a path is given."""
    if path is None:
        return
    from io import BytesIO

    import joblib
    import numpy as np
    import sklearn

    from bayesfloor.answer._learners import called
    from bayesfloor.io._labels import missing_labels
    from bayesfloor.support._files import write_whole
    from bayesfloor.support._words import how_many, printable

    stop_if_asked()
    rows, content = np.flatnonzero(~missing_labels(data.y)), BytesIO()
    joblib.dump(found.best_model().fit(replace(data, X=data.X[rows]).native, data.y[rows]), content)
    output.note(
        f"The best model, {called(found.answer.best, found.task)} fitted to {how_many(len(rows), 'row')}, is in "
        f"{printable(write_whole(path, content.getvalue()))}. Loading it can run code: load only files that you trust. "
        f"It needs bayesfloor {found.facts.version} and scikit-learn {sklearn.__version__}."
    )


_DATA = ("label", "features", "drop", "embedding", "labels_file", "groups", "id_column")
_PREPARATION = ("as_role", "clean_labels", "strict_input", "no_auto_groups")
_PRIORS = ("balanced", "priors")
_MODEL = ("predictions", "accuracy", "score", "n_test")
_FLAGS = {"label": "-y", "features": "-x", "id_column": "--id", "as_role": "--as"}


def next_steps(output: Output, found: Check, settings: Settings) -> list[tuple[str, str]]:
    """Return commands to paste, with what each does: remedies for the main findings first, then the report."""
    from bayesfloor.summary._text import ONLY_IN_FULL_TEXT

    shown = (finding.code for finding in found.findings if output.verbose or finding.code not in ONLY_IN_FULL_TEXT)
    explain = (f"bayesfloor explain {next(shown, 'CODE')}", "explain a code")
    if settings.path == "-":  # it cannot be read again
        return [explain]
    data = [redact(settings.path), *_said(settings, _DATA)]
    target = [] if found.target is None else ["--target", _as_typed(found.target, settings)]
    task = [] if settings.task == "auto" else ["--task", settings.task]
    effort = [] if settings.effort == "normal" else ["--effort", settings.effort]
    asked = _said(settings, (*_PREPARATION, "duplicates", "time", *_PRIORS))
    again = [*data, *task, *_said(settings, ("metric",)), *target, *_said(settings, _MODEL), *effort, *asked]
    steps = [*_remedies(found, settings, data, again), (_command("report", again), "full report")]
    if not output.verbose:
        steps.append((_command("check", [*again, "-v"]), "all details"))
    return [*steps, explain]


def _as_typed(target: float, settings: Settings) -> str:
    """Return a target as the command line reads it."""
    of_accuracy = target_metric(settings.metric, settings.task) in ACCURACIES
    return f"{100 * target:.15g}%" if of_accuracy else f"{target:.15g}"


def _remedies(found: Check, settings: Settings, data: list[str], again: list[str]) -> list[tuple[str, str]]:
    """Return the commands that follow up on findings."""
    codes = {finding.code for finding in found.findings}
    steps = []
    if "BF106" in codes and not settings.clean_labels and found.facts.n_classes > 2:
        steps.append((_command("check", [*again, "--clean-labels"]), "merge labels"))
    if found.doubtful:
        names = (name for each in found.doubtful for name in each.columns)
        options = [word for name in names for word in ("--drop", name)]
        steps.append((_command("check", [*again, *options]), "drop columns"))
    if "BF208" in codes and settings.effort == "normal":
        steps.append((_command("check", [*again, "--effort", "thorough"]), "more learners"))
    if "BF120" in codes and not settings.metric:
        steps.append((_command("check", [*again, "--balanced"]), "rare classes"))
    if found.task != "classes":  # no command lists numbers that do not fit, but the report does
        return steps
    held = found.dependence if found.dependence is not None and found.dependence.applied else None
    # samples knows neither proportions nor dependence that it is not told of: it would list other rows.
    same_rows = (held is None or held.kind == "groups") and not _said(settings, _PRIORS)
    if found.suspicious.n_suspect and same_rows:
        belong = [] if held is None else ["--groups", held.column]
        drop = [] if settings.predictions is None else ["--drop", settings.predictions]
        words = [*data, *belong, *drop, *_said(settings, _PREPARATION)]
        steps.append((_command("samples", words), "check labels"))
    return steps


def _said(settings: Settings, names: Iterable[str]) -> list[str]:
    """Return those of these options that were given, as they were typed."""
    words = []
    for name in names:
        flag, value = _FLAGS.get(name, f"--{name.replace('_', '-')}"), getattr(settings, name)
        for one in value if isinstance(value, tuple) else (value,):
            if one:
                words += [flag] if one is True else [flag, redact(str(one))]
    return words


def _command(verb: str, words: list[str]) -> str:
    """Return a command to paste; the user must fill in names that cannot be printed."""
    from bayesfloor.io._messages import shell

    return shell(["bayesfloor", verb, *(word if word.isprintable() else "NAME" for word in words)])


class PicturesBelow:
    """Paths of pictures by row; those outside a folder are empty, because a table may name any file of its reader."""

    def __init__(self, paths: list[str], folder: Path) -> None:
        self.paths, self.folder, self.n_left = paths, folder.resolve(), 0

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, row: int) -> str:
        path = self.paths[row]
        with suppress(OSError, ValueError):  # of paths that no system allows
            if Path(path).resolve().is_relative_to(self.folder):
                return path
        self.n_left += 1
        return ""


def pictures_of(settings: Settings, data: Data) -> PicturesBelow | None:
    """Return the pictures below the table's folder, or below another folder that the user names."""
    if data.images is None:
        return None
    place = Path(settings.path)
    here = Path() if settings.path == "-" or is_address(settings.path) else place if place.is_dir() else place.parent
    return PicturesBelow(data.images, here if settings.image_root is None else Path(settings.image_root))


def page_path(name: str) -> str:
    """Return the report's path for a data file of this name, without the file type's suffix."""
    while name.lower().endswith(FILES):
        name = name.rpartition(".")[0]
    return os.fsdecode(f"{name or 'data'}.bayesfloor.html".encode("utf-8", sys.getfilesystemencodeerrors()))


def refuse_stdout(path: str | None, message: str) -> None:
    """Raise an error if an output that is no text would go to stdout."""
    if path == "-":
        raise click.UsageError(message)


def one_to_stdout(json_path: str | None, markdown: str | None) -> None:
    """Raise an error if two outputs would go to stdout."""
    if json_path == markdown == "-":
        raise click.UsageError("Only one of --json and --markdown can go to stdout.")


def check_outputs(outputs: Iterable[str | None], inputs: Iterable[str | None]) -> None:
    """Raise an error, before the work starts, if an output's folder is missing or an input would be overwritten."""
    outputs = list(outputs)
    for path in outputs:
        refuse_output(path)
    read = [Path(path) for path in inputs if path not in (None, "", "-") and not is_address(path)]
    for output in (Path(path) for path in outputs if path not in (None, "-")):
        if not output.absolute().parent.is_dir():
            raise FileNotFoundError(f"There is no folder {output.parent}. Create it first.")
        if any(_is_part_of(output, path) for path in read):
            from bayesfloor.io._messages import DataError, short_path

            told = f"{short_path(output)} is an input of this command, and the output would overwrite it."
            raise DataError(f"{told} Choose another file name.")


def _is_part_of(output: Path, path: Path) -> bool:
    """Whether an output is an input file, by whatever name, or a file in an input folder."""
    if not output.exists() or not path.exists():
        return False
    return output.samefile(path) or (path.is_dir() and path.resolve() in output.resolve().parents)


def command_line() -> str:
    """Return the command as it was typed, without folders."""
    from bayesfloor.io._messages import shell

    return shell(["bayesfloor", *(as_utf8(_base_name(word)) for word in sys.argv[1:])])


def _base_name(word: str) -> str:
    """Remove a path's folders, which may be private and do not belong in a report that is passed on."""
    if word.startswith("-"):
        flag, equals, value = word.partition("=")
        return f"{flag}{equals}{_base_name(value)}"
    word = redact(word)
    return Path(word).name if os.sep in word or (os.altsep or os.sep) in word else word
