"""A metric is a path through five option sets, and every sensible path runs.

``options``, ``score_options``, ``report_options``
    the option sets; ``validity`` says which of their combinations make no sense, and why
``costs``
    the costs of an assignment, and the user's own: `register_cost`
``value``
    `Protocol`, the path: text, TOML, hash, words, differences
``extract``, ``match``, ``score``, ``measure``
    stages 2 to 4 of one pair, step by step: the general path, which gives the same number as the
    fused one of the catalogue
``report``
    stage 5 over a data set
"""

from fastsegmetrics.protocol.costs import register_cost

__all__ = ["register_cost"]
