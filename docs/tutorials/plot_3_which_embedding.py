"""
Which embedding?
================

**The question.** The same rows can be told in several ways: raw, scaled, reduced, as embeddings of this or that
network. Which one should a model be trained on?

**The answer.** :func:`bayesfloor.compare_representations` ranks them by their cross-class edges in seconds, and says
which ones show *no significant difference* from the best.
"""

# %%
# The smallest code
# -----------------
# Digits of scikit-learn. A dict of names, each with an array of the same rows, or with a transformer that makes one.

from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.random_projection import GaussianRandomProjection

from bayesfloor import compare_representations

elsewhere, X, y_elsewhere, y = train_test_split(*load_digits(return_X_y=True), train_size=600, random_state=0)
found = compare_representations({"pixels": X, "PCA 2": PCA(2), "PCA 10": PCA(10)}, y, X=X)
print(found.text)

# %%
# What the numbers mean
# ---------------------
# Now more of them, and among them what the question is mostly about: an embedding. It is the hidden layer of a small
# network, trained *elsewhere*, on rows that are not compared here.

network = MLPClassifier((32,), max_iter=500, random_state=0).fit(elsewhere / 16, y_elsewhere)
embedding = (X / 16 @ network.coefs_[0] + network.intercepts_[0]).clip(min=0)

representations = {
    "pixels": X,
    "standardised": StandardScaler(),
    "PCA 2": PCA(2),
    "PCA 10": PCA(10),
    "standardised, PCA 10": make_pipeline(StandardScaler(), PCA(10)),
    "random 10": GaussianRandomProjection(10, random_state=0),
    "network": embedding,
}
found = compare_representations(representations, y, X=X)
columns = ["representation", "n_features", "cross_rate", "predicted", "difference", "difference_low", "difference_high"]
print(found.frame()[[*columns, "word"]].round(3).to_string(index=False))

# %%
# *cross_rate*
#     Fraction of edges that join two classes, as measured on these rows.
# *predicted*
#     The same with four times as many rows. Representations of many dimensions gain more from further rows, and
#     it is where they are going that counts. Below 1,000 rows nothing is predicted, and the two are the same.
# *difference* and its interval
#     To the best. All are measured on the same rows, so these are paired: what all representations share
#     cancels. The intervals hold together, whichever came out best.
# *word*
#     ``best``, ``worse`` (the whole interval is above zero) or ``no significant difference``.
#
# These numbers rank. They are not errors: how low the error can go with a representation, and what more rows would
# bring, is what :func:`bayesfloor.check` says of that one.

from bayesfloor.plotting import ComparisonDisplay

display = ComparisonDisplay.from_comparison(found)

# %%
# Take the best, or whichever of those with no significant difference is cheapest to make, store and explain:

print("best:", found.best_)
print("not significantly worse:", ", ".join(found.not_worse))
print("fewest features of these:", found.smallest)

# %%
# Does it hold for classifiers?
# -----------------------------
# A ranking is of use only if models follow it. Two plain ones, cross-validated on the same representations:

from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline

MODELS = {
    "neighbours": KNeighborsClassifier(3),
    "linear": Pipeline([("scale", StandardScaler()), ("model", LogisticRegression(max_iter=1000))]),
}


def held_out_error(how, model):
    """Share of held-out rows that a model gets wrong on a representation."""
    steps = [how] if hasattr(how, "fit") else []
    return 1 - cross_val_score(make_pipeline(*steps, model), X if steps else how, y).mean()


print(f"{'':22}{'predicted':>10}" + "".join(f"{name:>12}" for name in MODELS))
for name, rate in zip(found.names, found.predicted, strict=True):
    errors = [held_out_error(representations[name], model) for model in MODELS.values()]
    print(f"{name:22}{rate:10.3f}" + "".join(f"{error:12.3f}" for error in errors))

# %%
# Nearest neighbours live on what the trees measure, and here they follow it down to the order. The linear model agrees
# on what is bad, but does best on the network's embedding: what is near and what is linearly separable are two things.
#
# Labels seen
# -----------
# The easiest way to get this wrong is to compare a representation that was made *with these labels*. To see how wrong,
# take pure noise: 150 columns that know nothing of the two classes, so that no classifier does better than guessing.

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

rng = np.random.default_rng(0)
noise, coin = rng.normal(size=(400, 150)), rng.integers(2, size=400)
seen = LinearDiscriminantAnalysis().fit_transform(noise, coin)
cheated = compare_representations(
    {"noise": noise, "array, labels seen": seen, "transformer": LinearDiscriminantAnalysis()}, coin, X=noise
)
print(cheated.frame()[["representation", "how", "cross_rate", "word"]].round(3).to_string(index=False))

# %%
# The array was made with the labels of the rows that it is judged on, and seems to tell classes apart that nothing
# tells apart. An array does not say where it comes from, so nobody can warn. The *transformer* is safe: since it needs
# labels, it is fitted to one half of the rows and measured on the other (``cross-fitted``).
#
# A fitted transformer that is passed as it is may or may not have seen these rows. That can be told, and is:

import warnings

from sklearn.frozen import FrozenEstimator

from bayesfloor.selection import LabelsSeenWarning

fitted = LinearDiscriminantAnalysis().fit(noise, coin)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always", LabelsSeenWarning)
    compare_representations({"noise": noise, "fitted before": FrozenEstimator(fitted)}, coin, X=noise)
print(told[0].message)

# %%
# From a terminal, with one file for each representation: ``bayesfloor compare raw.npy clip.npy --labels-file y.txt``.
#
# What not to believe
# -------------------
# - **That a representation lowered the lowest possible error.** No function of the features can do that. Fewer
#   cross-class edges say that *neighbours tell more* with so many rows, which is what most classifiers live on.
# - **That cross-class edges are errors.** Where data are sparse, they are far more.
# - **"No significant difference" as "equal".** With ten times the rows it may be significantly worse.
# - **What is predicted, to the digit.** It is an extrapolation, and can come out as zero where nobody would believe in
#   zero. The crosses in the picture are what was measured.
# - **Arrays of unknown origin.** Embeddings fine-tuned on these rows with these labels have seen the answers.
# - **The order for another model.** The ranking is by neighbours. Where a strong model is to be trained anyway, use
#   the comparison to discard, not to crown.
#
# Next
# ----
# :class:`bayesfloor.FloorSelector` picks columns instead of representations (:doc:`/decide`).
# :doc:`plot_1_is_95_possible` gives the verdict for the representation that you took.
# :class:`bayesfloor.selection.Comparison` lists all that a comparison holds.
