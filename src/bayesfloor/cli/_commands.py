"""The commands and their options."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from bayesfloor.cli._check import (
    FILES,
    check_file,
    check_outputs,
    command_line,
    next_steps,
    one_to_stdout,
    page_path,
    pictures_of,
    print_check,
    read_baseline,
    refuse_stdout,
    save_model,
    write_all,
)
from bayesfloor.cli._interrupts import stop_if_asked
from bayesfloor.cli._options import (
    FRACTION,
    NAME,
    TARGET,
    TARGET_HELP,
    Command,
    Count,
    SectionedCommand,
    all_rows_options,
    check_options,
    drawn_options,
    effort_option,
    files_options,
    has_gate,
    make_output,
    model_options,
    output_options,
    read,
    save_model_option,
    table_options,
    take,
)
from bayesfloor.cli._terminal import tell
from bayesfloor.summary._explain import COMPARISONS, FINDINGS
from bayesfloor.support._files import is_address
from bayesfloor.support._words import how_many, printable

OK, FAILED = 0, 1
_LIMITS = (
    *("max_error", "max_pair_error", "max_class_error", "min_rows"),
    *("max_unlabelled", "fail_on", "max_error_rise", "at_least"),
)


class Verbs(click.Group):
    """The group of all verbs; a file name without a verb runs ``check``."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the verb; a file name in its place means ``check``."""
        first = args[0]
        data = first == "-" or first.lower().endswith(FILES) or is_address(first) or Path(first).exists()
        if first not in self.commands and data:
            args = ["check", *args]
        return super().resolve_command(ctx, args)


def run(args: list[str] | None = None) -> int:
    """Run a command and return its exit code."""
    try:
        code = verbs.main(args, prog_name="bayesfloor", standalone_mode=False)
        sys.stdout.flush()
        stop_if_asked()
    except BaseException as error:  # noqa: BLE001 - every outcome has an exit code
        return tell(error, sys.argv[1:] if args is None else args)
    return code if isinstance(code, int) else OK


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="bayesfloor")
def verbs() -> None:
    """Estimate the lowest error any classifier could reach on your data, before you tune a model.

    \b
    bayesfloor demo                            see an example
    bayesfloor check data.csv -y label         how low can the error go?
    bayesfloor check data.csv -y label --target 98%
    bayesfloor check homes.csv -y price --metric rmse --target 12
    bayesfloor report data.csv -y label        the full report as one HTML file
    bayesfloor features data.csv -y label      which columns can be dropped?
    bayesfloor compare a.npy b.npy --labels-file y.txt

    FILE may be CSV, TSV, Parquet, Arrow, npz or npy, on disk or at an address such as s3://bucket/folder, gs:// or
    https://; "-" reads standard input. Results go to stdout, messages to stderr. Exit codes: 0 success, 1 a gate
    failed, 2 wrong usage or data, 3 internal error, 130 interrupted. bayesfloor sends nothing, and fetches only data at
    addresses that you pass.
    """


def _codes(flag: str, codes: tuple[str, ...], **options: Any) -> Command:
    return click.option(flag, metavar="CODE", multiple=True, type=click.Choice(codes), **options)


