"""Benchmarks: modules run as ``python -m benchmarks.forest``; their results are committed as JSON."""
