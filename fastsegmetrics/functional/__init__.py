"""One-liners: a metric of one prediction against one ground truth.

Every function takes ``pred, gt`` in this order and the fields of `Conventions` as keywords.
"""
