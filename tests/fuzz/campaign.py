"""Run campaigns: `python -m tests.fuzz.campaign SECONDS [TARGET …]`, and a count of inputs for each target.

With atheris, inputs follow what the code does with them; without it, they are changed at random. What finds something
is kept in tests/corpus/seeds, a folder for each target, and `make test` runs it again from then on.
"""

import hashlib
import os
import random
import re
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

SEEDS = Path(__file__).parents[1] / "corpus" / "seeds"
LONGEST = 400
"""Bytes of an input."""


def targets() -> dict[str, Callable[[bytes], object]]:
    """All of them."""
    from .laws import LAWS
    from .parsers import PARSERS

    return {**PARSERS, **LAWS}


def tried(target: Callable[[bytes], object], data: bytes) -> BaseException | None:
    """What goes wrong with an input; an error of ours does not count."""
    from overture import OvertureError

    try:
        target(data)
    except OvertureError:
        return None
    except Exception as problem:
        return problem
    return None


class Campaign:
    """One target for some time. Each place in the code that fails is kept once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.target = targets()[name]
        self.count = 0
        self.told = time.monotonic()
        self.places: set[str] = set()

    def one(self, data: bytes) -> None:
        """Try one input."""
        self.count += 1
        if self.count % 16 == 0 and time.monotonic() - self.told > 1:
            self.tell()
        problem = tried(self.target, data)
        if problem is not None:
            self._keep(data, problem)

    def tell(self) -> None:
        """Say how far it is: libFuzzer ends the process without a word to Python."""
        self.told = time.monotonic()
        print(f"{self.name}\t{self.count}\t{len(self.places)}", flush=True)

    def _keep(self, data: bytes, problem: BaseException) -> None:
        last = traceback.extract_tb(problem.__traceback__)[-1]
        place = f"{last.filename}:{last.lineno}:{type(problem).__name__}:{str(problem)[:30]}"
        if place in self.places or len(self.places) > 20:
            return
        self.places.add(place)
        folder = SEEDS / self.name.replace(" ", "-")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha256(data).hexdigest()[:12]).write_bytes(data)
        print(f"\n{self.name}: {type(problem).__name__}: {problem}\n  {data!r}", flush=True)

    def at_random(self, seconds: float) -> None:
        """Without atheris: inputs made of earlier ones."""
        chance = random.Random(int(time.time()))
        pool = [bytes(chance.randrange(256) for _ in range(chance.randrange(1, 40))) for _ in range(200)]
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for _ in range(100):
                self.one(changed(chance, pool))

    def guided(self, seconds: float) -> None:
        """With atheris: inputs that reach further are kept, and changed again."""
        import atheris

        arguments = [sys.argv[0], f"-max_total_time={max(1, int(seconds))}", f"-max_len={LONGEST}", "-verbosity=0"]
        atheris.Setup([*arguments, "-print_final_stats=0", "-len_control=20"], self.one)
        atheris.Fuzz()


def changed(chance: random.Random, pool: list[bytes]) -> bytes:
    """An input like one of those before."""
    data = bytearray(chance.choice(pool))
    for _ in range(chance.randrange(1, 5)):
        at = chance.randrange(len(data) + 1)
        data[at : at + chance.randrange(3)] = bytes(chance.randrange(256) for _ in range(chance.randrange(3)))
    if chance.random() < 0.1:
        data += chance.choice(pool)
    made = bytes(data[:LONGEST])
    pool[chance.randrange(len(pool))] = made
    return made


def run(name: str, seconds: float) -> None:
    """One target in this process."""
    try:
        import atheris
    except ImportError:
        campaign = Campaign(name)
        campaign.at_random(seconds)
        campaign.tell()
        return
    with atheris.instrument_imports(include=["overture"]):
        campaign = Campaign(name)
    campaign.guided(seconds)


def main() -> int:
    """Every target, or those that are named, one after the other; how many found something."""
    seconds = float(sys.argv[1])
    if os.environ.get("FUZZ_ONE"):
        run(os.environ["FUZZ_ONE"], seconds)
        return 0
    wanted = sys.argv[2:] or list(targets())
    total = found = 0
    for name in wanted:
        answer = subprocess.run(
            [sys.executable, "-m", "tests.fuzz.campaign", str(seconds / len(wanted))],
            env={**os.environ, "FUZZ_ONE": name},
            capture_output=True,
            text=True,
            errors="replace",
        )
        counted, finds = count_of(answer.stdout, answer.stderr, name)
        sys.stdout.write(
            "".join(line + "\n" for line in answer.stdout.splitlines() if not line.startswith(f"{name}\t"))
        )
        print(f"{name:24} {counted:12,} inputs{f'  {finds} findings' if finds else ''}", flush=True)
        total, found = total + counted, found + finds
    print(f"{'in all':24} {total:12,} inputs{f'  {found} findings' if found else ''}")
    return min(found, 1)


def count_of(said: str, aside: str, name: str) -> tuple[int, int]:
    """How many inputs a process took, and how many places failed; it died, where it does not say so."""
    rows: list[Any] = [line.split("\t") for line in said.splitlines() if line.startswith(f"{name}\t")]
    done = re.search(r"^Done (\d+) runs", aside, re.MULTILINE)
    if not rows:
        print(aside[-2000:], file=sys.stderr)
        return 0, 1
    return max(int(rows[-1][1]), int(done[1]) if done else 0), said.count(f"\n{name}: ")


if __name__ == "__main__":
    sys.exit(main())
