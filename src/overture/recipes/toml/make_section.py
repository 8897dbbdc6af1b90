"""Makes a Section from a `[[sections]]` row: a template filled from the State, or an agent's files and skills."""

from collections.abc import Callable
from itertools import groupby
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from ...errors import RecipeError, StateError, find_similar, suggest
from ...model.recipe.body import Body, Group, Part, Skip, node_text
from ...model.recipe.recipe import Clock
from ...model.recipe.rule import When, all_of, any_of, at_least, has
from ...model.recipe.section import Frame, Pace, Section, SectionPlace, heading, record_reads, tag
from ...model.source import Source, from_file, from_state
from ...model.state.agent_and_runtime import Runtime
from ...model.state.field_paths import MISSING, explain_bad_path, look_up_path
from ...model.state.state import FIELDS
from ...model.struct import Frozen, note
from ...model.tool import Tool
from ...sections.agent_files import FILE_PLACEHOLDERS, FRONTMATTER_PREFIX, FileTemplate, render_agent_files
from ...sections.clock import NO_CLOCK
from ...sections.skill_menu import SKILL_PLACEHOLDERS, listed_skills, render_agent_skills, write_menu, write_skill_line
from ...sections.template import (
    AROUND,
    FillRoom,
    add_around,
    check_placeholders,
    find_template_frames,
    split_placeholders,
)
from ...sections.tools_and_guidelines import active_names
from ...text.normalize import BREAKS, tidy

Condition = dict[str, Any]


class SectionForm(Frozen, frozen=True):
    """One `[[sections]]` row: its text, its position, and the condition for including it."""

    name: str
    text: Annotated[str | None, note("its text, with {{ field.path }} placeholders")] = None
    file: Annotated[str | None, note("a file with the text, relative to the recipe file")] = None
    origin: Annotated[str | None, note("set by Overture: the path of `file`")] = None
    about: Annotated[str | None, note("one line for `overture explain`")] = None
    before: Annotated[str | None, note("insert it before this section")] = None
    after: Annotated[str | None, note("insert it after this section")] = None
    replace: Annotated[str | None, note("replace this section")] = None
    when: Annotated[Condition | None, note('include it only if this holds, e.g. `{ tool = "bash" }`')] = None
    pace: Annotated[
        Pace, note("how often its text may change: `static` never, `session` between sessions, `turn` every turn")
    ] = "session"
    place: Annotated[SectionPlace, note("where it goes: the system prompt, or the user's message")] = "system"
    priority: Annotated[int, note("to fit a budget, sections of a lower priority are cut first")] = 50
    required: Annotated[bool, note("never cut to fit a budget")] = False
    tag: Annotated[str | None, note("the tag around it")] = None
    heading: Annotated[str | None, note("the heading above it, e.g. `## House rules`")] = None
    files: Annotated[
        tuple[str, ...], note("instead of a text: the files of `wants.context` with these names; `*` is any characters")
    ] = ()
    menu: Annotated[
        str | None, note("instead of a text: a line for each skill, with {{ name }}, {{ description }}")
    ] = None
    opens: Annotated[str, note("text above the files or the list")] = ""
    closes: Annotated[str, note("text below them")] = ""
    each: Annotated[
        str | dict[str, str],
        note(
            "how a file is written, for all or by file name, with {{ text }}, {{ path }} (absolute), {{ relative }} "
            "(to cwd), {{ in_project }} (relative to the project's root), {{ folder }}, {{ file }}, "
            "{{ name }} (without extension), {{ description }}, {{ front.KEY }} (a key of its frontmatter)"
        ),
    ] = "{{ text }}"
    between: Annotated[str, note("text between two files")] = "\n\n"


TEXT_KEYS = {"text": None, "file": None, "when": None}
LIST_KEYS = {"opens": "", "closes": "", "each": "{{ text }}", "between": "\n\n"}
"""Keys for sections with a text only, and keys for sections with files or skills only, with their defaults."""


def check_section_keys(form: SectionForm, where: str) -> None:
    """Raise for a key that the section would ignore."""
    source = "files" if form.files else "menu" if form.menu is not None else "text"
    ignored = LIST_KEYS if source == "text" else TEXT_KEYS
    unused = [key for key, default in ignored.items() if getattr(form, key) != default]
    if unused:
        raise RecipeError(f"{where}: `{unused[0]}` has no effect on a section with `{source}`: remove it.")


class RuleForm(Frozen, frozen=True):
    """One `[[rules]]` row: a guideline that appears while its condition holds."""

    name: str
    text: Annotated[str | tuple[str, ...], note("one or more guidelines")]
    when: Annotated[
        Condition | None, note('the active tools that it requires, e.g. `{ tool = "bash" }`; none: always')
    ] = None
    section: Annotated[str | None, note("the section that gets it; none: the only section with rules")] = None


