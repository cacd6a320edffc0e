"""``check``: one call, one object, everything about a dataset."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from bayesfloor.answer._all_rows import Known
from bayesfloor.answer._answer import OPEN, Answer, check_target
from bayesfloor.answer._best_model import Recipe, make_best_model, make_recipe
from bayesfloor.answer._hazards import AS_CASES, AS_COPIES, BETWEEN, LATER, Hazards, find_hazards
from bayesfloor.answer._make_answer import make_answers
from bayesfloor.answer._metrics import ACCURACY, NUMBERS, check_metric
from bayesfloor.answer._number_answers import SCALE, in_tenths, make_number_answers, read_rows
from bayesfloor.answer._pairs_and_classes import class_answers, pair_answers
from bayesfloor.decide._budget import make_budget
from bayesfloor.decide._gap import Gap, gap
from bayesfloor.decide._importances import class_importances, number_importances
from bayesfloor.decide._merging import merge_advice
from bayesfloor.decide._model_score import (
    ModelScore,
    OwnModel,
    Predicted,
    behind_best,
    check_model,
    cross_predict,
    losses_of,
    score_of_gap,
    score_of_losses,
    told_score,
)
from bayesfloor.decide._number_rows import error_by_prediction, odd_numbers
from bayesfloor.decide._suspicious import list_suspicious
from bayesfloor.floor._bayes_floor import BayesFloor, check_settings
from bayesfloor.floor._sample import Sample, SampledRowsWarning, Settings, UnreachablePriorsError
from bayesfloor.io._data import Data
from bayesfloor.io._labels import as_label_array, missing_labels
from bayesfloor.io._open_data import AT_MOST, open_data
from bayesfloor.io._table_preparer import Prepared
from bayesfloor.summary._facts import Facts, facts_of_numbers, gather_facts
from bayesfloor.summary._figures import grow_class_tree, metrics
from bayesfloor.summary._findings import Measured
from bayesfloor.summary._gates import AT_LEAST, FAILED, Gate, check_limits, make_gates, target_gate
from bayesfloor.summary._json import dump, load
from bayesfloor.summary._markdown import to_markdown
from bayesfloor.summary._more_rows import MoreRows, drawn_at_most
from bayesfloor.summary._next import Step, next_steps
from bayesfloor.summary._text import terminal_width, to_text
from bayesfloor.support._errors import InputError, blame
from bayesfloor.support._files import write_whole
from bayesfloor.support._parameters import check_choice, check_flag
from bayesfloor.support._results import make_frame
from bayesfloor.support._tasks import Progress, ignoring


@dataclass(frozen=True, eq=False, repr=False)
class Check(Measured):
    """Everything about a dataset: how low the error can go, what is responsible, and how reliable the answer is.

    Attributes
    ----------
    verdict : str
        The answer in one sentence to quote.
    outcome : {"reachable", "likely", "open", "unlikely", "out of reach", "cannot say"} or None
        Whether the target is reachable; None without a target. ``answer.verdict`` takes any target.
    chance : float or None
        The probability that the target can be reached; None without a target, NaN if these data cannot say.
    answer : Answer
        The lowest possible error: best estimate and range. It does not depend on the target.
    pairs, classes : PairAnswers, ClassAnswers
        The lowest possible error for each pair of classes and for each class.
    findings : tuple of Finding
        What to know about the data, with codes for ``bayesfloor explain``.
    traits : tuple of Trait
        Properties of the data, and whether each weakens the answer.
    suspicious : SuspiciousLabels
        Labels that are probably wrong or ambiguous, each with the neighbour that suggests so.
    tree : ClassTree
        The class tree: classes that are hard to separate split last.
    facts : Facts
        What was checked, and with which settings.
    prepared : Prepared
        How each column was prepared.
    target : float or None
        The target, in the unit of the metric.
    labels : list of str
        Class labels as short, printable and distinct strings.
    overall, pairwise, one_vs_rest, samples
        What ``BayesFloor`` finds from the spanning trees alone. If the check was read from a file, ``samples`` has
        only the rows of ``suspicious``.
    merge : MergeAdvice or None
        The effect of merging classes that are shown to be alike; None if there are none.
    gap : Gap or None
        A model's predictions compared with the floor; None if ``check`` got no predictions.
    dependence : Dependence or None
        Rows that depend on each other, such as rows of the same patient, and the error if they are kept together or
        not; None if none were found.
    related : RelatedRows or None
        Rows related to others, such as copies, that no column marks; None if none were found.
    drift : Drift or None
        How much worse a model is on later rows; None if it is not.
    leaks : tuple of Leak
        Columns that give the label away.
    doubtful : tuple of DoubtfulColumns
        Columns that are probably not features: further labels or sampling weights.
    beside : dict of str -> Answer
        The answers by other metrics, from the same race.
    features : Importances or None
        How much the metric suffers without each feature, with intervals; None with effort "quick", and for very wide or
        sparse data.
    model_score : ModelScore or None
        The score of your model compared with the answer; None if ``check`` got no model.
    budget : Budget or None
        Where the error goes: what will stay, what more rows would bring and, with a model of yours, what a better one
        would.
    all_rows : AllRows or None
        What learners that see any number of rows add; None if there are too few rows, or without LightGBM.
    odd, by_prediction : OddNumbers, ErrorByPrediction or None
        For numbers: rows that do not fit, and errors by the size of the prediction. What is about classes is then None.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import bayesfloor
    >>> X, y = load_wine(return_X_y=True)
    >>> found = bayesfloor.check(X, y, target=0.9)
    >>> found.outcome
    'reachable'
    >>> 0 <= found.answer.estimate <= found.answer.upper <= 0.1
    True
    """

    _recipe: Recipe | None = field(default=None, repr=False)  # how learners were given the data; None if read from JSON

    @cached_property
    def next(self) -> tuple[Step, ...]:
        """What to do next: at most three steps, those that would bring the most first."""
        return next_steps(self)

    def best_model(self) -> Any:
        """Return the best learner of the race, unfitted, behind the preparation of these data.

        It is a scikit-learn pipeline: clone it, search its settings, cross-validate it, fit it to these or other rows.
        Its cross-validated error is that of ``answer.errors[answer.best]``, within noise. Pass ``fit`` what you passed
        to ``check``: a table may still have its label, ids and other columns that the check did not use, and
        new ones may have them or not. It predicts labels as you pass them; of votes and class probabilities, ``fit``
        uses each row's likeliest class.

        Returns
        -------
        sklearn.pipeline.Pipeline

        Raises
        ------
        InputError
            If the check was read from a file, which does not contain the learners.

        Notes
        -----
        The best of several learners has a cross-validated error that is a little too low, because it was chosen by
        it. Groups, duplicates and time matter for testing, not for fitting: pass your own splits to cross-validate.

        Examples
        --------
        >>> import pandas as pd
        >>> import bayesfloor
        >>> table = pd.DataFrame({"age": [20, None, 30, 41] * 9, "sex": list("mffm") * 9, "sick": list("nnyy") * 9})
        >>> model = bayesfloor.check(table, "sick", effort="quick").best_model()
        >>> model.fit(table, table["sick"]).predict(pd.DataFrame({"sex": ["x", None], "age": [30, 20]})).tolist()
        ['y', 'n']
        """
        race = self.answer.evidence()
        if self._recipe is None:
            raise InputError("This check does not say how its learners were given the data. Run bayesfloor.check.")
        return make_best_model(race, self._recipe, self.answer.best, self.answer.metric, self.facts.scale)

    def gates(
        self,
        *,
        max_error: float | None = None,
        max_pair_error: float | None = None,
        max_class_error: float | None = None,
        min_rows: int | None = None,
        max_unlabelled: float | None = None,
        fail_on: str | Collection[str] = (),
        baseline: Check | None = None,
        max_error_rise: float = 0.0,
        accept: str | Collection[str] = (),
        at_least: float = AT_LEAST,
    ) -> tuple[Gate, ...]:
        """Compare the answer and the data with limits; the target, if there is one, comes first.

        Parameters
        ----------
        max_error, max_pair_error, max_class_error : float, default=None
            Limits for the lowest possible error of the whole problem, between any two classes, and within any
            class. Classes with fewer than 30 rows do not count.
        min_rows, max_unlabelled : int and float, default=None
            How many rows must have a label, and the largest fraction of rows that may have none.
        fail_on : str or list of str, default=()
            Codes of findings that fail, such as "BF114".
        baseline : Check, default=None
            An earlier check to compare with. With another effort or scale, only the cross-validated errors of the same
            learner are compared. If the checks cannot be compared, such as with other classes, a gate from BF306 to
            BF310 fails and says why.
        max_error_rise : float, default=0
            How far the best estimate, and the cross-validated error, may rise above the baseline's.
        accept : str or list of str, default=()
            Codes from BF306 to BF310 that may differ from the baseline.
        at_least : float, default=0.2
            The least probability of the target, and of ``max_error``, that does not fail.

        Returns
        -------
        tuple of Gate
            Each gate's ``word`` is "ok", "failed" or "open".

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> import bayesfloor
        >>> found = bayesfloor.check(*load_iris(return_X_y=True))
        >>> [gate.word for gate in found.gates(max_error=0.2, max_pair_error=0.3)]
        ['ok', 'ok']
        """
        limits = {
            "max_error": max_error,
            "max_pair_error": max_pair_error,
            "max_class_error": max_class_error,
            "min_rows": min_rows,
            "max_unlabelled": max_unlabelled,
            "fail_on": fail_on,
        }
        return make_gates(self, limits, baseline, max_error_rise, accept, at_least)

    def __repr__(self) -> str:
        return to_text(self, terminal_width())

    def _repr_html_(self) -> str | None:
        from bayesfloor.summary._html import to_notebook

        try:
            return to_notebook(self)
        except ImportError:  # without jinja2 a notebook shows the text
            return None

    def to_html(
        self, path: str | Path, *, images: Any = None, ids: Any = None, features: Any = None, command: str = ""
    ) -> Path:
        """Write the report as one HTML file. An interrupted write leaves no partial file.

        Parameters
        ----------
        path : str or Path
            The file to write.
        images : uint8 array of shape (n_rows, height, width[, channels]) or list of paths, default=None
            Pictures of all input rows, shown as thumbnails next to suspicious labels. Needs Pillow.
        ids : array-like of shape (n_rows,), default=None
            Row names, to show instead of row numbers.
        features : array or data frame, default=None
            Feature values to show next to suspicious labels. By default none are shown.
        command : str, default=""
            The command that made the report, to show in it.

        Returns
        -------
        Path
        """
        from bayesfloor.summary._html import make_page

        return write_whole(path, make_page(self, images=images, ids=ids, features=features, command=command))

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the check as JSON, and write it to a file if a path is given.

        ``bayesfloor.summary.schema`` describes it.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> import bayesfloor
        >>> found = bayesfloor.check(*load_iris(return_X_y=True))
        >>> bayesfloor.Check.from_json(found.to_json()).verdict == found.verdict
        True
        """
        text = dump(self)
        if path is not None:
            write_whole(path, text)
        return text

    @classmethod
    def from_json(cls, source: str | Path) -> Check:
        """Read a check from a JSON file or from JSON text."""
        return load(source, cls)

    def metrics(self) -> dict[str, float]:
        """Return the main figures as a flat dict of floats, for an experiment tracker such as MLflow.

        Errors are fractions. The names stay the same between versions; a figure that is not known is left out.

        Returns
        -------
        dict of str to float
            ``lowest_error_estimate``, ``lowest_error_lower`` and ``lowest_error_upper`` are the answer,
            ``guessing_error`` is the error of always predicting the largest class, ``best_learner_error`` the best
            learner's cross-validated error, ``hardest_pair_error`` and ``hardest_class_error`` the largest best
            estimates of a pair and of a class, ``suspicious_labels`` and ``rows`` numbers of rows. With predictions,
            ``model_error``, ``model_error_low`` and ``model_error_high`` are your model's error and its confidence
            interval. Another metric, such as ``roc_auc``, is the best estimate of the score under its own name;
            ``roc_auc_shown`` was shown to be reachable, and ``roc_auc_limit`` is the other end of the range.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> import bayesfloor
        >>> X, y = load_iris(return_X_y=True)
        >>> predicted = (X[:, 3] > 0.8) + (X[:, 3] > 1.65).astype(int)
        >>> found = bayesfloor.check(X, y, predictions=predicted, effort="quick").metrics()
        >>> {name: round(value, 3) for name, value in found.items() if name.startswith(("guess", "model"))}
        {'guessing_error': 0.667, 'model_error': 0.04, 'model_error_low': 0.015, 'model_error_high': 0.085}
        """
        return metrics(self)

    def frame(self) -> Any:
        """Return one row with the main figures, the verdict and its reliability; stack the rows of several datasets."""
        words = {
            "name": self.facts.name,
            "outcome": self.outcome,
            "chance": self.chance,
            "reliability": self.answer.reliability,
        }
        values = {**words, **self.metrics(), "verdict": self.verdict}
        return make_frame({name: [value] for name, value in values.items()})

    def to_markdown(self) -> str:
        """Return the summary as Markdown, for a pull request or the page of a CI job."""
        return to_markdown(self)


