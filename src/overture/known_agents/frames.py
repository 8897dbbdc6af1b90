"""The frames in which an agent gets its files and the list of its skills: the sections of its recipe."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from ..model.agent_rules import AgentWants, FileLimit
from ..model.recipe.body import Body
from ..model.recipe.recipe import AgentFacts, AgentSection
from ..model.recipe.section import Section
from ..model.state.agent_and_runtime import Runtime
from ..sections.agent_files import FILE_PLACEHOLDERS, FRONTMATTER_PREFIX, FileTemplate, render_agent_files
from ..sections.skill_menu import SKILL_PLACEHOLDERS, render_agent_skills
from ..sections.template import AROUND, add_around, check_placeholders, find_template_frames
from ..text.words import count_noun


def make_agent_sections(
    rows: Sequence[AgentSection], facts: AgentFacts, wants: AgentWants, name: str
) -> tuple[Section, ...]:
    """The sections of an agent's recipe: a line for its own prompt, which is not ours to print, then its frames."""
    own = facts.own
    sizes = [f"about {own.characters:,} characters"] if own.characters else []
    if own.tools and own.tool_characters:
        sizes.append(f"{count_noun(own.tools, 'tool')} of about {own.tool_characters:,} characters")
    size = ", and ".join(sizes) or "how long it is has not been measured"

    def render() -> Body:
        """A placeholder for the agent's own prompt."""
        return f"[{facts.title}'s own prompt stands here: {size}.]"

    prompt = Section("own", render, "static", priority=100, required=True)
    return (prompt, *(_make_section(row, files, wants, name) for row, files in list_templates(rows, wants.limits)))


def list_templates(
    rows: Sequence[AgentSection], limits: Sequence[FileLimit] = ()
) -> Iterator[tuple[AgentSection, FileTemplate]]:
    """Each section with how it writes files."""
    rendered = frozenset(each for row in rows for each in row.files)
    for row in rows:
        each = row.each if isinstance(row.each, dict) else {"": row.each}
        between = ("\n\n" if row.menu is None else "\n") if row.between is None else row.between
        limits_of = tuple(limit for limit in limits if set(limit.of) & set(row.files))
        elsewhere = tuple(kind for kind in rendered if kind not in row.files)
        yield row, FileTemplate(row.files, each, between, row.turning, limits_of, elsewhere)


def _make_section(row: AgentSection, files: FileTemplate, wants: AgentWants, agent: str) -> Section:
    """The section of its files or of its skills."""
    entries = (row.menu,) if row.menu is not None else tuple(files.each.values())
    known = SKILL_PLACEHOLDERS if row.menu is not None else FILE_PLACEHOLDERS
    where = f"Section {row.name!r} of agent {agent!r}"
    for key, template in (("opens", row.opens), ("closes", row.closes)):
        check_placeholders(key, template, AROUND, where)
    for template in entries:
        check_placeholders("each", template, known, where, prefix=FRONTMATTER_PREFIX)
    menu = wants.listed.menu if wants.listed else None

    def render_files_section(context_files: Any, limits: Any, runtime: Runtime | None) -> Body:
        return add_around(row.opens, row.closes, render_agent_files(files, context_files, limits, runtime), runtime)

    def render_menu_section(skills: Any, limits: Any, runtime: Runtime | None) -> Body:
        changed = {key: limits[f"menu.{key}"] for key in ("most", "entry") if f"menu.{key}" in limits}
        own = replace(menu, **changed) if menu and changed else menu
        listed = render_agent_skills(row.menu or "", own, skills, files.between)
        return add_around(row.opens, row.closes, listed, runtime)

    body: Any = render_files_section if row.menu is None else render_menu_section
    suffix = ", in the first message" if row.place == "user" else ""
    body.__doc__ = row.about or f"The {'instruction files' if row.files else 'list of skills'}{suffix}"
    tags, headings, children = find_template_frames(*(row.opens + entry + row.closes for entry in entries))
    # Always in the system prompt, even if the agent puts it in a message: reports then cover all of its text.
    return Section(row.name, body, "session", tags=tags, headings=headings, children=children)
