"""A turn of a session that has 200 messages: what it costs above handing out the same messages."""

from collections.abc import Iterator
from datetime import timedelta

from data import make_data
from measure import Options, Row, collect, make_row, measure_time

import overture
from overture.testing import NOON, FakeWorld

HISTORY = 200


def rows(options: Options) -> Iterator[Row]:
    """Nothing changed, and the clock moved."""
    world = FakeWorld(now=NOON)
    data = {name: value for name, value in make_data(0).items() if name != "now"}
    session = overture.Session("house", state=data, world=world)
    for _ in range(HISTORY):
        session.turn("On")
    messages = list(session.messages)

    def one_round(_: int) -> dict[str, float]:
        took = {"hand": measure_time(lambda: tuple(messages)), "same": measure_time(lambda: session.turn("On"))}
        world.time += timedelta(seconds=1)
        return took | {"clock": measure_time(lambda: session.turn("On"))}

    took = collect(one_round, options.count(200))
    other = ("handing out the messages", took["hand"])
    yield make_row("session", "session turn, house: nothing changed", "µs", took["same"], other, "above", 10)
    yield make_row("session", "session turn, house: clock moved", "µs", took["clock"], other, "above", 30)
