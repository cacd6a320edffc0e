"""Edges and labels become counts: expected cross edges of pairs, classes, splits and samples."""
