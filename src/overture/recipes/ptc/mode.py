"""The two modes: an agent over turns with tools, or one expression that is evaluated once."""

from collections.abc import Iterator

from ...model.diagnostic import Diagnostic
from ...model.state.tasks import Mission
from ...model.state.tool import Tool
from .shown_tools import trimmed


def single_turn(mission: Mission | None, tools: tuple[Tool, ...]) -> bool:
    """As the mission says; where it does not, one turn and nothing to call: the value of the program is the answer."""
    if mission is None:
        return False
    if mission.mode is not None:
        return mission.mode == "single"
    return mission.max_turns == 1 and not callable_names(mission, tools)


def callable_names(mission: Mission | None, tools: tuple[Tool, ...]) -> list[str]:
    """The tools that the program is shown and can call, without those that Overture adds to end a mission."""
    shown = trimmed([("", tool) for tool in tools], mission).tools
    return [tool.name for _, tool in shown if not tool.planning_only]


def contradictions(mission: Mission | None, tools: tuple[Tool, ...]) -> Iterator[Diagnostic]:
    """What does not go with a mode that is given."""
    if mission is None or mission.mode != "single":
        return
    if mission.max_turns is not None and mission.max_turns > 1:
        told = f"mission.max_turns is {mission.max_turns}, and mission.mode 'single' tells of one turn"
        yield _report("mode-turns", f"{told}: set max_turns to 1, or mode to 'agent'", "mission.max_turns")
    if names := callable_names(mission, tools):
        told = f"mission.mode is 'single', and the program can call {', '.join(names)}; its value is the answer"
        yield _report("mode-tools", f"{told}: set mission.tools to [] to show none, or mode to 'agent'", "mission.mode")


def _report(code: str, message: str, field: str) -> Diagnostic:
    return Diagnostic("warning", code, message, field=field)
