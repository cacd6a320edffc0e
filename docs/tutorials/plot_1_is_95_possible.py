"""
Is 95 % possible on my data?
============================

**The question.** Your project needs 95 % accuracy. Can any classifier get there on these features?

**The answer.** ``bayesfloor.check(X, y, target=0.95)`` tells you, before you tune a model, whether 95 % accuracy is
*reachable*, *likely*, *open*, *unlikely* or *out of reach*, with a probability, and what more rows would change.
"""

# %%
# The smallest code
# -----------------
# The data are 569 tumours of two classes, with 30 measurements each.

from sklearn.datasets import load_breast_cancer

import bayesfloor

X, y = load_breast_cancer(return_X_y=True)
found = bayesfloor.check(X, y, target=0.95)
print(found.verdict)

# %%
# That sentence is the answer. The rest of this page explains what it is based on.
#
# What the numbers mean
# ---------------------

print(found)

# %%
# Read it from the top:
#
# *best estimate* and *range*
#     The lowest possible error: that of the best conceivable classifier on these features.
# *more rows*
#     What the best model would reach with 2, 4 and 16 times as many rows, and the probability of the target then.
# *guessing*
#     The error of always predicting the most frequent class.
# *reliability*
#     ``good``: both ends are known. ``limited``: both are known, with a reservation. ``upper limit only``: these data
#     give no lower limit. ``found.answer.reasons`` says why.
# *BF105*
#     A finding, with its code: what is holding accuracy back, or what weakens the answer.
#
# Each end has its own evidence:

answer = found.answer
print(f"upper end {100 * answer.upper:.1f} %:", answer.why_upper)
print(f"lower end {100 * answer.lower:.1f} %:", answer.why_lower)

# %%
# Here is the whole forecast: the error of the best model with more training rows, and 50 % and 95 % intervals.
# The last row, for any number of rows, is the lowest possible error. Dots are the cross-validated errors of several
# kinds of model. The dashed line is the target; errors to the left of it meet it. (A notebook shows the display
# automatically; in a script, save it with ``display.figure_.savefig("forecast.png")``.)

from bayesfloor.plotting import ForecastDisplay

display = ForecastDisplay.from_answer(answer, target=0.95)

# %%
# The forecast comes from where the learning curves of the models level off. This is the curve of the best learner,
# measured on subsets of the rows, and the forecast beyond them:

from bayesfloor.plotting import CurveDisplay

display = CurveDisplay.from_answer(answer)

# %%
# Reachable, open, out of reach
# -----------------------------
# Here are three outcomes, on data with a known Bayes error: two normal classes in the plane, placed so that the best
# classifier has an error of exactly 2, 5 or 10 %. ``effort="quick"`` is enough for these.

import numpy as np
from scipy.stats import norm


