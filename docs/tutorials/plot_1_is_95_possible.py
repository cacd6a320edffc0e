"""
Is 95 % possible on my data?
============================

**The question.** Somebody wants 95 % accuracy. Can any classifier get there on these features?

**The answer.** ``bayesfloor.check(X, y, target=0.95)`` says *within reach*, *out of reach* or *undecided*, before
anything is trained, and what its answer rests on.
"""

# %%
# The smallest code
# -----------------
# 569 tumours, 30 measurements each, two classes.

from sklearn.datasets import load_breast_cancer

import bayesfloor

X, y = load_breast_cancer(return_X_y=True)
found = bayesfloor.check(X, y, target=0.95)
print(found.verdict)

# %%
# That sentence is the answer. Everything below is about how far to believe it.
#
# What the numbers mean
# ---------------------

print(found)

# %%
# Read it from the top:
#
# *lowest possible error*
#     What the best conceivable classifier errs, on these features. All that follows is put together here. The verdict
#     looks at this line and at nothing else.
# *bounds by trees*
#     Neighbouring rows are joined by minimal spanning trees. The share of edges that join two classes is, with ever
#     more rows, an upper bound of the lowest possible error; the lower bound is computed from the same share. The gap
#     between the two does not close with more rows.
# *interval*
#     How far that share of edges may be off because these are 569 tumours and not others. It comes on top of the
#     bounds.
# *classifiers*
#     What a few cheap models got wrong on rows held out. The lowest possible error cannot be above what a model
#     reached, beyond chance.
# *trust*
#     Whether the lower bound is to be believed. ``small bias``: yes. ``unknown``: neighbours are far apart, so it may
#     be too high. ``refuted``: a classifier errs less than the lower bound, so it *is* too high.
#
# Here trust is *refuted*, and the answer stands all the same: "within reach" needs an upper limit only, and the
# classifiers give one. What cannot be said here is how much *better* than the upper limit a model may get.

print(found.trust.word)
for reason in found.trust.reasons:
    print("-", reason)

# %%
# The same on a ruler; the target is the dashed line, and left of it is what was asked for. The first bar is pale and
# begins at 0: where trust is *refuted* or *unknown* its left end is not known. The third bar is the bounds widened
# by the interval. (A notebook shows a display by itself; in a script, ``display.figure_.savefig("ruler.png")`` keeps
# it.)

from bayesfloor.plotting import EnvelopeDisplay

display = EnvelopeDisplay.from_results(found.envelope, found.overall, target=0.95)

# %%
# Feasible, undecided, out of reach
# ---------------------------------
# Three answers, on data whose truth is known: two normal classes in the plane, moved so far apart that the best
# classifier errs on exactly 2, 5 or 10 %.

import numpy as np
from scipy.stats import norm


