"""An RBF SVM whose width does not depend on the scale of the rows."""

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVC


class ScaledSVC(ClassifierMixin, BaseEstimator):
    """``SVC`` with gamma = width / (features * variance)."""

    def __init__(self, C=1.0, width=1.0):
        self.C = C
        self.width = width

    def fit(self, X, y):
        gamma = self.width / (X.shape[1] * max(X.var(), 1e-300))
        self.svm_ = SVC(C=self.C, gamma=gamma, cache_size=1000).fit(X, y)
        self.classes_ = self.svm_.classes_
        return self

    def predict(self, X):
        return self.svm_.predict(X)
