"""What went wrong on the turn before, as the last block."""

from ...model.diagnostic import Diagnostic, warning
from ...model.line_breaks import line_breaks
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.section import heading, section
from ...model.source import from_state
from ...model.state.tasks import Mission
from ...text.normalize import one_line
from .filled_value import longest, written

CONTEXT = "- **Context**: `ctx/fail` contains the full error details"


def _told(field: str, whole: str, limit: int, what: str) -> tuple[Part, list[Diagnostic]]:
    """What is said of an error; where that is cut, the cut is on the record."""
    text, cut = written(field, whole, limit)
    return Part(text, from_state(field), name=field, before=f"- **{what}**: ", whole=whole if cut else ""), cut


@section("previous-turn-error", pace="turn", frame=heading("# Previous Turn Error"), priority=90)
def previous_turn_error(mission: Mission | None) -> Body:
    """The error of the previous turn, so that the program can be fixed."""
    if mission is None or mission.error is None:
        return Skip("the previous turn did not fail")
    error, limit = mission.error, longest(mission)
    # On one line each, so that they stay list items, and no longer than other values.
    kind, kind_cut = _told("mission.error.type", one_line(error.type) or "unknown_error", limit, "Error")
    message, message_cut = _told("mission.error.message", one_line(error.message) or "Unknown error", limit, "Message")
    said = (kind, message, CONTEXT)
    broken = line_breaks("mission.error.type", error.type)  # a message may have several lines
    absent = warning("error-details", "the prompt names ctx/fail, and mission.error.details is not given")
    return Group(
        said,
        before="Your previous program failed with:\n",
        after="\n\nPlease fix the issue and try again.",
        notes=(*broken, *kind_cut, *message_cut, *(() if error.details is not None else (absent,))),
    )
