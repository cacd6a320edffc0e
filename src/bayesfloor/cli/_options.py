"""Options that several verbs share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn
from unicodedata import normalize

import click

from bayesfloor.cli._terminal import Output
from bayesfloor.support._errors import InputError
from bayesfloor.support._tasks import Progress, ignoring
from bayesfloor.support._words import as_utf8

if TYPE_CHECKING:
    import numpy as np

    from bayesfloor.io._data import Data

Command = Callable[..., Any]

GATES = (  # what can fail a check
    *("target", "max_error", "max_pair_error", "max_class_error"),
    *("min_rows", "max_unlabelled", "fail_on", "baseline"),
)
ACCURACIES = ("accuracy", "balanced_accuracy")  # whose targets are percentages or fractions
METRICS = (*ACCURACIES, "roc_auc", "log_loss", "brier", "r2", "rmse", "mae")
_WRITTEN = re.compile(r"\+?(\d+\.?\d*|\.\d+)( ?%|(e[+-]?\d+)?)", re.ASCII)  # a percentage or fraction

_SECTIONS = {
    "Data": (
        *("label", "features", "drop", "embedding", "labels_file", "groups", "id_column"),
        *("as_role", "clean_labels", "no_auto_groups", "duplicates", "time", "strict_input", "image", "image_root"),
    ),
    "Question": (
        "task",
        "metric",
        "target",
        "balanced",
        "priors",
        "predictions",
        "accuracy",
        "score",
        "n_test",
        "most",
        "holdout",
        "pca",
        "cut",
    ),
    "Gates": ("at_least", *GATES[1:], "max_error_rise", "accept", "strict", "exit_zero"),
    "Method": ("effort", "scale", "trees", "seed"),
    "Large data": ("rows", "resume", "max_rows", "jobs"),
}
_LAST = "Output"  # the section for all other options


def has_gate(given: Mapping[str, Any]) -> bool:
    """Whether any of these options can fail a check."""
    return any(given[name] not in (None, ()) for name in GATES)


class SectionedCommand(click.Command):
    """A command whose help groups options by purpose."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section."""
        section_of = {name: section for section, names in _SECTIONS.items() for name in names}
        sections: dict[str, list[tuple[str, str]]] = {section: [] for section in (*_SECTIONS, _LAST)}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)) is not None:
                sections[section_of.get(str(param.name), _LAST)].append(record)
        for section, records in sections.items():
            if records:
                with formatter.section(section):
                    formatter.write_dl(records)


