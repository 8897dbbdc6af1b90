"""The mission: the author's words with the data filled in, and the form of the result."""

from ...model.body import Body, Group, Part, Skip
from ...model.section import heading, section
from ...model.source import from_state
from ...model.work import Mission
from ...sections.signature.parse import parse_type
from ...sections.signature.render import render_type
from .fill import fill
from .signed import signed
from .value import longest


@section("mission", pace="turn", frame=heading("# Mission"), priority=100, required=True)
def mission(mission: Mission | None) -> Body:
    """The user's task, and the type of its result."""
    if mission is None:
        return Skip("no mission is given")
    filled = fill(mission.prompt, mission.data or {}, longest(mission))
    said = Group((Group(filled.parts, sep=""), *return_format(mission)), sep="\n\n", notes=filled.notes)
    return said if mission.prompt.strip() or mission.output_signature else Skip("the mission's prompt is blank")


def return_format(mission: Mission) -> tuple[Part, ...]:
    """`Return format: {count :int}`, where a type is given."""
    if mission.output_signature is None:
        return ()
    type = signed("mission.output_signature", mission.output_signature, parse_type)
    return (Part(render_type(type), from_state("mission.output_signature"), before="Return format: "),)
