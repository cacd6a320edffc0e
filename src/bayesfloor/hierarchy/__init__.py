"""Trees of classes, and classifiers on them.

Comes in: a ``Fit`` and its answer, or rows.
Goes out: class trees, ``SmartSVM``, ``FloorGuidedClassifier``.
Must not know: pictures, ``selection``.
"""