class Fraction(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest click
    """A fraction, such as 98% or 0.98."""

    name, hint = "percent", ""

    def __init__(self, *, positive: bool = False) -> None:
        self.positive = positive

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return a number between 0 and 1."""
        if isinstance(value, float):
            return value
        text = str(value).strip()
        number = text.removesuffix("%").rstrip()
        try:
            fraction = float(number) / 100 if text.endswith("%") else float(number)
        except ValueError:
            self._refuse(value, param, ctx)
        if 0 < fraction <= 100 and text.isdigit():
            flag = "" if param is None else f"{param.opts[0]} "
            self.fail(f"Write {flag}{text}% or {flag}{fraction / 100:g}.{self.hint}", param, ctx)
        if not (fraction > 0 if self.positive else fraction >= 0) or not fraction <= 1:
            least = "above 0" if self.positive else "from 0"
            self.fail(f"{value!r} is not between 0 and 100 %: expected a value {least} up to 100%.", param, ctx)
        if not _WRITTEN.fullmatch(text):  # Python reads more: 1_0 as 10, and digits of other scripts
            self._refuse(value, param, ctx)
        if self.positive and text.endswith("%") and 100 * fraction < 1:
            self.fail(f"{value!r} is less than one percent. Did you mean {100 * float(number):g}%?", param, ctx)
        return fraction

    def _refuse(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> NoReturn:
        """Raise an error that says what was probably meant."""
        meant = normalize("NFKC", str(value)).replace(",", ".").replace("_", "")
        advice = f"Did you mean {meant}?" if _WRITTEN.fullmatch(meant) else "Write 98% or 0.98."
        self.fail(f"{value!r} is not a percentage or a fraction. {advice}", param, ctx)


class Target(Fraction):
    """A target in the unit of its metric, which is read before it."""

    name, hint = "score", " For another metric than accuracy, add --metric."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return an accuracy between 0 and 1, or a number that another metric can have."""
        asked = {} if ctx is None else ctx.params
        metric = target_metric(asked.get("metric") or (), asked.get("task"))
        if metric in ACCURACIES:
            return super().convert(value, param, ctx)
        return self._number(str(value).strip(), metric, param, ctx)

    def _number(self, text: str, metric: str, param: click.Parameter | None, ctx: click.Context | None) -> float:
        from bayesfloor.answer._metrics import METRICS

        asked = METRICS[metric]
        if not _WRITTEN.fullmatch(text.removeprefix("-")) or text.endswith("%"):
            number, advice = text.removesuffix("%").rstrip(), f"A target for {asked.words} is a number such as"
            in_percent = asked.is_score and number != text and _WRITTEN.fullmatch(number)
            advice = f"Did you mean {float(number) / 100:g}?" if in_percent else f"{advice} {asked.example:g}."
            self.fail(f"{text!r} is not a plain number. {advice}", param, ctx)
        try:
            asked.check_target(float(text))
        except InputError as error:
            self.fail(str(error), param, ctx)
        return float(text)


def target_metric(metrics: Sequence[str], task: str | None) -> str:
    """Return the metric of a target as it is written; without one, labels that turn out as numbers have R^2 instead."""
    return metrics[0] if metrics else "r2" if task == "numbers" else "accuracy"


class Count(click.IntRange):
    """A whole number in plain digits."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; Python reads more than digits: 1_0 as 10."""
        if isinstance(value, str) and not re.fullmatch(r"-?[0-9]+", value.strip()):
            self.fail(f"{value!r} is not a whole number. Write digits only, such as 1000.", param, ctx)
        return int(super().convert(value, param, ctx))


class RowLimit(click.ParamType):  # type: ignore[type-arg]  # as above
    """A number of rows, "auto" or "all"."""

    name = "rows"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Return the word or the number."""
        if value in ("auto", "all") or isinstance(value, int):
            return value
        if not re.fullmatch(r"[0-9]{1,15}", str(value).strip()) or not int(value):
            self.fail(f"{value!r} is not auto, all or a number of rows, such as 1000000.", param, ctx)
        return int(value)


class Name(click.ParamType):  # type: ignore[type-arg]  # as above
    """A name inside a file, which is UTF-8 whatever the locale."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        """Return the name as it is written in the file."""
        return as_utf8(value)


NAME = Name()
TARGET_HELP = "Score to reach: an accuracy such as 95%, or a number in the unit of --metric."
FRACTION, TARGET = Fraction(), Target(positive=True)

_column = partial(click.option, metavar="COLUMN", type=NAME)
_number = partial(click.option, metavar="N", show_default=True)
_flag = partial(click.option, is_flag=True)

_COLUMNS = (
    _column("-y", "--label", help="Column with the labels."),
    _column("-x", "--features", metavar="GLOB", multiple=True, help="Columns to use as features. Default: all others."),
    _column("--drop", metavar="GLOB", multiple=True, help="Columns to leave out."),
    _column("--embedding", help="Column with one vector per row: lists of numbers."),
    click.option("--labels-file", metavar="FILE", help="File with the labels, if the data file has none (.npy)."),
    _column("--groups", help="Column that says which rows belong together, such as a patient number."),
    _column("--id", "id_column", help="Column with row names, to show instead of row numbers."),
)
_DATA = (click.argument("path", metavar="FILE", type=click.Path(allow_dash=True)), *_COLUMNS)
_FILES = click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=click.Path())


def _scale(default: str, text: str) -> Command:
    names = click.Choice(["auto", "none", "standard", "robust", "unit"])
    return click.option("--scale", type=names, default=default, show_default=True, help=text, callback=_none_is_none)


def _none_is_none(_context: click.Context, _option: click.Parameter, name: str) -> str | None:
    """Return the scale's name in Python, where "none" is None."""
    return None if name == "none" else name


_WORK = (
    _number("--trees", type=Count(1), default=3, help="Number of spanning trees to grow."),
    _number("--seed", type=Count(0), default=0, help="Random seed."),
    _number("-j", "--jobs", type=int, default=1, help="Number of threads; -1 uses all cores."),
)
_METHOD = (_scale("auto", "How to scale features."), *_WORK)
_MAX_ROWS = _number("--max-rows", type=Count(0), help="Use at most this many rows; 0 uses all.")
_ROWS_HELP = "How many rows learners see: auto, all or a number. More than 50,000 need bayesfloor[large]."
_RESUME_HELP = "Keep what is finished of all rows in this folder; rerun the command to resume."
_ROWS = (
    click.option("--rows", metavar="auto|all|N", type=RowLimit(), default="auto", show_default=True, help=_ROWS_HELP),
    click.option("--resume", metavar="FOLDER", type=click.Path(file_okay=False), help=_RESUME_HELP),
)
_OUTPUT = (
    _flag("-q", "--quiet", help="Print only the result."),
    _flag("-v", "--verbose", help="Print everything that was measured, and each stage of the work."),
    _flag("--no-color", help="Print without colours, like NO_COLOR=1."),
    _flag("--no-progress", help="Show no progress."),
)
_PRIORS = (
    _flag("--balanced", help="Answer for equally frequent classes: balanced accuracy."),
    _column("--priors", metavar="CLASS=P,...", help="Answer for these class proportions, such as no=0.9,yes=0.1."),
)
_ROLES_HELP = "How to read a column: number, category, code, date, text, id or group."
_GROUPS_HELP = "Do not look for rows that belong together, such as rows of the same patient or hour."
_PREPARE = (
    _column("--as", "as_role", metavar="COLUMN=ROLE", multiple=True, help=_ROLES_HELP),
    _flag("--clean-labels", help="Merge labels that differ only by case or spaces."),
    _flag("--no-auto-groups", help=_GROUPS_HELP),
    _flag("--strict-input", help="Refuse a table that needs preparation."),
)


def _apply(*options: Command) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _effort(default: str) -> Command:
    told = "How much work to put into the answer. Compare only answers of the same effort."
    efforts = click.Choice(["quick", "normal", "thorough"])
    return click.option("--effort", type=efforts, default=default, show_default=True, help=told)


effort_option = _effort("normal")
_DUPLICATES_HELP = "What equal rows are, if the data cannot tell: separate cases or copies of one."
_duplicates = click.option("--duplicates", type=click.Choice(["cases", "copies"]), help=_DUPLICATES_HELP)
_TIME_HELP = "The rows that you will predict for, if rows are in order of time: between known ones, or later."
_time = click.option("--time", type=click.Choice(["between", "later"]), help=_TIME_HELP)
_METRIC_HELP = (
    "What the answer and the target are for: accuracy, balanced_accuracy, roc_auc, log_loss or brier for classes, r2, "
    "rmse or mae for numbers. Repeatable: the first decides, the others stand beside it."
)
_metric = click.option(  # read first, because the target depends on it
    "--metric", metavar="NAME", multiple=True, type=click.Choice(METRICS), is_eager=True, help=_METRIC_HELP
)
_TASK_HELP = "What the labels are, if their values do not show it."
_task = click.option(
    "--task", type=click.Choice(["auto", "classes", "numbers"]), default="auto", is_eager=True, help=_TASK_HELP
)
model_options = _apply(
    _column("--predictions", help="Column with a model's predictions, to compare with the floor."),
    click.option("--accuracy", type=FRACTION, help="Your model's accuracy on other rows, to compare instead."),
    click.option("--score", type=Target(), help="Your model's score in the unit of the metric, to compare instead."),
    click.option("--n-test", metavar="N", type=Count(1), help="On how many rows --accuracy or --score was measured."),
)
_SAVE_MODEL_HELP = (
    "Fit the best model to all labelled rows and write it as a pipeline of scikit-learn. Loading a joblib file can run "
    "code: load only files that you trust, with the versions of bayesfloor and scikit-learn that wrote them."
)
save_model_option = click.option("--save-model", "model_path", metavar="FILE.joblib", help=_SAVE_MODEL_HELP)
check_options = _apply(
    *_DATA, *_PREPARE, _duplicates, _time, _task, _metric, *_PRIORS, *_METHOD, effort_option, *_ROWS, *_OUTPUT
)
drawn_options = _apply(*_DATA, *_PREPARE, *_METHOD, _MAX_ROWS, *_OUTPUT)
all_rows_options = _apply(*_DATA, *_PREPARE, *_METHOD, *_OUTPUT)
_SCALE_OF_EACH = _scale("auto", "How to scale each representation.")
files_options = _apply(_FILES, *_COLUMNS, _metric, _SCALE_OF_EACH, *_WORK[1:], _effort("quick"), _MAX_ROWS, *_OUTPUT)
output_options = _apply(*_OUTPUT)
_TABLE_HELP = "Write a .csv, .parquet or .jsonl file instead of printing."
_FORMULAS_HELP = "With -o FILE.csv: write text unchanged, even if a spreadsheet would run it as a formula."
table_options = _apply(
    click.option("-o", "--output", "path_out", metavar="PATH", help=_TABLE_HELP),
    _flag("--keep-formulas", help=_FORMULAS_HELP),
)

_SHOWING = ("quiet", "verbose", "no_color", "no_progress")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A verb's options, named as on the command line; options that the verb does not have keep their defaults."""

    scale: str | None
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
    accuracy: float | None = None
    score: float | None = None
    n_test: int | None = None
    as_role: tuple[str, ...] = ()
    clean_labels: bool = False
    no_auto_groups: bool = False
    duplicates: str | None = None
    time: str | None = None
    task: str = "classes"
    metric: tuple[str, ...] = ()
    strict_input: bool = False
    balanced: bool = False
    priors: str | None = None
    trees: int = 3
    effort: str = "normal"
    max_rows: int | None = None  # 0 means all
    rows: int | str | None = None  # None if the verb does not have it
    resume: str | None = None
    image: str | None = None
    image_root: str | None = None
    show_rows: bool = False
    most: int | None = None
    holdout: float | None = None
    keep_formulas: bool = False
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
        from bayesfloor.io._encoders import ROLES
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

    def more_rows(self) -> dict[str, Any]:
        """Return the arguments of ``check`` that say how many rows learners see."""
        return {"rows": self.rows, "resume": self.resume}

    def drawing(self) -> dict[str, Any]:
        """Return the same for ``BayesFloor``, which by default subsamples as many rows as it needs."""
        return {"max_rows": self.max_rows or None, "target_width": None if self.max_rows == 0 else 0.01}


def take(given: dict[str, Any]) -> tuple[Output, Settings]:
    """Split a verb's options into its output and its settings."""
    asked = {name: value for name, value in given.items() if name not in _SHOWING}
    return make_output(**{name: given[name] for name in _SHOWING}), Settings(**asked)


def make_output(*, quiet: bool, verbose: bool, no_color: bool, no_progress: bool) -> Output:
    """Make the output that these options describe."""
    return Output(quiet=quiet, color=not no_color, progress=not no_progress, verbose=verbose)


def read(settings: Settings) -> Data:
    """Read the input file."""
    from bayesfloor.io._open_data import AT_MOST, open_data

    few = {} if settings.rows is None else {"at_most": AT_MOST}
    most = settings.rows if isinstance(settings.rows, int) and settings.rows <= AT_MOST else settings.max_rows
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
        task=settings.task,
        clean_labels=settings.clean_labels,
        max_rows=most,
        random_state=settings.seed,
        **few,
    )


@contextmanager
def without_warning() -> Iterator[None]:
    """Silence the warning about subsampling; ``tell_drawn`` prints one line instead."""
    from bayesfloor.floor._sample import SampledRowsWarning

    with ignoring(SampledRowsWarning):
        yield


def tell_drawn(output: Output, n_used: int, y: np.ndarray) -> None:
    """Print a note if not all labelled rows were used."""
    from bayesfloor.io._labels import missing_labels

    n_rows = len(y) - int(missing_labels(y).sum())
    if n_used < n_rows:
        output.note(f"subsampled: {n_used:,} of {n_rows:,} rows; --max-rows 0 uses all")
