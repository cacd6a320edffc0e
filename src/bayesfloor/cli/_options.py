"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from bayesfloor.engine._text import as_utf8

Command = Callable[..., Any]


class Share(click.ParamType):  # type: ignore[type-arg]  # generic in the newest click only
    """A share: 98%, or 0.98."""

    name = "share"

    def __init__(self, *, positive: bool = False) -> None:
        self.positive = positive

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """A number between 0 and 1."""
        if isinstance(value, float):
            return value
        text = str(value).strip().replace(" ", "")
        try:
            share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
        except ValueError:
            self.fail(f"{value!r} is no share. Write 98% or 0.98.", param, ctx)
        if 0 < share <= 100 and text.isdigit():
            self.fail(f"{value!r} may mean two things. Write {text}% or a number such as 0.98.", param, ctx)
        if not (share > 0 if self.positive else share >= 0) or not share <= 1:
            least = "above 0" if self.positive else "from 0"
            self.fail(f"{value!r} is not between 0 and 100 %: expected a share {least} up to 100%.", param, ctx)
        return share


class Name(click.ParamType):  # type: ignore[type-arg]  # as above
    """A name inside a file, which is UTF-8 whatever the locale is."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        """The name as it stands in the file."""
        return as_utf8(value)


NAME = Name()
SHARE, ACCURACY = Share(), Share(positive=True)

_FILE = click.argument("path", metavar="FILE", type=click.Path(allow_dash=True))
_FILES = click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=click.Path())
_COLUMNS = (
    click.option("-y", "--label", metavar="COLUMN", type=NAME, help="Column of the labels."),
    click.option(
        "-x", "--features", metavar="GLOB", type=NAME, multiple=True, help="Columns to use; all others by default."
    ),
    click.option("--drop", metavar="GLOB", type=NAME, multiple=True, help="Columns to leave out."),
    click.option("--embedding", metavar="COLUMN", type=NAME, help="Column with lists of numbers: one vector a row."),
    click.option("--labels-file", metavar="FILE", help="Labels in a file of their own, for .npy."),
    click.option("--groups", metavar="COLUMN", type=NAME, help="Rows that belong together, such as a patient's."),
    click.option("--id", "id_column", metavar="COLUMN", type=NAME, help="What to call the rows."),
)
_DATA = (_FILE, *_COLUMNS)


def _scale(default: str, text: str) -> Command:
    names = click.Choice(["auto", "none", "standard", "robust", "unit"])
    return click.option("--scale", type=names, default=default, show_default=True, help=text)


_WORK = (
    click.option("--trees", type=click.IntRange(1), default=3, show_default=True, help="Number of spanning trees."),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of all draws."),
    click.option("-j", "--jobs", type=int, default=1, show_default=True, help="Threads; -1 for all."),
)
_METHOD = (_scale("auto", "How features are scaled."), *_WORK)
_DRAWING = (
    click.option(
        "--max-rows",
        type=click.IntRange(0),
        help="Use so many rows at most; 0 uses all, even where fewer would be enough.",
    ),
)
_ENGINE = (
    click.option(
        "--engine",
        type=click.Choice(["threads", "dask"]),
        default="threads",
        show_default=True,
        help="Who works; with dask, Parquet and .npy files are read in pieces where the work is done.",
    ),
    click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler, such as tcp://10.0.0.1:8786."),
    click.option("--checkpoint", metavar="FOLDER", help="Keep finished pieces here; the same command goes on."),
)
_OUTPUT = (
    click.option("-q", "--quiet", is_flag=True, help="Nothing beside the result."),
    click.option("-v", "--verbose", is_flag=True, help="Tell each stage."),
    click.option("--no-color", is_flag=True, help="No colours; NO_COLOR does the same."),
    click.option("--no-progress", is_flag=True, help="No bar."),
)


def _apply(options: tuple[Command, ...]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


predictions_option = click.option(
    "--predictions", metavar="COLUMN", type=NAME, help="Column with a model's predictions, to hold against the floor."
)
data_options = _apply((*_DATA, *_METHOD, *_DRAWING, *_ENGINE, *_OUTPUT))
drawn_options = _apply((*_DATA, *_METHOD, *_DRAWING, *_OUTPUT))
all_rows_options = _apply((*_DATA, *_METHOD, *_OUTPUT))
_AS_IT_IS = _scale("none", "How each is scaled, beyond what it is.")
files_options = _apply((_FILES, *_COLUMNS, _AS_IT_IS, *_WORK, *_DRAWING, *_OUTPUT))
output_options = _apply(_OUTPUT)
