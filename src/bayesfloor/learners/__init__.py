"""Learners: one registry, one race, and the out-of-fold evidence that every answer rests on."""
