"""What to decide before training: representations, features, weights, merges, how many rows.

Comes in: a ``Fit`` and its answer, or rows.
Goes out: features, representations, merges, rows needed, the gap of a model.
Must not know: pictures, ``hierarchy``.
"""