def check(
    X: Any,
    y: Any = None,
    target: float | None = None,
    *,
    metric: Any = "auto",
    task: str = "auto",
    groups: Any = None,
    duplicates: str | None = None,
    time: str | None = None,
    priors: Any = None,
    predictions: Any = None,
    model: Any = None,
    accuracy: float | None = None,
    score: float | None = None,
    n_test: int | None = None,
    prepare: Any = "auto",
    roles: dict[str, Any] | None = None,
    y_kind: str = "auto",
    clean_labels: bool = False,
    scale: str | None = "auto",
    n_trees: int = 3,
    target_width: float | None = 0.01,
    effort: str = "normal",
    learners: dict[str, Any] | None = None,
    rows: Any = "auto",
    resume: str | None = None,
    client: Any = None,
    name: str = "",
    n_jobs: int | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
    auto_groups: bool = True,
) -> Check:
    """Estimate a dataset's Bayes error, and what drives it.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame or Arrow stream of shape (n_rows, n_features), str or path
        As in ``BayesFloor.fit``. Arrow streams include Polars lazy frames, DuckDB relations, PyArrow readers and
        anything else with ``__arrow_c_stream__``.
    y : array-like of shape (n_rows,), or name of a column of ``X``
        Labels.
    target : float, default=None
        The score to reach, in the unit of the metric: an accuracy in (0, 1], unless another metric is asked for.
    metric : str or list of str, default="auto"
        What the answer is for: "accuracy", "balanced_accuracy", "roc_auc", "log_loss" or "brier" for classes, "r2",
        "rmse" or "mae" for numbers. Of several, the first is the answer's, and the others stand in ``Check.beside``.
        "auto" is accuracy, with balanced accuracy and AUC beside it if a class is rare, or R^2 for numbers, with the
        other two beside it.
    task : {"auto", "classes", "numbers"}, default="auto"
        What ``y`` is. With "auto", more than 20 different numbers with fractions are numbers, and so are more than
        100 different whole numbers that look like a quantity; anything else is classes.
    groups : array-like of shape (n_rows,), or name of a column of ``X``, default=None
        Which rows belong together, such as rows of the same patient.
    duplicates : {"cases", "copies"}, default=None
        Whether equal rows are separate cases or copies of one case. By default the data decide; if they cannot, the
        answer allows for both, and a finding says so.
    time : {"between", "later"}, default=None
        The rows that the answer is for if they are in an order of time: between known ones, or later. For later rows,
        the answer is the error on the next period of models trained on the past. By default the answer is for rows
        between known ones, and a finding says if later ones are worse.
    priors : None, "balanced", array-like or dict of class -> proportion, default=None
        Class proportions that the answer is for, if they are not those of the data. Learners see all rows, and errors
        are weighted to match; so are those of ``predictions``. Only trees, and so the tree bounds and suspicious
        labels, use a subsample with these proportions. "balanced" gives the lowest possible error for equally frequent
        classes, which is one minus the best balanced accuracy; ``target`` is then a balanced accuracy.
    predictions : array-like of shape (n_rows,), or name of a column of ``X``, default=None
        Predictions of a model that was not trained on these rows, to compare with the floor.
    model : scikit-learn estimator, default=None
        A model of yours to compare instead: it is trained on the rows outside each fold, as you pass them, and tested
        on the fold. One with ``predict_proba`` is also compared by metrics such as "roc_auc".
    accuracy, score : float, default=None
        All that is known of your model: its accuracy on other rows, or its score in the unit of the metric.
    n_test : int, default=None
        On how many rows that was measured; without it, the score counts as exact.
    prepare : "auto", "strict" or a transformer, default="auto"
        How to turn columns into numbers. "auto" converts numbers, dates and yes/no values written as text, encodes
        categories and free text, fills in missing values, and leaves out ids and constants
        (``bayesfloor.io.TablePreparer``). "strict" raises an error if a table needs any of that. A transformer, such
        as ``skrub.TableVectorizer()``, replaces this preparation. ``Check.prepared`` lists how each column was
        prepared.
    roles : dict of column -> role, default=None
        How to read columns whose values do not show what they are: "number", "category", "code", "date", "text",
        "id", "group", or a list of levels from low to high.
    y_kind : "auto" or "votes", default="auto"
        With "votes", the ones in a matrix of 0 and 1 are annotators' votes, not several labels per row.
    clean_labels : bool, default=False
        Merge labels that differ only by case or spaces. By default a finding reports them.
    scale, n_trees, target_width, n_jobs, random_state, progress
        As in ``BayesFloor``.
    effort, learners
        As in ``BayesFloor.answer``.
    rows : "auto", "all" or int, default="auto"
        How many rows learners see. With more than about 120,000 rows and LightGBM (``bayesfloor[large]``), learners
        that read the rows in pieces follow those that see 50,000: with "auto" on 200,000 rows, and on more while the
        expected gain is worth the time; with "all" or a number, on all rows or at most so many. ``Check.all_rows`` has
        what they add. A number up to 50,000 limits all learners and trees to a subsample of so many rows.
    resume : str, default=None
        Folder in which to keep what is finished of all rows; the same call goes on from there.
    client : distributed.Client, default=None
        A Dask cluster whose workers train on the rows beyond 200,000; ``X`` is then a path that all of them can read.
    name : str, default=""
        The name of the data in the output.
    auto_groups : bool, default=True
        Without ``groups``, look for a column that marks groups, for rows that resemble the rows before and after them,
        and for near-duplicates. If keeping such rows in the same fold raises the error significantly, the answer keeps
        them together, and ``Check.dependence`` has both errors. With False, the answer treats all rows as independent,
        and a finding warns if they are not.

    Returns
    -------
    Check

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayesfloor
    >>> iris = load_iris(as_frame=True).frame
    >>> found = bayesfloor.check(iris, "target")
    >>> found.answer.verdict(0.9)
    'reachable'
    """
    own = OwnModel(model, accuracy, score, n_test)
    check_metric(metric, target)
    check_model(own, predictions)
    check_flag("auto_groups", auto_groups)
    if duplicates is not None:
        check_choice("duplicates", duplicates, (AS_CASES, AS_COPIES))
    if time is not None:
        check_choice("time", time, (BETWEEN, LATER))
    settings = Settings(
        prepare=prepare,
        roles=roles,
        y_kind=y_kind,
        priors=priors,
        scale=scale,
        n_trees=n_trees,
        max_rows=drawn_at_most(rows),
        target_width=target_width,
        n_jobs=n_jobs,
        random_state=random_state,
        progress=progress,
    )
    drawing: Any = {"max_rows": drawn_at_most(rows), "random_state": random_state, "at_most": AT_MOST}
    data = open_data(X, y, groups=groups, predictions=predictions, task=task, clean_labels=clean_labels, **drawing)
    more = MoreRows(rows, resume, y_kind, client)
    data = more.checked(data)
    if data.task == NUMBERS:
        data = replace(data, name=name or data.name)
        return _check_numbers(
            data, settings, metric, target, effort, learners, duplicates, time, own, more, together=auto_groups
        )
    _check_predictions(data)
    check_settings(settings)  # before the work starts
    hazards = find_hazards(data, roles, y_kind, random_state, duplicates, time).held(together=auto_groups)
    data, settings = _as_they_belong(data, settings, hazards)
    floor = _fit_quietly(data, settings, hazards)
    made = make_answers(floor.overall_, floor.fitted_, settings, effort, learners, hazards, data.group, metric)
    features = floor.fitted_.sample.features
    recipe = make_recipe(data, features, settings, floor.fitted_.scale, learners, clean_labels=clean_labels)
    facts = gather_facts(floor.fitted_, settings, replace(data, name=name or data.name), time)
    carried = class_importances(next(iter(made.values())), floor.fitted_, settings)
    known = Known(floor.fitted_.points.shape[1], settings, tuple(learners or ()), not hazards.synthetic, floor.classes_)
    answers, all_rows = more.race(data, features, hazards, made, known)
    checked = make_check(floor, answers, target, facts, data, hazards, own, made)
    return replace(checked, features=carried, all_rows=all_rows, _recipe=recipe)


