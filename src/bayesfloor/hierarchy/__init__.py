"""Trees of classes, and classifiers on them."""