class RecipeForm(Frozen, frozen=True):
    """The whole file."""

    name: Annotated[str | None, note("its name; none: the name of the file")] = None
    about: Annotated[str | None, note("one line for `overture recipes`")] = None
    extends: Annotated[str | None, note("a recipe's name, or the path of another .toml file")] = None
    remove: Annotated[tuple[str, ...], note("sections of the extended recipe to remove")] = ()
    sections: tuple[SectionForm, ...] = ()
    rules: tuple[RuleForm, ...] = ()
    wants: Annotated[
        dict[str, Any] | None, note("which files are read; each field overrides the extended recipe's")
    ] = None
    tools: Annotated[tuple[Tool, ...], note("its own tools, in addition to the extended recipe's")] = ()
    active: Annotated[tuple[str, ...] | None, note("the tools that are active by default")] = None
    settings: Annotated[
        dict[str, str] | None, note("settings that `{NAME}` in `wants` stands for, with their defaults")
    ] = None
    sealed: Annotated[bool | None, note("true: no hook may edit the prompt; none: the extended recipe's")] = None
    clock: Annotated[
        Clock | None, note("when the time in a session changes; none: the extended recipe's, else `turn`")
    ] = None


CONDITION_KEYS = ("tool", "field", "all", "any", "not", "least", "of")

COUNT_KEYS = ("least", "of")


def make_condition(form: Any, where: str, *, tools_only: bool = False) -> When:
    """Make the condition. Several keys in one table must all hold."""
    if not isinstance(form, dict) or not form:
        raise RecipeError(f'{where}: `when` is a table such as {{ tool = "bash" }}, not {form!r}.')
    parts = [_parse_condition(key, value, where, tools_only) for key, value in form.items() if key not in COUNT_KEYS]
    if not form.keys().isdisjoint(COUNT_KEYS):
        parts.append(_count(form, where, tools_only))
    return parts[0] if len(parts) == 1 else all_of(*parts)


def _parse_condition(key: str, value: Any, where: str, tools_only: bool) -> When:
    """The condition under one key of a TOML table."""
    match key:
        case "tool":
            return has(*_check_names(value, where, key))
        case "field" if not tools_only:
            return When("given", tuple(_check_field(name, where) for name in _check_names(value, where, key)))
        case "all" | "any" if isinstance(value, list) and value:
            parts = [make_condition(item, where, tools_only=tools_only) for item in value]
            return all_of(*parts) if key == "all" else any_of(*parts)
        case "not":
            return When("not", parts=(make_condition(value, where, tools_only=tools_only),))
        case "all" | "any":
            raise RecipeError(f"{where}: `{key}` takes a list of conditions, not {value!r}.")
    known = [name for name in CONDITION_KEYS if name != "field" or not tools_only]
    raise RecipeError(
        f"{where}: `when` has no key {key!r}.", tip=find_similar(key, known), hint=f"It has: {', '.join(known)}."
    )


def _count(form: dict[str, Any], where: str, tools_only: bool) -> When:
    """The condition that at least `least` of the tools and conditions in `of` hold."""
    least, listed = form.get("least"), form.get("of")
    if not isinstance(listed, list) or not isinstance(least, int) or isinstance(least, bool):
        raise RecipeError(
            f"{where}: `least` is a number, and `of` a list of tools or conditions: "
            f'{{ least = 2, of = ["read", "edit", "write"] }}, not {form!r}.'
        )
    parts = [item if isinstance(item, str) else make_condition(item, where, tools_only=tools_only) for item in listed]
    try:
        return at_least(least, *parts)
    except RecipeError as problem:
        raise RecipeError(f"{where}: `least`: {problem}") from None


def _check_names(value: Any, where: str, key: str) -> tuple[str, ...]:
    """The names of tools or fields in a condition."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise RecipeError(f"{where}: `{key}` takes a name or a list of names, not {value!r}.")
    return tuple(names)


def _check_field(name: str, where: str) -> str:
    """The path of a field in a condition, if a State can have it."""
    if fault := explain_bad_path(name):
        raise RecipeError(f"{where}: `field` {name!r}: {fault}.")
    return name


def list_condition_fields(when: When | None) -> set[str]:
    """The field paths that a condition looks at."""
    if when is None:
        return set()
    own = set(when.names) if when.op == "given" else set()
    return own.union(*(list_condition_fields(part) for part in when.parts))


def looks_at_tools(when: When | None) -> bool:
    """Whether a condition depends on the active tools."""
    return when is not None and (when.op in ("some", "has", "lacks") or any(map(looks_at_tools, when.parts)))


AUTHOR_FIELDS = ("agent.system_prompt", "agent.identity", "agent.instructions", "overrides.system", "overrides.append")
"""Fields from the agent's own author: they are trusted and rendered unchanged."""


