"""The two modes: an agent over turns with tools, or one expression that is evaluated once."""

from ...model.tool import Tool
from ...model.work import Mission
from ...sections.rules import active_names


def single_turn(mission: Mission | None, tools: tuple[Tool, ...]) -> bool:
    """One turn and nothing to call: the value of the expression is the answer."""
    return mission is not None and mission.max_turns == 1 and not active_names(tools)
