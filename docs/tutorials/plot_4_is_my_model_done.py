"""
Is my model done?
=================

**The question.** The model's error on the test rows is a few percent. Is that because of the model, the number of rows,
or the data?

**The answer.** :func:`bayesfloor.decide.gap` says whether a better model is known to exist and for which classes,
:class:`bayesfloor.answer.Forecast` whether more rows would help, and :func:`bayesfloor.decide.suspicious_labels`
whether the labels are the problem.
"""

# %%
# The smallest code
# -----------------
# We use scikit-learn's digits, with a problem that we pretend not to know about: one label in twenty was replaced by
# another.

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from bayesfloor import BayesFloor
from bayesfloor.decide import gap

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
# Two ranges are compared: the model's error on test rows and the lowest possible error. The words after the colon are
# the conclusion.
#
# *room to improve*
#     Even the lower end of the model's interval is above the upper end of the lowest possible error. A better
#     classifier exists.
# *at the floor*
#     No lower error can be shown to be possible, and the answer is reliable.
# *no room shown*
#     Anything else: these data cannot say whether a better model exists.
# *below the floor*
#     The model's error is below the lower end. The floor is too high, or the model has seen the test rows.
#
# The next table shows the same for each class: how often its rows are mistaken for another class. The model's intervals
# hold for all ten classes simultaneously. (``frame()`` needs pandas; ``to_dict()`` gives the same without it.)

lines = found.frame()
columns = ["class_1", "error", "low", "high", "lower", "upper", "word"]
print(lines.loc[lines["kind"] == "class", columns].round(3).to_string(index=False))

# %%
# The plot also shows the pairs of classes with the most room to improve:

from bayesfloor.plotting import GapDisplay

display = GapDisplay.from_gap(found)

# %%
# So this model is not done, and the classes with room to improve show where. Try another model:

from sklearn.svm import SVC

better = SVC().fit(X[train], y[train])
found = gap(floor, y[test], better.predict(X[test]))
print(found.text.replace(". ", ".\n"))

# %%
# No model is known to be better than this one. Before you look for one, ask two cheaper questions.
#
# Would more rows help?
# ---------------------
# The answer has a forecast: what the best model would reach with up to 64 times as many rows. For a target, it gives
# the probability:

from bayesfloor.plotting import ForecastDisplay

for rows in (2_000, 10_000, 50_000, None):  # None: any number
    print(rows, floor.answer().chance(0.98, rows=rows))
display = ForecastDisplay.from_estimator(floor, target=0.98)

# %%
# More rows would hardly help: even with any number of them, 98 % is improbable. The remaining error may come from the
# features or the labels.
#
# Is it the labels?
# -----------------
# ``suspicious_labels`` scores every row by how badly its label fits its neighbours, and marks suspicious labels, with
# false discoveries controlled. We use all rows, because wrong labels in the test set matter as well.

from bayesfloor.decide import suspicious_labels

scores = suspicious_labels(X, y)
suspects = np.flatnonzero(scores.suspect)
print(f"{len(suspects)} suspicious labels")

# %%
# Look at them before you believe anything. These are the most suspicious ones, each with its label in the data and the
# label that its neighbours suggest.

# sphinx_gallery_thumbnail_number = 3
import matplotlib.pyplot as plt

worst = suspects[np.argsort(-scores.score[suspects])][:12]
figure, axes = plt.subplots(2, 6, figsize=(8, 3.4), layout="constrained")
for row, ax in zip(worst, axes.flat, strict=True):
    ax.imshow(X[row].reshape(8, 8), cmap="gray_r")
    ax.set_title(f"label {y[row]}\nneighbours {scores.suggested_label[row]}", fontsize=8)
    ax.set_axis_off()

# %%
# Here the true labels are known, so we can judge the list:

right = np.isin(suspects, flipped)
print(f"{right.sum()} of {len(suspects)} have a wrong label; {len(flipped)} rows have one")
print(f"suggested label is the true one for {np.mean(scores.suggested_label[flipped] == truth[flipped]):.0%} of these")

# %%
# Suppose that someone has checked these rows and corrected their labels. Then the floor falls, and so does the error of
# the second model:

corrected = y.copy()
corrected[suspects] = truth[suspects]
floor = BayesFloor().fit(X[train], corrected[train])
better = SVC().fit(X[train], corrected[train])
print(gap(floor, corrected[test], better.predict(X[test])).text.replace(". ", ".\n"))

# %%
# The first model gains from clean labels as well, but still has room to improve: labels were not its only problem.

model.fit(X[train], corrected[train])
found = gap(floor, corrected[test], model.predict(X[test]))
print("room to improve for classes", found.classes[found.by_class.word == "room to improve"].tolist())
print(found.text.replace(". ", ".\n"))

# %%
# With clean labels, 10,000 training rows give even 99 % accuracy about one chance in two:

print(floor.answer().chance(0.99, rows=10_000))
display = ForecastDisplay.from_estimator(floor, target=0.99)

# %%
# All of this needs predictions for rows that the model has not seen. For a report, pass them to a check:
# ``check(X[test], y[test], predictions=model.predict(X[test]))``; from a terminal, ``bayesfloor check test.csv -y label
# --predictions COLUMN``.
#
# What not to believe
# -------------------
# - **That "no room shown" means "done".** These data cannot say. More test rows or a narrower range may settle it.
# - **That "below the floor" is good news.** The model is of a better kind than those tried, or it has seen the rows it
#   was tested on.
# - **That the far end of a forecast is certain.** It is extrapolated; its intervals say how uncertain it is.
# - **That every suspicious label is wrong.** If classes overlap, correct labels can look wrong. Use the list to check
#   rows, not to delete them: without its hard rows, any dataset has a lower floor.
# - **That any test rows will do.** ``gap`` assumes that they have the same distribution as the rows behind the floor.
#   :func:`bayesfloor.decide.two_samples` tests whether the two distributions differ.
#
# Next
# ----
# See :doc:`plot_3_which_embedding` for better features, and :doc:`plot_5_gate_in_ci` to keep labels from getting worse.
# :doc:`/decide` has these questions side by side.
