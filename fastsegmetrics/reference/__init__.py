"""Slow, obvious twins: every kernel by name, every metric straight from the pixels."""
