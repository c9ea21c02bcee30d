"""Everything fastsegmetrics raises on purpose, so that a caller can catch one base class."""

from __future__ import annotations


class FastSegMetricsError(Exception):
    """Base of all errors that fastsegmetrics raises on purpose."""


class InputError(FastSegMetricsError, ValueError):
    """An argument breaks a rule; the message names the parameter, the rule and the value."""


class FormatError(FastSegMetricsError, ValueError):
    """A file cannot be read as what it should be; the message names the file and the reason."""


class MissingExtraError(FastSegMetricsError, ImportError):
    """An optional dependency is missing; the message names the extra that brings it."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs {package}, which is not installed: "
            f"pip install 'fastsegmetrics[{extra}]'"
        )
