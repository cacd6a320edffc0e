"""Pages whose blocks run."""

import contextlib
import doctest
import re
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parents[1] / "docs"


def run_blocks(name, folder):
    """Run the Python blocks of a page as one session in a folder: how many there are, and how many examples failed."""
    page = DOCS / name
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.stem, str(page), 0)
    with contextlib.chdir(folder):
        return len(blocks), doctest.DocTestRunner().run(test).failed


@pytest.fixture
def folder(tmp_path):
    """The folders that the page speaks of: rows with labels, and numbers alone."""
    from pyarrow import table
    from pyarrow.parquet import write_table

    rng = np.random.default_rng(0)
    for name, n in (("rows", 120_000), ("numbers", 40_000)):
        (tmp_path / name).mkdir()
        for number in range(4):
            label = rng.integers(0, 2, n // 4)
            X = rng.normal(size=(n // 4, 2)) + 2 * label[:, None]
            more = {"label": label} if name == "rows" else {}
            write_table(table({"x0": X[:, 0], "x1": X[:, 1], **more}), tmp_path / name / f"{number}.parquet")
    return tmp_path


@pytest.mark.filterwarnings("ignore::bayesfloor.SampledRowsWarning", "ignore:Port .* is already in use")
def test_every_block_of_the_page_on_scale_gives_what_it_shows(folder):
    """The page is a test."""
    assert run_blocks("scale.md", folder) == (3, 0)


def test_every_block_of_the_page_on_decisions_gives_what_it_shows(tmp_path):
    """And draws a picture."""
    assert run_blocks("decide.md", tmp_path) == (7, 0)
    assert len(list(tmp_path.glob("*.png"))) == 7
