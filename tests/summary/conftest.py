"""Checks of small data of many kinds, kept as JSON since most tests only look at them.

After a change that moves them: ``python tests/summary/conftest.py`` makes all of them again.
"""

import importlib.resources
import os
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.neighbors import KNeighborsClassifier

import bayesfloor
from bayesfloor import BayesFloor, Check, check
from bayesfloor.answer import Forecast, _make_answer
from bayesfloor.answer import _learners as _registry
from bayesfloor.answer._forecast import LEVELS
from bayesfloor.answer._hazards import Hazards
from bayesfloor.floor._sample import Settings
from bayesfloor.io import open_data
from bayesfloor.summary._check import make_check
from bayesfloor.summary._facts import gather_facts

HOSTILE = [
    "<script>alert(1)</script>",
    "\"quotes' and `ticks`",
    "\x1b[2J\x1b[31mred",
    "new\nline\r\ttab",
    "a" * 200,
    "a" * 100 + "b" + "a" * 99,
    "\U0001f600\U0001f469\u200d\U0001f467",
    "漢字" * 10,
    "\u05e9\u05dc\u05d5\u05dd",
    "\u202eright to left",
    "",
    '""',
    "007",
    "7",
    "\\n",
    "\n",
    "| a | b |",
    "$x_1$ **bold** [link](http://example.org)",
    "\ud800",
    "\x00null",
]


LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))


def draw(seed, sizes, shift=2.0, d=2):
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = np.random.default_rng(seed).standard_normal((len(y), d))
    X[:, 0] += shift * y
    return X, y


def hostile_labels(y):
    names = np.empty(len(HOSTILE), dtype=object)
    names[:] = HOSTILE
    return names[y]


def _copied(seed):
    """Near-copies: every row three times, moved by next to nothing."""
    X, y = draw(seed, [40, 40])
    moved = np.random.default_rng(seed).normal(size=(240, 2)) * 1e-6
    return np.repeat(X, 3, axis=0) + moved, np.repeat(y, 3)


def _patients():
    """Ten rows of each patient, and a column that is filled in after the diagnosis."""
    rng = np.random.default_rng(13)
    patient, sick = np.repeat(np.arange(40), 10), np.arange(40) % 2
    usual = rng.normal(size=(40, 3)) + sick[:, None]
    table = pd.DataFrame(usual[patient] + 0.2 * rng.normal(size=(400, 3)), columns=["a", "b", "c"])
    return table.assign(patient_id=[f"P-{p:03d}" for p in patient]), sick[patient]


def _leaked():
    """A column that is made from the label."""
    X, y = draw(14, [150, 150, 150])
    return pd.DataFrame(X, columns=["a", "b"]).assign(closed=y * 3), y


def _fast():
    X, y = draw(0, [60, 60])
    floor = BayesFloor(interval="fast").fit(X, y)
    data = open_data(X, y)
    return make_check(
        floor,
        {"accuracy": floor.answer()},
        None,
        gather_facts(floor.fitted_, Settings(interval="fast"), data),
        data,
        Hazards(),
    )


def _flipped():
    """Two classes far apart, with a tenth of the labels wrong."""
    X, y = draw(3, [100, 100], shift=12.0)
    y[::10] = 1 - y[::10]
    return check(X, y)


def _all_suspect():
    """Every row is listed, and the list is full."""
    base = _flipped()
    return replace(base, suspicious=replace(base.suspicious, n_suspect=200, n_conflict=200))


def _alike():
    """Two classes of one distribution, and one far away."""
    X, y = draw(1, [200, 200, 100], shift=0.0)
    X[y == 2] += 30
    return check(X, y)


def _chosen():
    X, y = draw(2, [150, 100, 70], shift=4.0, d=4)
    return check(X, y, predictions=np.where(np.arange(len(y)) % 3, y, 1))


