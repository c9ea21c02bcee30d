import os
import sys
from pathlib import Path

# The scenes and columns shared with the golden tests lie one directory up.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

# Real maps may be used but not copied: their tests exist where the data are.
if "FASTSEGMETRICS_DATA" not in os.environ:
    collect_ignore = ["test_real_maps.py"]
