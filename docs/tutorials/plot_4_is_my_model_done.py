"""
Is my model done?
=================

**The question.** The model errs on some percent of the test rows. Is that the model, the number of rows, or the data?

**The answer.** :func:`bayesfloor.gap` says whether a better model is known to exist and for which classes,
:func:`bayesfloor.learning_curve` whether more rows would help, :func:`bayesfloor.odd_labels` whether it is the labels.
"""

# %%
# The smallest code
# -----------------
# Digits of scikit-learn, with a twist that we pretend not to know of: one label in twenty was replaced by another.

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from bayesfloor import BayesFloor, gap

X, truth = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
flipped = rng.choice(len(X), size=len(X) // 20, replace=False)
y = truth.copy()
y[flipped] = (truth[flipped] + rng.integers(1, 10, size=len(flipped))) % 10

train, test = train_test_split(np.arange(len(X)), test_size=600, random_state=0)
floor = BayesFloor().fit(X[train], y[train])
model = GaussianNB().fit(X[train], y[train])
found = gap(floor, y[test], model.predict(X[test]))
print(found.text.replace(". ", ".\n"))

# %%
# What the numbers mean
# ---------------------
# Two intervals are compared: the model's error on test rows, and the lowest possible error, by the trees. The word
# after the colon is what follows.
#
# *room left*
#     Even the low end of the model's interval is above the upper limit of the lowest possible error. A better
#     classifier exists.
# *at the floor*
#     The model does as well as can be shown to be possible.
# *between the bounds*
#     Neither. The trees leave open what is possible there.
# *room not shown*
#     The model errs more than the upper bound, but so few rows cannot prove it.
# *below the floor*
#     The model errs less than the lower bound. The bound is too high, or the model has seen the test rows.
#
# The same for each class. An error of a class is a row of it taken for another, or another taken for it, as a share of
# all rows; the intervals hold for all ten together. (``frame()`` needs pandas; ``to_dict()`` has the same without it.)

lines = found.frame()
columns = ["class_1", "error", "low", "high", "lower", "upper", "word"]
print(lines.loc[lines["kind"] == "class", columns].round(3).to_string(index=False))

# %%
# And as a picture, with the pairs of classes where most can be won:

from bayesfloor.plotting import GapDisplay

display = GapDisplay.from_gap(found)

# %%
# So this model is not done: over all classes there is room. Where, these rows do not prove; 3 against 8 and 3 against 9
# come first in the list. Another model:

from sklearn.svm import SVC

better = SVC().fit(X[train], y[train])
found = gap(floor, y[test], better.predict(X[test]))
print(found.text.replace(". ", ".\n"))

# %%
# No better model is known to exist. The last sentence is a caution: with more rows the floor would come down, so a
# better one may exist all the same. Before one looks for it, there are two cheaper questions.
#
# Would more rows help?
# ---------------------
# The rows are dealt into halves, quarters and so on, and the trees of every part are grown:

from bayesfloor import learning_curve, samples_for
from bayesfloor.plotting import LearningCurveDisplay

curve = learning_curve(floor)
needed = samples_for(curve, target=0.98)
print(curve.text)
print(needed.text)

# %%
# The picture has the share of cross edges by number of rows: an upper bound of the lowest possible error, and about
# what a nearest neighbour errs on.

display = LearningCurveDisplay.from_curve(curve, needed)

# %%
# The curve comes to rest above the target's error. More rows of this kind would help a little, but no number of them is
# enough: what is left is in the features or in the labels.
#
# Is it the labels?
# -----------------
# ``odd_labels`` lists rows whose label does not fit their neighbours, with false discoveries controlled. All rows take
# part, since wrong labels in the test set hurt as well.

from bayesfloor import odd_labels

odd = odd_labels(X, y)
suspects = np.flatnonzero(odd.suspect)
print(f"{len(suspects)} suspects")

# %%
# Look at them before believing anything. These are the oddest; the label is what the data say, the other what the
# neighbours say.

# sphinx_gallery_thumbnail_number = 3
import matplotlib.pyplot as plt

oddest = suspects[np.argsort(-odd.score[suspects])][:12]
figure, axes = plt.subplots(2, 6, figsize=(8, 3.4), layout="constrained")
for row, ax in zip(oddest, axes.flat, strict=True):
    ax.imshow(X[row].reshape(8, 8), cmap="gray_r")
    ax.set_title(f"label {y[row]}\nneighbours {odd.suggested_label[row]}", fontsize=8)
    ax.set_axis_off()

# %%
# Here the truth is known, so the list can be judged:

right = np.isin(suspects, flipped)
print(f"{right.sum()} of {len(suspects)} suspects have a wrong label; {len(flipped)} rows have one")
print(f"suggested label is the true one for {np.mean(odd.suggested_label[flipped] == truth[flipped]):.0%} of these")

# %%
# Say that somebody has looked at the suspects and mended their labels. Then the floor falls, and so does the error of
# the model, which was done all along:

mended = y.copy()
mended[suspects] = truth[suspects]
floor = BayesFloor().fit(X[train], mended[train])
better = SVC().fit(X[train], mended[train])
print(gap(floor, mended[test], better.predict(X[test])).text.replace(". ", ".\n"))

# %%
# Clean labels sharpen every other answer, too. The first model's room is now shown for single classes, and the curve
# goes on falling: more rows would help.

model.fit(X[train], mended[train])
found = gap(floor, mended[test], model.predict(X[test]))
print("room left for classes", found.classes[found.by_class.word == "room left"].tolist())
print(found.text.replace(". ", ".\n"))

# %%

curve = learning_curve(floor)
display = LearningCurveDisplay.from_curve(curve, samples_for(curve, target=0.98))

# %%
# All of this needs predictions for rows that the model has not seen. For a report, hand them to a check:
# ``check(X[test], y[test], predictions=model.predict(X[test]))``; from a terminal, ``bayesfloor check test.csv -y
# label --predictions COLUMN``.
#
# What not to believe
# -------------------
# - **"At the floor" where trust is not "small bias".** The floor may be too high, and a better model possible.
# - **"Below the floor" as a miracle.** Either the floor is too high, or the model has seen the rows it was tried on.
# - **The far end of a learning curve.** It is extrapolated, and its interval says how far. The number of rows from
#   ``samples_for`` is that of a neighbour in a tree; good classifiers need fewer.
# - **A suspect as a wrong label.** Where classes overlap, honest rows sit among another class. The list is for looking
#   at, not for deleting: without its hard rows any dataset has a lower floor.
# - **Test rows of another kind.** ``gap`` compares with the rows of the floor. :func:`bayesfloor.two_samples` says
#   whether both were drawn alike.
#
# Next
# ----
# :doc:`plot_3_which_embedding` for better features. :doc:`plot_5_gate_in_ci` to keep labels from getting worse.
# :doc:`/decide` has these questions side by side.
