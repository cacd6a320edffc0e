"""
Which representation has the fewest cross-class edges
=====================================================

The plot compares four representations of the same rows, with the best on top. A dot is the fraction of cross-class
edges, which is extrapolated if there are at least 1,000 rows. The lines are intervals for the paired differences from
the best (dashed), and the words follow from them: a representation is worse if its line is entirely to the right.

Do not read "no significant difference" as "equal", and do not compare a representation that was made with these labels:
it has seen the answers.
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
    "standard": StandardScaler(),
    "PCA 2": make_pipeline(StandardScaler(), PCA(2)),
    "PCA 5": make_pipeline(StandardScaler(), PCA(5)),
}
found = compare_representations(ways, y, X=X)
print(found.text)
display = ComparisonDisplay.from_comparison(found)