def fill_placeholder(state: dict[str, Any], name: str, where: str) -> Part | Group:
    """The value of a placeholder, as parts."""
    value = look_up_field(state, name)
    if value is MISSING:
        raise StateError(
            f"{where} fills in {{{{ {name} }}}}, which the state does not have.{suggest_near_key(state, name)} "
            f'Set it, or write when = {{ field = "{name}" }}.'
        )
    if write := GROUP_WRITERS.get(name):
        return write(value)
    single = isinstance(value, str) and (name in ON_ONE_LINE or name.partition(".")[0] in FACTS)
    return Part(write_in_words(value), from_state(name), trusted=name in AUTHOR_FIELDS, single=single)


def _write_files(files: Any) -> Group:
    """Project files in place of a placeholder of a TOML section."""
    from ...sections.project_files_and_git import files_under_headings  # the recipes of known agents do not need it

    return files_under_headings(files, "##")


GROUP_WRITERS: dict[str, Callable[[Any], Group]] = {
    "skills": lambda skills: write_menu(listed_skills(skills), write_skill_line),
    "context_files": _write_files,
}
"""Fields that are rendered as in a built-in recipe: a menu of skills, or files under their paths."""


FACTS = ("runtime", "user", "session", "channel", "now")
ON_ONE_LINE = ("agent.name", "agent.emoji", "agent.creature", "agent.vibe", "task.id", "task.title", "task.status")
"""Names and facts that are rendered on one line, so that a value can't start a new line."""


def suggest_near_key(state: dict[str, Any], path: str) -> str:
    """A hint with the nearest key to a missing one, in free-form data."""
    root, *steps = path.split(".")
    here, suggestion = state[root], ""
    for step in steps:
        suggestion = suggest(step, map(str, here)) if isinstance(here, dict) and step not in here else suggestion
        here = look_up_path(here, [step])
        if here is MISSING:
            break
    return suggestion


def look_up_field(state: dict[str, Any], path: str) -> Any:
    """The value at a path of the state, or MISSING."""
    root, *steps = path.split(".")
    return look_up_path(state[root], steps)


