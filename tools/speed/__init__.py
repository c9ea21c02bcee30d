"""The parts of ``tools/compare_peers.py``: contents, timing in turn, one module per section."""
