"""A browser without a window that opens reports and notes all that a reader must never meet."""

import importlib.resources
import os
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sklearn.neighbors import KNeighborsClassifier

import bayesfloor
from bayesfloor.answer import _make_answer

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
    """Judge of accessibility: (page, kind="violations") -> list of Violation.

    With ``kind="incomplete"`` the list is of places where axe cannot tell, such as the contrast of text in SVG.
    """
    try:
        source = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    except ImportError:
        _missing("axe-playwright-python, from PyPI")

    def judge(page, kind="violations"):
        if page.evaluate("matchMedia('(scripting: none)').matches"):
            raise ValueError("axe waits for ever where JavaScript is off: open the page with javascript=True")
        # Evaluated from outside, axe runs without the leave of the page's policy, which stays in force.
        page.evaluate(source)
        found = page.evaluate("kind => axe.run({resultTypes: [kind]}).then(results => results[kind])", kind)
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


@pytest.fixture(scope="session")
def screenshot():
    """Picture of the whole page for people to look at: (page, name) -> its path, or None.

    Taken only where BAYESFLOOR_SCREENSHOTS names a folder.
    """

    def take(page, name):
        folder = os.environ.get("BAYESFLOOR_SCREENSHOTS")
        if not folder:
            return None
        path = Path(folder) / f"{name}.png"
        page.screenshot(path=path, full_page=True)  # makes the folder
        return path

    return take
