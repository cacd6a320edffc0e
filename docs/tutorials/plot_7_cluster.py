"""
A cluster
=========

**The question.** A subsample is not enough: you want to use all rows, and one process cannot hold them. Will the result
be the same?

**The answer.** Pass the ``client=`` of your Dask cluster, or use ``joblib.parallel_config``. The trees are built in
blocks, and their edges are the same as on one machine, to the last bit.
"""

# %%
# The smallest code
# -----------------
# The rows are in Parquet files, as in :doc:`plot_6_million_rows`. There are few of them, so that this page builds
# quickly.
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
# ``target_width=None`` means *all rows*. Without it the data are subsampled, which is enough for most questions.

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
# First we build the trees without a cluster, in one process, from memory:

from bayesfloor import spanning_forest
from bayesfloor.io import open_rows

seconds = {}
start = time.perf_counter()
here = spanning_forest(X)
seconds["one process"] = time.perf_counter() - start
print(here)

# %%
# All parallel work follows ``joblib.parallel_config``. Here it uses blocks of rows on two processes:

import joblib

rows = open_rows(folder, columns=["x0", "x1"])
start = time.perf_counter()
with joblib.parallel_config(backend="loky", n_jobs=2):
    by_joblib = spanning_forest(rows, block_rows=20_000)
seconds["joblib, two processes"] = time.perf_counter() - start

# %%
# A cluster
# ---------
# Here the cluster is two Dask workers on this machine. They listen on 127.0.0.1 only. In a script, unlike in a
# notebook, put the code that starts workers under ``if __name__ == "__main__":``.

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
# ``checkpoint=`` names a folder for finished pieces. Workers on several machines must see this folder and the data
# under the same paths.

pieces = Path(work.name) / "pieces"
start = time.perf_counter()
by_dask = spanning_forest(rows, client=client, checkpoint=pieces, block_rows=20_000)
seconds["Dask, two workers"] = time.perf_counter() - start

# %%
# The edges are the same, in the same order, with the same lengths to the last bit:

PARTS = ("a", "b", "length", "tree", "vertex")
for name, forest in (("joblib", by_joblib), ("Dask", by_dask)):
    same = all(np.array_equal(getattr(forest, part), getattr(here, part)) for part in PARTS)
    print(f"{name}: {len(forest.a):,} edges, {'all the same' if same else 'NOT the same'}")

# %%
# When something breaks
# ---------------------
# If a worker dies, another one takes over. If the driver dies, rerun the same call to resume from the checkpoint. Here
# everything is finished, so the call only reads it:

start = time.perf_counter()
again = spanning_forest(rows, client=client, checkpoint=pieces, block_rows=20_000)
seconds["Dask again, checkpoint"] = time.perf_counter() - start
print("the same edges:", np.array_equal(again.length, here.length))
files = [path for path in pieces.rglob("*") if path.is_file()]
print(f"{len(files)} files, {sum(path.stat().st_size for path in files) / 1e6:.1f} MB")

# %%
# A checkpoint from other data, other blocks or a different version is rejected, never mixed in:

try:
    spanning_forest(rows, client=client, checkpoint=pieces, block_rows=10_000)
except ValueError as error:
    print(str(error).replace(work.name, "..."))

# %%
# The floor of all rows
# ---------------------
# ``work_`` says how the trees were built. Up to 50,000 rows it is None, because such small data are not distributed.

from bayesfloor import BayesFloor

floor = BayesFloor(target_width=None).fit(folder, "label", client=client)
print(f"{floor.overall_.n_rows:,} rows, tree bounds {floor.overall_.lower:.4f} to {floor.overall_.upper:.4f}")
print(floor.work_)

# %%
# The same from a terminal:
#
# .. code-block:: console
#
#     $ bayesfloor check rows/ -y label --engine dask --scheduler tcp://10.0.0.1:8786
#     $ bayesfloor check rows/ -y label --engine dask --scheduler tcp://10.0.0.1:8786 --max-rows 0 --checkpoint pieces/
#
# Close the client and the cluster. joblib keeps its two processes for the next call and ends them after a while; the
# last lines end them now:

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
bars = ax.barh(list(seconds), list(seconds.values()), color="#fbd9bc", edgecolor="#24292f")
ax.bar_label(bars, fmt="%.1f s", padding=4)
ax.invert_yaxis()
ax.margins(x=0.15)
ax.set(xlabel="seconds, including starting workers and compiling", title="60,000 rows, three trees")
ax.spines[["top", "right"]].set_visible(False)

# %%
# Distributing small data gains nothing: blocks have to be joined, pieces are written and read, and workers first load
# and compile the same kernels. That is the price of not needing memory for all rows at once. :doc:`/scale` shows what
# 2, 6 and 20 million rows took, in seconds and bytes, and what would break first beyond that.
#
# What not to believe
# -------------------
# - **That all rows give a better answer.** They give the same answer with a narrower interval. They do not close the
#   gap between the lower and the upper bound.
# - **That a cluster is faster.** It can hold more rows. If the rows fit on one machine, it is slower.
# - **That blocks help in many dimensions.** In few dimensions, most pairs of blocks are skipped because they are too
#   far apart to share an edge. With eight or more, almost none are, and the work grows with the square of the number of
#   rows.
# - **That the whole result uses all rows.** ``overall_``, ``one_vs_rest_`` and ``soft_confusion_`` do. Pairs of
#   classes, single rows and the answer use a subsample of at most 50,000 rows.
#
# Next
# ----
# See :doc:`plot_6_million_rows` if a subsample is enough. :func:`bayesfloor.spanning_forest` and
# :func:`bayesfloor.io.open_rows` list all options.
