"""Bounds become results: the estimator, and what it finds."""