MAKERS = {
    "two classes": lambda: check(*draw(0, [150, 150], shift=2.5), name="two"),
    "target": lambda: check(*draw(1, [80, 60, 40]), target=0.9, name="three"),
    "wine": lambda: check(*load_wine(return_X_y=True), target=0.98, name="wine"),
    "iris": lambda: check(*load_iris(return_X_y=True), name="iris"),
    "breast cancer": lambda: check(*load_breast_cancer(return_X_y=True), target=0.95),
    "separate": lambda: check(*draw(0, [50, 50, 50], shift=40.0)),
    "noise": lambda: check(*draw(0, [100, 100], shift=0.0), target=0.9),
    "constant": lambda: check(np.ones((80, 2)), np.arange(80) % 2),
    "ties": lambda: check(np.random.default_rng(0).integers(0, 4, (120, 2)), np.arange(120) % 3),
    "groups": lambda: check(*draw(5, [60, 60]), groups=np.arange(120) // 3),
    "copies": lambda: check(*_copied(6), auto_groups=False),
    "near-duplicates": lambda: check(*_copied(6)),
    "patients": lambda: check(*_patients(), target=0.9, name="patients"),
    "leak": lambda: check(*_leaked(), target=0.9),
    "sampled": lambda: check(*draw(7, [25_050, 25_050], shift=3.0), rows=300),
    "two rows a class": lambda: check(*draw(8, [2, 2, 2])),
    "hundred classes": lambda: check(*draw(9, [3] * 100, shift=4.0)),
    "letters": lambda: check(draw(12, [40] * 26, shift=2.2, d=3)[0], LETTERS[draw(12, [40] * 26)[1]], name="letters"),
    "many refuted": lambda: check(*draw(9, [4] * 30, shift=3.0, d=3)),
    "probabilities": lambda: check(draw(10, [50, 50])[0], np.random.default_rng(0).dirichlet(np.ones(3), 100)),
    "votes": lambda: check(draw(10, [20, 20])[0], np.random.default_rng(0).integers(1, 4, (40, 3))),
    "alike": _alike,
    "chosen": _chosen,
    "rare": lambda: check(*draw(15, [900, 80]), name="rare"),
    "few": lambda: check(*draw(15, [960, 40]), metric="roc_auc", target=0.9, name="few"),
    "log loss": lambda: check(*draw(1, [300, 250, 200]), metric=["log_loss", "brier"], target=0.4, name="three"),
    "suspects": _flipped,
    "all suspects": _all_suspect,
    "fast intervals": _fast,
    "hostile": lambda: check(
        draw(11, [12] * len(HOSTILE), shift=1.5)[0],
        hostile_labels(draw(11, [12] * len(HOSTILE))[1]),
        target=0.5,
        name="<b>\x1b[31m\nname | of `data`",
    ),
}

KEPT = Path(__file__).parent / "checks"
LARGE = "hundred classes"  # not kept, but made when asked for
QUICK = ("two classes", "iris", "suspects", "chosen")


def path_of(kind):
    return KEPT / f"{kind.replace(' ', '_')}.json"


@cache
def make(kind):
    return MAKERS[kind]()


@cache
def recall(kind):
    return make(kind) if kind == LARGE else Check.from_json(path_of(kind))


@pytest.fixture(scope="session")
def made():
    """Source of checks, to look at only: name of a kind -> Check."""
    return recall


@pytest.fixture(
    params=[pytest.param(kind, marks=pytest.mark.slow(nightly=True) if kind == LARGE else ()) for kind in MAKERS]
)
def each(request):
    return recall(request.param)


def _tier(kind):
    return () if kind in QUICK else pytest.mark.slow(nightly=True) if kind == LARGE else pytest.mark.slow


@pytest.fixture(params=[pytest.param(kind, marks=_tier(kind)) for kind in MAKERS])
def fresh(request):
    return make(request.param)


@pytest.fixture(params=[pytest.param(kind, marks=pytest.mark.slow) for kind in MAKERS if kind != LARGE])
def fresh_and_kept(request):
    return make(request.param), recall(request.param)


@pytest.fixture(scope="session")
def gaussians():
    """Source of Gaussian classes: (seed, sizes, shift=2.0, d=2) -> X, y."""
    return draw


@pytest.fixture(scope="session")
def hostile_names():
    return HOSTILE


@pytest.fixture(scope="session")
def altered():
    """Maker of a check with other figures: (check, answer={}, overall={}, ...) -> Check."""

    def alter(found, **parts):
        return replace(found, **{name: replace(getattr(found, name), **values) for name, values in parts.items()})

    return alter


@pytest.fixture(scope="session")
def spread():
    """Maker of a forecast from its best estimate and 95 % interval, whatever the number of rows."""

    def make_it(low, estimate, high):
        lowest = np.interp(LEVELS, (0.025, 0.5, 0.975), (low, estimate, high))
        return Forecast(lowest, (lowest,) * 7, 240)

    return make_it


def race_cheaply():
    """Use the learners that tests use, outside of pytest."""
    from runpy import run_path

    for name, value in run_path(str(KEPT.parents[1] / "conftest.py"))["CHEAP_RACE"].items():
        getattr(_registry, name).update(quick=value, normal=value)


FLAGS = ["--disable-gpu", "--disable-quic"]  # playwright adds those against calls home
SETTLE = 100  # milliseconds after loading, for what a page does late
PATIENCE = 30_000  # milliseconds for what a test says it will do, on a busy machine


class Opened(NamedTuple):
    """A page and what it did; the lists grow as the page goes on."""

    page: Any
    requests: list[str]  # other than the document itself and data: URLs
    console: list[str]  # errors and warnings
    page_errors: list[str]

    @property
    def csp(self):
        """What the page's own policy stopped, as the console tells it even where JavaScript is off."""
        return [text for text in self.complaints if "Content Security Policy" in text]

    @property
    def complaints(self):
        """All lists as one: empty for a page that keeps to itself."""
        return [*self.requests, *self.console, *self.page_errors]


class Violation(NamedTuple):
    """One place that breaks one rule of axe."""

    rule: str
    target: str
    why: str


def _check_quickly(X, y, *, learners=None, **options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_make_answer, "choose_learners", lambda *_: ({}, {}))
        return bayesfloor.check(X, y, learners={"near": KNeighborsClassifier(5), **(learners or {})}, **options)


@pytest.fixture(scope="session")
def quick_check():
    """Maker of a check whose race has nothing but nearest neighbours: arguments of ``check`` -> Check."""
    return _check_quickly


def _missing(what):
    reason = f"needs {what}"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


# Not of the session: while it is open, asyncio.run() fails in this thread, and other tests take times.
@pytest.fixture(scope="module")
def browser():
    """Chromium of the system, started once a file."""
    program = shutil.which("chromium")
    if program is None:
        _missing("chromium on the PATH")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright, from PyPI")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Opener of a report: (a Path, or the HTML itself as a str, options) -> Opened.

    Options are ``scheme`` ("light" or "dark"), ``width``, ``height``, ``javascript``, ``media``
    ("screen" or "print") and ``until``, the name of a list that will not stay empty. The page is a file,
    as it is for users, and its policy is in force.
    """
    contexts = []

    def open_(path_or_html, *, scheme="light", width=1280, height=900, javascript=True, media="screen", until=None):
        context = browser.new_context(
            color_scheme=scheme,
            viewport={"width": width, "height": height},
            java_script_enabled=javascript,
            offline=True,  # a request is noted, but never leaves
        )
        contexts.append(context)
        page = context.new_page()
        page.emulate_media(media=media)
        path = _as_file(path_or_html, tmp_path / f"page{len(contexts)}.html")
        opened = _watch(page, path.absolute().as_uri())
        page.goto(path.absolute().as_uri())
        page.wait_for_timeout(SETTLE)
        for _ in range(PATIENCE // SETTLE):
            if until is None or getattr(opened, until):
                break
            page.wait_for_timeout(SETTLE)
        return opened

    yield open_
    for context in contexts:
        context.close()


def _as_file(path_or_html, path):
    if isinstance(path_or_html, Path):
        return path_or_html
    path.write_text(path_or_html, encoding="utf-8")
    return path


def _watch(page, document):
    opened = Opened(page, [], [], [])

    def on_request(request):
        if request.url != document and not request.url.startswith("data:"):
            opened.requests.append(request.url)

    def on_console(message):
        if message.type in {"error", "warning"}:
            opened.console.append(f"{message.type}: {message.text}")

    page.on("request", on_request)
    page.on("websocket", lambda socket: opened.requests.append(socket.url))
    page.on("console", on_console)
    page.on("pageerror", lambda error: opened.page_errors.append(str(error)))
    return opened


@pytest.fixture(scope="session")
def axe():
    """Judge of accessibility: page -> list of Violation."""
    try:
        source = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    except ImportError:
        _missing("axe-playwright-python, from PyPI")

    def judge(page):
        if page.evaluate("matchMedia('(scripting: none)').matches"):
            raise ValueError("axe waits for ever where JavaScript is off: open the page with javascript=True")
        # Evaluated from outside, axe runs without the leave of the page's policy, which stays in force.
        page.evaluate(source)
        found = page.evaluate("axe.run({resultTypes: ['violations']}).then(results => results.violations)")
        return [_violation(rule["id"], node) for rule in found for node in rule["nodes"]]

    return judge


def _violation(rule, node):
    checks = [*node["any"], *node["all"], *node["none"]]
    return Violation(rule, " ".join(map(str, node["target"])), "; ".join(check["message"] for check in checks))


@pytest.fixture(scope="session")
def sideways():
    """Pixels that a reader must scroll to the side: page -> int, 0 for a page that fits."""
    return lambda page: page.evaluate("document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth")


@pytest.fixture(scope="session")
def visible_text():
    """Text as a reader sees it, folded and hidden parts left out: page -> str. JavaScript may be off."""
    return lambda page: page.inner_text("body")


if __name__ == "__main__":
    race_cheaply()
    for name in MAKERS:
        if name != LARGE:
            make(name).to_json(path_of(name))
