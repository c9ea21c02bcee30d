"""Human correction effort of the largest masks that benchmarks hold, each in a fresh process."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from speed.contestants import by_sides
from speed.fresh import told_by
from speed.rows import Row

SIZE = (4000, 6000)
STRANDS = {"hair": 300, "dense hair": 3000}
MOST_SECONDS = 3.0
MOST_GIGABYTES = 1.5

#: The small pair loads the kernels, so that what is timed is the work.
_PROGRAM = """
import time
import cv2
cv2.setNumThreads(0)
import fastsegmetrics as fsm
from speed.contents import hair
height, width, strands, repeats = map(int, sys.argv[1:])
fsm.hce(*hair((200, 300), 20))
pred, gt = hair((height, width), strands)
seconds = []
for _ in range(repeats):
    start = time.process_time()
    effort = fsm.hce(pred, gt)
    seconds.append(time.process_time() - start)
print(json.dumps({"seconds": seconds, "peak": peak(), "effort": effort}))
"""


def run(repeats: int) -> Iterator[Row]:
    """Yield seconds and peak memory, the interpreter's, its libraries' and the maps' included."""
    for content, strands in STRANDS.items():
        found = told_by(_PROGRAM, *SIZE, strands, repeats)
        name, where = f"hce of {found['effort']}", {"size": by_sides(SIZE), "content": content}
        seconds = statistics.median(found["seconds"])
        yield Row("hair", name, seconds, "s", "at most", MOST_SECONDS, **where)
        yield Row(
            "hair", f"{name}, peak memory", found["peak"] / 1e9, "GB", "at most", MOST_GIGABYTES,
            **where,
        )  # fmt: skip
