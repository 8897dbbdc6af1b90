"""Nova's fast half: what is different in every run."""

from collections.abc import Iterator
from datetime import datetime

from ...model.diagnostic import Diagnostic, warning
from ...model.line_breaks import line_breaks
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.section import section, tag
from ...model.source import from_state
from ...model.state.runtime import Runtime
from ...model.state.tasks import Step, Task
from ...model.state.tool import Tool
from ...sections.clock import NO_CLOCK, to_the_minute, unknown_zone
from ...sections.escape_markup import indented
from ...sections.guidelines import active_names
from ...sections.shorten_text import heads
from ...text.normalize import one_line, tidy

BACKGROUND = (
    "You are running in the background (scheduled task). Your responses will NOT be sent to the user automatically.\n"
    "If you need to notify the user about something important, use the notify_user tool."
)
REST = "- [{shown} of {all} memories are given: there is no room for the others.]"


@section("context", pace="turn", frame=tag("Context"), priority=80, required=True)
def context(now: datetime | None, runtime: Runtime | None) -> Body:
    """The time, to the minute, and the zone that it is in."""
    timezone = runtime.timezone if runtime else None
    if now is None:
        return Skip("no time is given", (NO_CLOCK, *unknown_zone(timezone)))
    time = Part(to_the_minute(now, timezone), from_state("now"), before="Current time: ", trusted=True)
    return Group((time,), notes=unknown_zone(timezone))


@section("memories", pace="turn", frame=tag("Memories"), priority=60)
def memories(memories: tuple[str, ...]) -> Body:
    """What all agents know: one bullet for each memory."""
    if not memories:
        return Skip("there are no memories")
    parts = [
        Part(item(text), from_state(f"memories[{index}]"), name=f"memories[{index}]", before="- ", leaner=heads)
        for index, text in enumerate(memories)
    ]
    blank = tuple(f"{part.name} is blank" for part in parts if not part.text)
    if len(blank) == len(parts):
        return Skip("every memory is blank")
    return Group(tuple(parts), loose="fair", rest=REST, omits=blank)


@section("task", pace="turn", frame=tag("Task"), priority=90)
def task(task: Task | None) -> Body:
    """The task that the run is bound to, and how far it has come."""
    if task is None:
        return Skip("the run is not bound to a task")
    after = ". Focus solely on progressing this task."
    focus = Part(one_line(str(task.id)), from_state("task.id"), before="You are working on task #", after=after)
    lines = (
        Part(one_line(task.title), from_state("task.title"), before="Title: "),
        Part(item(task.description or ""), from_state("task.description"), before="Description: "),
        Part(one_line(task.status or ""), from_state("task.status"), before="Status: "),
        Group(tuple(steps(task.steps)), before="Steps:\n"),
    )
    return Group((focus, Group(lines)), sep="\n\n", notes=tuple(_broken(task)))


def _broken(task: Task) -> Iterator[Diagnostic]:
    """The line breaks in what has one line. A description may have several."""
    yield from line_breaks("task.id", str(task.id))
    yield from line_breaks("task.title", task.title)
    yield from line_breaks("task.status", task.status)
    for index, step in enumerate(task.steps):
        yield from line_breaks(f"task.steps[{index}].title", step.title)


def steps(given: tuple[Step, ...]) -> list[Part | str]:
    """Numbered lines: ✓ what is done, → the first that is not, ○ the others. One without a title keeps its number."""
    current = next((index for index, step in enumerate(given) if not step.done), None)
    lines: list[Part | str] = []
    for index, step in enumerate(given):
        mark = "✓" if step.done else "→" if index == current else "○"
        before, after = f"{index + 1}. {mark}", " (done)" if step.done else ""
        title = one_line(step.title)
        source = from_state(f"task.steps[{index}].title")
        lines.append(Part(title, source, before=f"{before} ", after=after) if title else before + after)
    return lines


@section("background", pace="turn", frame=tag("Background"), priority=90)
def background(background: bool, tools: tuple[Tool, ...]) -> Body:
    """That nobody reads the answer, and how to reach the user all the same."""
    if not background:
        return Skip("the run is not in the background")
    if "notify_user" in active_names(tools):
        return BACKGROUND
    message = "the background section names `notify_user`, which is not an active tool"
    return Group((BACKGROUND,), notes=(warning("tool-inactive", message),))


def item(text: str) -> str:
    """A text as an item of a list: further lines are moved right, so that none can pose as the next item."""
    return indented(tidy(text)[0].strip(), "  ").strip()
