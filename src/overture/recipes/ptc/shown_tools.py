"""Which tools are shown: all, those that the mission names, or those that share a word with it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...errors import StateError, unknown
from ...model.diagnostic import Diagnostic, warning
from ...model.state.tasks import Mission
from ...model.state.tool import Tool

WORD = re.compile(r"[a-z]{3,}")
COMMON = frozenset(
    WORD.findall(
        "all and any are but can each find for from get give given has have into its list make more must not one only "
        "out results return returns set should some that the them then these they this those tool tools use used uses "
        "using value values was when where which will with you your"
    )
)
"""Words that tell nothing about what a tool is for."""

Placed = tuple[str, Tool]
"""A tool and its field of the state, `tools[2]`; the field is empty for the recipe's own."""


class Trimmed(NamedTuple):
    """The tools that are shown, a note where nothing could be trimmed, and what was left out."""

    tools: Sequence[Placed]
    notes: tuple[Diagnostic, ...] = ()
    omits: tuple[str, ...] = ()


def trimmed(tools: Sequence[Placed], mission: Mission | None) -> Trimmed:
    """The tools that the mission asks for: an empty list asks for none. `return` and `fail` always are."""
    if mission is None or mission.tools is None:
        return Trimmed(tools)
    wanted = relevant(tools, mission) if mission.tools == "relevant" else named(tools, mission.tools)
    if mission.tools == "relevant" and not wanted and tools:
        return Trimmed(tools, (warning("tools-trimmed", "mission.tools leaves none of the tools: all are shown"),))
    kept = [(field, tool) for field, tool in tools if tool.name in wanted or tool.name in ("return", "fail")]
    shown = {id(tool) for _, tool in kept}
    left = [tool.name for _, tool in tools if id(tool) not in shown]
    if not left:
        return Trimmed(tools)
    return Trimmed(kept, omits=(f"mission.tools leaves out {len(left)} of them: {', '.join(left)}",))


def named(tools: Sequence[Placed], names: Sequence[str]) -> frozenset[str]:
    """The names that the mission gives; one that no tool has is an error."""
    known = {tool.name for _, tool in tools} | {"return", "fail"}
    for name in names:
        if name not in known:
            raise StateError(f"mission.tools: {unknown('Tool', name, known)}")
    return frozenset(names)


def relevant(tools: Sequence[Placed], mission: Mission) -> frozenset[str]:
    """The tools whose name or description shares a word with the mission's prompt."""
    asked = words(mission.prompt)
    return frozenset(
        tool.name for _, tool in tools if asked & words(f"{tool.name} {tool.description or tool.snippet or ''}")
    )


def words(text: str) -> frozenset[str]:
    """The telling words of a text, without the endings of plurals and verbs."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower()
    return frozenset(stem(word) for word in WORD.findall(split) if word not in COMMON)


def stem(word: str) -> str:
    """`emails`, `emailing` and `emailed` are one word."""
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word
