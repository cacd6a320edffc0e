"""The changelog page: unreleased changes from the fragments, followed by the released ones."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
START = "<!-- releases -->\n"


def tell_changes(_app, name, source):
    """Insert the changes into the changelog page."""
    if name == "changelog":
        source[0] = (ROOT / "CHANGELOG.md").read_text("utf-8").replace(START, f"{START}\n{draft()}")


def draft():
    """Return the fragments as the next release would print them; an empty string if there are none."""
    if not list((ROOT / "changelog.d").glob("*.*.md")):
        return ""
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--date", "not yet released"]
    done = subprocess.run(command, capture_output=True, check=True, cwd=ROOT, text=True, encoding="utf-8")
    return done.stdout.rstrip() + "\n"


def setup(app):
    """Register the extension with Sphinx."""
    app.connect("source-read", tell_changes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