def two_normals(error, n_rows, n_noise=0, seed=0):
    """Make two classes with this Bayes error; further features are noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n_rows)
    X = rng.normal(size=(n_rows, 2 + n_noise))
    X[:, :2] += np.sqrt(2) * norm.isf(error) * y[:, None]
    return X, y


def ask(X, y):
    """Ask for 95 %, with little effort."""
    return bayesfloor.check(X, y, target=0.95, effort="quick")


checks = {error: ask(*two_normals(error, 2000)) for error in (0.02, 0.05, 0.10)}
for error, one in checks.items():
    print(f"truth {100 * error:.0f} %: {one.outcome}")
    print(f"  {one.verdict}")

# %%
# - **Reachable**: the upper end of the range is at most 5 %. A learner has been shown to reach the target, with 95 %
#   confidence.
# - **Likely**, **open**, **unlikely**, **out of reach**: the target's probability is at least 80 %, at least 20 %, at
#   least 5 %, or lower. It holds for the kinds of model tried, even with more rows. If the true error is 5 %, no number
#   of rows would settle it: the target is exactly at the floor.

import matplotlib.pyplot as plt

_, axes = plt.subplots(3, figsize=(7.5, 11), layout="constrained")
for (error, one), ax in zip(checks.items(), axes, strict=True):
    ForecastDisplay.from_answer(one.answer, target=0.95, ax=ax)
    ax.set_title(f"The truth is {100 * error:.0f} %: {one.outcome}", loc="left", fontsize=10, pad=20)

# %%
# A check can judge other targets, and other numbers of training rows, without a new run:

answer = checks[0.10].answer
for target in (0.85, 0.89, 0.91, 0.95):
    now, more = answer.chance(target, rows=1600), answer.chance(target)
    print(f"{100 * target:.0f} %: {answer.verdict(target)}, probability {now:.2f} with these rows, {more:.2f} with any")

# %%
# The true Bayes error is 3 %, so 95 % is possible. A few hundred rows cannot show this, but a few thousand can:

for n_rows in (300, 3000):
    print(f"{n_rows} rows: {ask(*two_normals(0.03, n_rows)).verdict}")

# %%
# **Noise columns.** The true Bayes error is 10 % again, and we add eighteen columns of noise. They do not affect the
# best classifier, but the data are now sparse, and the tree bounds are too high. The answer does not depend on them:

noisy = ask(*two_normals(0.10, 2000, n_noise=18))
print(noisy.verdict)
print(f"tree bounds: {100 * noisy.overall.lower:.1f} to {100 * noisy.overall.upper:.1f} %, the truth is 10 %")

# %%
# **No signal.** The classes of a checkerboard in eight dimensions look like noise to every learner, although a model
# that knows the pattern makes no errors. Noise is far more common than such patterns, so the target is called unlikely.
# But there is no lower end, and no target is called out of reach:

rng = np.random.default_rng(0)
squares = rng.uniform(0, 2, size=(1500, 8))
board = ask(squares, np.floor(squares).sum(axis=1).astype(int) % 2)
print(board.verdict)
print(board.answer.reliability, *board.answer.reasons)

# %%
# Scale
# -----
# Spanning trees and nearest neighbours depend on units. By default four scalings are tried, and the first whose
# fraction of cross-class edges is within a standard error of the smallest is used and reported. The columns of the wine
# data have very different units, so scaling matters a lot for trees and neighbours; most other learners standardise the
# columns themselves:

from sklearn.datasets import load_wine

wine = ask(*load_wine(return_X_y=True))
print("used:", wine.facts.scale)
for scale, rate in wine.facts.scale_rates.items():
    print(f"{scale:>8}: {100 * rate:4.1f} % cross-class edges")

# %%
# If your features already have a meaningful scale (embeddings, pixels, coordinates), use ``check(X, y, scale=None)``.
#
# What to do next
# ---------------
# **Reachable**: train. If your model falls short of the target, the model is the reason, and
# :doc:`plot_4_is_my_model_done` shows where.
#
# **Out of reach**: more tuning will not help. Better features, cleaner labels or fewer classes may: see
# :doc:`plot_3_which_embedding` and :doc:`plot_2_which_classes_to_merge`. If you know a model that suits the data better
# than any of ours, pass it: ``check(X, y, learners={"mine": model})``.
#
# **Likely** or **open**: ``found.answer.chance(0.95, rows=20_000)`` says what more rows would change, and
# ``found.answer.forecast.rows_for(1 - 0.95)`` how many give an even chance. ``check(X, y, effort="thorough")`` tries
# harder.
#
# The findings have codes; ``bayesfloor explain CODE`` explains each of them:

for finding in wine.findings:
    print(finding.code, finding.text)

# %%
# To share the whole result, write an HTML file: ``found.to_html("report.html")``.
#
# What not to believe
# -------------------
# - **That "out of reach" holds for other features.** The floor applies to *these* columns. A new measurement may lower
#   it to zero.
# - **That "out of reach" is a proof.** It holds for the kinds of model tried. A pattern that none of them finds stays
#   hidden.
# - **That "reachable" means your model reaches it.** It means that such a classifier exists, not that yours is one.
# - **That the tree bounds are the answer.** If data are sparse, the lower bound is far too high.
# - **That near-duplicates do no harm.** Frames of one video or several rows of one patient make any floor look too low,
#   unless ``groups=`` says which rows belong together.
# - **That the verdict holds for other class proportions.** It holds for the class proportions of these rows.
#   ``BayesFloor(priors="balanced")`` answers for balanced classes.
#
# Next
# ----
# See :doc:`plot_2_which_classes_to_merge` if a few pairs of classes cause most of the error,
# :doc:`plot_4_is_my_model_done` if you have a model, and :doc:`plot_5_gate_in_ci` to ask the question every time the
# data change. :doc:`/theory/answer` explains how the answer is computed. :class:`bayesfloor.Check` lists everything in
# a check.
