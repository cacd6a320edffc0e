"""The guards of the report bark: each fault they look for is planted once and must be found."""

import base64
import hashlib
import os
import subprocess
import sys

import pytest

SCRIPT = "document.querySelector('#by-script').textContent = 'Sorted by a script.'"
HASH = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{HASH}'"
ANYTHING = "default-src * data: 'unsafe-inline'"
DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
OUTSIDE = "https://example.com/dot.png"

STYLE = """
:root { color-scheme: light dark; }
body { color: #111; background: #fff; }
.paper { display: none; }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #111; } }
@media print { .paper { display: block; } }
"""


def write_page(body="", policy=POLICY):
    """A small report without a fault, and ``body`` added to it."""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width"><title>Report</title><style>{STYLE}</style></head>
<body><main><h1>Report</h1><p>Zwölf 漢字 한글 かな عربي עברית 😀</p><p id="by-script"></p>
<p class="paper">On paper.</p><noscript><p>Without scripts.</p></noscript>
<img src="{DOT}" alt="A dot">{body}</main><script>{SCRIPT}</script></body></html>"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("media", ["screen", "print"])
def test_a_good_page_passes_every_guard(open_page, axe, sideways, scheme, media):
    """A guard that barks at everything is soon switched off; and axe itself must leave no trace."""
    opened = open_page(write_page(), scheme=scheme, media=media, width=360)
    assert axe(opened.page) == []
    assert sideways(opened.page) == 0
    assert opened.complaints == []


@pytest.mark.parametrize("javascript", [True, False])
@pytest.mark.parametrize("policy", [POLICY, ANYTHING])
def test_an_image_from_outside_is_noted_as_a_request(open_page, policy, javascript):
    """A report may hold private data: it fetches nothing, whether or not a policy would stop it."""
    opened = open_page(write_page(f"<img src='{OUTSIDE}' alt=''>", policy), javascript=javascript, until="requests")
    assert opened.requests == [OUTSIDE]


def test_errors_and_warnings_of_the_console_are_noted_and_plain_messages_are_not(open_page):
    """A script that fails softly says so only there."""
    calls = "console.error('broken'); console.warn('odd'); console.log('fine')"
    opened = open_page(write_page(f"<script>{calls}</script>", ANYTHING), until="console")
    assert opened.console == ["error: broken", "warning: odd"]


def test_an_error_that_nothing_catches_is_noted(open_page):
    """Such an error stops a script half way, and the page looks almost right."""
    opened = open_page(write_page("<script>throw new Error('boom')</script>", ANYTHING), until="page_errors")
    assert opened.page_errors == ["boom"]


@pytest.mark.parametrize(
    ("body", "stopped"),
    [
        ("<script>document.title = 'Owned'</script>", "inline script"),
        ("<img src='data:,' alt='' onerror='document.title = \"Owned\"'>", "inline event handler"),
    ],
)
def test_a_script_that_the_policy_does_not_know_is_stopped_and_noted(open_page, body, stopped):
    """A label that turns into a script must not run, and must not go unseen either."""
    opened = open_page(write_page(body), until="csp")
    assert len(opened.csp) == 1
    assert opened.csp[0].startswith(f"error: Executing {stopped} violates")
    assert opened.page.title() == "Report"


@pytest.mark.parametrize(("scheme", "colour"), [("light", "#ccc"), ("dark", "#333")])
def test_pale_text_is_a_violation_in_either_scheme(open_page, axe, scheme, colour):
    """Half of the readers see the scheme that its author does not use."""
    found = axe(open_page(write_page(f"<p id='pale' style='color: {colour}'>Pale</p>"), scheme=scheme).page)
    assert [(each.rule, each.target) for each in found] == [("color-contrast", "#pale")]
    assert "insufficient color contrast" in found[0].why


def test_a_page_wider_than_the_window_is_measured(open_page, sideways):
    """On a phone, text that runs out to the side is text unread."""
    wide = write_page("<div style='position: absolute; left: 0; width: 400px'>Wide</div>")
    assert sideways(open_page(wide, width=360).page) == 40
    assert sideways(open_page(wide, width=1280).page) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("ci", "outcome"), [("true", "1 error"), ("", "1 skipped")])
def test_without_a_browser_tests_skip_at_home_and_fail_in_ci(tmp_path, ci, outcome):
    """Checks that skip in silence guard nothing."""
    options = ("-k", "sideways or wider", "-m", "", "-n", "0", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", __file__, *options]
    environment = {**os.environ, "CI": ci, "PATH": str(tmp_path)}
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout
    assert "needs chromium on the PATH" in output
    assert outcome in output.splitlines()[-1]
