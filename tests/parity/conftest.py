import os

# Real maps may be used but not copied: their tests exist where the data are.
if "FASTSEGMETRICS_DATA" not in os.environ:
    collect_ignore = [
        "test_real_maps.py",
        "test_real_spatial.py",
        "test_real_targets.py",
        "test_real_volumes.py",
    ]