def write_in_words(value: Any) -> str:
    """A text unchanged, a list of texts as bullets, anything else as JSON with sorted keys."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple | list) and all(isinstance(item, str) for item in value):
        return "\n".join(f"- {item}" for item in value)
    return msgspec.json.encode(value, order="sorted").decode().strip('"')


def _make_list_section(form: SectionForm, where: str) -> Section:
    """Make a section with files, or with a line for each skill."""
    each = form.each if isinstance(form.each, dict) else {"": form.each}
    entries = (form.menu,) if form.menu is not None else tuple(each.values())
    check_placeholders("opens", form.opens, AROUND, where)
    check_placeholders("closes", form.closes, AROUND, where)
    for entry in entries:
        if form.menu is not None:
            check_placeholders("menu", entry, SKILL_PLACEHOLDERS, where)
        else:
            check_placeholders("each", entry, FILE_PLACEHOLDERS, where, prefix=FRONTMATTER_PREFIX)
    tags, headings, children = find_template_frames(*(form.opens + entry + form.closes for entry in entries))
    body, frame = (
        _make_menu_body(form) if form.menu is not None else _make_files_body(form, each),
        _make_frame(form, where),
    )
    body.__doc__ = form.about or f"The {'instruction files' if form.files else 'list of skills'}"
    return Section(
        form.name, body, form.pace, frame, form.priority, form.required, "system", tags, headings, children=children
    )


def _make_menu_body(form: SectionForm) -> Any:
    between = form.between if form.between != "\n\n" else "\n"

    def render_menu_section(skills: Any, runtime: Runtime | None) -> Body:
        return add_around(form.opens, form.closes, render_agent_skills(form.menu or "", None, skills, between), runtime)

    return render_menu_section


def _make_files_body(form: SectionForm, each: dict[str, str]) -> Any:
    template = FileTemplate(form.files, each, form.between)

    def render_files_section(context_files: Any, runtime: Runtime | None) -> Body:
        return add_around(form.opens, form.closes, render_agent_files(template, context_files, {}, runtime), runtime)

    return render_files_section


def make_section(form: SectionForm, recipe: str) -> Section:
    """Make a section of a recipe in TOML. Any error in it is raised now, not when a prompt is built."""
    where = f"Section {form.name!r} of recipe {recipe!r}"
    check_section_keys(form, where)
    if form.files or form.menu is not None:
        return _make_list_section(form, where)
    text, skipped = tidy(form.text or "")
    own = from_file(form.origin, 1 + skipped) if form.origin else None
    if not text:
        raise RecipeError(f"{where} is empty: set `text` or `file`.")
    names = list(dict.fromkeys(name for _, name, _ in split_placeholders(text) if name))
    for name in names:
        if fault := explain_bad_path(name):
            raise RecipeError(f"{where} fills in {{{{ {name} }}}}: {fault}.")
    when = make_condition(form.when, where) if form.when is not None else None
    tags, headings, children = find_template_frames(text)
    body = _make_template_body(text, own, when, names, where)
    body.__doc__ = form.about or f"Says: {text.partition(chr(10))[0][:60]}"
    return Section(
        form.name,
        body,
        form.pace,
        _make_frame(form, where),
        form.priority,
        form.required,
        form.place,
        tags,
        headings,
        children=children,
    )


def _make_frame(form: SectionForm, where: str) -> Frame | None:
    """The frame of a TOML section: a tag or a heading."""
    if form.tag and form.heading:
        raise RecipeError(f"{where} has both a tag and a heading: keep one.")
    if form.heading and not form.heading.startswith("#"):
        raise RecipeError(f"{where}: the heading {form.heading!r} must begin with `#`.")
    for value in (form.name, form.tag or "", form.heading or ""):
        if BREAKS.search(value):
            raise RecipeError(f"{where}: {value!r} contains a line break or a control character: remove it.")
    return tag(form.tag) if form.tag else heading(form.heading) if form.heading else None


def _make_template_body(
    text: str, source: Source | None, when: When | None, names: list[str], where: str
) -> Callable[..., Body]:
    """The function that renders a TOML section from its template."""
    roots = {name.partition(".")[0] for name in (*names, *list_condition_fields(when))}
    if looks_at_tools(when):
        roots.add("tools")
    reads = tuple(field for field in FIELDS if field in roots)

    def render_template_section(*values: Any) -> Body:
        state = dict(zip(reads, values, strict=True))
        if when is not None and (reason := _explain_refusal(when, state)):
            return Skip(reason, (NO_CLOCK,) if "now" in names and state["now"] is None else ())
        return fill_placeholders(text, source, state, where)

    return record_reads(render_template_section, reads)


def _explain_refusal(when: When, state: dict[str, Any]) -> str | None:
    """Why the condition does not hold; None if it does."""
    tools: tuple[Tool, ...] = state.get("tools", ())
    active = active_names(tools)
    present = frozenset(path for path in list_condition_fields(when) if look_up_field(state, path) is not MISSING)
    return None if when.holds(active, present) else when.because(active, present)


def fill_placeholders(text: str, source: Source | None, state: dict[str, Any], where: str) -> Group:
    """The text as parts: the recipe's own text, and the values of the placeholders."""
    parts: list[Part | Group | str] = []
    fillers: dict[str, Part | Group] = {}
    room = FillRoom()
    for piece, name, at in split_placeholders(text):
        if name is None:
            parts += [_make_own_part(piece, source, at)] if piece else []
            continue
        if name not in fillers:
            fillers[name] = fill_placeholder(state, name, where)
        filler = fillers[name]
        if refused := room.refuses(name, len(node_text(filler))):
            raise StateError(f"{where}: {refused}.", hint="Use it once, or shorten it.")
        if parts and (name in GROUP_WRITERS or isinstance(parts[-1], Group)) and not _is_own(parts[-1]):
            parts.append("\n")  # a menu and another value could together form forbidden text
        parts.append(filler)
    return Group(tuple(_weld_parts(parts)), sep="")


def _is_own(part: Part | Group | str) -> bool:
    return isinstance(part, str) or (isinstance(part, Part) and (part.source is None or part.source.kind == "file"))


def _make_own_part(text: str, source: Source | None, line: int) -> Part | str:
    """The author's own text, with its file and line if it is from a file."""
    if source is None:
        return text
    return Part(text, replace(source, line=(source.line or 1) + line - 1), trusted=True)


def _weld_parts(parts: list[Part | Group | str]) -> list[Part | Group | str]:
    """Merge adjacent values into one part: together they could form text that neither may contain."""
    welded: list[Part | Group | str] = []
    for is_value, run in groupby(parts, key=lambda part: isinstance(part, Part) and not part.trusted):
        if not is_value:
            welded += run
            continue
        values = [part for part in run if isinstance(part, Part)]
        single = all(part.single for part in values)
        welded.append(replace(values[0], text="".join([part.text for part in values]), single=single))
    return welded
