"""A section has a name, a pace, a frame, a priority and a body whose parameters name what it reads."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Literal

from msgspec import Struct

from ...lazy import lazy
from ..struct import Frozen
from .body import Body, Skip
from .rule import Rule

Pace = Literal["static", "session", "turn"]
"""How often a section may change: never for this agent, once a session, every turn."""

SectionPlace = Literal["system", "user"]
"""Where a section goes: into the system prompt, or into the user's message."""


SLOT = "{}"
"""In a heading that a section writes: the position of a value, a path or a name."""


class Frame(Frozen, frozen=True):
    """What stands around a section's body: an XML-style tag or a Markdown heading."""

    before: str
    after: str = ""
    tag: str | None = None
    heading: str | None = None


def tag(name: str) -> Frame:
    """Frame a section with `<name>` above and `</name>` below: `frame=tag("rules")`."""
    return Frame(f"<{name}>\n", f"\n</{name}>", tag=name)


def heading(line: str) -> Frame:
    """Put a Markdown heading and a blank line above a section: `frame=heading("## Runtime")`."""
    return Frame(f"{line}\n\n", heading=line)


class Section(Struct, frozen=True, dict=True, eq=False):
    """One section of a recipe. Make one with `@section("name")`."""

    name: str
    body: Callable[..., Body]
    pace: Pace = "session"
    frame: Frame | None = None
    priority: int = 50
    required: bool = False
    place: SectionPlace = "system"
    tags: tuple[str, ...] = ()
    """More tags that the body writes itself. Text from files may not write them."""
    headings: tuple[str, ...] = ()
    """More headings that the body writes itself; `{}` in one stands for a value."""
    rules: tuple[Rule, ...] = ()
    """The guidelines for a body with a parameter `rules`. Recipes in TOML may add to them."""
    in_program: bool = False
    """True: the model calls tools inside the program that it writes, so none is sent as a native tool."""
    children: tuple[str, ...] = ()
    """Elements and headings that the body writes inside one of its tags. Other text in the section may not write them.
    Text in other sections may not write such an element with an attribute."""

    def __repr__(self) -> str:
        """`<Section skills, session>`."""
        return f"<Section {self.name}, {self.pace}>"

    @lazy
    def reads(self) -> tuple[str, ...]:
        """The fields of State that the body reads: the names of its parameters, except `rules`."""
        return tuple(name for name in reads_of(self.body) if name != "rules")

    @lazy
    def inputs(self) -> Callable[[object], tuple[Any, ...]]:
        """A function from a State to the arguments of the body. A parameter `rules` gets the section's rules."""
        names = reads_of(self.body)
        if "rules" in names:
            table = self.rules
            return lambda state: tuple([table if n == "rules" else getattr(state, n) for n in names])
        if not names:
            return lambda _: ()
        get = attrgetter(*names)
        return get if len(names) > 1 else lambda state: (get(state),)

    @lazy
    def call_body(self) -> Callable[..., Body]:
        """The body as a function of positional arguments only."""
        code = getattr(self.body, "__code__", None)
        if code is None or not code.co_kwonlyargcount:
            return self.body
        body, count, names = self.body, code.co_argcount, reads_of(self.body)
        return lambda *values: body(*values[:count], **dict(zip(names[count:], values[count:], strict=True)))

    @property
    def outer_tags(self) -> tuple[str, ...]:
        """Its tags that are not inside another of its tags."""
        tag = self.frame.tag if self.frame else None
        return (tag,) if tag else self.tags

    @property
    def outer_headings(self) -> tuple[str, ...]:
        """Its headings that are not inside one of its tags."""
        frame = self.frame
        if frame is None:
            return self.headings
        return () if frame.tag else (*([frame.heading] if frame.heading else []), *self.headings)

    @property
    def inner_tags(self) -> tuple[str, ...]:
        """Its tags that are inside another of its tags."""
        return (*self.tags, *self.children) if self.frame and self.frame.tag else self.children

    @property
    def inner(self) -> tuple[str, ...]:
        """Its tags and headings that are inside one of its tags. Text there may not write any of them."""
        return (*self.inner_tags, *self.headings) if self.frame and self.frame.tag else self.inner_tags

    @property
    def written(self) -> tuple[str, ...]:
        """The tags and headings that its body writes itself. Text that it quotes may not write them."""
        return (*self.tags, *self.headings, *self.children)

    @property
    def framing(self) -> tuple[str, ...]:
        """All its tags and headings: those of the frame and those that its body writes."""
        frame = self.frame
        names = [name for name in (frame.tag, frame.heading) if name] if frame else []
        return (*names, *self.written)

    @property
    def claim(self) -> str:
        """What the section states: the first line of its body's docstring."""
        return (self.body.__doc__ or "").strip().partition("\n")[0]


def reads_of(body: Callable[..., Body]) -> tuple[str, ...]:
    """The parameter names of `body`, or what a combinator recorded in `reads`."""
    recorded = getattr(body, "reads", None)
    if recorded is not None:
        return tuple(recorded)
    code = body.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def section(
    name: str,
    *,
    pace: Pace = "session",
    frame: Frame | None = None,
    priority: int = 50,
    required: bool = False,
    place: SectionPlace = "system",
    tags: tuple[str, ...] = (),
    headings: tuple[str, ...] = (),
    rules: tuple[Rule, ...] = (),
    in_program: bool = False,
    children: tuple[str, ...] = (),
) -> Callable[[Callable[..., Body]], Section]:
    """Decorate a function to make it a section. Its parameters are the fields of State that it reads.

    ```python
    import overture


    @overture.section("project", frame=overture.tag("project"))
    def project(runtime):
        return f"You work in {runtime.cwd}."
    ```
    """
    return lambda body: Section(
        name, body, pace, frame, priority, required, place, tags, headings, rules, in_program, children
    )  # fmt: skip


BodyFunction = Callable[..., Body]


def first_of(*bodies: BodyFunction) -> BodyFunction:
    """The first body that does not return None is used. An override is this, not a second code path."""
    reads = tuple(dict.fromkeys(name for body in bodies for name in reads_of(body)))

    def render(*values: Any) -> Body:
        by_name = dict(zip(reads, values, strict=True))
        for body in bodies:
            text = body(*(by_name[name] for name in reads_of(body)))
            if text is not None:
                return text
        return None

    return record_reads(render, reads, bodies[-1].__doc__)


def only_if(field: str, body: BodyFunction, reason: str) -> BodyFunction:
    """`body` is used if the field of the state is given; otherwise the section is skipped for `reason`."""

    def require_value(value: Any) -> Body:
        return None if value else Skip(reason)

    return first_of(record_reads(require_value, (field,)), body)


def record_reads(function: BodyFunction, reads: tuple[str, ...], doc: str | None = None) -> BodyFunction:
    """The body of a section, with the fields of State that it reads: its parameters do not name them."""
    function.reads = reads  # type: ignore[attr-defined]
    function.__doc__ = doc
    return function
