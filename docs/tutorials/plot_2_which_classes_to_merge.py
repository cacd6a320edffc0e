"""
Which classes should I merge?
=============================

**The question.** There are many classes and the error is too high. Which of them should be merged?

**The answer.** Fit a ``BayesFloor`` and call :func:`bayesfloor.decide.merge_advice`: it names the classes that
nothing separates and, if you give a target, the further merges needed to reach it. It also says what the merges cost.
"""

# %%
# The smallest code
# -----------------
# The data are leaves of six kinds of tree, with two measurements each. They are simulated, so the truth is known: the
# two maples have the same distribution, oak and beech overlap, willow touches both, and pine is separate.

import numpy as np

from bayesfloor import BayesFloor
from bayesfloor.decide import merge_advice

MIDDLES = {
    "pine": (5, 5),
    "oak": (12, 7),
    "beech": (14.2, 7),
    "willow": (14.2, 11.1),
    "red maple": (8, 12),
    "sugar maple": (8, 12),
}
rng = np.random.default_rng(0)
y = np.repeat(list(MIDDLES), 300)
X = rng.normal(size=(1800, 2)) + np.repeat(list(MIDDLES.values()), 300, axis=0)

floor = BayesFloor().fit(X, y)
print(merge_advice(floor).text.replace(". ", ".\n"))

# %%
# The last two sentences are part of the advice. Every merge lowers the floor; with one class left it is zero.

import matplotlib.pyplot as plt

_, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
for kind, marker in zip(MIDDLES, "osD^v*", strict=True):
    ax.scatter(*X[y == kind].T, s=14, marker=marker, alpha=0.6, label=kind, linewidths=0)
ax.set(xlabel="length, cm", ylabel="width, cm", title="Six kinds, two measurements")
legend = ax.legend(ncols=3, fontsize=8)

# %%
# What the numbers mean
# ---------------------
# Each pair of classes has its own trees, and so its own tree bounds, which assume that only these two classes
# exist. *normalised* is the floor relative to guessing between the two: 0 means "separate" and 1 means "nothing
# separates them", whatever the class sizes.

pairs = floor.pairwise_.frame().sort_values("estimate", ascending=False)
print(pairs[["class_1", "class_2", "lower", "upper", "normalised", "at_resolution"]].round(3).to_string(index=False))

# %%
# The true error is known here: 50 % between the two maples. For the other pairs it follows from the distance between
# their centres:

from scipy.stats import norm

for one, two in (("oak", "beech"), ("beech", "willow"), ("oak", "willow")):
    apart = np.linalg.norm(np.subtract(MIDDLES[one], MIDDLES[two]))
    print(f"{one} and {two}: {norm.sf(apart / 2):.3f}")

# %%
# **Too small to measure.** A spanning tree is connected: even two perfectly separate classes have one edge between
# them. So a floor of about one edge is not evidence of overlap. Such pairs have ``at_resolution`` set, are drawn as a
# dot, and are never ranked:

from bayesfloor.plotting import PairwiseDisplay

display = PairwiseDisplay.from_results(floor.pairwise_)

# %%
# **Shown to be inseparable.** A high floor is not enough for this. It takes a test that finds almost no difference
# between the two classes, in few dimensions, where the trees' bias is small:

print(pairs.loc[pairs["merge"], ["class_1", "class_2"]].to_string(index=False))

# %%
# Merge towards a target
# ----------------------
# Without a target, only inseparable classes are merged. With a target, further merges follow, the most confused
# classes first, until the upper end of the lowest possible error meets it:

advice = merge_advice(floor, target=0.97)
print(advice.text.replace(". ", ".\n"))
print()
print(advice.frame()[["one", "two", "alike", "n_classes", "lower", "upper", "met"]].round(3).to_string())

# %%
# Each line is one merge and the result after it. ``mapping`` has the new labels. ``relabel`` recounts the same trees
# with them, so nothing has to be refitted:

merged = np.array([advice.mapping[label] for label in y])
after = floor.relabel(merged).overall_
print(sorted(set(merged.tolist())))
print(f"{after.lower:.3f} to {after.upper:.3f}")

# %%
# The verdict does not come from the tree bounds but from the learners:

import bayesfloor

print("as they are:", bayesfloor.check(X, y, target=0.97, effort="quick").verdict)
print("merged:", bayesfloor.check(X, merged, target=0.97, effort="quick").verdict)

# %%
# Merge what belongs together
# ---------------------------
# The merges above are ordered by their gain. Classes also have a meaning, and the class tree shows which merges would
# make sense: classes that are hard to separate split last.

from bayesfloor.plotting import ClassTreeDisplay

display = ClassTreeDisplay.from_estimator(floor)

# %%
# On real data most pairs are easy and a few are not. Here are scikit-learn's ten digits, with 64 pixels each:

from sklearn.datasets import load_digits

digits = BayesFloor().fit(*load_digits(return_X_y=True))
pairs = digits.pairwise_.frame().sort_values("estimate", ascending=False)
print(f"{int(pairs['at_resolution'].sum())} of {len(pairs)} pairs are too small to measure; the hardest of the others:")
print(pairs[["class_1", "class_2", "lower", "upper"]].head(4).round(3).to_string(index=False))
print(merge_advice(digits).text)

# %%

display = ClassTreeDisplay.from_estimator(digits)

# %%
# No advice is advice too: digits should not be merged.
#
# From a terminal, ``bayesfloor tree digits.csv -y label`` draws the same tree, and ``bayesfloor check`` names classes
# that could be merged (``BF103``).
#
# What not to believe
# -------------------
# - **That merging made the problem easier.** It made the question smaller. Look at what the merge costs, and at how
#   well guessing does afterwards.
# - **That merging is the only way.** If the target is likely or open without a merge, a good classifier may reach it
#   without one; :func:`bayesfloor.check` says how probable that is.
# - **That classes are separable unless "shown to be inseparable".** In many dimensions, with weights or with soft
#   labels, this cannot be shown, and the text says so.
# - **That a pair's floor is its part of the total error.** A pair's floor assumes that only these two classes exist.
#   ``floor.soft_confusion_`` has each pair's part when all classes compete.
# - **That the gain of the last merges is exact.** The merges were chosen because they gain most on these rows; on other
#   rows they gain a little less.
#
# Next
# ----
# See :doc:`plot_1_is_95_possible` for the verdict after the merge, and :doc:`plot_3_which_embedding` for features that
# separate classes, so that you need not merge them.
