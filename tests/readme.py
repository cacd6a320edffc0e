"""Run every block of the README, with nothing but the package and the standard library.

``python tests/readme.py`` runs them in the environment of that Python. The exact words of outputs are
compared with ``--exact``, since other versions of scikit-learn may move a last digit.
"""

import argparse
import contextlib
import doctest
import importlib.metadata
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TOOLS = {"pip", "setuptools", "wheel"}  # what every environment has


def blocks(kind):
    return [text for name, text in _BLOCK.findall(README.read_text("utf-8")) if name == kind]


def kinds():
    return {name for name, _ in _BLOCK.findall(README.read_text("utf-8"))}


def pictures():
    return re.findall(r"!\[[^]]*\]\(([^)]+)\)", README.read_text("utf-8"))


def write_data(folder):
    """The files that the README speaks of."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet
    from sklearn.datasets import load_digits, load_iris, load_wine

    for loaded, file, label, n_columns in ((load_wine(), "wine", "label", 13), (load_iris(), "sepals", "species", 2)):
        names = [loaded.target_names[k] for k in loaded.target]
        columns = {name: loaded.data[:, k] for k, name in enumerate(loaded.feature_names[:n_columns])}
        pa.csv.write_csv(pa.table({**columns, label: names}), folder / f"{file}.csv")
    digits = load_digits()
    columns = {f"pixel{k}": digits.data[:, k] for k in range(64)}
    pa.parquet.write_table(pa.table({**columns, "label": digits.target}), folder / "train.parquet")


def run_console(text, folder):
    """Run the commands of a console block: of each the command, its exit code, its output and what was promised."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        line, _, promised = part.partition("\n")
        words = shlex.split(line, comments=True)
        command = [str(Path(sys.executable).with_name(words[0])), *words[1:]]
        wide = {**os.environ, "COLUMNS": "100"}  # doctest loads readline, which would set another width
        done = subprocess.run(
            command, capture_output=True, check=False, cwd=folder, text=True, encoding="utf-8", env=wide
        )
        yield line, done.returncode, done.stdout, promised


def agrees(promised, output):
    """Whether an output is the promised one; a line of three dots stands for any lines."""
    return doctest.OutputChecker().check_output(f"{promised.strip()}\n", f"{output.strip()}\n", doctest.ELLIPSIS)


def run_python(*, exact):
    """Run the Python blocks as one session; returns the number of failures."""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    session = "\n".join(blocks("python"))
    test = doctest.DocTestParser().get_doctest(session, {}, "README", str(README), 0)
    checker = None if exact else Anything()
    return doctest.DocTestRunner(checker=checker, optionflags=flags).run(test).failed


class Anything(doctest.OutputChecker):
    """Takes any output for right: errors still fail."""

    def check_output(self, want, got, optionflags):  # noqa: ARG002
        """Whatever it is."""
        return True


def packages():
    """Installed packages but the installer itself."""
    return sorted({d.name.lower() for d in importlib.metadata.distributions()} - _TOOLS)


def run_all(*, exact):
    """Run all blocks; returns what failed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_data(folder)
        with contextlib.chdir(folder):
            failed = ["python blocks"] * run_python(exact=exact)
        for text in blocks("console"):
            for line, code, output, promised in run_console(text, folder):
                right = code in (0, 1) and (not exact or not promised.strip() or agrees(promised, output))
                failed += [] if right else [f"{line}: exit code {code}\n{output}"]
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--count-only", action="store_true")
    parser.add_argument("--most-packages", type=int, default=10**6)
    given = parser.parse_args()
    found = packages()
    sys.stdout.write(f"{len(found)} packages: {', '.join(found)}\n")
    if len(found) > given.most_packages:
        sys.exit(f"more than {given.most_packages} packages")
    os.environ.pop("GITHUB_STEP_SUMMARY", None)
    if not given.count_only and (failed := run_all(exact=given.exact)):
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
