"""Whole folders: find and pair files, measure them in parallel, store, resume."""
