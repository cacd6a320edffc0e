"""Points become edges: exact orthogonal Euclidean minimal spanning trees that compose."""
