"""A deterministic hypothesis profile, and the one warning that only exists with the JIT off."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

JIT_IS_OFF = os.environ.get("NUMBA_DISABLE_JIT") == "1"

settings.register_profile(
    "deterministic",
    derandomize=True,
    deadline=None,
    database=None,
    # As Python, a kernel takes a thousand times longer.
    max_examples=8 if JIT_IS_OFF else 40,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("deterministic")


def pytest_configure(config: pytest.Config) -> None:
    """With the JIT off NumPy warns where a kernel's 64-bit words wrap, as they are meant to."""
    if JIT_IS_OFF:
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered:RuntimeWarning")
