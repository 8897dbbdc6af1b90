"""A `[[sections]]` row that tells of files or skills -> a Section; and the line for an agent's own prompt."""

from typing import Any

from ...errors import RecipeError, nearest
from ...model.recipe.agent_facts import AgentFacts
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.section import Section
from ...model.recipe.wants.wanted_files import Wants
from ...model.source import from_state
from ...model.state.runtime import Runtime
from ...sections.told.files import Telling, told_files
from ...sections.told.frames_of_template import frames_of
from ...sections.told.skills import told_skills
from ...sections.told.words import filled_with
from .keys_and_conditions import SectionForm


def telling_section(form: SectionForm, wants: Wants, where: str, told: frozenset[str]) -> Section:
    """The section; a step that the recipe does not have is an error."""
    steps = [step.step for step in wants.files]
    for name in form.files:
        if name.partition(":")[0] not in steps:
            raise RecipeError(f"{where} tells of the step {name!r}, which `wants.files` lacks.{nearest(name, steps)}")
    each = form.each if isinstance(form.each, dict) else {"": form.each}
    entries = (form.menu,) if form.menu is not None else tuple(each.values())
    tags, headings, children = frames_of(*(form.opens + entry + form.closes for entry in entries))
    body = _menu_body(form, wants) if form.menu is not None else _files_body(form, each, wants, told)
    there = ", in the first message" if form.place == "user" else ""
    body.__doc__ = form.about or f"Tells of {', '.join(form.files) or 'skills'}{there}"
    # Wherever the agent puts it: what it is told is one text here, so that every report sees all of it.
    return Section(
        form.name, body, form.pace, None, form.priority, form.required, "system", tags, headings, children=children
    )


def _files_body(form: SectionForm, each: dict[str, str], wants: Wants, told: frozenset[str]) -> Any:
    limits = tuple(limit for limit in wants.limits if set(limit.of) & set(form.files))
    elsewhere = tuple(kind for kind in told if kind not in form.files)
    telling = Telling(form.files, each, form.between, form.turning, limits, _ranks(form, wants), elsewhere)

    def say(context_files: Any, limits: Any, runtime: Runtime | None) -> Body:
        return _around(form, told_files(telling, context_files, limits, runtime), runtime)

    return say


def _ranks(form: SectionForm, wants: Wants) -> dict[str, int]:
    """The order in which the section names its steps; one that stands among another has that one's place."""
    among = {step.step: step.among for step in wants.files if step.among}
    return {name: form.files.index(among.get(name, name)) for name in form.files if among.get(name, name) in form.files}


def _menu_body(form: SectionForm, wants: Wants) -> Any:
    menu = wants.skills.menu if wants.skills else None

    def say(skills: Any, runtime: Runtime | None) -> Body:
        between = form.between if form.between != "\n\n" else "\n"
        return _around(form, told_skills(form.menu or "", menu, skills, between), runtime)

    return say


def _around(form: SectionForm, body: Body, runtime: Runtime | None) -> Body:
    """The body between what stands above and below it."""
    if not isinstance(body, Group):
        return body
    cwd = Part((runtime.cwd if runtime else None) or "", from_state("runtime.cwd"), single=True)
    above = filled_with(form.opens, {"runtime.cwd": cwd})
    below = filled_with(form.closes, {"runtime.cwd": cwd})
    return Group((*above, body, *below), sep="") if above or below else body


def own_prompt(agent: AgentFacts) -> Section:
    """One line in the place of the agent's own words, which are not ours to print."""
    own = agent.own
    sizes = [f"about {own.characters:,} characters"] if own.characters else []
    if own.tools and own.tool_characters:
        sizes.append(f"{own.tools} tools of about {own.tool_characters:,} characters")
    said = ", and ".join(sizes) or "how long it is has not been measured"
    line = f"[{agent.title}'s own prompt stands here: {said}.]"

    def say() -> Body:
        return line if line else Skip("it is not known")

    say.__doc__ = "A line in the place of the agent's own words"
    return Section("own", say, "static", priority=100, required=True)
