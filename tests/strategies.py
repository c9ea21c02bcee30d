"""Hypothesis strategies: small, non-square pairs with many ties and degenerate cases."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

shapes = st.tuples(st.integers(1, 12), st.integers(1, 19))


@st.composite
def eight_bit_pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """A uint8 map and a boolean truth of one shape; few levels, so that many coincide."""
    shape = draw(shapes)
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    palette = rng.integers(0, 256, draw(st.integers(1, 6)))
    pred = rng.choice(palette, shape).astype(np.uint8)
    if draw(st.booleans()):
        pred = rng.integers(0, 256, shape).astype(np.uint8)
    # A map whose maximum is the integer 1 is refused: it may be a mask of 0 and 1.
    pred[pred == 1] = 2
    truth = rng.random(shape) < draw(st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]))
    return pred, truth


@st.composite
def float_pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """A float map in [0, 1] and a boolean truth of one shape."""
    pred, truth = draw(eight_bit_pairs())
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    values = (pred / 255.0).astype(dtype)
    if draw(st.booleans()):
        values = values * values
    return values, truth
