"""Building a prompt in memory, with its record of sources: against a plain function, and against other libraries."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from typing import Any

from data import build_plain, make_data, make_sentence
from measure import Options, Row, collect, make_row, measure_time
from peer_process import NAMES, start_peers

import overture
from overture import Body, Part, Section, State, section

PLAIN = "a plain function"
LINES = [[make_sentence(number * 100 + line, 13) for line in range(12)] for number in range(12)]
NUMBERS = count()
"""Of texts that this process has not seen."""


def rows(options: Options) -> Iterator[Row]:
    """All rows of this topic."""
    yield from _since(options, "")
    yield from _new_texts(options)
    yield from _since(options, ", in a process that has built others")
    yield _thirteen_sections(options)


def _new_texts(options: Options) -> Iterator[Row]:
    """New texts with each build, as in a service; then the same texts again, then the same State."""
    recipe, work = overture.load_recipe("pi"), "build, 10 files and 200 skills: "
    with start_peers(options.peers) as peers:

        def one_round(_: int) -> dict[str, float]:
            data = make_data(next(NUMBERS))
            took = {"plain": measure_time(lambda: build_plain(data)), **{name: peers[name].ask(data) for name in peers}}
            took["read"] = measure_time(lambda: State.from_dict(data))
            state, equal = State.from_dict(data), State.from_dict(data)
            took["new"] = measure_time(lambda: overture.build(recipe, state).text)
            took["seen"] = measure_time(lambda: overture.build(recipe, equal).text)
            took["same"] = measure_time(lambda: overture.build(recipe, equal).text)
            lines = _renew_lines(next(NUMBERS))
            took["plain lines"], fresh = measure_time(lambda: build_plain(lines)), State.from_dict(lines)
            took["lines"] = measure_time(lambda: overture.build(recipe, fresh).text)
            return took

        one_round(0)
        took, versions = collect(one_round, options.count(30)), {name: peers[name].version for name in peers}
    plain = (PLAIN, took["plain"])
    yield make_row("build", work + "new texts", "µs", took["new"], plain, goal=5)
    yield make_row("build", work + "every line new", "µs", took["lines"], (PLAIN, took["plain lines"]))
    yield make_row("build", work + "equal texts", "µs", took["seen"], plain, goal=1.5)
    yield make_row("build", work + "same State", "µs", took["same"], plain, goal=0.2)
    yield make_row("build", "State.from_dict, 10 files and 200 skills: new texts", "µs", took["read"], plain)
    for name in NAMES:
        against, goal = f"{work}new texts, against {name}", 1 if name == "pi" else None
        if name in versions:
            yield make_row("build", against, "µs", took["new"], (f"{name} {versions[name]}", took[name]), goal=goal)
        else:
            yield Row("build", against, "µs", "ratio", goal=goal, note="not installed")


def _renew_lines(number: int) -> dict[str, Any]:
    """New texts of which no line of a file was seen before, nor stands in two of them."""
    data = make_data(number)
    files = [
        file | {"content": "\n".join(f"{line} {number}.{at}.{row}" if line else "" for row, line in enumerate(lines))}
        for at, file in enumerate(data["context_files"])
        for lines in [file["content"].split("\n")]
    ]
    return data | {"context_files": files}


def _since(options: Options, where: str) -> Iterator[Row]:
    """A build that knows the previous prompt."""
    recipe, data = overture.load_recipe("pi"), make_data(next(NUMBERS))
    state = State.from_dict(data)
    before = overture.build(recipe, state)
    assert state.now is not None and before.text
    now = state.now

    def one_round(number: int) -> dict[str, float]:
        changed = make_data(0) | {"skills": data["skills"], "context_files": [dict(f) for f in data["context_files"]]}
        changed["context_files"][3]["content"] += f"new {number}"
        states = {"same": state, "clock": state.replace(now=now + timedelta(seconds=number + 1))}
        states["file"] = State.from_dict(changed)
        took = {"plain": measure_time(lambda: build_plain(data))}
        for name, each in states.items():
            took[name] = measure_time(lambda each=each: overture.build(recipe, each, since=before).text)  # type: ignore[misc]
        return took

    took = collect(one_round, options.count(30))
    plain = (PLAIN, took["plain"])
    yield make_row("build", f"build with since: same State{where}", "µs", took["same"], plain, goal=0.05)
    yield make_row("build", f"build with since: clock moved{where}", "µs", took["clock"], plain, goal=0.25)
    yield make_row("build", f"build with since: one file changed{where}", "µs", took["file"], plain, goal=0.5)


def _write_section(number: int) -> Section:
    text = "\n".join(f"- {line}" for line in LINES[number])

    def say() -> Body:
        """A few lines."""
        return text

    return Section(f"section-{number}", say)


@section("memories", pace="turn")
def memories(memories: tuple[str, ...]) -> Body:
    """What changes from turn to turn."""
    return [Part(text) for text in memories]


def _thirteen_sections(options: Options) -> Row:
    """Thirteen sections of which one changes, with exact counts; the plain function does not count."""
    recipe = overture.Recipe("thirteen", (*map(_write_section, range(12)), memories))
    counter = overture.counter()
    state = State(memories=tuple(make_sentence(line, 13) for line in range(8)))
    before = overture.build(recipe, state).counted(counter)
    assert before.tokens == counter(before.text)

    def one_round(number: int) -> dict[str, float]:
        changed = state.replace(memories=(*state.memories[:-1], f"turn {number} changed a line of the notes"))
        sections = [*LINES, list(changed.memories)]
        return {
            "plain": measure_time(
                lambda: "\n\n".join(["\n".join([f"- {line}" for line in each]) for each in sections])
            ),
            "ours": measure_time(lambda: overture.build(recipe, changed, since=before).tokens),
        }

    took = collect(one_round, options.count(100))
    work = f"13 sections, one changed, exact counts ({counter.name})"
    return make_row("build", work, "µs", took["ours"], ("a plain function without counts", took["plain"]), goal=1.2)
