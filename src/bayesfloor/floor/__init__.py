"""Bounds become results: the estimator, and what it finds.

Comes in: ``Data``.
Goes out: a frozen ``Fit``; ``BayesFloor`` and its results, the paper's tree bounds.
Must not know: classifiers, pictures, words.
"""
