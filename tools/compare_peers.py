"""Measure fastsegmetrics beside pysodmetrics and OpenCV's decoder; print tables, write JSON.

Run where both packages are installed (tools/peers/requirements.txt)::

    python tools/compare_peers.py --json speed.json
    python tools/compare_peers.py --markdown speed.json --into README.md

Everything compared runs in turn in one process on one thread, warm; a figure is the median of the
rounds' ratios.  Cold figures come from fresh processes.  docs/performance.md says more.
"""

from __future__ import annotations

import os

if __name__ == "__main__":
    # Read when the libraries are loaded, so before they are imported.
    for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "RAYON", "VECLIB_MAXIMUM"):
        os.environ[f"{library}_NUM_THREADS"] = "1"

    from speed.program import main

    assert __doc__ is not None
    raise SystemExit(main(__doc__.partition("\n")[0]))
