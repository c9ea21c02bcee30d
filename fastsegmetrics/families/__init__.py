"""Families of metrics: what is computed together per pair, and how it adds up over a data set.

A family module knows which statistics its metrics need; the planner only asks each family that
has a metric in the request.
"""
