"""
A cluster
=========

**The question.** A sample is not enough: all rows are to count, and there are more than one process can hold. Will the
answer be the same?

**The answer.** Pass ``client=`` of the Dask cluster you already run, or use ``joblib.parallel_config``: the trees are
grown in blocks, and their edges are the same as on one machine, to the last bit.
"""

# %%
# The smallest code
# -----------------
# Rows in Parquet files, as in :doc:`plot_6_million_rows`; few of them, so that this page is quickly built.
#
# .. code-block:: python
#
#     from distributed import Client
#
#     from bayesfloor import BayesFloor
#
#     client = Client("tcp://scheduler:8786")
#     floor = BayesFloor(target_width=None).fit("rows/", "label", client=client)
#
# ``target_width=None`` means *all rows*. Without it samples are drawn, which is what most questions need.

import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow.parquet import write_table

work = tempfile.TemporaryDirectory()
folder = Path(work.name) / "rows"
folder.mkdir()
rng = np.random.default_rng(0)
y = rng.integers(2, size=60_000)
X = rng.normal(size=(len(y), 2))
X[:, 0] += 2 * y
for number, part in enumerate(np.array_split(np.arange(len(X)), 4)):
    write_table(pa.table({"x0": X[part, 0], "x1": X[part, 1], "label": y[part]}), folder / f"{number}.parquet")

# %%
# One machine
# -----------
# First the trees as they come without any of this, in one process, from memory:

from bayesfloor import spanning_forest
from bayesfloor.io import open_rows

seconds = {}
start = time.perf_counter()
here = spanning_forest(X)
seconds["one process"] = time.perf_counter() - start
print(here)

# %%
# Everything that runs in parallel follows ``joblib.parallel_config``. In blocks of rows, on two processes:

import joblib

rows = open_rows(folder, columns=["x0", "x1"])
start = time.perf_counter()
with joblib.parallel_config(backend="loky", n_jobs=2):
    by_joblib = spanning_forest(rows, block_rows=20_000)
seconds["joblib, two processes"] = time.perf_counter() - start

# %%
# A cluster
# ---------
# Two Dask workers on this machine stand for as many as you have. They listen on 127.0.0.1 only. In a script, unlike in
# a notebook, what starts workers has to stand under ``if __name__ == "__main__":``.

import logging

from distributed import Client, LocalCluster

cluster = LocalCluster(
    n_workers=2,
    threads_per_worker=1,
    host="127.0.0.1",
    dashboard_address="127.0.0.1:0",
    silence_logs=logging.CRITICAL,
)
client = Client(cluster)

# %%
# ``checkpoint=`` names a folder for finished pieces. Workers on several machines have to see it, and the data, under
# the same names.

pieces = Path(work.name) / "pieces"
start = time.perf_counter()
by_dask = spanning_forest(rows, client=client, checkpoint=pieces, block_rows=20_000)
seconds["Dask, two workers"] = time.perf_counter() - start

# %%
# The same edges, in the same order, with the same lengths to the last bit:

PARTS = ("a", "b", "length", "tree", "vertex")
for name, forest in (("joblib", by_joblib), ("Dask", by_dask)):
    same = all(np.array_equal(getattr(forest, part), getattr(here, part)) for part in PARTS)
    print(f"{name}: {len(forest.a):,} edges, {'all the same' if same else 'NOT the same'}")

# %%
# When something breaks
# ---------------------
# A worker that dies is replaced by another. If the driver dies, the same call goes on where it was: what is finished
# lies in the checkpoint. Here everything is, so that nothing is left to do but to read it:

start = time.perf_counter()
again = spanning_forest(rows, client=client, checkpoint=pieces, block_rows=20_000)
seconds["Dask again, checkpoint"] = time.perf_counter() - start
print("the same edges:", np.array_equal(again.length, here.length))
files = [path for path in pieces.rglob("*") if path.is_file()]
print(f"{len(files)} files, {sum(path.stat().st_size for path in files) / 1e6:.1f} MB")

# %%
# Other data, other blocks or another version are refused, never mixed:

try:
    spanning_forest(rows, client=client, checkpoint=pieces, block_rows=10_000)
except ValueError as error:
    print(str(error).replace(work.name, "..."))

# %%
# The floor of all rows
# ---------------------
# ``work_`` says how the trees were grown. Up to 50,000 rows it is None: so few are not sent anywhere.

from bayesfloor import BayesFloor

floor = BayesFloor(target_width=None).fit(folder, "label", client=client)
print(f"{floor.overall_.n_rows:,} rows, lowest possible error {floor.overall_.lower:.4f} to {floor.overall_.upper:.4f}")
print(floor.work_)

# %%
# The same from a terminal:
#
# .. code-block:: console
#
#     $ bayesfloor check rows/ -y label --engine dask --scheduler tcp://10.0.0.1:8786
#     $ bayesfloor check rows/ -y label --engine dask --scheduler tcp://10.0.0.1:8786 --max-rows 0 --checkpoint pieces/
#
# Close what you opened. joblib keeps its two processes for the next call, and ends them a while later; the last lines
# end them now:

client.close()
cluster.close()
work.cleanup()

from joblib.externals.loky import get_reusable_executor

get_reusable_executor().shutdown(wait=True)

# %%
# What it costs
# -------------

import matplotlib.pyplot as plt

_, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
bars = ax.barh(list(seconds), list(seconds.values()), color="#fdd0a2", edgecolor="#222222")
ax.bar_label(bars, fmt="%.1f s", padding=4)
ax.invert_yaxis()
ax.margins(x=0.15)
ax.set(xlabel="seconds, starting workers and compiling included", title="60,000 rows, three trees")
ax.spines[["top", "right"]].set_visible(False)

# %%
# So few rows gain nothing by being sent anywhere: blocks have to be joined, pieces are written and read, and workers
# load and compile the same kernels first. That is the price of not needing memory for all rows at once. :doc:`/scale`
# has what 2, 6 and 20 million rows took, in seconds and bytes, and what gives out first beyond that.
#
# What not to believe
# -------------------
# - **That all rows give a better answer.** They give the same answer with a narrower interval. Between the lower and
#   the upper bound they do not decide.
# - **That a cluster is faster.** It is larger. On one machine, with rows that fit, it is slower.
# - **That blocks help in many dimensions.** In few, most pairs of blocks are skipped, since they are too far apart to
#   share an edge. With eight and more, next to none are, and the work grows with the square of the rows.
# - **That all of the result is of all rows.** ``overall_``, ``one_vs_rest_`` and ``soft_confusion_`` are. Pairs of
#   classes, single rows and classifiers are of at most 50,000 drawn ones.
#
# Next
# ----
# :doc:`plot_6_million_rows`, if a sample does. :func:`bayesfloor.spanning_forest` and :func:`bayesfloor.io.open_rows`
# for all options.
