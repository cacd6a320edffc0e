"""Write a check as JSON, in the version that ``schema.json`` describes, and read it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from reprlib import repr as repr_short
from typing import Any, TypeVar

import numpy as np

from bayesfloor.answer._answer import Answer, check_target
from bayesfloor.answer._pairs_and_classes import PairAnswers
from bayesfloor.decide._suspicious import SuspiciousLabels
from bayesfloor.floor._make_results import square
from bayesfloor.floor._results import Floor, PairwiseFloor, SampleScores
from bayesfloor.io._messages import one_line
from bayesfloor.leaving.summary_json_optional_parts import choices_to_dict, restore_choices
from bayesfloor.leaving.summary_plausible import refuse_implausible
from bayesfloor.summary._check_result import Measured
from bayesfloor.summary._gates import Gate, make_gates
from bayesfloor.summary._text import to_text
from bayesfloor.support._errors import InputError
from bayesfloor.support._results import floats, plain, restore

Made = TypeVar("Made", bound=Measured)
SCHEMA_VERSION = 5
_DIAGONAL = {"p_values": 1.0, "holm": 1.0, "benjamini_hochberg": 1.0, "std_error": np.nan}
_BOUNDS = ("matrix", "lower", "estimate", "upper", "cross", "resolution", "at_resolution", "std_error")
_PAIR_ANSWERS = tuple(item.name for item in fields(PairAnswers) if item.name != "classes")
_PAIRS = (*_BOUNDS, "p_values", "holm", "benjamini_hochberg")


def dump(check: Measured, gates: Sequence[Gate] = ()) -> str:
    """Return the check as JSON, one line per part; ASCII only, without NaN or infinity."""
    parts = (
        f'"{name}": {json.dumps(part, allow_nan=False, default=str)}' for name, part in to_dict(check, gates).items()
    )
    return "{\n" + ",\n".join(parts) + "\n}\n"


def to_dict(check: Measured, gates: Sequence[Gate] = ()) -> dict[str, Any]:
    """Return the check as plain values."""
    judged = None if check.target is None else check.answer.judge(check.target)
    found: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "verdict": check.verdict,
        "target": check.target,
        "outcome": check.outcome,
        "why": None if judged is None else judged.why,
        "settle": None if judged is None else judged.settle,
        "answer": check.answer.to_dict(),
        "facts": check.facts.to_dict(),
        "prepared": check.prepared.to_dict(),
        "findings": [finding.to_dict() for finding in check.findings],
        "traits": [trait.to_dict() for trait in check.traits],
        "classes": check.classes.to_dict(),
        "pairs": _pairs(check.pairs),
        "overall": _overall(check.overall),
        "one_vs_rest": {**_all_fields(check.one_vs_rest), "interval": plain(check.one_vs_rest.interval())},
        "pairwise": _pairwise(check.pairwise),
        "suspicious": check.suspicious.to_dict(),
        "tree": check.tree.to_dict(),
        **choices_to_dict(check),
    }
    return {**found, "gates": [gate.to_dict() for gate in gates]} if gates else found


def _overall(floor: Floor) -> dict[str, Any]:
    more = {"interval": floor.interval(), "limit_interval": floor.limit_interval(), "upper_limit": floor.upper_limit()}
    return {**_all_fields(floor), **{name: plain(value) for name, value in more.items()}}


def _all_fields(result: Any) -> dict[str, Any]:
    """Return all fields, including private ones, which intervals need; names have no underscore."""
    return {item.name.lstrip("_"): plain(getattr(result, item.name)) for item in fields(result)}


def _pairwise(floor: PairwiseFloor) -> dict[str, Any]:
    one, two = np.triu_indices(len(floor.classes), 1)
    return {
        "classes": plain(floor.classes),
        "sizes": plain(floor.sizes),
        "claims": floor.claims,
        "one": plain(one),
        "two": plain(two),
        **{name: plain(getattr(floor, name)[one, two]) for name in _PAIRS},
    }


def _pairs(pairs: PairAnswers) -> dict[str, Any]:
    """Return each pair once, in the order of ``pairwise``."""
    above = np.triu_indices(len(pairs.classes), 1)
    return {name: plain(getattr(pairs, name)[above]) for name in _PAIR_ANSWERS}


def load(source: str | Path, kind: type[Made]) -> Made:
    """Read a check, as an object of class ``kind``, from a JSON file or from JSON text."""
    given = _read(source)
    version = given.get("schema_version") if isinstance(given, dict) else None
    if version != SCHEMA_VERSION or isinstance(version, (bool, float)):
        raise InputError(
            f"Got schema_version {repr_short(version)}, but expected {SCHEMA_VERSION}: "
            "this is not a check, or another version of bayesfloor wrote it. Run the check again."
        )
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):  # for numbers too extreme to compute with
            made = _restore_check(given, kind)
            _try_out(made)
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"Got a check with missing or invalid parts ({one_line(error)}). Run the check again."
        ) from error
    return made


def _try_out(made: Measured) -> None:
    """Use every part once, so that an inconsistent check fails here rather than later."""
    refuse_implausible(made)
    make_gates(made, {"max_error": 0.1, "max_pair_error": 0.1, "max_class_error": 0.1})
    dump(made)
    to_text(made)


def _read(source: str | Path) -> Any:
    is_text = isinstance(source, str) and (not source.strip() or source.lstrip()[:1] in ("{", "["))
    try:
        return json.loads(str(source) if is_text else Path(source).read_text("utf-8"))
    except (RecursionError, ValueError) as error:  # not JSON, or not even text
        raise InputError(
            f"Got invalid JSON: {one_line(error)}. Expected the output of Check.to_json. Run the check again."
        ) from error


def _restore_check(given: dict[str, Any], kind: type[Made]) -> Made:
    pairs, samples = given["pairwise"], given["suspicious"]
    rows = restore(SuspiciousLabels, samples, scores=restore(SampleScores, samples))
    matrices = _matrices(pairs, _PAIRS)
    matrices["at_resolution"] = matrices["at_resolution"].astype(bool)
    return restore(
        kind,
        given,
        target=_target(given["target"]),
        answer=restore(Answer, given["answer"], curve_lower=np.nan, race=None),
        pairs=restore(PairAnswers, pairs, **_matrices(given["pairs"], _PAIR_ANSWERS)),
        pairwise=restore(PairwiseFloor, pairs, **matrices),
        samples=rows.scores,
        suspicious=rows,
        **restore_choices(given),
    )


def _target(value: Any) -> float | None:
    if value is not None:
        check_target(value)
    return value


def _matrices(given: dict[str, Any], names: Sequence[str]) -> dict[str, np.ndarray]:
    return {name: square(floats(given[name]), _DIAGONAL.get(name, 0.0)) for name in names}
