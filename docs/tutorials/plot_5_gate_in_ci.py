"""
A dataset gate in CI
====================

**The question.** Data change with every commit. How can a build fail as soon as the data get worse, and not only when a
model does?

**The answer.** ``bayesfloor check train.csv -y label --target 92%`` exits with code 1 if the target has too small a
chance, and :func:`bayesfloor.assert_reachable` fails in pytest.
"""

# %%
# The command
# -----------
# This page runs it on the weights and widths of three kinds of part. One file is correct; in the other, a broken import
# has shuffled one label in eight. (To follow along you need pandas and pytest; the command itself needs neither.)

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

work = tempfile.TemporaryDirectory()
folder = Path(work.name)
rng = np.random.default_rng(0)
kind = np.repeat(["bolt", "nut", "washer"], 250)
middle = {"bolt": (20, 30), "nut": (8, 12), "washer": (5, 14)}
good = pd.DataFrame(rng.normal([middle[name] for name in kind], [1.5, 1.0]), columns=["weight", "width"])
good["kind"] = kind
bad = good.copy()
wrong = rng.choice(len(bad), size=len(bad) // 8, replace=False)
bad.loc[wrong, "kind"] = rng.permutation(bad.loc[wrong, "kind"])
good.to_csv(folder / "good.csv", index=False)
bad.to_csv(folder / "bad.csv", index=False)


def run(command, **environment):
    """Run a command as a CI job would, and show its output and exit code."""
    words = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(
        words, capture_output=True, text=True, cwd=folder, env={**os.environ, **environment}, check=False
    )
    print(f"$ {command}\n{done.stdout}{done.stderr}(exit code {done.returncode})")


# %%
# First we check the good data, and keep the result as the baseline. A baseline should have the same ``--effort`` as the
# gate:

run("bayesfloor check good.csv -y kind --target 92% --max-pair-error 15% --effort quick --json floor.json")

# %%
# The lines that begin with ``BF3`` are the gates:
#
# .. list-table::
#    :header-rows: 1
#    :widths: 30 10 60
#
#    * - option
#      - code
#      - fails if
#    * - ``--target 92%``
#      - BF301
#      - 92 % accuracy has a probability below 20 % (``--at-least``), or these data cannot say
#    * - ``--max-error 5%``
#      - BF302
#      - the same for a lowest possible error of at most 5 %
#    * - ``--max-pair-error 15%``
#      - BF303
#      - the lower end of the lowest possible error is above 15 % for a pair of classes
#    * - ``--max-class-error 5%``
#      - BF304
#      - the lower end is above 5 % of the rows of a class
#    * - ``--baseline floor.json --max-error-rise 1%``
#      - BF305
#      - the lowest possible error rose by more than 1 point since that check, with a probability of 99 %
#    * -
#      - BF306 to BF310
#      - classes, columns or rows are not like those of that check, a column gives the label away that did not, or
#        nothing decides
#    * - ``--min-rows 1000``
#      - BF311
#      - fewer than 1,000 rows have a label
#    * - ``--max-unlabelled 10%``
#      - BF312
#      - more than 10 % of the rows have no label
#    * - ``--fail-on BF114``
#      - BF313
#      - there is this finding, here a column that gives the label away; any code of a finding will do
#
# What cannot be compared with the baseline fails and says why: a typo in a label, a column that is gone, half of the
# rows or labels missing, each row twice. If the change is right, make a new baseline, or accept it by its code:
# ``--accept BF307``, in Python ``found.gates(baseline=before, accept="BF307")``. Rows drawn anew from the same source
# pass.
#
# A target is *ok* if it is reachable or likely, *failed* below ``--at-least``, and *open* in between. For pairs and
# classes, the upper end of a range alone makes a gate *ok*, the lower end alone makes it *failed*. If a gate is open,
# the build stays green; with ``--strict`` it fails. Exit code 0 means that no gate failed, 1 that one did (never with
# ``--exit-zero``), 2 that the command or the data are wrong, such as a missing column, and 3 an internal error.
#
# Now the broken data, with the baseline. ``GITHUB_STEP_SUMMARY`` names the file for GitHub's job summary:

run(
    "bayesfloor check bad.csv -y kind --target 92% --max-error 10% "
    "--baseline floor.json --max-error-rise 1% --effort quick",
    GITHUB_STEP_SUMMARY="page.md",
)

# %%
# This is the job summary, which a reviewer sees without opening a log:

print((folder / "page.md").read_text("utf-8"))

# %%
# In pytest
# ---------
# ``assert_reachable`` fails if the probability of the target is below ``at_least=0.2``, with ``strict=True`` also if it
# is open. It returns a :class:`bayesfloor.Check` for further assertions:

(folder / "test_data.py").write_text("""
import pandas as pd
import pytest

from bayesfloor import assert_reachable


@pytest.mark.parametrize("name", ["good", "bad"])
def test_the_target_can_be_reached(name):
    found = assert_reachable(pd.read_csv(f"{name}.csv"), "kind", 0.92, effort="quick")
    assert found.suspicious.n_suspect < 0.03 * found.facts.n_rows, "too many suspicious labels"
""")
run("pytest test_data.py -q --tb=no -rf -p no:cacheprovider", COLUMNS="80", CI="true")
work.cleanup()

# %%
# On GitHub
# ---------
# The repository of bayesfloor is also a GitHub Action. It runs the command, adds its result to the job summary, and
# writes the report:
#
# .. code-block:: yaml
#
#     name: data
#     on:
#       pull_request:
#         paths: ["data/**"]
#     permissions:
#       contents: read
#     jobs:
#       floor:
#         runs-on: ubuntu-latest
#         timeout-minutes: 15
#         steps:
#           - uses: actions/checkout@v6
#           - id: floor
#             uses: OWNER/bayesfloor@main # your copy of the repository; better pinned to a commit
#             with:
#               file: data/train.csv
#               label: kind
#               target: 92%
#               options: --max-pair-error 15% --baseline data/floor.json --max-error-rise 1%
#           - name: Keep the report
#             if: always()
#             uses: actions/upload-artifact@v4
#             with:
#               name: floor
#               path: |
#                 ${{ steps.floor.outputs.report }}
#                 ${{ steps.floor.outputs.json }}
#
# Its outputs are ``verdict``, ``outcome``, ``estimate``, ``lower`` (empty if there is none), ``upper``,
# ``reliability``, and the files ``report`` and ``json``. Make the baseline with ``bayesfloor check data/train.csv -y
# kind --json data/floor.json`` and commit it; it must be another file than ``json``.
#
# The action brings its own Python and imports nothing from your checkout, so a file in a pull request cannot run in its
# place. Without a gate it refuses to run, because it could never fail. The same command works on other services: it
# needs no network and no token, and ``--markdown page.md`` writes the summary to a file of your choice.
#
# What not to believe
# -------------------
# - **That a green gate means good data.** A gate measures how much classes overlap. A feature that leaks the label
#   makes the floor zero. Without a baseline that makes every gate green, except for ``--fail-on BF114``.
# - **That "open" means "ok".** Both have exit code 0, but they mean different things. Read the summary, or use
#   ``--strict`` if you have enough rows.
# - **That any baseline will do.** If scaling or effort differ, only cross-validated errors are compared. Slow drift, a
#   little with each new baseline, is never seen.
# - **That a gate judges your model.** ``--predictions`` compares a model with the floor, and never changes the exit
#   code. In a test: ``assert check(table, "kind", predictions="model").gap.overall.error < 0.1``.
# - **That gates cover small classes.** They ignore classes with fewer than 30 rows.
#
# Next
# ----
# :doc:`plot_1_is_95_possible` explains what the verdict is based on, and :doc:`plot_4_is_my_model_done` finds the wrong
# labels behind a failed gate. ``bayesfloor explain BF305`` says what a code means.