@verbs.command(cls=SectionedCommand)
@check_options
@click.option("--target", type=TARGET, help=f"{TARGET_HELP} Fail if its probability is too low.")
@click.option(
    "--at-least",
    type=FRACTION,
    default="20%",
    show_default=True,
    help="The least probability of the target, or of --max-error, that does not fail.",
)
@model_options
@click.option("--max-error", type=FRACTION, help="Fail if the lowest possible error exceeds this.")
@click.option("--max-pair-error", type=FRACTION, help="Fail if the lowest error between any two classes exceeds this.")
@click.option("--max-class-error", type=FRACTION, help="Fail if the lowest error within any class exceeds this.")
@click.option("--min-rows", metavar="N", type=Count(1), help="Fail if fewer rows have a label.")
@click.option("--max-unlabelled", type=FRACTION, help="Fail if a larger fraction of rows has no label.")
@_codes("--fail-on", FINDINGS, help="Fail if there is a finding with this code, such as BF114. Repeatable.")
@click.option(
    "--baseline", metavar="JSON", type=click.Path(dir_okay=False), help="JSON file of an earlier check to compare with."
)
@click.option(
    "--max-error-rise",
    type=FRACTION,
    default="0%",
    show_default=True,
    help="Fail if the best estimate rises above the baseline by more than this.",
)
@_codes("--accept", COMPARISONS, help="Let this differ from the baseline: BF306 to BF310. Repeatable.")
@click.option("--strict", is_flag=True, help="Also fail if a gate is open.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if a gate fails.")
@click.option("--json", "json_path", metavar="PATH", help="Write the result as JSON; - for stdout.")
@click.option("--markdown", metavar="PATH", help="Write the summary as Markdown; - for stdout.")
@save_model_option
def check(
    json_path: str | None,
    markdown: str | None,
    *,
    model_path: str | None,
    target: float | None,
    baseline: str | None,
    accept: tuple[str, ...],
    strict: bool,
    exit_zero: bool,
    **given: Any,
) -> int:
    """Estimate how low the error can go, and whether a target is reachable.

    \b
    bayesfloor check train.csv -y label --target 95% --max-pair-error 15% --json now.json
    bayesfloor check train.csv -y label --baseline before.json --max-error-rise 1%
    bayesfloor check train.csv -y label --metric roc_auc --target 0.9
    """
    one_to_stdout(json_path, markdown)
    refuse_stdout(model_path, "The model needs a file: --save-model model.joblib.")
    rise = click.get_current_context().get_parameter_source("max_error_rise")
    if baseline is None and rise != ParameterSource.DEFAULT:
        raise click.UsageError("--max-error-rise needs --baseline, the --json file of an earlier check.")
    least = click.get_current_context().get_parameter_source("at_least")
    limits = {name: given.pop(name) for name in _LIMITS}
    if target is None and limits["max_error"] is None and least != ParameterSource.DEFAULT:
        raise click.UsageError("--at-least needs --target or --max-error.")
    if baseline is None and accept:
        raise click.UsageError("--accept needs --baseline, the --json file of an earlier check.")
    if strict and not has_gate(click.get_current_context().params):
        raise click.UsageError("--strict needs a gate to be strict about, such as --target 95% or --max-error 5%.")
    output, settings = take(given)
    check_outputs((json_path, markdown, model_path), (*settings.files, baseline))
    before = read_baseline(baseline)
    data, found = check_file(output, target, settings)
    gates = found.gates(**limits, baseline=before, accept=accept)
    if "-" not in (json_path, markdown):
        print_check(output, found, gates, next_steps(output, found, settings))
    write_all(output, found, gates, json_path, markdown)
    save_model(output, found, data, model_path)
    broken = {"failed", "open"} if strict else {"failed"}
    return FAILED if not exit_zero and any(gate.word in broken for gate in gates) else OK


@verbs.command(cls=SectionedCommand)
@check_options
@click.option("--target", type=TARGET, help=TARGET_HELP)
@model_options
@click.option(
    "-o", "--output", "path_out", metavar="PATH", help="Where to write the report. Default: FILE.bayesfloor.html."
)
@click.option("--json", "json_path", metavar="PATH", help="Also write the result as JSON.")
@click.option("--markdown", metavar="PATH", help="Also write the summary as Markdown.")
@save_model_option
@click.option(
    "--image", metavar="COLUMN", type=NAME, help="Column with image paths, to show suspicious labels as pictures."
)
@click.option(
    "--image-root",
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="Where images may be. Default: FILE's folder.",
)
@click.option(
    "--show-rows", is_flag=True, help="Show the feature values of suspicious labels. They are left out by default."
)
@click.option("--open", "open_it", is_flag=True, help="Open the report in a browser.")
def report(
    path_out: str | None,
    json_path: str | None,
    markdown: str | None,
    *,
    model_path: str | None,
    target: float | None,
    open_it: bool,
    **given: Any,
) -> None:
    """Write the report: one HTML file that opens anywhere, even without a network."""
    one_to_stdout(json_path, markdown)
    refuse_stdout(path_out, "The report needs a file: -o report.html.")
    refuse_stdout(model_path, "The model needs a file: --save-model model.joblib.")
    output, settings = take(given)
    check_outputs((path_out, json_path, markdown, model_path), settings.files)
    data, found = check_file(output, target, settings)
    from bayesfloor.summary._text import fold, terminal_width

    path = path_out or page_path(data.name)
    stop_if_asked()
    images = pictures_of(settings, data)
    written = found.to_html(
        path, images=images, ids=data.ids, features=data.X if settings.show_rows else None, command=command_line()
    )
    if images is not None and images.n_left:
        left, where = how_many(images.n_left, "image"), printable(images.folder)
        output.note(f"{left} not below {where} left out; --image-root FOLDER says where images may be")
    if "-" not in (json_path, markdown):
        hint = "" if open_it else " (add --open to view it)"
        said = [*fold(found.verdict, terminal_width()), f"Report written to {printable(written)}{hint}"]
        output.result("\n".join(said))
    write_all(output, found, (), json_path, markdown)
    save_model(output, found, data, model_path)
    if open_it:
        click.launch(str(written))


