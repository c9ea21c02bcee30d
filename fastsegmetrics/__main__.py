"""``python -m fastsegmetrics``."""

import sys

from fastsegmetrics.cli import main

if __name__ == "__main__":
    sys.exit(main())
