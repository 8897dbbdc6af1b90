"""What house says of skills, conventions and time: aware of who can read, and of what was asked for."""

from datetime import datetime
from typing import Any

from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.section import section
from ...model.source import from_state
from ...model.state.files import Skill
from ...model.state.runtime import Runtime
from ...model.state.tool import Tool
from ...sections.clock import NO_CLOCK, day, local, to_the_minute, unknown_zone
from ...sections.guidelines import active_names
from ...sections.skill_menu import broken_element, element, listed, menu
from .frames import own_tag
from .rules import READ, SHELL

LOADERS = ("use_skill", *READ, *SHELL)
CONVENTIONS = {
    "silent": "When the output of a tool already is the whole answer, end your turn without a word.",
    "status": "Before each larger step, write a tag of at most five words: `<status>Running the tests</status>`.",
}


@section("conventions", pace="static", frame=own_tag("conventions"), priority=35)
def conventions(extra: dict[str, Any]) -> Body:
    """Conventions of the harness, where `extra.conventions` asks for them: silent, status."""
    asked = extra.get("conventions")
    lines = [text for name, text in CONVENTIONS.items() if isinstance(asked, list | tuple) and name in asked]
    return "\n".join(f"- {line}" for line in lines) or Skip("extra.conventions asks for none")


@section("skills", frame=own_tag("skills"), priority=40)
def skills(skills: tuple[Skill, ...], tools: tuple[Tool, ...]) -> Body:
    """The skills that can be loaded, and the tool that loads them."""
    shown = listed(skills)
    if not shown:
        return Skip("there are no skills" if not skills else "every skill is kept out of menus")
    active = active_names(tools)
    loader = next((name for name in LOADERS if name in active), None)
    if loader is None:
        return Skip(f"no active tool can load a skill: it takes one of {', '.join(LOADERS)}")
    way = "with `use_skill`" if loader == "use_skill" else f"by reading the file at its location with `{loader}`"
    lead = f"Each skill holds instructions for one kind of task. When a task fits a description, load the skill {way}."
    entries = menu(shown, element, noted=broken_element)
    return Group((lead, entries), sep="\n\n")


@section("day", pace="turn", frame=own_tag("day"), priority=70)
def today(now: datetime | None, runtime: Runtime | None) -> Body:
    """The day. The clock goes into the user's message, so that the prompt changes once a day at most."""
    timezone = runtime.timezone if runtime else None
    if now is None:
        return Skip("no time is given", (NO_CLOCK,))
    here = Part(day(local(now, timezone)), from_state("now"), before="Today is ", after=".", trusted=True)
    return Group((here,), notes=unknown_zone(timezone))


@section("clock", pace="turn", place="user", priority=70)
def clock(now: datetime | None, runtime: Runtime | None) -> Body:
    """The time, to the minute, in the user's message."""
    if now is None:
        return Skip("no time is given", (NO_CLOCK,))
    time = to_the_minute(now, runtime.timezone if runtime else None)
    return Part(time, from_state("now"), before="Current time: ", trusted=True)
