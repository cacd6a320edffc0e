"""Points become edges: exact orthogonal Euclidean minimal spanning trees that compose.

Comes in: points.
Goes out: edges of the first t orthogonal minimum spanning trees, as a ``Forest``.
Must not know: labels.
"""
