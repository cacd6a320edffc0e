"""
A dataset gate in CI
====================

**The question.** Data change with every commit. How does a build fail when they get worse, before a model does?

**The answer.** ``bayesfloor check train.csv -y label --target 92%`` exits with 1 when the target is out of reach, and
:func:`bayesfloor.assert_reachable` fails in pytest.
"""

# %%
# The smallest code
# -----------------
# In a test of the data:
#
# .. code-block:: python
#
#     from bayesfloor import assert_reachable
#
#
#     def test_the_target_can_be_reached():
#         X, y = load_my_data()
#         assert_reachable(X, y, 0.92)
#
# In a job:
#
# .. code-block:: console
#
#     $ bayesfloor check train.csv -y label --target 92%
#
# The rest of this page runs both. The data are three kinds of part, weighed and measured, once as they should be and
# once after somebody has broken the import: one label in eight was shuffled. (To follow it you need pandas and pytest;
# the command itself needs neither.)

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
    """Run a command as a job would, and show what it prints and how it ends."""
    words = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(
        words, capture_output=True, text=True, cwd=folder, env={**os.environ, **environment}, check=False
    )
    print(f"$ {command}\n{done.stdout}{done.stderr}(exit code {done.returncode})")


# %%
# The command
# -----------
# The good data first. The result goes to the log, and as JSON to a file that will be the baseline:

run("bayesfloor check good.csv -y kind --target 92% --max-pair-error 15% --json floor.json")

# %%
# The lines that begin with ``BF3`` are the gates. Each is *ok*, *failed* or *too close to call*:
#
# .. list-table::
#    :header-rows: 1
#    :widths: 30 10 60
#
#    * - option
#      - code
#      - fails where
#    * - ``--target 92%``
#      - BF301
#      - 92 % accuracy is out of reach
#    * - ``--max-error 5%``
#      - BF302
#      - the lower end of the lowest possible error is above 5 %
#    * - ``--max-pair-error 15%``
#      - BF303
#      - that of some pair of classes is above 15 %
#    * - ``--max-class-error 5%``
#      - BF304
#      - that of some class is above 5 % of its rows
#    * - ``--baseline floor.json --max-error-rise 1%``
#      - BF305
#      - the best estimate rose by more than 1 point since that check, beyond chance
#
# and the exit code sums them up:
#
# .. list-table::
#    :header-rows: 1
#    :widths: 15 85
#
#    * - exit code
#      - meaning
#    * - 0
#      - all gates are ok or too close to call
#    * - 1
#      - a gate failed; with ``--strict``, also if one is too close to call; never with ``--exit-zero``
#    * - 2
#      - the command or the data are wrong: no such column, no such file, missing values, free text as a feature
#    * - 3
#      - an internal error of bayesfloor
#
# A gate fails on evidence only: it is *ok* by the upper end of a range alone and *failed* by the lower end alone.
# Otherwise it is too close to call, and the build stays green; ``--strict`` makes it fail. ``--effort quick`` makes
# gates cheaper; a baseline has to be of the same effort.
#
# Now the broken data, against the same limits and against the baseline. ``GITHUB_STEP_SUMMARY`` is where GitHub asks a
# job to write its page; any file will do:

run(
    "bayesfloor check bad.csv -y kind --target 92% --max-error 10% --baseline floor.json --max-error-rise 1%",
    GITHUB_STEP_SUMMARY="page.md",
)

# %%
# The page of the job, which a reviewer sees without opening a log:

print((folder / "page.md").read_text("utf-8"))

# %%
# A mistake in the command has another exit code than bad data:

run("bayesfloor check good.csv -y type --target 92%")

# %%
# The JSON
# --------
# For anything that gates do not cover, read the file. Its form is described by ``bayesfloor.summary.schema()``, and
# :class:`bayesfloor.Check` reads it back:

import json

from bayesfloor import Check

found = json.loads((folder / "floor.json").read_text("utf-8"))
print(found["outcome"], "|", found["verdict"])
print({end: found["answer"][end] for end in ("estimate", "lower", "upper")})
print([(gate["code"], gate["word"]) for gate in found["gates"]])
before = Check.from_json(folder / "floor.json")
print(f"{before.facts.n_rows} rows, lowest possible error at most {before.answer.upper:.3f}")

# %%
# What the gate saw, side by side: both files on one ruler each.

import matplotlib.pyplot as plt

import bayesfloor
from bayesfloor.plotting import AnswerDisplay

now = bayesfloor.check(bad, "kind", target=0.92)
_, axes = plt.subplots(2, figsize=(7.5, 7), layout="constrained")
for one, name, ax in ((before, "good.csv", axes[0]), (now, "bad.csv", axes[1])):
    AnswerDisplay.from_answer(one.answer, target=0.92, ax=ax)
    ax.set_title(f"{name}: {one.answer.verdict(0.92)}", loc="left", fontsize=10, pad=20)
    ax.set_xlim(0, 0.35)

# %%
# In pytest
# ---------
# ``assert_reachable`` fails where the target is out of reach, with ``strict=True`` also where it is too close to call.
# What it returns is a :class:`bayesfloor.Check`, to assert more of:

(folder / "test_data.py").write_text("""
import pandas as pd
import pytest

from bayesfloor import assert_reachable


@pytest.mark.parametrize("name", ["good", "bad"])
def test_the_target_can_be_reached(name):
    found = assert_reachable(pd.read_csv(f"{name}.csv"), "kind", 0.92)
    assert found.suspicious.n_suspect < 0.03 * found.facts.n_rows, "too many suspicious labels"
""")
run("pytest test_data.py -q --tb=no -rf -p no:cacheprovider", COLUMNS="200")

# %%
# A workflow
# ----------
# Complete, for GitHub. The baseline has to be there first: make it with
# ``bayesfloor check data/train.csv -y kind --json data/floor.json`` and commit it, and again whenever a rise was looked
# at and accepted. Until there is a release, install from a checkout, as :doc:`/start` says.
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
#           - uses: actions/checkout@v4
#           - uses: actions/setup-python@v5
#             with:
#               python-version: "3.13"
#           - run: python -m pip install "bayesfloor[cli]"
#           - name: Check the data
#             run: >
#               bayesfloor check data/train.csv -y kind
#               --target 92% --max-pair-error 15%
#               --baseline data/floor.json --max-error-rise 1%
#               --json floor.json
#           - name: Write the report
#             if: always()
#             run: bayesfloor report data/train.csv -y kind --target 92% -o floor.html
#           - name: Keep both
#             if: always()
#             uses: actions/upload-artifact@v4
#             with:
#               name: floor
#               path: |
#                 floor.json
#                 floor.html
#
# Elsewhere the same command does: it needs no network, no token and no service, and where ``GITHUB_STEP_SUMMARY`` is
# not set nothing is written. ``--markdown page.md`` writes the summary to a file of your choice.

work.cleanup()

# %%
# What not to believe
# -------------------
# - **A green gate as good data.** A gate looks at how far classes overlap. A feature that leaks the label makes the
#   floor zero, and every gate green.
# - **"Too close to call" as "ok".** The exit code is 0, the meaning is not. Read the page, or use ``--strict`` where
#   there are rows enough.
# - **A baseline of other data.** With other features or classes, or of another effort, the two cannot be compared; the
#   gate says so, and is too close to call.
# - **Small classes.** Those with fewer than 30 rows are not looked at by any gate.
#
# Next
# ----
# :doc:`plot_1_is_95_possible` for what the verdict rests on, :doc:`plot_4_is_my_model_done` to find the wrong labels
# that a gate has complained about. ``bayesfloor explain BF305`` says what a code means.
