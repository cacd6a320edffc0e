"""Run ``bayesfloor check`` for the GitHub Action in ``action.yml``, then write its outputs, the report and annotations.

The inputs are environment variables and become arguments of a process, never part of a shell script. The current folder
holds files of strangers: no module is imported from there.
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

NO_GATE = (
    "nothing is asked of the data, so the job could never fail: pass target, such as 95%, or a limit in options, such "
    "as --max-error 5%"
)


def main() -> int:
    """Check the data; return the exit code of the command."""
    given = {name: os.environ[f"CHECK_{name}"] for name in ("FILE", "LABEL", "TARGET", "OPTIONS", "JSON", "REPORT")}
    words = [*shlex.split(given["OPTIONS"]), f"--label={given['LABEL']}", f"--json={given['JSON']}"]
    words += [f"--target={given['TARGET']}"] if given["TARGET"] else []
    words += ["--", given["FILE"]]
    # -I does not reach the processes that the command starts
    isolated = {**os.environ, "PYTHONSAFEPATH": "1", "PYTHONPATH": ""}
    quiet = secrets.token_hex(16)  # until it is printed again, GitHub obeys no line: labels may look like commands
    print(f"::stop-commands::{quiet}", flush=True)
    code = 2
    if not (fault := prepare(words, given["JSON"], given["REPORT"])):
        old = Path(given["JSON"]).exists()  # prepare left it to the command to refuse this
        command = [sys.executable, "-I", "-m", "bayesfloor", "check", *words]
        code = subprocess.run(command, check=False, env=isolated).returncode
        if code in (0, 1) and (old or not Path(given["JSON"]).is_file()):
            fault, code = f"no result was written to {given['JSON']}", 2
    if fault:
        print(f"error: {fault}", file=sys.stderr, flush=True)
    print(f"::{quiet}::", flush=True)
    if code in (0, 1):  # otherwise there is no result
        write_report(given["JSON"], given["REPORT"])
        write_outputs(given["JSON"], given["REPORT"])
    if code == 1:
        annotate(given["JSON"], {"failed", "open"} if "--strict" in words else {"failed"})
    return code


def prepare(words: list[str], *outputs: str) -> str:
    """Delete the results of an earlier run, which would pass for those of this one; or return why there is no run."""
    from click import ClickException
    from click.exceptions import Exit

    from bayesfloor.cli._check import check_outputs
    from bayesfloor.cli._commands import check
    from bayesfloor.cli._options import has_gate

    try:
        asked = check.make_context("check", [*words]).params
    except (ClickException, Exit):
        return ""  # the command says it better
    if not has_gate(asked):
        return NO_GATE
    try:
        check_outputs(outputs, (asked["path"], asked["labels_file"], asked["baseline"]))
        for path in outputs:
            Path(path).unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        return str(error)
    return ""


def write_report(path: str, report: str) -> None:
    """Write the report of a result."""
    from bayesfloor import Check

    Check.from_json(Path(path)).to_html(report)


def write_outputs(path: str, report: str) -> None:
    """Write the outputs of the step; unknown figures are empty."""
    found = json.loads(Path(path).read_text("utf-8"))
    ends = {name: found["answer"][name] for name in ("estimate", "lower", "upper", "reliability")}
    values: dict[str, Any] = {"verdict": found["verdict"], "outcome": found["outcome"], **ends}
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as stream:
        for name, value in {**values, "report": report, "json": path}.items():
            end = secrets.token_hex(16)  # a name of a class cannot contain it, and so cannot add an output
            stream.write(f"{name}<<{end}\n{'' if value is None else value}\n{end}\n")


def annotate(path: str, broken: set[str]) -> None:
    """Print an error for each gate that failed the job; GitHub shows them on the page of the run."""
    for gate in json.loads(Path(path).read_text("utf-8"))["gates"]:
        if gate["word"] in broken:
            line = f"::error::{escape('{code} {word}: {text}'.format(**gate))}\n"
            sys.stdout.buffer.write(line.encode("utf-8", "backslashreplace"))  # whatever the system's encoding


def escape(text: str) -> str:
    """Escape the message of a workflow command; otherwise a name of a class could end it and start another."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


if __name__ == "__main__":
    sys.exit(main())