def _check_predictions(data: Data) -> None:
    """Raise, before the work starts, unless there is a prediction for every label."""
    if data.predictions is None:
        return
    with blame("predictions"):
        shape = as_label_array(data.predictions).shape
    n_rows = len(missing_labels(data.y))
    if n_rows and shape[:1] != (n_rows,):
        raise InputError(f"Got predictions of shape {shape}, but expected one label for each of {n_rows} rows.")


def _as_they_belong(data: Data, settings: Settings, hazards: Hazards) -> tuple[Data, Settings]:
    """Keep rows together that belong together; the column that marks groups is not a feature."""
    found, columns = hazards.dependence, hazards.group_columns
    data = replace(data, rows_are=hazards.rows_are)
    if found is None or not found.applied:
        return data, settings
    data = replace(data, groups=found.groups)
    if columns and not isinstance(settings.prepare, str):
        return replace(data, X=data.X.drop(columns)), settings
    return data, replace(settings, roles={**(settings.roles or {}), **dict.fromkeys(columns, "group")} or None)


def _fit_quietly(data: Data, settings: Settings, hazards: Hazards) -> BayesFloor:
    """Fit without a warning about samples, which a trait tells."""
    try:
        with ignoring(SampledRowsWarning):
            return BayesFloor(**vars(settings)).fit(data)
    except UnreachablePriorsError as error:
        if hazards.dependence is None or not hazards.dependence.applied:
            raise
        raise InputError(
            f"{error} Groups were found automatically: --no-auto-groups, or auto_groups=False, does without them."
        ) from error


