"""Records that are enough to compute a family of scores, and the producers that fill them."""
