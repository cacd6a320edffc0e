"""Bounds become results: the estimator, what it finds, and how far to trust it."""