def _check_numbers(
    data: Data,
    settings: Settings,
    metric: Any,
    target: float | None,
    effort: str,
    learners: dict[str, Any] | None,
    duplicates: str | None,
    time: str | None,
    own: OwnModel,
    more: MoreRows,
    *,
    together: bool,
) -> Check:
    """Check numbers: as for classes, but without trees and all that is about classes."""
    check_settings(settings)
    # Hazards are looked for, and rows are dealt to folds, with tenths of the numbers as classes.
    binned = in_tenths(data)
    hazards = find_hazards(binned, settings.roles, "auto", settings.random_state, duplicates, time).held(
        together=together
    )
    binned, settings = _as_they_belong(binned, settings, hazards)
    data = replace(data, X=binned.X, groups=binned.groups, rows_are=binned.rows_are)
    rows = read_rows(data, binned, settings)
    made = make_number_answers(rows, settings, effort, learners, hazards, data.group, metric)
    first, features = next(iter(made.values())), rows.sample.features
    carried = number_importances(first, rows, settings)
    known = Known(rows.points.shape[1], settings, tuple(learners or ()), not hazards.synthetic)
    answers, all_rows = more.race(data, features, hazards, made, known)
    answer, *beside = answers.values()
    columns = features.prepared
    model_score = told_score(answer, None, own) or _score_numbers(answer, data, rows.sample, own, first)
    nothing: Any = None  # of what is about classes
    return Check(
        facts=facts_of_numbers(rows, settings, data),
        target=target,
        overall=nothing,
        answer=answer,
        beside={each.metric: each for each in beside},
        pairs=nothing,
        classes=nothing,
        pairwise=nothing,
        one_vs_rest=nothing,
        samples=nothing,
        suspicious=nothing,
        tree=nothing,
        odd=odd_numbers(answer),
        by_prediction=error_by_prediction(answer),
        features=carried,
        all_rows=all_rows,
        model_score=model_score,
        budget=make_budget(answer, model_score),
        prepared=Prepared(() if all(each.as_is for each in columns) else columns, data.notes, rows.sample.n_unlabelled),
        dependence=hazards.dependence,
        related=hazards.related,
        drift=hazards.drift,
        leaks=hazards.leaks,
        doubtful=hazards.doubtful,
        _recipe=make_recipe(data, rows.sample.features, settings, SCALE, learners, task=NUMBERS),
    )


