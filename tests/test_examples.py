"""The notebooks in examples/ run, and their texts are the committed ones.

After a change that moves them: ``python tests/test_examples.py`` executes all of them again.
"""

import re
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
MOST_BYTES = 300_000
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def read(name):
    import nbformat

    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def execute(name, folder):
    from nbclient import NotebookClient

    notebook = read(name)
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # the times of this run
    notebook.metadata.pop("language_info", None)  # the version of this Python
    return notebook


def texts(notebook):
    outputs = [cell.get("outputs", []) for cell in notebook.cells]
    return ["\n".join(one.get("text") or one.data.get("text/plain", "") for one in cell) for cell in outputs]


def same(given, expected):
    """Whether two texts are equal but for the last digit of their numbers."""
    if _NUMBER.split(given) != _NUMBER.split(expected):
        return False
    pairs = zip(_NUMBER.findall(given), _NUMBER.findall(expected), strict=True)
    return all(abs(float(one) - float(two)) <= 1.01 * 10.0 ** -len(two.partition(".")[2]) for one, two in pairs)


@pytest.mark.slow(nightly=True)
@pytest.mark.usefixtures("real_race")
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_and_prints_what_is_committed(name, tmp_path, monkeypatch):
    """No cell fails, and readers see the figures that they would get."""
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")  # a debugger's warning would be an output
    monkeypatch.delenv("CI", raising=False)  # pytest, which a notebook runs, would print more
    for now, before in zip(texts(execute(name, tmp_path)), texts(read(name)), strict=True):
        assert same(now, before), now


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_small_and_tells_nothing_of_a_machine(name):
    """Pictures are small, cells were run in order, and no path of a home is in an output."""
    text = (FOLDER / f"{name}.ipynb").read_text("utf-8")
    counts = re.findall(r'"execution_count": (\w+)', text)

    assert len(text) < MOST_BYTES
    assert list(dict.fromkeys(counts)) == [str(number) for number in range(1, len(dict.fromkeys(counts)) + 1)]
    assert not re.search(r"/(home|root|Users|tmp)/|\"ename\"|Warning", text)


def main():
    """Execute all notebooks, or those that are named, and write them."""
    import tempfile

    import nbformat

    for name in sys.argv[1:] or NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(execute(name, folder), FOLDER / f"{name}.ipynb")


if __name__ == "__main__":
    main()
