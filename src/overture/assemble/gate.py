"""The gate: the one way for a text into a prompt, into a message of ours, and into the tools of a request.

Whatever a section, a hook or a program hands over goes through one of these functions, and comes out as `Admitted`,
with what was done to it. Blocks take nothing else, and nobody else makes any.
"""

from typing import NamedTuple

from ..model.admitted import Admitted, AdmittedTool
from ..model.recipe.section import Frame
from ..model.state.tool import Tool
from ..text.scan import PLAIN, Marks
from .foreign_text import SHORT, Guard, authored, authored_once, contain, contain_once
from .report_foreign_text import Contained


class Passed(NamedTuple):
    """A text that came through, and what was done to it."""

    text: Admitted
    found: tuple[Contained, ...] = ()


def admit(text: str, guard: Guard, marks: Marks | None = None, *, single: bool = False) -> Passed:
    """Text from outside: it writes no frame of the prompt and no control token, and it hides nothing."""
    if marks is PLAIN and not single:
        return Passed(Admitted(text))
    known = marks is None and len(text) <= SHORT
    clean, found = (contain_once if known else contain)(text, marks, guard, single)
    return Passed(Admitted(clean), found)


def admit_author(text: str, marks: Marks | None = None) -> Passed:
    """What the agent's own author wrote, as it stands but for control characters."""
    if marks is PLAIN:
        return Passed(Admitted(text))
    clean, found = (authored_once if len(text) <= SHORT else authored)(text)
    return Passed(Admitted(clean), found)


def admit_words(text: str, guard: Guard) -> Passed:
    """A recipe's own words: they may be made of values, so they come through as those do.

    `guard` is without the frames that they are meant to write.
    """
    clean, found = contain_once(text, None, guard)
    return Passed(Admitted(clean), found)


def admit_frame(frame: Frame) -> tuple[Admitted, Admitted]:
    """What stands above and below a section: that is what everything else may not write."""
    return Admitted(frame.before), Admitted(frame.after)


def admit_tool(tool: Tool) -> AdmittedTool:
    """A tool of which every text came through."""
    about = None if tool.description is None else Admitted(tool.description)
    return AdmittedTool(Admitted(tool.name), about, tool.parameters, tool.signature, tool.strict)


def admit_fenced(text: str) -> Admitted:
    """Text that came through already, and whose code blocks were seen to since."""
    return Admitted(text)
