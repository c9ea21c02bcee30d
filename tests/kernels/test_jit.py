"""What the decorators of kernels make LLVM believe."""

import re

import numba
import numpy as np
import pytest

from fastsegmetrics.kernels import _jit


def _shift(source, out):
    for k in range(out.size):
        out[k] = source[k] + 1.0


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize("pipeline", [{}, {"pipeline_class": _jit._Apart}])
def test_only_apart_promises_that_arrays_do_not_overlap(pipeline) -> None:
    compiled = numba.njit(nogil=True, error_model="numpy", **pipeline)(_shift)
    compiled(np.zeros(3), np.zeros(3))
    (llvm,) = compiled.inspect_llvm().values()
    own = next(line for line in llvm.splitlines() if re.search(r"define .*_shift", line))
    promised = re.findall(r"noalias[^,]*%arg\.", own)
    assert bool(promised) == bool(pipeline)


def test_apart_computes_as_kernel_does() -> None:
    values = np.arange(37.0)[::-1].copy()
    found = [np.zeros(37), np.zeros(37)]
    for decorator, out in zip((_jit.kernel, _jit.apart), found, strict=True):
        decorator(_shift)(values, out)
    np.testing.assert_array_equal(*found)
    assert found[0][0] == 37.0
