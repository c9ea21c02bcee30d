"""Everything fastsegmetrics raises on purpose, so that a caller can catch one base class."""

from __future__ import annotations

from typing import Any


class FastSegMetricsError(Exception):
    """Base of all errors that fastsegmetrics raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        # An exception is restored by a call with its message alone, which some here do not take;
        # a pool of processes waits for ever for one that cannot be restored.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(
    kind: type[FastSegMetricsError], args: tuple[object, ...], attributes: dict[str, object]
) -> FastSegMetricsError:
    error = kind.__new__(kind)
    super(FastSegMetricsError, error).__init__(*args)
    error.__dict__.update(attributes)
    return error


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
