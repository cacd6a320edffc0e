"""
Which representation to train on
================================

The plot compares four representations of the same rows, with the best on top: its error today with an interval (dot),
the error expected with four times as many rows (square), and the lowest possible one (diamond). Hollow dots are worse
than the best: their error is significantly higher today, and more rows are unlikely to change that.

Do not read "no clear difference" as "equal", and do not compare a representation that was made with these labels: it
has seen the answers.
"""

from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bayesfloor import compare_representations
from bayesfloor.plotting import ComparisonDisplay

X, y = load_wine(return_X_y=True)
ways = {
    "as they are": X,
    "first two": [0, 1],
    "PCA 2": make_pipeline(StandardScaler(), PCA(2)),
    "PCA 5": make_pipeline(StandardScaler(), PCA(5)),
}
found = compare_representations(ways, y, X=X)
print(found.text)
display = ComparisonDisplay.from_comparison(found)