def _score_numbers(answer: Answer, data: Data, sample: Sample, own: OwnModel, first: Answer) -> ModelScore | None:
    """Compare predicted numbers, or those of a model that is trained in the first race's folds, with the answer."""
    if own.model is not None:
        found = losses_of(first, cross_predict(own.model, data, sample, first))
        return found and score_of_losses(answer, found[0], first.evidence().cluster, found[1])
    if data.predictions is None:
        return None
    given = np.flatnonzero(~np.isnan(data.y))
    cluster = given
    if data.groups is not None:
        cluster = np.unique(as_label_array(data.groups)[given].astype(str), return_inverse=True)[1]
    losses = answer.of.losses(data.predictions[given], data.y[given], np.zeros(len(given), dtype=np.int64))
    return score_of_losses(answer, losses, cluster, given if data.drawn is None else data.drawn[given])


def make_check(
    floor: BayesFloor,
    answers: dict[str, Answer],
    target: float | None,
    facts: Facts,
    data: Data,
    hazards: Hazards,
    own: OwnModel = OwnModel(),  # noqa: B008 - it never changes,
    first: dict[str, Answer] | None = None,
) -> Check:
    """Combine a fit, its answers and what was found in the rows into one object; the first answer is the main one.

    ``first`` are the answers from the first race alone, in whose folds a model is tested.
    """
    answer, asked, *beside = answers[ACCURACY.name], *answers
    pairs, sample = pair_answers(answer, floor.classes_), floor.fitted_.sample
    columns = sample.features.prepared
    compared, model_score = _compare_model(floor, answers[asked], answer, data, own, (first or answers)[asked])
    divided = answers[asked] if model_score is None or model_score.metric == asked else answer
    return Check(
        facts=facts,
        target=target,
        overall=floor.overall_,
        answer=answers[asked],
        beside={name: answers[name] for name in beside},
        pairs=pairs,
        classes=class_answers(answer, floor.classes_),
        pairwise=floor.pairwise_,
        one_vs_rest=floor.one_vs_rest_,
        samples=floor.samples_,
        suspicious=list_suspicious(floor),
        tree=grow_class_tree(floor.pairwise_, "average", pairs),
        merge=merge_advice(floor, answer=answer) if floor.pairwise_.alike().any() else None,
        prepared=Prepared(() if all(each.as_is for each in columns) else columns, data.notes, sample.n_unlabelled),
        gap=compared,
        model_score=model_score,
        budget=make_budget(divided, model_score, floor.overall_.conflict),
        dependence=hazards.dependence,
        related=hazards.related,
        drift=hazards.drift,
        leaks=hazards.leaks,
        doubtful=hazards.doubtful,
    )


