"""Edges and labels become counts: expected cross edges of pairs, classes, splits and samples.

Comes in: edges and labels.
Goes out: cross-class edges of each pair, class, split and row.
Must not know: bounds, files.
"""
