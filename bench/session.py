"""What a turn of a session costs on this machine: `make bench`.

Each figure is the median of many turns, less what handing out the same messages costs.
"""

import statistics
import sys
import time
from collections.abc import Callable
from datetime import timedelta

from bench import show, small_and_large

import overture
from overture.session.session import get_parts
from overture.testing import NOON, FakeWorld

TARGETS = {"nothing changed": 20.0, "only the clock changed": 60.0}
"""Microseconds above handing out the messages, for the large state."""
TURNS = 400
HISTORY = 200
O200K = overture.counter("o200k")


def live(recipe: str, state: overture.State, share: float = 0) -> tuple[overture.Session, FakeWorld]:
    """A session on a state, with some history; with a share, within a budget of so much of what it has to say."""
    world = FakeWorld(now=state.now or NOON)
    given = {name: value for name, value in state.to_dict().items() if name != "now"}
    session = overture.Session(recipe, state=given, world=world)
    if share:
        session.set_budget(int(session.prompt.counted(O200K).tokens * share), O200K)
    for _ in range(HISTORY):
        session.turn("On")
    return session, world


def median(run: Callable[[], object], before: Callable[[], object] = lambda: None) -> float:
    """The middle of many runs, in microseconds; `before` is not counted."""
    took = []
    for _ in range(TURNS):
        before()
        start = time.perf_counter_ns()
        run()
        took.append(time.perf_counter_ns() - start)
    return statistics.median(took) / 1000


def measure(recipe: str, size: str, state: overture.State) -> None:
    """A quiet turn, and one in which only the clock moved, its text joined."""
    session, world = live(recipe, state)
    messages = list(session.messages)
    handing = median(lambda: tuple(messages))

    def tick() -> None:
        world.time += timedelta(seconds=1)

    cut, world_of_cut = live(recipe, state, share=0.5)

    def tick_of_cut() -> None:
        world_of_cut.time += timedelta(seconds=1)

    joining = median(lambda: "\n\n".join([block.text for block in get_parts(session).current.prompt.blocks]))
    rows = {
        "nothing changed": median(lambda: session.turn("On")) - handing,
        "only the clock changed": median(lambda: session.turn("On"), tick) - handing,
        "only the clock changed, text joined": median(lambda: session.turn("On").prompt.text, tick) - handing,
        "nothing changed, cut to half": median(lambda: cut.turn("On")) - handing,
        "only the clock changed, cut to half": median(lambda: cut.turn("On"), tick_of_cut) - handing,
        "joining": joining,
        "handing out the messages": handing,
    }
    for label, value in rows.items():
        target = f"target {TARGETS[label]:g}" if size == "large" and label in TARGETS else ""
        show(f"session on {recipe}, {size}: {label}", value, "µs", target)


def main() -> None:
    """Measure a turn in both sizes."""
    print(f"Python {sys.version.split()[0]}, a session with {HISTORY} to {HISTORY + 3 * TURNS} messages")
    for size, state in small_and_large().items():
        for recipe in ("opal", "pi", "house"):
            measure(recipe, size, state)


if __name__ == "__main__":
    main()
