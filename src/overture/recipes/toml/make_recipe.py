"""A recipe's TOML table -> Recipe."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from ...errors import RecipeError, find_similar
from ...model.recipe.recipe import Recipe
from ...model.recipe.rule import ALWAYS, Rule
from ...model.recipe.section import Section
from ...model.source import Tier
from ...model.struct import convert_data, explain_error
from ...model.wants import Wants
from .make_section import RecipeForm, RuleForm, SectionForm, make_condition, make_section

EMPTY_RECIPE = Recipe("empty", ())
MAX_ROWS = 1_000
"""Sections, and rules, of one recipe."""


def make_recipe(table: Mapping[str, Any], name: str, load: Callable[[str], Recipe], tier: Tier = "user") -> Recipe:
    """Make a recipe from its table. `load` returns the recipe that it extends; `tier` is the author of the table."""
    if not table:
        raise RecipeError(f"Recipe {name!r} is empty.", hint='Add [[sections]], or `extends = "house"`.')
    form = _parse_recipe_form(table, name)
    name = form.name or name
    base = load(form.extends) if form.extends else EMPTY_RECIPE
    if base.agent is not None:
        raise RecipeError(f"Recipe {name!r} extends {base.name!r}: the recipe of an agent can't be extended.")
    sections = _remove_sections(base, form, name)
    wants = _merge_wants(base.wants, form.wants or {}, name)
    waiting = list(form.sections)
    while waiting:
        row = _pick_row(waiting, {section.name for section in sections}, name)
        waiting.remove(row)
        _insert_section(sections, row, name)
    for rule in form.rules:
        _add_rule(sections, rule, name)
    known = {tool.name: tool for tool in (*base.tools, *form.tools)}
    return Recipe(
        name,
        tuple(sections),
        about=form.about or (f"{base.name}, changed." if form.extends else ""),
        wants=wants,
        sealed=base.sealed if form.sealed is None else form.sealed,
        clock=form.clock or base.clock,
        tools=tuple(known.values()),
        active=base.active if form.active is None else _check_active_tools(form.active, known, name),
        settings={**base.settings, **(form.settings or {})},
        files=(*base.files, *(row.origin for row in form.sections if row.origin)),
        notes=base.notes,
        tiers={**base.tiers, **{row.name: tier for row in form.sections}, **{rule.name: tier for rule in form.rules}},
    )


def _parse_recipe_form(table: Mapping[str, Any], name: str) -> RecipeForm:
    try:
        form = convert_data(table, RecipeForm)
    except msgspec.ValidationError as problem:
        raise RecipeError(explain_error(problem, RecipeForm)).within(f"Recipe {name!r}") from None
    for what, rows in (("sections", form.sections), ("rules", form.rules)):
        if len(rows) > MAX_ROWS:
            raise RecipeError(
                f"Recipe {name!r} has {len(rows):,} {what}, over the limit of {MAX_ROWS:,}.", hint="Merge some."
            )
    return form


def _remove_sections(base: Recipe, form: RecipeForm, name: str) -> list[Section]:
    """The sections of the extended recipe, without those that the TOML file removes."""
    names = [section.name for section in base.sections]
    for removed in form.remove:
        if removed not in names:
            raise RecipeError(
                f"Recipe {name!r} removes {removed!r}, which {base.name!r} does not have.",
                tip=find_similar(removed, names),
                hint=f"It has: {', '.join(names) or 'no sections'}.",
            )
    return [section for section in base.sections if section.name not in form.remove]


def _pick_row(waiting: list[SectionForm], placed: set[str], recipe: str) -> SectionForm:
    """The first row that can be placed: one may stand before or after a section that a later row defines."""
    unplaced = {row.name for row in waiting}
    missing = [row for row in waiting if not {row.before, row.after, row.replace} - {None} <= placed]
    for row in waiting:
        if row not in missing or not {row.before, row.after} - {None} & unplaced:
            return row
    raise RecipeError(
        f"Recipe {recipe!r} has sections that wait for each other: {', '.join(repr(row.name) for row in missing)}.",
        hint="Remove `before` or `after` of one.",
    )


def _insert_section(sections: list[Section], row: SectionForm, recipe: str) -> None:
    """Insert a section before, after or in place of another; by default at the end."""
    positions = [key for key in ("before", "after", "replace") if getattr(row, key)]
    if len(positions) > 1:
        raise RecipeError(f"Section {row.name!r} of recipe {recipe!r} has {' and '.join(positions)}: keep one.")
    new_section = make_section(row, recipe)
    names = [section.name for section in sections]
    if row.name in names and row.name != row.replace:
        raise RecipeError(
            f"Recipe {recipe!r} has two sections named {row.name!r}.",
            hint=f'Rename one, or write replace = "{row.name}".',
        )
    if not positions:
        sections.append(new_section)
        return
    target = getattr(row, positions[0])
    if target not in names:
        verb = "replaces" if row.replace else f"goes {positions[0]}"
        raise RecipeError(
            f"Section {row.name!r} of recipe {recipe!r} {verb} {target!r}, which does not exist.",
            tip=find_similar(target, names),
        )
    at = names.index(target)
    start, end = {"before": (at, at), "after": (at + 1, at + 1), "replace": (at, at + 1)}[positions[0]]
    sections[start:end] = [new_section]


def _add_rule(sections: list[Section], form: RuleForm, recipe: str) -> None:
    """Add a row to the guideline table of a section."""
    where = f"Rule {form.name!r} of recipe {recipe!r}"
    tables = [section.name for section in sections if section.rules]
    name = form.section or (tables[0] if len(tables) == 1 else None)
    if name not in tables:
        hint = f" {form.section!r} has none." if form.section else " Name one with `section`."
        raise RecipeError(f"{where} needs a section with rules: {', '.join(tables) or 'there is none'}.{hint}")
    at = next(i for i, section in enumerate(sections) if section.name == name)
    if form.name in {rule.name for rule in sections[at].rules}:
        raise RecipeError(f"{where}: a rule with that name already exists.", hint="Rename it.")
    when = ALWAYS if form.when is None else make_condition(form.when, where, tools_only=True)
    texts = (form.text,) if isinstance(form.text, str) else form.text
    sections[at] = replace(sections[at], rules=(*sections[at].rules, Rule(form.name, when, texts)))


def _merge_wants(base: Wants, overrides: dict[str, Any], name: str) -> Wants:
    """The extended recipe's wants, overridden field by field."""
    table: dict[str, Any] = msgspec.to_builtins(base)
    for key, value in overrides.items():
        own = table.get(key)
        table[key] = {**own, **value} if isinstance(own, dict) and isinstance(value, dict) else value
    try:
        wants = convert_data(table, Wants)
    except msgspec.ValidationError as problem:
        raise RecipeError(explain_error(problem, Wants)).within(f"Recipe {name!r}: wants") from None
    return wants


def _check_active_tools(names: tuple[str, ...], known: Mapping[str, object], recipe: str) -> tuple[str, ...]:
    for name in names:
        if name not in known:
            raise RecipeError(
                f"Recipe {recipe!r} activates {name!r}, which is not one of its tools.", tip=find_similar(name, known)
            )
    return names
