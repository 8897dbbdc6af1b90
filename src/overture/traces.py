"""`turn`, `build`, `fit` and `discover` as spans of OpenTelemetry, where the program has it.

Nothing is imported: a program that traces has loaded `opentelemetry.trace` itself. Names that the GenAI conventions
have are theirs, the others begin with `overture.`. No text is in a span, unless the program asks for texts by the
conventions' own variable.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")
Attribute = tuple[str, Any]
TEXTS = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""The variable by which a program asks for texts in its spans."""
ASK_FOR_TEXTS = ("true", "1", "span_only", "span_and_event")
MAX_LISTED = 200
"""Entries of one attribute."""


def traced(name: str, describe: Callable[[Any], Iterable[Attribute]]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Runs a function or a coroutine in a span with its result; without OpenTelemetry, just runs it."""

    def wrap(function: Callable[P, T]) -> Callable[P, T]:
        any_function: Any = function

        @wraps(function)
        def run(*args: P.args, **keywords: P.kwargs) -> T:
            with _open_span(name, describe) as keep:
                result: T = keep(function(*args, **keywords))
            return result

        @wraps(function)
        async def run_coroutine(*args: P.args, **keywords: P.kwargs) -> Any:
            with _open_span(name, describe) as keep:
                return keep(await any_function(*args, **keywords))

        chosen: Any = run_coroutine if iscoroutinefunction(function) else run
        return cast(Callable[P, T], chosen)

    return wrap


@contextmanager
def _open_span(name: str, describe: Callable[[Any], Iterable[Attribute]]) -> Iterator[Callable[[Any], Any]]:
    """A span, as a function that adds a result to it and returns it; a span that is not recorded is left alone."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        yield lambda result: result
        return
    with trace.get_tracer("overture").start_as_current_span(name) as span:

        def keep(result: Any) -> Any:
            for key, value in describe(result) if span.is_recording() else ():
                if value is not None and value != ():
                    span.set_attribute(key, value)
            return result

        yield keep


def describe_prompt(prompt: Any) -> Iterator[Attribute]:
    """The parts of a prompt: blocks, how often each may change, tokens, and what was cut."""
    runtime = prompt.state.runtime
    yield "gen_ai.request.model", runtime.model if runtime else None
    yield "gen_ai.provider.name", runtime.provider if runtime else None
    yield "overture.recipe", prompt.recipe.name
    yield "overture.prompt.chars", len(prompt.text)
    yield "overture.prompt.tokens", prompt.tokens
    yield "overture.prompt.tokens_exact", prompt.counter.exact
    yield "overture.blocks", tuple(block.name for block in prompt.blocks)[:MAX_LISTED]
    yield "overture.blocks.pace", tuple(block.pace for block in prompt.blocks)[:MAX_LISTED]
    yield "overture.truncated", tuple(f"{cut.block}: {cut.how}" for cut in prompt.cuts)[:MAX_LISTED]
    yield "overture.diagnostics", tuple(note.code for note in prompt.diagnostics)[:MAX_LISTED]
    if os.environ.get(TEXTS, "").lower() in ASK_FOR_TEXTS:
        yield "gen_ai.system_instructions", prompt.text


def describe_turn(turn: Any) -> Iterator[Attribute]:
    """The prompt of a turn, what changed since the one before and why, and how much of its beginning stayed."""
    yield from describe_prompt(turn.prompt)
    entry, session = turn.entry, turn.prompt.state.session
    yield "gen_ai.conversation.id", session.id if session else None
    yield "overture.turn", turn.number
    yield "overture.messages", len(turn.messages)
    yield "overture.triggers", tuple(trigger.name for trigger in entry.triggers)[:MAX_LISTED]
    yield "overture.changed", tuple(f"{each.name}: {each.how}" for each in entry.changed)[:MAX_LISTED]
    causes = dict.fromkeys(cause for each in entry.changed for cause in each.because)
    yield "overture.changed.because", tuple(causes)[:MAX_LISTED]
    yield "overture.prefix.ratio", _find_prefix_ratio(entry)


def _find_prefix_ratio(entry: Any) -> float:
    """The share of the prompt that equals the turn before, from its first character on."""
    if entry.old is None or not entry.chars:
        return 0.0
    return 1.0 if entry.first is None else min(1.0, float(entry.first / entry.chars))


def describe_discovery(discovery: Any) -> Iterator[Attribute]:
    """The result of discovery: how many files, skills and tools, and their problems."""
    state = discovery.state
    yield "overture.files", len(state.context_files)
    yield "overture.skills", len(state.skills)
    yield "overture.tools", len(state.tools)
    yield "overture.looked_at", len(discovery.looked_at)
    yield "overture.diagnostics", tuple(note.code for note in discovery.diagnostics)[:MAX_LISTED]
