"""Workflows call the script that everyone can run, and are allowed little."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SCRIPT = (ROOT / ".ci" / "run").read_text("utf-8")
STAGES = set(" ".join(re.findall(r'^stages="(?:\$stages )?(.+)"$', SCRIPT, re.MULTILINE)).split())


def read(path):
    return yaml.safe_load(path.read_text("utf-8"))


def steps(job):
    """Steps of a job; one that calls another workflow is a step itself."""
    return job.get("steps", [job])


def called(job, step):
    """Stages of the script that a step calls, or none for a tool; a variable is looked up in the job's matrix."""
    program, *words = step["run"].split()
    if program.startswith("tools/"):
        return []
    assert program == ".ci/run"
    if words != ['"$STAGE"']:
        return words
    assert step["env"] == {"STAGE": "${{ matrix.stage }}"}
    matrix = job["strategy"]["matrix"]
    return matrix.get("stage") or [one["stage"] for one in matrix["include"]]


def test_every_stage_is_a_function_of_the_script():
    """A name in the list that nothing answers to would fail when it is called."""
    assert set(re.findall(r"^(\w+)\(\) \{", SCRIPT, re.MULTILINE)) >= STAGES


def test_every_path_in_the_script_is_there():
    """A stage that names a test file of last month tests nothing."""
    named = re.findall(r"\b(?:tests|tools|docs)/[\w/]*(?:\{[\w,]+\})?\w*\.py\b", SCRIPT)
    braced = [re.fullmatch(r"(.*?)(?:\{(.*)\})?(\.py)", path).groups() for path in named]
    paths = [f"{start}{part}{end}" for start, parts, end in braced for part in (parts or "").split(",")]

    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).is_file()] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_what_developers_can_are_allowed_little_and_pin_their_actions(path):
    """A check in a workflow alone is seen after a push; a job that is taken over can do what it may; tags can move."""
    for job in read(path)["jobs"].values():
        for step in steps(job):
            assert "run" not in step or set(called(job, step)) <= STAGES

    said = read(path)
    assert said["permissions"] == {}
    assert all(job["permissions"] for job in said["jobs"].values())

    for job in read(path)["jobs"].values():
        for step in steps(job):
            uses = step.get("uses", "./")
            assert uses.startswith("./") or re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", uses)
            assert not uses.startswith("actions/checkout@") or step["with"] == {"persist-credentials": False}


def test_every_python_that_is_promised_is_tried():
    """Every Python version that is promised is tried; newer ones may be tried before they are promised."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    jobs = read(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]
    assert jobs["portable"]["strategy"]["matrix"]["python"][: len(promised)] == promised
    assert project["requires-python"] == f">={promised[0]}"


def test_hooks_run_what_is_installed():
    """And so the same versions as the script."""
    (repo,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repo["repo"] == "local"
    assert all(hook["language"] == "system" and hook["entry"].split()[0] in SCRIPT for hook in repo["hooks"])
