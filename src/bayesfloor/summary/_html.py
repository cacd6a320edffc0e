"""The report as one page, and its part for a notebook, from templates; every value is escaped."""

from __future__ import annotations

import base64
import io
import os
import warnings
from collections.abc import Iterable
from functools import cache
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from bayesfloor.answer._answer import GOOD, OPEN, Basis
from bayesfloor.answer._learners import BLEND, REGISTRY, called
from bayesfloor.answer._metrics import ACCURACY, CLASSES, METRICS, score_text, with_article
from bayesfloor.answer._number_answers import SCALE
from bayesfloor.plotting._display import COLOURS
from bayesfloor.plotting._forecast_display import learner_name
from bayesfloor.summary._explain import CODES, explain
from bayesfloor.summary._figures import (
    answer_figures,
    feature_cells,
    gap_cells,
    head_line,
    loss_text,
    lower_end,
    settings_line,
    silent_text,
)
from bayesfloor.summary._findings import Measured
from bayesfloor.summary._html_drawings import (
    MOST_CLASSES,
    MOST_DRAWN,
    MOST_PAIRS,
    class_table,
    draw_curve,
    draw_scatter,
    draw_tree,
    evidence_ruler,
    make_matrix,
    make_ruler,
    matrix_scale,
    pair_table,
    row_cards,
    row_names,
    split_error,
    tree_text,
)
from bayesfloor.summary._next import next_text
from bayesfloor.summary._text import NOT_TOGETHER, main_findings, unmeasured
from bayesfloor.summary._verdict import finds_nothing, lowest_error, reason_text, sentence
from bayesfloor.support._errors import InputError, MissingPackageError
from bayesfloor.support._words import accuracy, how_many, number_text, printable

_FOLDER = Path(__file__).with_name("templates")


def render(name: str, **values: Any) -> str:
    """Render a template with these values."""
    return _environment().get_template(name).render(**values)


@cache
def _environment() -> Any:
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError as error:
        raise MissingPackageError('The report needs jinja2: python -m pip install "bayesfloor[cli]".') from error
    made = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # CSS variables that follow the page's colour scheme
    colours = "".join(f"--figure-{name}:light-dark({light},{dark});" for name, (light, dark) in COLOURS.items())
    made.globals["style"] = f".bayesfloor{{{colours}}}\n{(_FOLDER / 'style.css').read_text('utf-8')}"
    return made


MOST_CARDS = 60
_MODEL_LINES = 30  # classes, and pairs, in the table of a model
_PICTURED = 24  # rows shown with two pictures: their own and their neighbour's
_TERMS = (
    "lowest possible error",
    "best estimate",
    "range",
    "reliability",
    "cross-validated error",
    "relative to guessing",
    "too small to measure",
    "suspicious labels",
    "tree bounds",
    "guessing",
)
_MEANINGS = {
    "balanced_accuracy": "The mean of the classes' recalls: each class counts the same, however rare it is.",
    "roc_auc": "Area under the ROC curve: how often a row of a class gets a higher score for it than a row of another. "
    "With more than two classes, the mean over all classes, each against the rest.",
    "log_loss": "The mean of minus the natural logarithm of the probability that a model gives to the true class.",
    "brier": "The mean squared distance of the predicted probabilities from the true class, summed over the classes.",
    "r2": "One minus the mean squared error relative to that of always predicting the mean: 1 is perfect, and 0 is no "
    "better than the mean.",
    "rmse": "Root mean squared error, in the unit of the numbers. Large errors count most.",
    "mae": "Mean absolute error, in the unit of the numbers.",
}
_UNASKED = (["accuracy"], ["accuracy", "balanced_accuracy", "roc_auc"], ["r2", "rmse", "mae"])
_OF_NUMBERS = {
    "best estimate": "The middle of the forecast for the best conceivable model on these features: it is as likely to "
    "do better as worse. The forecast comes from where the learning curves of the learners tried would end with "
    "infinitely many rows.",
    "range": "What the best conceivable model reaches. One end was shown: a learner reaches it (95 % confidence). The "
    "other is the 97.5 % quantile of the forecast, for the kinds of model tried, or what equal rows with different "
    "numbers prove.",
    "guessing": "Always predicting the mean; for the mean absolute error, the median.",
}
_MOST_ODD = 30  # rows that do not fit
_OF_PAIRS = ("relative to guessing", "too small to measure")


