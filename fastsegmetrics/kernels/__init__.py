"""Compiled loops, and the only room that imports Numba; each has a twin in ``reference``."""
