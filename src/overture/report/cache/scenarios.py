"""Scenarios are sessions to play: the states of an agent's turns when one thing changes."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from operator import is_
from typing import Any, NamedTuple

import msgspec

from ...errors import StateError
from ...model.state.agent_and_runtime import Runtime, User
from ...model.state.files import Skill, TextFile
from ...model.state.state import State
from ...model.tool import Tool

PLAYED_TURNS = 6
CHANGED_TURN = 3
"""The turn, counted from 0, at which the change happens."""
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
PEOPLE = ("Ada", "Ben", "Chloe")

TOOL = Tool(
    "weather_at",
    "The weather at a place and a time.",
    {"type": "object", "properties": {"place": {"type": "string"}, "time": {"type": "string"}}, "required": ["place"]},
)
SKILL = Skill("release-notes", "Write release notes from merged changes.", "/skills/release-notes/SKILL.md")
LINE = "Run the linter before you commit."


class Scenario(NamedTuple):
    """One thing that happens in a session."""

    about: str
    state_at: Callable[[State, int], State]
    """The state on a turn, from the state at the start."""

    def states(self, start: State) -> list[State]:
        """The state on each turn of the scenario."""
        start = start if start.now is not None else start.replace(now=NOON)
        return [self.state_at(start, turn) for turn in range(PLAYED_TURNS)]


def move_clock(state: State, **time: float) -> State:
    """The same state at a later time."""
    try:
        return state.replace(now=(state.now or NOON) + timedelta(**time))
    except OverflowError:
        message = f"now: after {state.now} no day is left for a session. Pass an earlier time."
        raise StateError(message) from None


def add_tool(state: State) -> State:
    """The same state with one more tool."""
    return state.replace(tools=(*state.tools, TOOL))


def add_skill(state: State) -> State:
    """The same state with one more skill, in sorted order."""
    return state.replace(skills=tuple(sorted((*state.skills, SKILL), key=lambda skill: skill.name)))


def edit_file(state: State) -> State:
    """The same state with one more line in the nearest project file, or with a new file of that line."""
    if not state.context_files:
        cwd = (state.runtime.cwd if state.runtime else None) or "/p"
        return state.replace(context_files=(TextFile(path=f"{cwd}/AGENTS.md", content=LINE),))
    *others, last = state.context_files
    edited = TextFile(path=last.path, content=f"{last.content}\n\n{LINE}", kind=last.kind, line=last.line)
    return state.replace(context_files=(*others, edited))


def _apply_after_change_turn(change: Callable[[State], State]) -> Callable[[State, int], State]:
    return lambda state, turn: change(state) if turn >= CHANGED_TURN else state


SCENARIOS = {
    "clock": Scenario("only the clock moves, a minute each turn", lambda state, turn: move_clock(state, minutes=turn)),
    "tool": Scenario("a tool comes online", _apply_after_change_turn(add_tool)),
    "skill": Scenario("a skill is added", _apply_after_change_turn(add_skill)),
    "file": Scenario("a project file is edited", _apply_after_change_turn(edit_file)),
    "day": Scenario("a day passes", _apply_after_change_turn(lambda state: move_clock(state, days=1))),
}


def make_fleet(state: State) -> dict[str, list[State]]:
    """Three sessions that differ in their working directory, their user, their day, or all of these."""
    start = state if state.now is not None else state.replace(now=NOON)
    users = [msgspec.structs.replace(state.user or User(), name=name) for name in PEOPLE]
    axes: dict[str, Callable[[State, int], State]] = {
        "cwd": lambda s, n: move_project(s, "cwd", f"/work/clone-{n}"),
        "user": lambda s, n: move_project(s.replace(user=users[n]), "home", f"/home/{PEOPLE[n].lower()}"),
        "day": lambda s, n: move_clock(s, days=n),
    }
    single = {name: [vary(start, n) for n in range(len(PEOPLE))] for name, vary in axes.items()}
    every = [axes["day"](axes["user"](axes["cwd"](start, n), n), n) for n in range(len(PEOPLE))]
    return {**single, "all of these": every}


def move_project(state: State, field: str, to: str) -> State:
    """The same project or home in another folder: every path inside it moves along."""
    runtime = state.runtime or Runtime()
    old = getattr(runtime, field)
    if not old or old == "/":
        return state.replace(runtime=msgspec.structs.replace(runtime, **{field: to}))
    moved: State = _move_paths(state, old, to)
    return moved


def _move_paths(value: Any, old: str, to: str) -> Any:
    """A value of a scenario's state with its paths moved; one without such paths stays the same object, for caches."""
    if isinstance(value, str):
        return to + value[len(old) :] if value == old or value.startswith(f"{old}/") else value
    if isinstance(value, msgspec.Struct):
        changed = _find_moved_values(msgspec.structs.asdict(value), old, to)
        return msgspec.structs.replace(value, **changed) if changed else value
    if isinstance(value, dict):
        changed = _find_moved_values(value, old, to)
        return {**value, **changed} if changed else value
    if isinstance(value, tuple | list):
        items = type(value)(_move_paths(item, old, to) for item in value)
        return value if all(map(is_, items, value)) else items
    return value


def _find_moved_values(values: dict[str, Any], old: str, to: str) -> dict[str, Any]:
    """The values of a state that change when a scenario moves the project."""
    moved = {key: _move_paths(value, old, to) for key, value in values.items()}
    return {key: value for key, value in moved.items() if value is not values[key]}