def make_page(check: Measured, *, images: Any = None, ids: Any = None, features: Any = None, command: str = "") -> str:
    """Return the page as HTML."""
    if check.task != CLASSES:
        return render(
            "numbers.html",
            **_of_any(check),
            head=head_line(check),
            odd=_odd_cells(check, ids),
            scatter=draw_scatter(check),
            parts_of=_part_cells(check),
            signal=_signal(check),
            prepared=list(check.prepared.lines()),
            words=_words(check),
            reproduce=_reproduce(check, command),
        )
    listed = [*check.suspicious.scores.row[:_PICTURED].tolist(), *check.suspicious.nearest[:_PICTURED].tolist()]
    classes, class_end = class_table(check)
    return render(
        "page.html",
        **_of_both(check),
        head=head_line(check),
        extrapolated=not (check.of_errors.proved or np.isnan(check.of_errors.useful_lower)),
        matrix=make_matrix(check),
        pairs=pair_table(check),
        most_pairs=MOST_PAIRS,
        classes=classes,
        class_end=class_end,
        most_classes=MOST_CLASSES,
        signal=_signal(check),
        cards=row_cards(check, MOST_CARDS, ids, thumbnails(images, listed), features),
        drawing=draw_tree(check),
        model=None if check.gap is None else gap_cells(check.gap, _MODEL_LINES),
        model_told="" if check.gap is None else check.gap.details(*map(reason_text, check.gap.reasons[:1])),
        not_together=NOT_TOGETHER,
        prepared=list(check.prepared.lines()),
        words=_words(check),
        reproduce=_reproduce(check, command),
    )


def _odd_cells(check: Measured, ids: Any) -> list[tuple[str, ...]]:
    """Return the table of rows that do not fit, header first."""
    found = check.odd
    if found is None or not len(found.row):
        return []
    rows = found.row[:_MOST_ODD].tolist()
    names, columns = row_names(rows, ids), (found.y, found.predicted, found.typical)
    values = ([number_text(value) for value in each] for each in zip(*(each.tolist() for each in columns), strict=True))
    cells = [(names[row], *each) for row, each in zip(rows, values, strict=False)]
    return [("row (first is 0)" if ids is None else "id", "number", "predicted", "usual distance"), *cells]


def _signal(check: Measured) -> dict[str, Any] | None:
    """Return the table of features, what it says and of the others; None if no features were tested."""
    found = check.features
    if found is None:
        return None
    metric = METRICS[found.metric]
    names = " and ".join(called(name, metric.task) for name in found.learners)
    model = f"a blend of {names}" if len(found.learners) > 1 else names
    how = (
        f"How much {metric.words} gets worse if a feature's values are shuffled among {found.n_rows:,} rows that "
        f"{model} has not seen. Strongly correlated columns count as one feature, and all intervals hold together with "
        "95 % confidence."
    )
    if metric.of_errors:
        how += " The Brier score decides what carries signal: it also notices worse probabilities of the same class."
    return {"cells": feature_cells(found), "how": how, "silent": silent_text(found)}


def _part_cells(check: Measured) -> list[tuple[str, ...]]:
    """Return the table of errors by the size of the prediction, header first."""
    found = check.by_prediction
    if found is None:
        return []
    spans = [
        f"{number_text(start, 3)} to {number_text(end, 3)}" for start, end in zip(found.start, found.end, strict=True)
    ]
    errors = [(f"{n:,}", number_text(error, 3)) for n, error in zip(found.n_rows, found.error, strict=True)]
    return [("prediction", "rows", "RMSE"), *((span, *each) for span, each in zip(spans, errors, strict=True))]


def _of_any(check: Measured) -> dict[str, Any]:
    """Return what every page and notebook shows."""
    return {
        "check": check,
        "standing": standing(check),
        "next_step": next_text(check),
        "split": split_error(check),
        "reliability": ["Both ends of the range have evidence."]
        if check.answer.reliability == GOOD
        else [printable(sentence(reason_text(reason, check.answer))) for reason in check.answer.reasons],
        "findings": main_findings(check),
        "rests_on": rests_on(check),
        "figures": [
            ("balanced accuracy" if name == "balanced" else name, text)
            for name, text in answer_figures(check)
            if name not in ("reliability", "next", "where it goes")
        ],
    }


def _of_both(check: Measured) -> dict[str, Any]:
    """Return what both the page and the notebook show of classes."""
    return {
        **_of_any(check),
        "ruler": make_ruler(check),
        "curve": draw_curve(check.of_errors),
        "many": len(check.labels) > 2,
        "scale": matrix_scale(),
        "unmeasured": unmeasured(check),
        "evidence": evidence_ruler(check),
    }


