"""
Which embedding?
================

**The question.** The same rows can be represented in several ways: raw, scaled, reduced, or as embeddings from
different networks. Which one should a model be trained on?

**The answer.** :func:`bayesfloor.compare_representations` ranks them by their cross-class edges in seconds, and says
which ones show *no significant difference* from the best.
"""

# %%
# The smallest code
# -----------------
# We use scikit-learn's digits. Pass a dict from names to arrays of the same rows, or to transformers that make them.

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
# Now we add more representations, including an embedding. It is the hidden layer of a small network, trained on
# *other* rows, which are not compared here.

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
#     The same, extrapolated to four times as many rows. Representations with many dimensions gain more from further
#     rows, so they are compared by this value. Below 1,000 rows nothing is extrapolated, and the two are the same.
# *difference* and its interval
#     The difference from the best. All representations are measured on the same rows, so the differences are paired,
#     and errors that they share cancel. The intervals hold simultaneously, whichever came out best.
# *word*
#     ``best``, ``worse`` (the whole interval is above zero) or ``no significant difference``.
#
# These numbers rank the representations. They are not errors: run :func:`bayesfloor.check` on a representation to see
# how low its error can go and how much additional rows would help.

from bayesfloor.plotting import ComparisonDisplay

display = ComparisonDisplay.from_comparison(found)

# %%
# Use the best, or the cheapest to make, store and explain among those with no significant difference:

print("best:", found.best_)
print("not significantly worse:", ", ".join(found.not_worse))
print("fewest features of these:", found.smallest)

# %%
# Does it hold for classifiers?
# -----------------------------
# A ranking is useful only if models follow it. Here are two simple models, cross-validated on the same representations:

from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline

MODELS = {
    "neighbours": KNeighborsClassifier(3),
    "linear": Pipeline([("scale", StandardScaler()), ("model", LogisticRegression(max_iter=1000))]),
}


def held_out_error(how, model):
    """Return a model's cross-validated error on a representation."""
    steps = [how] if hasattr(how, "fit") else []
    return 1 - cross_val_score(make_pipeline(*steps, model), X if steps else how, y).mean()


print(f"{'':22}{'predicted':>10}" + "".join(f"{name:>12}" for name in MODELS))
for name, rate in zip(found.names, found.predicted, strict=True):
    errors = [held_out_error(representations[name], model) for model in MODELS.values()]
    print(f"{name:22}{rate:10.3f}" + "".join(f"{error:12.3f}" for error in errors))

# %%
# Nearest neighbours depend on exactly what the trees measure, and here they give the same ranking. The linear model
# agrees on the bad ones, but does best on the network's embedding: close neighbours and linear separability are two
# different things.
#
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
print(cheated.frame()[["representation", "how", "cross_rate", "word"]].round(3).to_string(index=False))

# %%
# The array was made with the labels of the rows that it is judged on, and seems to separate classes that nothing
# separates. An array does not reveal how it was made, so we cannot warn about it. The *transformer* is safe: because it
# needs labels, it is fitted to one half of the rows and measured on the other (``cross-fitted``).
#
# A transformer that is already fitted may or may not have seen these rows. In this case there is a warning:

import warnings

from sklearn.frozen import FrozenEstimator

from bayesfloor.decide import LabelsSeenWarning

fitted = LinearDiscriminantAnalysis().fit(noise, coin)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always", LabelsSeenWarning)
    compare_representations({"noise": noise, "fitted before": FrozenEstimator(fitted)}, coin, X=noise)
print(told[0].message)

# %%
# From a terminal, with one file per representation: ``bayesfloor compare raw.npy clip.npy --labels-file y.txt``.
#
# What not to believe
# -------------------
# - **That a representation lowered the lowest possible error.** No function of the features can do that. Fewer
#   cross-class edges mean that *neighbours are more informative* at this number of rows, and most classifiers depend on
#   that.
# - **That cross-class edges are errors.** If data are sparse, there are far more of them.
# - **That "no significant difference" means "equal".** With ten times the rows, the difference may be significant.
# - **That the extrapolated value is exact.** It can even be zero when zero is not plausible. The crosses in the picture
#   show the measured values.
# - **That arrays of unknown origin are safe.** Embeddings fine-tuned on these rows with these labels have seen the
#   answers.
# - **That every model gives the same ranking.** This ranking is based on neighbours. If you will train a strong model
#   anyway, use the comparison to discard representations, not to pick the winner.
#
# Next
# ----
# :class:`bayesfloor.FloorSelector` picks columns instead of representations (:doc:`/decide`).
# :doc:`plot_1_is_95_possible` gives the verdict for the representation that you chose.
# :class:`bayesfloor.decide.Comparison` lists everything in a comparison.
