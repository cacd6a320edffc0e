"""The GitHub Action: its steps run in bash, with the variables that GitHub sets."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

pytestmark = [pytest.mark.skipif(os.name != "posix", reason="needs POSIX"), pytest.mark.slow]

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = {step["id"]: step for step in ACTION["runs"]["steps"]}
EARLIER = (ROOT / "tests" / "summary" / "checks" / "iris.json").read_text("utf-8")
HOSTILE = "$(touch hacked) `touch hacked` \"; touch hacked; ' && touch hacked #.csv"


@pytest.fixture(params=["", "."], ids=["no PYTHONPATH", "PYTHONPATH=."])
def hacked(request, monkeypatch, tmp_path):
    """The mark that modules of strangers leave if one of them is run; they stand in the workspace."""
    mark = tmp_path / "hacked"
    (tmp_path / "bayesfloor").mkdir()
    usual = ("click", "ensurepip", "joblib", "json", "numpy", "pip", "rich", "sitecustomize", "tomllib", "venv")
    for name in (*usual, "bayesfloor/__init__", "bayesfloor/__main__"):
        (tmp_path / f"{name}.py").write_text(f"open({str(mark)!r}, 'w').write({name!r}); raise SystemExit(0)", "utf-8")
    monkeypatch.setenv("PYTHONPATH", request.param)
    return mark


@pytest.fixture
def job(tmp_path):
    """A job with a table of parts of two kinds; it runs one step with some inputs: exit code, log, outputs."""
    rng = np.random.default_rng(0)
    kind = np.arange(200) % 2
    rows = [
        f"{x:.3f},{y:.3f},{k}" for (x, y), k in zip(rng.normal(size=(200, 2)) + 3 * kind[:, None], kind, strict=True)
    ]
    (tmp_path / "parts.csv").write_text("\n".join(["x,y,kind", *rows]), "utf-8")
    (tmp_path / HOSTILE).write_text("\n".join(["x,y,kind", *rows]), "utf-8")
    files = {name: str(tmp_path / name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    usual = {"GITHUB_ACTION_PATH": str(ROOT), "RUNNER_TEMP": str(tmp_path / "temp"), "RUNNER_OS": "Linux"}

    def run(step, **inputs):
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        values = {name: given.get(name, one.get("default", "")) for name, one in ACTION["inputs"].items()}
        filled = {name: fill(text, values) for name, text in STEPS[step]["env"].items()}
        done = subprocess.run(
            [shutil.which("bash"), "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[step]["run"]],
            cwd=tmp_path,
            env={**os.environ, **files, **usual, **filled},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr, outputs(Path(files["GITHUB_OUTPUT"]))

    return run


def fill(text, inputs):
    """Put in what GitHub puts in: inputs, and this Python; the rest stays as it is."""
    if (found := re.fullmatch(r"\$\{\{ (inputs|steps)\.([\w.-]+) \}\}", text)) is None:
        return text
    return inputs[found[2]] if found[1] == "inputs" else sys.executable


def outputs(path):
    """The outputs of a step, as GitHub reads them."""
    text = path.read_text("utf-8") if path.exists() else ""
    return {name: value for name, _, value in re.findall(r"^(\w+)<<(\w+)\n(.*?)\n\2$", text, re.MULTILINE | re.DOTALL)}


def obeyed(log):
    """The lines that GitHub obeys as commands; those that switch this off and on again are left out."""
    off, found = None, []
    for line in map(str.strip, log.splitlines()):
        if off is not None:
            off = None if line == f"::{off}::" else off
        elif line.startswith("::stop-commands::"):
            off = line.removeprefix("::stop-commands::")
        elif line.startswith("::"):
            found.append(line)
    return found


def test_the_outputs_are_those_of_the_result(job, tmp_path):
    """With a report and a summary of the job."""
    code, log, found = job("check", file="parts.csv", label="kind", target="90%", options="--effort quick")
    answer = json.loads((tmp_path / "bayesfloor.json").read_text("utf-8"))["answer"]

    assert code == 0, log
    assert set(found) == set(ACTION["outputs"])
    assert found["outcome"] == "reachable"
    assert found["verdict"] in " ".join(log.split())
    assert [found[end] for end in ("estimate", "upper")] == [str(answer[end]) for end in ("estimate", "upper")]
    assert found["lower"] == ("" if answer["lower"] is None else str(answer["lower"]))
    assert "<html" in (tmp_path / found["report"]).read_text("utf-8")
    assert found["verdict"] in (tmp_path / "github_step_summary").read_text("utf-8")


def test_no_code_of_the_workspace_is_run(job, hacked):
    """A pull request may bring any file, and one that ends the check early must not turn the job green."""
    code, log, found = job("check", file="parts.csv", label="kind", options="--effort quick --max-error 0.0001%")

    assert not hacked.exists()
    assert code == 1, log
    assert found["verdict"]


def test_the_installation_runs_no_code_of_the_workspace(job, hacked, monkeypatch):
    """The same, as far as it gets without an index."""
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    code, log, found = job("install")

    assert not hacked.exists()
    assert code == 1
    assert "build dependencies" in log
    assert found == {}


@pytest.mark.parametrize("options", ["", "--effort quick --exit-zero"])
def test_a_job_without_a_gate_is_refused(job, options, tmp_path):
    """It would stay green, for ever."""
    code, log, found = job("check", file="parts.csv", label="kind", options=options)
    (error,) = (line for line in log.splitlines() if not line.startswith("::"))

    assert code == 2
    assert error.startswith("error: nothing is asked of the data")
    assert "target" in error
    assert "--max-error 5%" in error
    assert found == {}
    assert not (tmp_path / "bayesfloor.json").exists()


@pytest.mark.parametrize(("input_", "name"), [("json", "./before.json"), ("report", "parts.csv")])
def test_a_result_never_replaces_what_is_read(job, tmp_path, input_, name):
    """The baseline of a job is often what it wrote the last time."""
    (tmp_path / "before.json").write_text(EARLIER, "utf-8")
    before = (tmp_path / name).read_bytes()
    code, log, found = job("check", file="parts.csv", label="kind", options="--baseline before.json", **{input_: name})

    assert code == 2
    assert f"error: {Path(name)} is an input of this command" in log
    assert (tmp_path / name).read_bytes() == before
    assert found == {}


OTHER_DATA = "--effort quick --baseline before.json --accept BF306 --accept BF307"  # it is of another table


def test_a_baseline_is_a_gate_and_stays(job, tmp_path):
    """Beside the result, which is new."""
    for name in ("before.json", "bayesfloor.json"):
        (tmp_path / name).write_text(EARLIER, "utf-8")
    code, log, found = job("check", file="parts.csv", label="kind", options=OTHER_DATA)

    assert code == 0, log
    assert found["verdict"] == json.loads((tmp_path / "bayesfloor.json").read_text("utf-8"))["verdict"]
    assert (tmp_path / "before.json").read_text("utf-8") == EARLIER


@pytest.mark.parametrize("option", ["--help", "--no-such-option"])
def test_an_old_result_does_not_pass_for_a_new_one(job, tmp_path, option):
    """Whatever stops the check."""
    (tmp_path / "bayesfloor.json").write_text(EARLIER, "utf-8")
    code, log, found = job("check", file="parts.csv", label="kind", target="90%", options=option)

    assert code == 2, log
    assert found == {}


@pytest.mark.parametrize("code", [0, 1])
def test_a_check_that_died_has_no_result(monkeypatch, tmp_path, capsys, code):
    """Also if it ended with the code of one that did not."""
    monkeypatch.chdir(tmp_path)
    given = {"FILE": "parts.csv", "LABEL": "kind", "TARGET": "90%", "OPTIONS": "", "JSON": "a.json", "REPORT": "a.html"}
    for name, value in given.items():
        monkeypatch.setenv(f"CHECK_{name}", value)
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, code))
    (tmp_path / "a.json").write_text(EARLIER, "utf-8")

    assert runpy.run_path(str(ROOT / "tools" / "github_action.py"))["main"]() == 2
    assert "no result was written to a.json" in capsys.readouterr().err
    assert not (tmp_path / "output").exists()


@pytest.mark.parametrize(
    ("option", "codes"), [("--quiet", ["BF302"]), ("--strict", ["BF301", "BF302"]), ("--exit-zero", [])]
)
def test_the_page_of_the_run_shows_the_gates_that_failed_it(job, option, codes):
    """Nobody should have to search the log; and what let the job pass is no error."""
    options = f"--effort quick --max-error 0.1% {option}"  # this fails; the target is open
    _, log, _ = job("check", file="parts.csv", label="kind", target="98%", options=options)

    assert [line.split()[0] for line in obeyed(log)] == [f"::error::{code}" for code in codes]


def test_a_label_cannot_give_commands_to_github(job, monkeypatch, tmp_path):
    """Labels come from strangers, and GitHub obeys any line that starts with two colons, after spaces too."""
    monkeypatch.setenv("COLUMNS", "60")
    label = "100% ::add-mask::b ::add-mask::c"
    pq.write_table(pa.table({"x": [*range(7)] * 20, "kind": ["a", label] * 70}), tmp_path / "hostile.parquet")
    code, log, _ = job("check", file="hostile.parquet", label="kind", options="--effort quick --max-pair-error 1%")
    (command,) = obeyed(log)

    assert code == 1
    assert "\n               \\::add-mask::" in log
    assert command.startswith("::error::BF303 failed: worst is ")
    assert "100%25" in command


def test_the_message_of_a_command_is_escaped_as_github_asks():
    """Else a line break would end it, and the rest be a command."""
    escape = runpy.run_path(str(ROOT / "tools" / "github_action.py"))["escape"]

    assert escape("50 %\r\n::error::%0A") == "50 %25%0D%0A::error::%250A"


def test_inputs_are_never_part_of_a_script(job, tmp_path):
    """A branch or a file may have any name."""
    code, log, found = job("check", file=HOSTILE, label="kind", options="--effort quick --max-error 50%")

    assert code == 0, log
    assert found["verdict"]
    assert not (tmp_path / "hacked").exists()
    assert not any("${{" in step.get("run", "") for step in STEPS.values())


def test_every_input_is_used_every_output_comes_from_the_check_and_actions_are_pinned():
    """A name that nothing reads is a trap; a tag can be moved to other code."""
    text = (ROOT / "action.yml").read_text("utf-8")

    assert set(re.findall(r"\$\{\{ inputs\.([\w-]+) \}\}", text)) == set(ACTION["inputs"])
    assert {one["value"] for one in ACTION["outputs"].values()} == {
        f"${{{{ steps.check.outputs.{name} }}}}" for name in ACTION["outputs"]
    }

    used = {step["uses"] for step in STEPS.values() if "uses" in step}
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")

    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", one) and one in workflow for one in used)


@pytest.mark.slow(nightly=True)
def test_the_package_is_installed_beside_the_jobs_own(job, hacked, tmp_path):
    """In an environment of its own, from this checkout, with the versions that were tested, and nothing else is run."""
    code, log, _ = job("install")
    python = tmp_path / "temp" / "bayesfloor" / "bin" / "python"

    assert code == 0, log
    assert f"python={python}" in (tmp_path / "github_output").read_text("utf-8")
    subprocess.run([python, "-I", "-m", "bayesfloor", "--version"], check=True)
    listed = [python, "-I", "-m", "pip", "freeze", "--exclude", "bayesfloor"]
    installed = subprocess.run(listed, capture_output=True, check=True, text=True).stdout.split()
    assert set(installed) <= set((ROOT / "constraints.txt").read_text("utf-8").split())
    assert not hacked.exists()
