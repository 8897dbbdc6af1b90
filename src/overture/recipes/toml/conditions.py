"""Conditions of sections and rules, from the tables `when` of a recipe in TOML."""

from typing import Any

from ...errors import RecipeError, find_similar
from ...model.recipe.rule import When, all_of, any_of, at_least, has
from ...model.state.state_fields import explain_bad_path

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
    """So many of a list: of names of tools, and of conditions."""
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
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise RecipeError(f"{where}: `{key}` takes a name or a list of names, not {value!r}.")
    return tuple(names)


def _check_field(name: str, where: str) -> str:
    if fault := explain_bad_path(name):
        raise RecipeError(f"{where}: `field` {name!r}: {fault}.")
    return name


def condition_fields(when: When | None) -> set[str]:
    """The field paths that a condition looks at."""
    if when is None:
        return set()
    own = set(when.names) if when.op == "given" else set()
    return own.union(*(condition_fields(part) for part in when.parts))


def looks_at_tools(when: When | None) -> bool:
    """Whether a condition depends on the active tools."""
    return when is not None and (when.op in ("some", "has", "lacks") or any(map(looks_at_tools, when.parts)))
