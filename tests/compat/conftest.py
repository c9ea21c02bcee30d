import sys
from pathlib import Path

# The scenes and columns shared with the parity tests lie one directory up.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
