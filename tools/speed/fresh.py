"""Programs in fresh interpreters, for what a process can tell of itself once: peak memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

_TOOLS = Path(__file__).resolve().parent.parent

#: Before a program: modules beside this one can be imported, and `peak` tells the most bytes that
#: the process has held so far.
_PRELUDE = f"""
import json, resource, sys
sys.path.insert(0, {str(_TOOLS)!r})
def peak():
    # Linux counts kilobytes, macOS bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
"""


def told_by(program: str, *arguments: int) -> Any:
    """Run a program in a fresh interpreter and return what it prints, which is JSON."""
    done = subprocess.run(
        [sys.executable, "-c", _PRELUDE + program, *map(str, arguments)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)
