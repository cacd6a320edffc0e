"""
A million rows
==============

**The question.** There are a million rows. Does that take all night, and do they fit into memory?

**The answer.** It takes seconds: the data are subsampled until the interval is narrow enough, and rows may stay on
disk. A subsample says little about very rare classes, and nothing about rows outside it.
"""

# %%
# The smallest code
# -----------------
# The data are two large classes, normal in the plane, for which the best classifier has an error of 15.9 %, and a rare
# third class with 60 of a million rows. Not all rows are used, and a warning says so. Here we catch and print it:

import time
import warnings

import numpy as np

from bayesfloor import BayesFloor

rng = np.random.default_rng(0)
y = rng.choice(["left", "right"], size=1_000_000)
y[rng.choice(len(y), size=60, replace=False)] = "rare"
middle = {"left": (0, 0), "right": (2, 0), "rare": (1, 3.5)}
X = rng.normal(size=(len(y), 2))
for name, place in middle.items():
    X[y == name] += place

start = time.process_time()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    floor = BayesFloor().fit(X, y)
print(f"{len(X):,} rows in {time.process_time() - start:.0f} CPU seconds")
print(caught[0].message)
print(f"tree bounds: {floor.overall_.lower:.3f} to {floor.overall_.upper:.3f}")

# %%
# What the numbers mean
# ---------------------
# Above 50,000 rows the data are subsampled. Each subsample is twice as large as the one before, until the 95 % interval
# for the fraction of cross-class edges is narrower than ``target_width``, 0.01 by default. ``curve_`` keeps the result
# of each subsample:

import matplotlib.pyplot as plt

n_rows, rate, error = (np.array([one[key] for one in floor.curve_]) for key in ("n_rows", "cross_rate", "std_error"))
_, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.errorbar(n_rows, 100 * rate, 196 * error, fmt="o", color="#b63b00", capsize=4)
ax.yaxis.set_major_formatter("{x:.1f} %")
ax.spines[["top", "right"]].set_visible(False)
ax.set_xscale("log")
ax.set_xticks(n_rows, [f"{n:,}" for n in n_rows])
ax.set_xticks([], minor=True)
ax.set(
    xlabel="rows in the subsample (log scale)",
    ylabel="cross-class edges, 95 % interval",
    title="Subsamples until the interval is narrow enough",
)
ax.set_xlim(n_rows[0] / 1.5, n_rows[-1] * 1.5)
label = ax.annotate(
    "narrower than 1 point:\nenough",
    (n_rows[-1], 100 * rate[-1]),
    (-12, 0),
    textcoords="offset points",
    ha="right",
    va="center",
)

# %%
# Using four times as many rows halves the interval and does nothing else: the fraction of cross-class edges has long
# settled, and the gap between the lower and the upper tree bound comes from the method and does not close. The answer
# is more precise: its learners are trained on up to 50,000 rows. More rows are worthwhile as long as the learning curve
# still falls:

answer = floor.answer("quick")
print(f"{answer.estimate:.3f}, range {answer.lower:.3f} to {answer.upper:.3f}; the truth is about 0.159")
print(answer.curve)

# %%
# The warning
# -----------
# ``SampledRowsWarning`` makes sure that you know when a result comes from a subsample. Decide once:
#
# - You accept subsamples: silence it where you fit.
# - A job must never subsample silently: make it an error.
# - You know how many rows you want: ``BayesFloor(max_rows=20_000)``.
# - You want all rows, whatever the cost: ``BayesFloor(target_width=None)``.
#
# ``bayesfloor.check`` and the command line do not warn; they report it as finding ``BF206``.

from bayesfloor.floor import SampledRowsWarning

warnings.simplefilter("ignore", SampledRowsWarning)

# %%
# Rows on disk
# ------------
# Rows need not be in memory. Pass the path of a folder of Parquet files and the name of the label column. At most a
# million rows are read, and these are subsampled:

import tempfile
from pathlib import Path

import pyarrow as pa
from pyarrow.parquet import write_table

work = tempfile.TemporaryDirectory()
folder = Path(work.name) / "rows"
folder.mkdir()
for number, part in enumerate(np.array_split(np.arange(len(X)), 4)):
    write_table(pa.table({"x0": X[part, 0], "x1": X[part, 1], "label": y[part]}), folder / f"{number}.parquet")

start = time.process_time()
far = BayesFloor(target_width=0.02).fit(folder, "label")
print(f"{far.overall_.n_rows:,} rows used, {time.process_time() - start:.0f} CPU seconds")
print(f"tree bounds: {far.overall_.lower:.3f} to {far.overall_.upper:.3f}")

# %%
# The same from a terminal: ``bayesfloor check rows/ -y label``. ``.npy`` files work too, with labels in another
# ``.npy`` file or in memory.
#
# What a sample cannot show
# -------------------------
# **Rare classes.** Each class keeps its proportion in the subsample, so only three of the 60 rare rows are in it. Three
# rows say nothing about a class. Its bounds look very low, and ``few`` says why:

classes = floor.one_vs_rest_.frame()
print(classes[["class", "size", "lower", "upper", "few"]].round(4).to_string(index=False))

# %%
# The solution is to use all rows of the rare class and some of the others. This answers the question for pairs with the
# rare class; the overall floor then holds for different class proportions:

keep = (y == "rare") | (rng.random(len(y)) < 0.003)
near = BayesFloor().fit(X[keep], y[keep])
pairs = near.pairwise_.frame()
print(near.one_vs_rest_.frame()[["class", "size", "few"]].to_string(index=False))
print(pairs[["class_1", "class_2", "normalised", "lower", "upper", "at_resolution"]].round(3).to_string(index=False))

# %%
# **Single rows.** Only rows in the subsample are checked for suspicious labels; ``rows_`` lists them. To check all
# rows, call :func:`bayesfloor.decide.suspicious_labels`, which builds trees on all rows that it gets.

print(f"{len(floor.rows_):,} rows were checked; row 0 {'was' if 0 in floor.rows_ else 'was not'} among them")
work.cleanup()

# %%
# What not to believe
# -------------------
# - **That a narrow interval means a correct answer.** It covers the fraction of cross-class edges at this number of
#   rows. If data are sparse, there is also a bias.
# - **That each interval contains the value from all rows.** One in twenty may not.
# - **That the first rows of a sorted file are a sample.** Sample rows at random, or leave the sampling to ``fit``.
# - **That a rare class with low bounds is easy.** Look at ``few`` first.
#
# Next
# ----
# :doc:`/scale` shows how few rows are enough and what more of them cost.