def _compare_model(
    floor: BayesFloor, asked: Answer, of_errors: Answer, data: Data, own: OwnModel, first: Answer
) -> tuple[Gap | None, ModelScore | None]:
    """Compare predictions that came with the data, a model that is trained here, or a score, with the answer."""
    if own.model is not None:
        fit = floor.fitted_
        predicted = cross_predict(own.model, data, fit.whole or fit.sample, first)
    elif data.predictions is not None:
        place = np.flatnonzero(~missing_labels(data.y))
        labels = as_label_array(data.predictions)[place]
        predicted = Predicted(place if data.drawn is None else data.drawn[place], place, labels)
    else:
        return None, told_score(asked, of_errors, own)
    y, groups = (None if each is None else as_label_array(each)[predicted.place] for each in (data.y, data.groups))
    found = gap(floor, y, predicted.labels, groups=groups, answer=of_errors, rows=predicted.number)
    by_metric = None if asked.of.of_errors or predicted.posterior is None else losses_of(first, predicted)
    if by_metric is not None:
        return found, score_of_losses(asked, by_metric[0], first.evidence().cluster, by_metric[1])
    behind = np.nan, np.nan
    if of_errors.evidence().priors is None and y is not None and y.ndim == 1:
        behind = behind_best(of_errors, (predicted.labels != y).astype(np.float64), predicted.number)
    return found, score_of_gap(of_errors, found, behind)


def assert_reachable(
    X: Any, y: Any, target: float, *, strict: bool = False, at_least: float = AT_LEAST, **options: Any
) -> Check:
    """Raise an error unless a target has a fair chance.

    Parameters
    ----------
    X, y, target, **options
        As in ``check``.
    strict : bool, default=False
        Also fail if the outcome is "open".
    at_least : float, default=0.2
        The least probability of the target that does not fail.

    Returns
    -------
    Check
        The check, for further assertions.

    Raises
    ------
    AssertionError
        If the target has a smaller chance, or if these data cannot say. The message is the verdict.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayesfloor import assert_reachable
    >>> X, y = load_iris(return_X_y=True)
    >>> found = assert_reachable(X, y, 0.9)
    """
    if target is None:  # a check would do without one
        check_target(target)
    check_limits({"at_least": at_least})
    found = check(X, y, target, **options)
    word = target_gate(found, target, at_least).word
    if word == FAILED or (strict and word == OPEN):
        raise AssertionError(f"{found.verdict}\n\n{found!r}")
    return found
