"""What to decide before training: representations, features, weights, merges, how many rows."""