def standing(check: Measured) -> str:
    """Return what is possible and what the best learner reaches so far, unless the verdict says it."""
    answer = check.answer
    if check.gap is not None or finds_nothing(answer) or answer.best not in answer.errors:
        return ""
    if not answer.of.of_errors:
        reached = f"{with_article(answer.of)} of {score_text(answer.of, lowest_error(answer))}"
        return f"So far, {called(answer.best, answer.of.task)} reaches {reached} in cross-validation."
    most = "" if np.isnan(answer.useful_lower) else f", at most {accuracy(answer.lower)} %"
    best = f"Best possible: about {accuracy(answer.estimate)} %{most}."
    so_far = f"So far, {called(answer.best)} reaches {accuracy(lowest_error(answer))} % in cross-validation."
    return so_far if check.outcome in (None, OPEN) else f"{best} {so_far}"


def rests_on(check: Measured) -> list[tuple[str, str]]:
    """Return the evidence for each part of the answer, and the learners that were left out."""
    answer = check.answer
    lower, why_lower = lower_end(answer)
    best, other = ("upper end", "lower end") if answer.of.of_errors else ("shown", "other end")
    n = answer.n_rows
    # Large data need not be tested on all folds.
    tested = how_many(n, "row") if n == check.facts.n_used else f"{n:,} of {check.facts.n_used:,} rows"
    curves = f"where the learning curves of the tested learners end, measured on {tested}"
    given = [
        (f"best estimate: {loss_text(answer, answer.estimate)}", curves),
        (f"{best}: {loss_text(answer, answer.upper)}", reason_text(answer.why_upper, answer)),
        (f"{other}: {lower}", why_lower),
        ("left out", _left_out(answer.left_out, answer.of.task)),
    ]
    if answer.has(Basis.OUTLIERS):  # nothing but what was shown, which is guessing
        given = given[1:]
    return [(name, printable(text)) for name, text in given if text]


def _left_out(reasons: dict[str, str], task: str) -> str:
    names: dict[str, list[str]] = {}
    for name, why in reasons.items():
        names.setdefault(why, []).append(learner_name(name, task))
    return "; ".join(f"{', '.join(each)} ({why})" for why, each in names.items())


def _words(check: Measured) -> list[tuple[str, str]]:
    """Return the codes on this page and the general terms, with their meanings."""
    codes = {finding.code for finding in main_findings(check)} | {trait.code for trait in check.traits if trait.weak}
    shown = [name for name in (check.answer.metric, *check.beside) if name in _MEANINGS]
    listed = [(code, CODES[code]) for code in sorted(codes)]
    listed += [(METRICS[name].words, _MEANINGS[name]) for name in shown]
    if check.task != CLASSES:
        return [*listed, *_OF_NUMBERS.items(), ("reliability", explain("reliability"))]
    terms = [*(["floor"] if check.gap is not None else []), *_TERMS]
    terms = terms if len(check.labels) > 2 else [term for term in terms if term not in _OF_PAIRS]
    return [*listed, *((term, explain(term)) for term in terms)]


def _call(check: Measured) -> str:
    """Return the call that reproduces this check, without settings at their defaults."""
    facts = check.facts
    metrics = [check.answer.metric, *(name for name in check.beside if name != ACCURACY.name)]  # which is always there
    settings = {
        "target": (check.target, None),
        "scale": (facts.scale, "" if facts.task == CLASSES else SCALE),
        "metric": (None if metrics in _UNASKED else metrics if len(metrics) > 1 else metrics[0], None),
        "task": (None if facts.task == CLASSES or facts.task_guessed else facts.task, None),
        "n_trees": (facts.n_trees, 3 if facts.task == CLASSES else 0),
        "max_rows": (facts.max_rows, None),
        "target_width": (facts.target_width, 0.01),
        "effort": (check.answer.effort, "normal"),
        "random_state": (facts.random_state, None),
    }
    given = [f"{name}={value!r}" for name, (value, usual) in settings.items() if value != usual]
    given += ["predictions=predictions"] if check.model_score is not None else []
    given += ["groups=groups"] if facts.n_groups is not None else []
    given += ["learners=learners"] if {*check.answer.errors, *check.answer.left_out} - {*REGISTRY, BLEND} else []
    return f"bayesfloor.check(X, y, {', '.join(given)})"


def _reproduce(check: Measured, command: str) -> list[tuple[str, str]]:
    facts = check.facts
    versions = [f"bayesfloor {facts.version}", *(f"{name} {number}" for name, number in facts.versions.items())]
    given = [
        ("command", command),
        ("in Python", _call(check)),
        ("effort", check.answer.effort),
        ("seed", str(facts.random_state)),
        ("scale", facts.scale),
        ("trees", str(facts.n_trees or "")),
        ("rows used", f"{facts.n_used:,} of {facts.n_rows:,}"),
        ("data, SHA-1", facts.fingerprint),
        ("versions", ", ".join(versions)),
    ]
    return [(name, printable(value)) for name, value in given if value]


