"""Parts that leave in the next commit."""
