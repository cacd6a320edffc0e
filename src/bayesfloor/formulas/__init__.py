"""Counts become bounds: every formula, with its reference, on plain numbers and arrays."""
