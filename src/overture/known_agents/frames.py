"""The frames in which an agent gets its files and the list of its skills: the sections of its recipe."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from msgspec.structs import replace

from ..model.agent_rules import AgentWants
from ..model.recipe.body import Body
from ..model.recipe.recipe import AgentFacts
from ..model.recipe.section import Section
from ..model.state.agent_and_runtime import Runtime
from ..model.struct import Frozen, convert_data, note
from ..sections.agent_files import FILE_PLACEHOLDERS, FRONTMATTER_PREFIX, FileTemplate, render_agent_files
from ..sections.skill_menu import SKILL_PLACEHOLDERS, render_agent_skills
from ..sections.template import AROUND, add_around, check_placeholders, find_template_frames
from ..text.words import count_noun


class FrameForm(Frozen, frozen=True):
    """One of an agent's `SECTIONS`: the files of some steps, or the list of skills, in its words."""

    name: str
    about: str = ""
    place: Annotated[str, note("`user`: in the first message")] = "system"
    files: Annotated[
        tuple[str, ...], note("the steps whose files are here; `STEP:waiting` and the like are apart")
    ] = ()
    menu: Annotated[str | None, note("instead of files: how a skill is listed")] = None
    opens: str = ""
    closes: str = ""
    each: Annotated[str | dict[str, str], note("how a file is written; or by step or file name")] = "{{ text }}"
    between: str | None = None
    turning: Annotated[str | None, note("between files of two steps, if something else")] = None


def make_agent_sections(
    rows: Iterable[Mapping[str, Any]], facts: AgentFacts, wants: AgentWants, name: str
) -> tuple[Section, ...]:
    """The sections of an agent's recipe: a line for its own prompt, then its files and skills in its frames."""
    forms = [convert_data(row, FrameForm) for row in rows]
    rendered = frozenset(each for form in forms for each in form.files)
    return (_make_own_prompt(facts), *(_make_section(form, wants, rendered, name) for form in forms))


def _make_section(form: FrameForm, wants: AgentWants, rendered: frozenset[str], agent: str) -> Section:
    each = form.each if isinstance(form.each, dict) else {"": form.each}
    entries = (form.menu,) if form.menu is not None else tuple(each.values())
    where = f"Section {form.name!r} of agent {agent!r}"
    for template in (form.opens, form.closes):
        check_placeholders("opens", template, AROUND, where)
    for template in entries:
        known = SKILL_PLACEHOLDERS if form.menu is not None else FILE_PLACEHOLDERS
        check_placeholders("each", template, known, where, prefix=FRONTMATTER_PREFIX)
    body = _make_menu(form, wants) if form.menu is not None else _make_files(form, each, wants, rendered)
    suffix = ", in the first message" if form.place == "user" else ""
    body.__doc__ = form.about or f"The {'instruction files' if form.files else 'list of skills'}{suffix}"
    tags, headings, children = find_template_frames(*(form.opens + entry + form.closes for entry in entries))
    # Always in the system prompt, even if the agent puts it in a message: reports then cover all of its text.
    return Section(form.name, body, "session", None, 50, False, "system", tags, headings, children=children)


def _make_files(form: FrameForm, each: dict[str, str], wants: AgentWants, rendered: frozenset[str]) -> Any:
    own = tuple(limit for limit in wants.limits if set(limit.of) & set(form.files))
    elsewhere = tuple(kind for kind in rendered if kind not in form.files)
    between = "\n\n" if form.between is None else form.between
    template = FileTemplate(form.files, each, between, form.turning, own, elsewhere)

    def render_files_section(context_files: Any, limits: Any, runtime: Runtime | None) -> Body:
        return add_around(
            form.opens, form.closes, render_agent_files(template, context_files, limits, runtime), runtime
        )

    return render_files_section


def _make_menu(form: FrameForm, wants: AgentWants) -> Any:
    menu = wants.listed.menu if wants.listed else None
    between = "\n" if form.between is None else form.between

    def render_menu_section(skills: Any, limits: Any, runtime: Runtime | None) -> Body:
        changed = {key: limits[f"menu.{key}"] for key in ("most", "entry") if f"menu.{key}" in limits}
        own = replace(menu, **changed) if menu and changed else menu
        return add_around(form.opens, form.closes, render_agent_skills(form.menu or "", own, skills, between), runtime)

    return render_menu_section


def _make_own_prompt(agent: AgentFacts) -> Section:
    """A line in place of the agent's own prompt, which is not ours to print."""
    own = agent.own
    sizes = [f"about {own.characters:,} characters"] if own.characters else []
    if own.tools and own.tool_characters:
        sizes.append(f"{count_noun(own.tools, 'tool')} of about {own.tool_characters:,} characters")
    size = ", and ".join(sizes) or "how long it is has not been measured"
    line = f"[{agent.title}'s own prompt stands here: {size}.]"

    def render() -> Body:
        return line

    render.__doc__ = "A placeholder for the agent's own prompt."
    return Section("own", render, "static", priority=100, required=True)
