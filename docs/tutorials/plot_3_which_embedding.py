"""
Which embedding?
================

**The question.** The same rows can be represented in several ways: raw, scaled, reduced, or as embeddings from
different networks. Which one should a model be trained on?

**The answer.** :func:`bayesfloor.compare_representations` races the same learners on each, in the same folds. It says
which one has the lowest error with more rows, and which others show *no clear difference* from it.
"""

# %%
# The smallest code
# -----------------
# We use scikit-learn's digits. Pass a dict from names to arrays of the same rows, or to transformers that make them.

from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.random_projection import GaussianRandomProjection

from bayesfloor import compare_representations

elsewhere, X, y_elsewhere, y = train_test_split(*load_digits(return_X_y=True), train_size=600, random_state=0)
found = compare_representations({"pixels": X, "PCA 2": PCA(2), "PCA 10": PCA(10)}, y, X=X)
print(found.text)

# %%
# What the numbers mean
# ---------------------
# Now we add more representations, including an embedding. It is the hidden layer of a small network, trained on
# *other* rows, which are not compared here.

network = MLPClassifier((32,), max_iter=500, random_state=0).fit(elsewhere / 16, y_elsewhere)
embedding = (X / 16 @ network.coefs_[0] + network.intercepts_[0]).clip(min=0)

representations = {
    "pixels": X,
    "PCA 2": PCA(2),
    "PCA 10": PCA(10),
    "random 10": GaussianRandomProjection(10, random_state=0),
    "network": embedding,
}
found = compare_representations(representations, y, X=X)
columns = ["representation", "n_features", "error", "error_4x", "lowest", "difference_low", "overtakes", "seconds"]
print(found.frame()[[*columns, "word"]].round(3).to_string(index=False))

# %%
# *error*
#     The cross-validated error of a blend of all learners, with these rows.
# *error_4x*, *lowest*
#     The error expected with four times as many rows, and the lowest possible one. Representations with many columns
#     gain more from further rows, so the order is that of *error_4x*.
# *difference_low*
#     The lower end of the difference from the best, today. All representations are raced on the same rows in the same
#     folds, so differences are paired. The intervals hold simultaneously, whichever came out best.
# *overtakes*
#     The probability that the lowest possible error is below that of the best one.
# *seconds*
#     CPU seconds to transform 1,000 rows and to predict them with all learners.
# *word*
#     ``best``, ``worse`` (*difference_low* is above zero, and *overtakes* below 25 %) or ``no clear difference``.
#
# The whole answer for each is in ``found.answers``, as :func:`bayesfloor.check` would give it:

print(found.answers["network"])

from bayesfloor.plotting import ComparisonDisplay

display = ComparisonDisplay.from_comparison(found)

# %%
# Use the best, or the cheapest to make, store and explain among those with no clear difference:

print("best:", found.best_)
print("not worse:", ", ".join(found.not_worse))
print("fewest features of these:", found.smallest)

# %%
# Leaked labels
# -------------
# The most common mistake is to compare a representation that was made *with these labels*. To see its effect, take pure
# noise: 150 columns that are independent of the two classes, so that no classifier does better than guessing.

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

rng = np.random.default_rng(0)
noise, coin = rng.normal(size=(400, 150)), rng.integers(2, size=400)
seen = LinearDiscriminantAnalysis().fit_transform(noise, coin)
cheated = compare_representations(
    {"noise": noise, "array, labels seen": seen, "transformer": LinearDiscriminantAnalysis()}, coin, X=noise
)
print(cheated.frame()[["representation", "how", "error", "word"]].round(3).to_string(index=False))

# %%
# The array was made with the labels of the rows that it is judged on, and seems to separate classes that nothing
# separates. An array does not reveal how it was made, so we cannot warn about it. The *transformer* is safe: because it
# needs labels, it is fitted to the training rows of each fold only (``cross-fitted``).
#
# A transformer that is already fitted may or may not have seen these rows. In this case there is a warning:

import warnings

from sklearn.frozen import FrozenEstimator

from bayesfloor.decide import LabelsSeenWarning

fitted = LinearDiscriminantAnalysis().fit(noise, coin)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always", LabelsSeenWarning)
    compare_representations({"fitted before": FrozenEstimator(fitted)}, coin, X=noise)
print(told[0].message)

# %%
# From a terminal, with one file per representation: ``bayesfloor compare raw.npy clip.npy --labels-file y.txt``.
#
# What not to believe
# -------------------
# - **That a representation lowered the lowest possible error.** No function of the features can do that. It can only be
#   easier to learn from with this many rows.
# - **That "no clear difference" means "equal".** With ten times the rows, the difference may be clear.
# - **That errors with more rows are exact.** They are forecasts; the ranges in ``found.answers`` say how uncertain.
# - **That arrays of unknown origin are safe.** Embeddings fine-tuned on these rows with these labels have seen the
#   answers.
# - **That your model gives the same ranking.** The learners are of several kinds, but yours may be of another one.
#
# Next
# ----
# :class:`bayesfloor.FloorSelector` picks columns instead of representations (:doc:`/decide`).
# :doc:`plot_1_is_95_possible` gives the verdict for the representation that you chose.
# :class:`bayesfloor.decide.Comparison` lists everything in a comparison.