_CELLS, _PAIRS = 20, 10  # classes in the matrix, and pairs in the list
_TITLED, _MOST = 12, 58_000  # most classes with tooltips, and most bytes in total
_TREE = 12_000  # most bytes for the class tree; a longer one is only in the report


def to_notebook(check: Measured) -> str:
    """Return the part of the report that a notebook shows, without tooltips if they take too much space."""
    if check.task != CLASSES:
        head = f"{head_line(check)} · {settings_line(check)}"
        return render("numbers_notebook.html", **_of_any(check), head=head, parts_of=_part_cells(check))
    page = _render(check, titles=len(check.labels) <= _TITLED)
    return page if _n_bytes(page) <= _MOST else _render(check, titles=False)


def _render(check: Measured, *, titles: bool) -> str:
    text = "" if len(check.labels) > MOST_DRAWN else tree_text(check)
    return render(
        "notebook.html",
        **_of_both(check),
        head=f"{head_line(check)} · {settings_line(check)}",
        matrix=make_matrix(check, _CELLS, titles=titles),
        pairs=pair_table(check, _PAIRS),
        tree=text if _n_bytes(escape(text)) <= _TREE else "",
    )


def _n_bytes(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))


_KINDS = ("BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP")  # other formats may start programs
_SIDE = 96  # most pixels per side
_DRAWN = 32  # most pixels per side of a picture that is stored exactly; larger ones are treated as photographs


def thumbnails(images: Any, rows: Iterable[int]) -> dict[int, str]:
    """Return data URLs of the pictures of these rows, without those that cannot be read."""
    if images is None:
        return {}
    if find_spec("PIL") is None:
        raise MissingPackageError("Pictures need Pillow: python -m pip install pillow")
    places = getattr(images, "iloc", images)  # pandas would look up labels, but rows are positions
    given = {row: places[row] for row in sorted(set(rows)) if 0 <= row < len(images)}
    found = {
        row: _from_file(image) if isinstance(image, str | os.PathLike) else _from_array(np.asarray(image))
        for row, image in given.items()
        if image is not None and not (isinstance(image, float) and np.isnan(image))
    }
    return {row: image for row, image in found.items() if image}


def _from_array(values: np.ndarray) -> str:
    """Return a thumbnail of an array of height by width, with three or four colour channels last unless it is grey."""
    from PIL import Image

    is_picture = values.ndim == 2 or (values.ndim == 3 and values.shape[2] in (3, 4))
    if values.dtype != np.uint8 or not values.size or not is_picture:
        raise InputError(
            f"Got a picture of shape {values.shape} and type {values.dtype}, but expected a file, or an array of "
            "shape (height, width), or (height, width, 3 or 4), and type uint8."
        )
    return _shrink(Image.fromarray(np.ascontiguousarray(values)))


def _from_file(path: Any) -> str:
    """Return a thumbnail of a picture file; empty if it is not a picture or is not on a local disk."""
    from PIL import Image

    if str(path)[:2].replace("\\", "/") == "//":  # on another machine
        return ""
    try:
        if not Path(path).is_file():
            return ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # for minor defects in files that can still be read
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path, formats=_KINDS) as image:
                return _shrink(_upright(image))
    except Exception:  # noqa: BLE001  # Pillow's readers raise errors of any kind if a file is broken
        return ""


def _upright(image: Any) -> Any:
    """Rotate the picture upright, as its EXIF data say, and reduce grey values of several bytes to one."""
    from PIL import Image, ImageOps

    image.draft("RGB", (_SIDE, _SIDE))
    if image.mode[0] in "IF":
        grey = np.nan_to_num(np.asarray(image, dtype=np.float64))
        image = Image.fromarray((255 * (grey - grey.min()) / max(np.ptp(grey), 1e-9)).astype(np.uint8))
    return ImageOps.exif_transpose(image)


def _shrink(image: Any) -> str:
    """Return a small picture on white: small drawings keep their pixels, photographs are compressed."""
    from PIL import Image

    if image.mode not in ("L", "RGB"):
        clear = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", clear.size, "white"), clear).convert("RGB")
    kind = "PNG" if max(image.size) <= _DRAWN else "JPEG"
    image.thumbnail((_SIDE, _SIDE))
    stream = io.BytesIO()
    image.save(stream, kind, optimize=True)
    return f"data:image/{kind.lower()};base64,{base64.b64encode(stream.getvalue()).decode()}"