@verbs.command(cls=SectionedCommand)
@all_rows_options
@click.option(
    "--most", metavar="N", type=Count(1), help="List at most this many. Default: 50 on the terminal, all in a file."
)
@table_options
def samples(path_out: str | None, *, most: int | None, **given: Any) -> None:
    """List suspicious labels: rows whose nearest neighbours belong to another class."""
    from bayesfloor.cli import _decide as work
    from bayesfloor.decide._suspicious import suspicious_labels

    output, settings = take(given)
    work.check_ending(path_out)
    check_outputs((path_out,), settings.files)
    data = read(settings)
    with output.bar() as bar:
        how = {**settings.method(bar), **settings.preparing(data)}
        found = suspicious_labels(data.X, data.y, groups=data.groups, **how)
    if path_out is None:
        output.result(work.format_rows(found, data, most or 50))
    else:
        n_rows = work.write_rows(found, data, path_out, most, keep_formulas=settings.keep_formulas)
        output.result(f"{how_many(n_rows, 'row')} in {printable(path_out)}")


@verbs.command(cls=SectionedCommand)
@drawn_options
@click.option("--most", metavar="N", type=Count(1), help="Number of features to keep.")
@click.option("--holdout", type=FRACTION, help="Fraction of rows to hold out for testing the selection. Default: 25%.")
@table_options
@click.option("--json", "json_path", metavar="PATH", help="Also write the result as JSON; - for stdout.")
def features(path_out: str | None, json_path: str | None, **given: Any) -> None:
    """Find the features that lower the floor, and how many are enough.

    \b
    bayesfloor features data.csv -y label --most 10 --holdout 50%
    """
    from bayesfloor.cli import _decide as work

    output, settings = take(given)
    work.check_ending(path_out)
    check_outputs((path_out, json_path), settings.files)
    data = read(settings)
    work.tell_cost(output, len(data.feature_names))
    with output.bar() as bar:
        found = work.select_features(output, data, settings, bar)
    if path_out is None and json_path != "-":
        output.result(work.format_path(found))
    work.write_path(output, found, path_out, json_path, settings)


@verbs.command(cls=SectionedCommand)
@files_options
@click.option("--pca", metavar="N,N", help="Compare one file raw, standardised and as this many principal components.")
@click.option("--json", "json_path", metavar="PATH", help="Also write the result as JSON; - for stdout.")
def compare(json_path: str | None, *, paths: tuple[str, ...], **given: Any) -> None:
    """Compare representations of the same rows, such as embeddings, and rank them.

    \b
    bayesfloor compare raw.npy clip.npy --labels-file labels.txt
    bayesfloor compare before.csv after.csv -y label
    bayesfloor compare data.csv -y label --pca 5,10,20
    """
    from bayesfloor.cli import _decide as work

    output, settings = take(given)
    work.check_files(paths, settings.pca)
    check_outputs((json_path,), (*paths, *settings.files))
    data = work.read_files(paths, settings)
    with output.bar() as bar:
        found = work.compare_files(output, paths, data, settings, bar)
    if json_path != "-":
        output.result(work.format_comparison(found))
    work.write_json(output, found, json_path)


@verbs.command(cls=SectionedCommand)
@drawn_options
@click.option(
    "--cut",
    type=click.Choice(["average", "min_cut"]),
    default="average",
    show_default=True,
    help="How to split the classes; min_cut is the method of the paper.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of the output.",
)
def tree(*, cut: str, form: str, **given: Any) -> None:
    """Draw the class tree: classes that are hard to separate split last."""
    from bayesfloor.cli import _decide as work

    output, settings = take(given)
    data = read(settings)
    with output.bar() as bar:
        grown = work.grow_file_tree(data, settings, cut, bar)
    if form == "text":
        output.result(grown.to_text())
    else:
        work.write_json(output, grown, "-")


@verbs.command(cls=SectionedCommand)
@click.argument("words", metavar="[TERM]", nargs=-1)
@output_options
def explain(words: tuple[str, ...], **given: Any) -> None:
    """Explain a finding code or a term; without TERM, list them."""
    from bayesfloor.summary._explain import explain as explain_term
    from bayesfloor.summary._explain import list_terms
    from bayesfloor.summary._text import fold, terminal_width

    output, width = make_output(**given), terminal_width()
    output.result("\n".join(fold(explain_term(" ".join(words)), width)) if words else list_terms(width))


@verbs.command(cls=SectionedCommand)
@click.option("-o", "--output", "path_out", metavar="PATH", help="Also write the report.")
@effort_option
@output_options
def demo(path_out: str | None, *, effort: str, **given: Any) -> None:
    """Run a check on the digits that come with scikit-learn."""
    from sklearn.datasets import load_digits

    from bayesfloor.summary._check import check as look_at

    output = make_output(**given)
    digits = load_digits()
    with output.bar() as bar:
        found = look_at(digits.data, digits.target, target=0.98, name="digits", effort=effort, progress=bar)
    print_check(output, found, (), [("bayesfloor check data.csv -y label", "your own data")])
    if path_out is not None:
        images = (255 / 16 * digits.images).astype("uint8") if find_spec("PIL") is not None else None
        output.result(str(found.to_html(path_out, images=images, command=command_line())))
