"""What the verbs have in common: reading, looking, writing, and what to say after it."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bayesfloor.cli._console import Bar, Output
from bayesfloor.engine._text import as_utf8

if TYPE_CHECKING:
    import numpy as np

    from bayesfloor.io._data import Data
    from bayesfloor.selection._path import SelectionPath
    from bayesfloor.summary._check import Check
    from bayesfloor.summary._gates import Gate

FILES = (".csv", ".tsv", ".txt", ".gz", ".parquet", ".arrow", ".feather", ".ipc", ".npz", ".npy")


def make_output(given: dict[str, Any]) -> Output:
    """Where results and messages go, by the options for it."""
    return Output(
        quiet=given.pop("quiet"),
        color=not given.pop("no_color"),
        progress=not given.pop("no_progress"),
        verbose=given.pop("verbose"),
    )


_SAME = ("groups", "predictions", "features", "drop", "embedding", "labels_file", "clean_labels")
_NAMES = {**{name: name for name in _SAME}, "ids": "id_column", "images": "image"}


def read(given: dict[str, Any], *, in_place: bool = False) -> Data:
    """The file that was named."""
    from bayesfloor.io._data import open_data

    asked = {name: given[option] for name, option in _NAMES.items() if option in given}
    drawing = {"max_rows": given.get("max_rows"), "random_state": given["seed"]}
    return open_data(given["path"], given["label"], **asked, **drawing, in_place=in_place)


def look(output: Output, target: float | None, given: dict[str, Any]) -> tuple[Data, Check]:
    """Read a file and check it."""
    from bayesfloor.cli._far import check_engine, connect, stays_away

    check_engine(output, given)
    data = read(given, in_place=stays_away(given))  # before the machinery: a wrong name is told at once
    from bayesfloor.summary._check import check as look_at

    with connect(output, given) as client, output.bar() as bar:
        found = look_at(
            data,
            target=target,
            **preparing(given, data),
            scale=given["scale"],
            n_trees=given["trees"],
            max_rows=given["max_rows"] or None,
            target_width=None if given["max_rows"] == 0 else 0.01,
            effort=given["effort"],
            n_jobs=given["jobs"],
            random_state=given["seed"],
            progress=bar,
            client=client,
            checkpoint=given.get("checkpoint"),
        )
        if given.get("select"):
            found = replace(found, selection=_select(output, data, given, bar))
    return data, found


def preparing(given: dict[str, Any], data: Data) -> dict[str, Any]:
    """How columns become numbers, as the user says."""
    return {"prepare": "strict" if given["strict_input"] else "auto", "roles": _roles(given, data)}


def _roles(given: dict[str, Any], data: Data) -> dict[str, str] | None:
    """What the user says columns are, of those that are features."""
    from bayesfloor.io._encode import ROLES
    from bayesfloor.io._messages import DataError, quote, refuse_unknown

    roles, known = {}, [role for role in ROLES if role != "ordered"]  # an order is a list of levels
    for said in given["as_role"]:
        name, equals, role = said.rpartition("=")
        if not equals or role not in known:
            raise DataError(
                f"--as {quote(said)}: expected COLUMN=ROLE, such as zip=category. Roles: {', '.join(known)}."
            )
        roles[name] = role
    refuse_unknown(roles, data.feature_names)
    return roles or None


def _select(output: Output, data: Data, given: dict[str, Any], progress: Bar) -> SelectionPath:
    from bayesfloor.cli._features import select_features, tell_cost

    tell_cost(output, len(data.feature_names))
    return select_features(output, data, given, progress)


def draw_limit(given: dict[str, Any]) -> dict[str, Any]:
    """How many rows to draw, where somebody says so; 0 stands for all."""
    return {} if given["max_rows"] is None else {"max_rows": given["max_rows"] or None}


@contextmanager
def without_warning() -> Iterator[None]:
    """No warning of subsampling: ``tell_drawn`` says it in a line."""
    from bayesfloor.floor._sample import SampledRowsWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SampledRowsWarning)
        yield


def tell_drawn(output: Output, n_used: int, y: np.ndarray) -> None:
    """Say so where not all rows that have a label were used."""
    from bayesfloor.io._labels import missing_labels

    n_rows = len(y) - int(missing_labels(y).sum())
    if n_used < n_rows:
        output.note(f"subsampled: {n_used:,} of {n_rows:,} rows; --max-rows 0 uses all")


def read_baseline(path: str | None) -> Check | None:
    """An earlier check, or None without one."""
    from bayesfloor.io._messages import DataError

    if path is None:
        return None
    from bayesfloor.summary._check import Check

    try:
        return Check.from_json(Path(path))
    except (OSError, ValueError) as error:
        raise DataError(f"{path} is not a baseline: {error}") from error


def write_all(
    output: Output, found: Check, gates: tuple[Gate, ...], json_path: str | None, markdown: str | None
) -> None:
    """Write the result in the forms asked for, and to the page of a CI job."""
    from bayesfloor.engine._files import write_whole
    from bayesfloor.summary._json import dump
    from bayesfloor.summary._markdown import to_markdown

    for path, form in ((json_path, dump), (markdown, to_markdown)):
        if path == "-":
            output.raw(form(found, gates))
        elif path is not None:
            write_whole(path, form(found, gates))
    _add_to_job_page(output, to_markdown(found, gates))


def _add_to_job_page(output: Output, text: str) -> None:
    """Show the summary on the page of a CI job, where there is one."""
    page = os.environ.get("GITHUB_STEP_SUMMARY")
    if not page:
        return
    try:
        with Path(page).open("a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text + "\n")
    except OSError as error:
        output.note(f"warning: the job's page cannot be written: {error}")


def gate_lines(gates: tuple[Gate, ...]) -> list[str]:
    """What came of the gates."""
    return ["", *(f"{gate.code}  {gate.word}: {gate.text}" for gate in gates)] if gates else []


_SAID_AGAIN = {
    "label": "-y",
    "features": "-x",
    "drop": "--drop",
    "embedding": "--embedding",
    "labels_file": "--labels-file",
    "groups": "--groups",
    "id_column": "--id",
}


def next_lines(found: Check, given: dict[str, Any]) -> list[str]:
    """What to do next, as commands to copy."""
    if given["path"] == "-":
        return ["", "bayesfloor explain CODE"]
    words = [given["path"]]
    for name, flag in _SAID_AGAIN.items():
        values = given[name] if isinstance(given[name], tuple) else [given[name]]
        words += [word for value in values if value for word in (flag, value)]
    from bayesfloor.cli._far import say_again

    words += (engine := say_again(given))
    model = [] if given["predictions"] is None else ["--predictions", given["predictions"]]
    effort = [] if given["effort"] == "normal" else ["--effort", given["effort"]]
    verbs = {"report": [*words, *model, *effort, *_prepare_again(given)]}
    if found.rows.n_suspect and not engine:  # samples reads all rows
        drop = [] if given["predictions"] is None else ["--drop", given["predictions"]]
        verbs = {"samples": [*words, *drop, *_prepare_again(given)], **verbs}
    return ["", *(f"bayesfloor {verb} {_shell(said)}" for verb, said in verbs.items()), "bayesfloor explain CODE"]


def _prepare_again(given: dict[str, Any]) -> list[str]:
    """The options that say how to prepare the data."""
    flags = {"--clean-labels": given["clean_labels"], "--strict-input": given["strict_input"]}
    said = [flag for flag, asked in flags.items() if asked]
    return [*(word for role in given["as_role"] for word in ("--as", role)), *said]


def prepared_lines(found: Check) -> list[str]:
    """What was done to each column that was not used as it is."""
    from bayesfloor.engine._text import cells, pad

    rows = [("column", "read as", "what was done"), *found.prepared.lines()]
    left, middle = (max(cells(row[k]) for row in rows) for k in (0, 1))
    return ["", *(f"{pad(name, left)}  {pad(role, middle)}  {text}" for name, role, text in rows)] if rows[1:] else []


def _shell(words: list[str]) -> str:
    """Words for a shell; what does not print has to be filled in by the user."""
    from bayesfloor.io._messages import shell

    return shell([word if word.isprintable() else "NAME" for word in words])


def page_path(name: str) -> str:
    """Where to write the report of a file of this name: without the ending that tells its kind."""
    while name.lower().endswith(FILES):
        name = name.rpartition(".")[0]
    return os.fsdecode(f"{name or 'data'}.bayesfloor.html".encode("utf-8", sys.getfilesystemencodeerrors()))


def one_to_stdout(json_path: str | None, markdown: str | None) -> None:
    """Refuse two texts on one stream."""
    if json_path == markdown == "-":
        raise click.UsageError("Only one of --json and --markdown can go to stdout.")


def refuse_missing_folder(*paths: str | None) -> None:
    """Before the work, not after it."""
    for path in paths:
        if path is not None and not Path(path).absolute().parent.is_dir():
            raise FileNotFoundError(f"There is no folder {Path(path).parent}. Make it first.")


def command_line() -> str:
    """The command as it was typed."""
    from bayesfloor.io._messages import shell

    return shell(["bayesfloor", *(as_utf8(_base_name(word)) for word in sys.argv[1:])])


def _base_name(word: str) -> str:
    """A path without its folders, which are nobody's business on a page that is sent on."""
    if word.startswith("-"):
        flag, equals, value = word.partition("=")
        return f"{flag}{equals}{_base_name(value)}"
    return Path(word).name if os.sep in word or (os.altsep or os.sep) in word else word


def pictures(data: Data, pixels: str | None) -> Any:
    """Pictures of the rows: files, or the features themselves."""
    from bayesfloor.cli._pictures import features_as_pictures

    return data.images if pixels is None else features_as_pictures(data.X, pixels)


def if_pillow(images: Any) -> Any:
    """Pictures where they can be made, else none."""
    from importlib.util import find_spec

    return images if find_spec("PIL") is not None else None
