"""A recipe in TOML: its keys, its conditions and its name patterns, before they become a Recipe."""

import re
from typing import Annotated, Any

from ...errors import RecipeError, find_similar
from ...model.recipe.recipe import AgentFacts, Clock
from ...model.recipe.rule import When, all_of, any_of, at_least, has
from ...model.recipe.section import Pace, SectionPlace
from ...model.state.field_paths import explain_bad_path
from ...model.struct import Frozen, note
from ...model.tool import Tool

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
    files: Annotated[tuple[str, ...], note("instead of a text: the files of these steps of `wants.files`")] = ()
    menu: Annotated[
        str | None, note("instead of a text: a line for each skill, with {{ name }}, {{ description }}")
    ] = None
    opens: Annotated[str, note("text above the files or the list")] = ""
    closes: Annotated[str, note("text below them")] = ""
    each: Annotated[
        str | dict[str, str],
        note(
            "how a file is written, for all or by step or file name, with {{ text }}, {{ path }} (absolute), "
            "{{ relative }} (to cwd), {{ in_project }} (relative to the project's root), {{ folder }}, {{ file }}, "
            "{{ name }} (without extension), {{ description }}, {{ front.KEY }} (a key of its frontmatter)"
        ),
    ] = "{{ text }}"
    between: Annotated[str, note("text between two files")] = "\n\n"
    turning: Annotated[str | None, note("text between the files of two steps; none: the same as `between`")] = None


TEXT_KEYS = {"text": None, "file": None, "when": None}
FILES_KEYS = {"opens": "", "closes": "", "each": "{{ text }}", "between": "\n\n", "turning": None}
"""Keys for sections with a text only, and keys for sections with files or skills only, with their defaults."""


def check_section_keys(form: SectionForm, where: str) -> None:
    """Raise for a key that the section would ignore."""
    source = "files" if form.files else "menu" if form.menu is not None else "text"
    ignored = FILES_KEYS if source == "text" else TEXT_KEYS
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
    agent: Annotated[AgentFacts | None, note("for an agent of another vendor: its facts, and how they are known")] = (
        None
    )


# Name patterns in recipes: only a few character sets, so that no pattern can run for hours.


PATTERN_PIECE = re.compile(r"(\[\^?(?:[^\[\]\\]|\\[wd-])+\])([*+]|\{\d\d?,\d\d?\})?")
MAX_CHARACTER_SETS = 3
"""Sets of characters in one pattern."""


def check_name_pattern(pattern: str) -> str | None:
    """The problem of a pattern. Valid ones have up to three sets such as `[a-z0-9-]`, one of them with `*` or `+`."""
    pieces = PATTERN_PIECE.findall(pattern)
    if "".join(chars + often for chars, often in pieces) != pattern or len(pieces) > MAX_CHARACTER_SETS:
        return f"it is not a sequence of up to {MAX_CHARACTER_SETS} character sets, such as [a-z][a-z0-9-]*"
    if sum(often in ("*", "+") for _, often in pieces) > 1:
        return "only one of its character sets may have `*` or `+`"
    try:
        re.compile(pattern)
    except re.error as problem:
        return str(problem)
    return None


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