def two_normals(error, n_rows, n_noise=0, seed=0):
    """Two classes with this Bayes error; further features tell nothing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n_rows)
    X = rng.normal(size=(n_rows, 2 + n_noise))
    X[:, 0] += 2 * norm.isf(error) * y
    return X, y


checks = {error: bayesfloor.check(*two_normals(error, 2000), target=0.95) for error in (0.02, 0.05, 0.10)}
for error, one in checks.items():
    print(f"truth {100 * error:.0f} %: {one.reachable(0.95)}")
    print(f"  {one.verdict}")

# %%
# - **Feasible**: the upper limit of the lowest possible error is below 5 %, with 95 % confidence.
# - **Infeasible**: the bias of the bounds is small, even the low end of the interval of the lower bound is above 5 %,
#   and no classifier got below the bound.
# - **Undecided**: neither. The truth here lies exactly on the target, and no number of rows would decide it. What
#   follows the word is where these rows lean, not a proof.

import matplotlib.pyplot as plt

_, axes = plt.subplots(3, figsize=(7.5, 9), layout="constrained")
for (error, one), ax in zip(checks.items(), axes, strict=True):
    EnvelopeDisplay.from_results(one.envelope, one.overall, target=0.95, ax=ax)
    ax.set_title(f"The truth is {100 * error:.0f} %: {one.reachable(0.95)}", loc="left", fontsize=10, pad=20)

# %%
# A check answers for other targets without a new look at the data:

for target in (0.85, 0.90, 0.95, 0.99):
    print(f"{100 * target:.0f} %: {checks[0.10].reachable(target)}")

# %%
# Two kinds of undecided
# ----------------------
# **Too few rows.** The truth is 3.5 %, so 95 % is possible. A few hundred rows cannot prove it, some thousands can.

for n_rows in (300, 3000):
    print(f"{n_rows} rows: {bayesfloor.check(*two_normals(0.035, n_rows), target=0.95).verdict}")

# %%
# **Neighbours too far apart.** The truth is 10 % again, out of reach. Now eighteen columns of noise come along. They
# change nothing for the best classifier, but neighbours are no longer near, the bounds are too high, and nothing is
# called out of reach on such evidence:

noisy = bayesfloor.check(*two_normals(0.10, 2000, n_noise=18), target=0.95)
print(noisy.verdict)
print(f"bounds by trees: {100 * noisy.overall.lower:.1f} to {100 * noisy.overall.upper:.1f} %, the truth is 10 %")
print(f"trust: {noisy.trust.word}, {noisy.trust.reasons[0]}")

# %%
# Scale
# -----
# Neighbours depend on units. By default four scales are tried, and the one with the smallest share of cross edges is
# used and named. On wine, measured in units as different as milligrams and degrees, it matters a lot:

from sklearn.datasets import load_wine

wine = bayesfloor.check(*load_wine(return_X_y=True), target=0.95)
print("used:", wine.facts.scale)
for scale, share in wine.facts.scale_rates.items():
    print(f"{scale:>8}: {100 * share:4.1f} % of edges join two classes")

# %%
# If your features already have a scale that means something (embeddings, pixels, coordinates), say
# ``check(X, y, scale=None)``.
#
# What to do next
# ---------------
# **Within reach**: train. When the model falls short of the target, the model is to blame, and
# :doc:`plot_4_is_my_model_done` says where.
#
# **Out of reach**: no model will do. Better features, cleaner labels or fewer classes may: see
# :doc:`plot_3_which_embedding` and :doc:`plot_2_which_classes_to_merge`.
#
# **Undecided**: read ``found.trust.weak``. Few rows: collect more, :func:`bayesfloor.samples_for` says how many may do.
# Neighbours far apart: drop features that tell nothing (:class:`bayesfloor.FloorSelector`), or use an embedding.
#
# The findings have codes, and each is explained by ``bayesfloor explain CODE``:

for finding in wine.findings:
    print(finding.code, finding.text)

# %%
# To send all of it to somebody else, write one HTML file: ``found.to_html("report.html")``.
#
# What not to believe
# -------------------
# - **"Out of reach" on other features.** The floor is that of *these* columns. A new measurement may lower it to
#   nothing.
# - **"Within reach" for your model.** It says that a classifier exists, not that the one you train is it.
# - **The bounds where trust is not "small bias".** The lower one may be far too high; the verdict knows that, a bare
#   look at the numbers does not.
# - **A check of near-copies.** Frames of one video or several rows of one patient make any floor look too low, unless
#   ``groups=`` tells which belong together.
# - **A verdict for other class shares.** It answers for the shares of these rows. ``BayesFloor(priors="balanced")``
#   answers for balanced classes.
#
# Next
# ----
# :doc:`plot_2_which_classes_to_merge`, if few pairs of classes make most of the error.
# :doc:`plot_4_is_my_model_done`, if you have a model. :doc:`plot_5_gate_in_ci`, to ask the question with every change
# of the data.
# The full list of what a check holds is at :class:`bayesfloor.Check`.
