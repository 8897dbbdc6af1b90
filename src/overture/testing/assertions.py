"""Assertions on what a prompt says, how long it is, what of it a cache keeps, and what an agent loads."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import floor

from ..agents.table import Table, ask, make_table, open_agents_in
from ..agents.uses import Use
from ..discovery.world import Path
from ..errors import StateError, explain_unknown, show_value
from ..model.prompt.budget import Budget, BudgetLimit, as_budget
from ..model.prompt.prompt import Prompt
from ..model.prompt.saved_prompt import SavedPrompt, restore_prompt
from ..report.cache.cause_of_miss import CacheTurn, find_miss_cause
from ..session.session import Session
from ..session.turn_and_context import Turn
from ..text.normalize import count_common_start
from ..tokens.counter import CountFunction, as_counter, describe_tokens, estimate, format_tokens

PromptLike = Prompt | SavedPrompt | Turn | Session
"""What has a prompt: one that was built or saved, a turn of a session, or a session as it is now."""
MAX_LISTED_SECTIONS = 5


def find_prompt(subject: PromptLike) -> Prompt:
    """The prompt of a prompt, a saved one, a turn or a session."""
    if isinstance(subject, Prompt):
        return subject
    if isinstance(subject, SavedPrompt):
        return restore_prompt(subject)
    if isinstance(subject, Turn | Session):
        return subject.prompt
    raise TypeError(f"{show_value(subject)} is not a prompt. Pass a Prompt, a SavedPrompt, a Turn or a Session.")


def find_saved_prompt(subject: PromptLike) -> SavedPrompt:
    """The same in the form that is saved; one that was saved stays as it is."""
    return subject if isinstance(subject, SavedPrompt) else find_prompt(subject).saved


def assert_says(subject: PromptLike, *texts: str, section: str | None = None) -> None:
    """Fail unless the prompt contains each of these texts, in any section or in the named one.

    Sections of the user's message are included; for a turn, all its messages.
    """
    __tracebackhide__ = True
    _check_given(texts, "text")
    prompt = find_prompt(subject)
    blocks = [block for block in (*prompt.blocks, *prompt.messages) if section in (None, block.name)]
    messages = [each.text for each in subject.messages] if isinstance(subject, Turn) and section is None else []
    for text in texts:
        if not any(text in each for each in [prompt.text if section is None else "", *messages]) and not any(
            text in block.text for block in blocks
        ):
            raise AssertionError("\n".join(_explain_missing_text(prompt, text, section)))


def _check_given(values: tuple[Path, ...], noun: str) -> None:
    """Refuse an assertion that can't fail."""
    if not values or "" in values:
        raise TypeError(f"There is no {noun} to look for. Pass at least one that is not empty.")


def _explain_missing_text(prompt: Prompt, text: str, section: str | None) -> Iterator[str]:
    where = f"Section {section!r}" if section else "The prompt"
    yield f"{where} of recipe {prompt.recipe.name!r} does not contain {show_value(text, 200)}."
    for omission in prompt.omitted:
        if section == omission.name or (section is None and omission.name in text):
            yield f"cause: section {omission.name!r} is skipped: {omission.reason}"
    sections = (*prompt.blocks, *prompt.messages)
    others = [block.name for block in sections if text in block.text]
    if section is not None and section not in {
        *(each.name for each in sections),
        *(each.name for each in prompt.omitted),
    }:
        yield f"cause: the prompt has no such section, only {', '.join(block.name for block in sections)}"
    elif others:
        yield f"cause: it is in {', '.join(others)}"
    yield "hint: `overture explain` shows the text of each section and its files"


def assert_fits(
    subject: PromptLike,
    budget: BudgetLimit | Budget,
    *,
    window: int | None = None,
    count: CountFunction | None = None,
) -> None:
    """Fail if the system prompt has more tokens than the budget: `4000`, or `"10%"` of a `window`.

    A `Budget` may also limit sections. `count` counts the tokens; without it, the prompt's own counter does.
    """
    __tracebackhide__ = True
    prompt = find_prompt(subject)
    prompt = prompt if count is None else prompt.counted(count)
    limits = as_budget(budget)
    limits = limits if window is None else Budget(limits.total, limits.sections, window)
    tokens = {block.name: number for block, number in prompt.counted_blocks}
    over = [(f"Section {name!r}", tokens.get(name, 0), limit) for name, limit in limits.limits.items()]
    if limits.limit is not None:
        over.insert(0, ("The prompt", prompt.tokens, limits.limit))
    for what, number, limit in over:
        if number > limit:
            raise AssertionError("\n".join(_explain_size(prompt, what, number, limit)))


