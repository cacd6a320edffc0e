"""Where tasks run and how long work tells of itself."""
