"""How long it takes to say where a prompt is from: `python bench/tap_attribution.py [FILES]`.

A prompt of 300 kB, half of it from files, against 5,000 files of a project: the first time, when nothing has changed
since, and when one file has. Wall time, with finding the files, in one process; the cache of files is the user's own.
"""

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench import show

from overture.tap.attribute.attribute_call import attribute_call
from overture.tap.attribute.sources import find_sources
from overture.tap.call import CallPiece, RecordedCall

ROOM = Path(__file__).parents[1]
WORDS = sorted({word for path in (ROOM / "docs").glob("*.md") for word in path.read_text(encoding="utf-8").split()})
CHANCE = random.Random(7)
PROMPT = 300_000
LINES = 50


def line() -> str:
    """A line of some words."""
    return " ".join(CHANCE.choices(WORDS, k=CHANCE.randint(4, 16)))


def project(folder: Path, files: int) -> list[Path]:
    """Pages in folders of fifty, of about seven kilobytes each."""
    pages = [folder / f"part-{n // 50}" / f"page-{n}.md" for n in range(files)]
    for page in pages:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("\n".join(line() for _ in range(LINES)) + "\n", encoding="utf-8")
    return pages


def prompt(pages: list[Path]) -> str:
    """Whole pages and lines that stand nowhere, in turn."""
    parts: list[str] = []
    while sum(map(len, parts)) < PROMPT:
        own = "\n".join(line() for _ in range(LINES))
        parts += [f"<file>\n{CHANCE.choice(pages).read_text(encoding='utf-8')}</file>\n", own]
    return "".join(parts)[:PROMPT]


def took(what: Callable[[], object]) -> float:
    """Seconds."""
    began = time.perf_counter()
    what()
    return time.perf_counter() - began


def main() -> None:
    """Measure."""
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        here, home = Path(folder, "project"), Path(folder, "home")
        home.mkdir()
        (here / ".git").mkdir(parents=True)
        pages = project(here, files)
        os.environ.pop("XDG_CACHE_HOME", None)
        for page in pages:
            os.utime(page, (1_700_000_000, 1_700_000_000))
        call = RecordedCall("c", "2026-03-07T08:00:00+00:00", "anthropic", "h", "/v1/messages", "m", 200,
                    (CallPiece("system", "system", prompt(pages)),))  # fmt: skip
        share: list[float] = []

        def tell() -> None:
            spans = attribute_call(call, find_sources("claude", cwd=here, home=home)).get(0, ())
            share.append(sum(span.end - span.start for span in spans) / PROMPT)

        show(f"tap: 300 kB against {files:,} files, the first time", took(tell), "s")
        again = min(took(tell) for _ in range(3))
        show(f"tap: 300 kB against {files:,} files, nothing changed", again, "s", "target 1")
        pages[7].write_text("Another text.\n", encoding="utf-8")
        show(f"tap: 300 kB against {files:,} files, one changed", took(tell), "s")
        show("tap: of the prompt, from files", share[1] * 100, "%")


if __name__ == "__main__":
    main()