def _explain_size(prompt: Prompt, what: str, tokens: int, limit: int) -> Iterator[str]:
    exact, name = prompt.counter.exact, prompt.counter.name
    has, more = describe_tokens(tokens, exact=exact), format_tokens(tokens - limit, exact=exact)
    recipe = prompt.recipe.name
    yield f"{what} of recipe {recipe!r} has {has} ({name}): {more} more than the budget of {limit:,}."
    largest = sorted(prompt.counted_blocks, key=lambda row: -row[1])[:MAX_LISTED_SECTIONS]
    yield "cause: " + ", ".join(f"{block.name} has {format_tokens(number, exact=exact)}" for block, number in largest)
    yield f"hint: shorten these sections, or let `overture.fit(prompt, {limit})` do it"


def assert_loaded(
    agent: str, *paths: Path, cwd: Path | None = None, root: Path | None = None, touching: Iterable[Path] = ()
) -> None:
    """Fail unless a coding agent loads these files in full: `assert_loaded("codex", "AGENTS.md")`.

    Paths are relative to `cwd`. Only the project is used, as others have it: no home and no environment. For a skill,
    the agent loads name and description. `touching` are files that the agent works on.
    """
    __tracebackhide__ = True
    if not isinstance(agent, str):
        raise TypeError(f"{show_value(agent)} is not the name of an agent. Pass a name such as 'codex'.")
    _check_given(paths, "path")
    table = make_table(ask(open_agents_in(cwd, root=root, touching=tuple(touching)), [agent], shared=True))
    for path in paths:
        full = os.path.normpath(os.path.join(table.cwd, path))
        use = next(iter(table.by_path.get(full, ())), None)
        if use is None or use.how not in ("loaded", "listed"):
            raise AssertionError("\n".join(_explain_not_loaded(table, use, os.fspath(path), full)))


def _explain_not_loaded(table: Table, use: Use | None, path: str, full: str) -> Iterator[str]:
    name = table.agents[0].name
    if use is None:
        yield f"{name} does not load {path!r}."
        yield f"cause: {'it is not looked for' if os.path.lexists(full) else f'there is no file {full!r}'}"
    else:
        if use.how == "truncated":
            yield f"{name} loads {path!r} only to line {use.last_line} of {use.lines}."
        else:
            yield f"{name} " + (f"loads {path!r} only on demand." if use.how == "on_demand" else f"skips {path!r}.")
        yield f"cause: {table.explain(use)}"
    loaded = [each.path for each in table.at(name) if each.how in ("loaded", "truncated")]
    names = ", ".join(os.path.relpath(each, os.path.dirname(full)) for each in loaded[:MAX_LISTED_SECTIONS])
    yield f"It loads: {names or 'no file'}"
    yield f"hint: `overture agents {name} --why {path}` shows the rule"


def assert_prefix_stable(
    before: PromptLike,
    after: PromptLike,
    at_least: float | str = 1.0,
    *,
    count: Callable[[str], int] = estimate,
) -> None:
    """Fail unless `after` begins as `before` does, for this share of its tokens, or up to the end of that section.

    A share is a number from 0 to 1. The message names the first byte that differs, the
    section, the changed input and the kind of cause.
    """
    __tracebackhide__ = True
    old, new = find_saved_prompt(before), find_saved_prompt(after)
    same = count_common_start(old.text, new.text)
    wanted = _parse_wanted(at_least, {block.name: block.end for block in new.blocks})
    if isinstance(wanted, int):
        stable, message = same >= wanted, f"The prompt does not stay the same up to the end of {at_least!r}"
    else:
        counter = as_counter(count)
        total = counter(new.text)
        share = min(counter(new.text[:same]) / total, 1.0) if total else 1.0
        # Rounded down: a share that is not enough must not look as if it were.
        stays = f"stays the same for {floor(share * 1000) / 10:.1f}% of its tokens"
        stable, message = share >= wanted, f"The prompt {stays}, and at least {wanted * 100:g}% are wanted"
    cause = None if stable else find_miss_cause(CacheTurn(old), CacheTurn(new))
    if cause is not None:
        inputs = f" because {', '.join(cause.inputs)} changed" if cause.inputs else ""
        where = f"byte {cause.byte} in {cause.section or 'the order of the sections'}{inputs} ({cause.kind})"
        hint = (
            "hint: move what changes after what stays the same, give both prompts the same input, or lower `at_least`"
        )
        raise AssertionError(f"{message}. First difference: {where}.\n{hint}")


def _parse_wanted(at_least: object, ends: Mapping[str, int]) -> int | float:
    """The character at which a section ends, or a share as a float."""
    if isinstance(at_least, str):
        if at_least not in ends:
            raise StateError(explain_unknown("Section", at_least, ends))
        return ends[at_least]
    if not isinstance(at_least, int | float) or not 0 <= at_least <= 1:
        raise StateError(
            f"at_least: {at_least!r} is not a share of a prompt.",
            hint="Pass a number from 0 to 1 such as 0.95, or the name of a section.",
        )
    return float(at_least)
