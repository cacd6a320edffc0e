"""Learners: one registry, one race, and the out-of-fold evidence that every answer rests on.

Comes in: a ``Fit``.
Goes out: out-of-fold posteriors, errors and learning curves, by one registry and one race.
Must not know: how results are shown.
"""
