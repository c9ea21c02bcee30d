"""Results as people want to see them: tables, files, plots, progress."""
