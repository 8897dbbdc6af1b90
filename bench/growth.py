"""How time and memory grow with hostile input: `make growth`.

Each path of tests/growth.py is run on its input and on one four times as large. What is linear takes four times as
long, and its square sixteen times; the bound lies between. Memory is the most that is held at once, for a character
of text, or for a skill, a message or whatever else is counted.
"""

import sys
import time
import tracemalloc
from pathlib import Path as File

sys.path.insert(0, str(File(__file__).parents[1]))

from tests.growth import PATHS, Path

TIMES = 8.0
"""So many times as long for four times the input, at the most."""
SHORT = 0.5
"""Seconds: below this a ratio says little, on a machine that has other work, of texts that are remembered."""
BYTES = 500
"""For a character of text, at the most."""
TEXT = 50_000
"""A size from which on it is characters that are counted."""


def seconds(path: Path, size: int) -> float:
    """The shortest of two runs, in time of the processor."""
    took = []
    for _ in range(2):
        start = time.process_time()
        path.run(size)
        took.append(time.process_time() - start)
    return min(took)


def held(path: Path, size: int) -> float:
    """Bytes for each unit of the input."""
    tracemalloc.start()
    try:
        path.run(size)
        return tracemalloc.get_traced_memory()[1] / size
    finally:
        tracemalloc.stop()


def main() -> int:
    """Measure all paths, or those whose name holds a word that is given; how many grow too fast."""
    wanted = [path for path in PATHS if all(word in path.name for word in sys.argv[1:])]
    print(f"{'path':36} {'size':>8} {'time':>9} {'4 × size':>9} {'ratio':>6} {'bytes each':>11}")
    wrong = 0
    for path in wanted:
        size = path.size // 4
        small, large, room = seconds(path, size), seconds(path, 4 * size), held(path, size)
        ratio = large / max(small, 1e-3)
        bad = (ratio > TIMES and large > SHORT) or (path.size > TEXT and room > BYTES)
        wrong += bad
        figures = f"{size:8,} {small * 1e3:6.0f} ms {large * 1e3:6.0f} ms {ratio:6.1f} {room:11,.0f}"
        print(f"{path.name:36} {figures}{'  too much' if bad else ''}", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
