"""Life inside other programs: threads, forks, read-only installations, broken caches, silence."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import fastsegmetrics

PACKAGE = Path(fastsegmetrics.__file__).parent
jit_is_off = os.environ.get("NUMBA_DISABLE_JIT") == "1"
PRELUDE = """
import numpy as np, fastsegmetrics as fsm
rng = np.random.default_rng(0)
pairs = [(rng.integers(0, 256, (40, 61), dtype=np.uint8), rng.random((40, 61)) > .5)
         for _ in range(8)]
"""


def run(code: str, timeout: float = 120, cwd: Path | None = None, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(code)],
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_four_threads() -> None:
    out = run(
        """
        from multiprocessing.pool import ThreadPool
        plan = fsm.Plan("sweep")
        with ThreadPool(4) as pool:
            parallel = pool.starmap(plan.measure, pairs * 4)
        serial = [plan.measure(*pair) for pair in pairs * 4]
        assert all(a.values.tobytes() == b.values.tobytes() for a, b in zip(parallel, serial))
        print("same")
        """
    )
    assert out == "same\n"


def test_call_fork_call() -> None:
    out = run(
        """
        import os
        plan = fsm.Plan("sweep")
        before = plan.measure(*pairs[0]).values.tobytes()
        child = os.fork()
        if child == 0:
            same = plan.measure(*pairs[0]).values.tobytes() == before
            os._exit(0 if same else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """,
        PYTHONWARNINGS="ignore::DeprecationWarning",
    )
    assert out == "0\n"


def copy_of_package(folder: Path) -> Path:
    shutil.copytree(
        PACKAGE, folder / "fastsegmetrics", ignore=shutil.ignore_patterns("__pycache__")
    )
    return folder


def test_no_folder_can_be_written(tmp_path) -> None:
    """As root every folder can be, so the cache locator is made to find none."""
    out = run(
        """
        from numba.core.caching import CacheImpl
        CacheImpl._locator_classes = []
        print(round(fsm.mae(*pairs[0]), 9) == round(fsm.mae(*pairs[0], backend="reference"), 9))
        from fastsegmetrics.kernels import _jit, levels
        print(_jit.cache_directory(levels.error_sums))
        """,
        PYTHONPATH=str(copy_of_package(tmp_path)),
        HOME="/nonexistent",
    )
    assert out == "True\nNone\n"


def test_cache_folder_that_cannot_be_written(tmp_path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    out = run(
        "print(round(fsm.mae(*pairs[0]), 9) == round(fsm.mae(*pairs[0], backend='reference'), 9))",
        NUMBA_CACHE_DIR=str(file / "below"),
    )
    assert out == "True\n"


@pytest.mark.skipif(jit_is_off, reason="without compilation there is no cache")
@pytest.mark.parametrize("provided", [True, False])
@pytest.mark.parametrize("home", [True, False])
def test_what_another_user_compiled_is_read(tmp_path, provided, home) -> None:
    """As root every folder can be written, so Numba is made to find that they cannot."""
    variables = {
        "PYTHONPATH": str(copy_of_package(tmp_path)),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache") if provided else "",
        "XDG_CACHE_HOME": str(tmp_path / "home"),
    }
    run("fsm.mae(*pairs[0])", cwd=tmp_path, **variables)
    assert not (tmp_path / "home").exists()
    files = {path: path.read_bytes() for path in tmp_path.rglob("*.nb?")}
    assert files
    out = run(
        f"""
        from numba.core import caching
        def refuse(self):
            raise PermissionError
        for name in ["UserProvided", "InTree"] + ["UserWide"] * (not {home}):
            # Those of Numba 0.60 have private names.
            locator = name + "CacheLocator"
            found = getattr(caching, locator, None) or getattr(caching, "_" + locator)
            found.ensure_cache_path = refuse
        from fastsegmetrics.warmup import on_compiling
        on_compiling(print)
        fsm.mae(*pairs[0])
        print("loaded")
        fsm.mae(pairs[0][0] / 255, pairs[0][1])
        """,
        cwd=tmp_path,
        **variables,
    )
    if home:
        assert out.startswith(f"loaded\nkept in {tmp_path / 'home'}")
        assert any((tmp_path / "home").rglob("*.nbc"))
    else:
        clause = "no folder can be written, so every process compiles its own"
        assert out == f"loaded\n{clause}\n"
    assert {path: path.read_bytes() for path in files} == files


@pytest.mark.skipif(jit_is_off, reason="without compilation there is no cache")
@pytest.mark.parametrize("damage", ["truncated", "garbage", "empty"])
@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_damaged_cache_is_compiled_anew(tmp_path, damage, suffix) -> None:
    code = "print(fsm.mae(*pairs[0]))"
    first = run(code, NUMBA_CACHE_DIR=str(tmp_path))
    files = list(tmp_path.rglob(f"*.{suffix}"))
    assert files
    for path in files:
        data = path.read_bytes()
        damaged = {"truncated": data[: len(data) // 2], "garbage": b"\x80" * 64, "empty": b""}
        path.write_bytes(damaged[damage])
    assert run(code, NUMBA_CACHE_DIR=str(tmp_path)) == first
    assert run(code, NUMBA_CACHE_DIR=str(tmp_path)) == first


def test_settings_of_others_are_left_alone() -> None:
    out = run(
        """
        import warnings, numba, cv2
        def state():
            return np.geterr(), list(warnings.filters), cv2.getNumThreads(), numba.get_num_threads()
        fsm.measure(*pairs[0], "sweep")  # what Numba and SciPy do when they are first loaded
        before = state()
        evaluator = fsm.Evaluator("sweep")
        for pair in pairs:
            evaluator.update(*pair)
        evaluator.result()
        print(state() == before)
        """
    )
    assert out == "True\n"
