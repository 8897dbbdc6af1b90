"""Everything in a request takes a share of the model's window; the shares add up to the whole."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, NamedTuple

from msgspec.structs import replace

from ..lazy import cached
from ..model.prompt.prompt import Prompt
from ..model.struct import Frozen, as_json, note
from ..text.words import pluralize
from ..tokens.counter import Counter, format_tokens, share_out
from .stats_and_cut_notes import list_counted_sources, sum_by_file

MENU = "the menu's own text"
"""The label of the text around and between the skills."""


class ContextShare(Frozen, frozen=True, omit_defaults=False):
    """One part of the context."""

    name: Annotated[str, note("name of the section, tool, skill, file or kind of message")]
    tokens: int
    count: Annotated[int, note("how many messages of this kind there are")] = 1
    parts: Annotated[tuple["ContextShare", ...], note("named parts of it: files, loaded skills")] = ()


class Context(Frozen, frozen=True, omit_defaults=False):
    """The use of a model's context window, by part."""

    recipe: str
    model: str | None
    tokenizer: str
    exact: Annotated[bool, note("false: the tokens are an estimate")]
    tokens: Annotated[int, note("of all parts together")]
    window: Annotated[int | None, note("size of the model's context window in tokens; null: unknown")]
    free: Annotated[int | None, note("tokens left in the window; below 0: over the limit")]
    system: Annotated[tuple[ContextShare, ...], note("the system prompt by section, without the menu of skills")]
    tools: Annotated[tuple[ContextShare, ...], note("each tool with its description and schema")]
    skills: Annotated[tuple[ContextShare, ...], note("each skill in the menu")]
    nested: Annotated[tuple[ContextShare, ...], note("project files below cwd that were loaded with messages")]
    messages: Annotated[tuple[ContextShare, ...], note("the conversation by kind")]
    not_counted: Annotated[tuple[str, ...], note("content of unknown size, e.g. images")] = ()

    def within(self, window: int | None, model: str | None = None) -> "Context":
        """The same context in a window of this many tokens."""
        free = None if window is None else window - self.tokens
        return replace(self, window=window, free=free, model=model or self.model)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return as_json(self)


class RequestText(NamedTuple):
    """A text of the request outside the system prompt, with its kind and name; `begins`: it begins a message."""

    kind: str
    name: str
    text: str
    begins: bool = True


def measure_context(
    prompt: Prompt, tools: Iterable[RequestText], messages: Iterable[RequestText], not_counted: Iterable[str] = ()
) -> Context:
    """Count all parts of a request with the prompt's counter."""
    count = prompt.counter
    system, skills = _share_system_prompt(prompt)
    rows: dict[str, list[tuple[RequestText, int]]] = {}
    for message in messages:
        rows.setdefault(message.kind, []).append((message, count.by_lines(message.text)))
    nested = _sum_named_shares(rows.pop("context", []))
    offered = tuple(_share_tools(tuple(tools), count))
    kinds = [*(kind for kind in LABELS if kind in rows), *(kind for kind in rows if kind not in LABELS)]
    shares = tuple(_sum_kind(kind, rows[kind]) for kind in kinds)
    total = sum(share.tokens for share in (*system, *skills, *offered, *nested, *shares))
    return Context(
        prompt.recipe.name, None, count.name, count.exact, total, None, None,
        system, offered, skills, nested, shares, tuple(not_counted),
    )  # fmt: skip


def _share_tools(tools: Sequence[RequestText], count: Counter) -> Iterator[ContextShare]:
    """The tools with their tokens, which add up to the tokens of the list that is sent."""
    each = [count.by_lines(tool.text) for tool in tools]
    total = count.by_lines(f"[{','.join(tool.text for tool in tools)}]") if tools else 0
    return map(ContextShare, (tool.name for tool in tools), share_out(total, each))


LABELS = {
    "prompt": "user messages",
    "sections": "recipe sections in messages",
    "reply": "replies",
    "call": "tool calls",
    "result": "tool results",
    "skill": "skills loaded",
    "summary": "summaries",
    "branch": "summaries of other branches",
    "shell": "user commands",
    "custom": "program messages",
    "hook": "hook messages",
}
"""Labels for kinds of messages, in the order in which they are listed. `sections` are sections that the recipe places
in messages of the user, `call` is a tool call of the model."""


def _sum_rows(name: str, rows: list[tuple[RequestText, int]], parts: tuple[ContextShare, ...] = ()) -> ContextShare:
    return ContextShare(name, sum(tokens for _, tokens in rows), sum(each.begins for each, _ in rows), parts)


def _sum_kind(kind: str, rows: list[tuple[RequestText, int]]) -> ContextShare:
    return _sum_rows(kind, rows, _sum_named_shares([row for row in rows if row[0].name]))


def _sum_named_shares(rows: list[tuple[RequestText, int]]) -> tuple[ContextShare, ...]:
    """The shares of texts by name, in a context."""
    names = dict.fromkeys(each.name for each, _ in rows)
    return tuple(_sum_rows(name, [row for row in rows if row[0].name == name]) for name in names)


@cached
def _share_system_prompt(prompt: Prompt) -> tuple[tuple[ContextShare, ...], tuple[ContextShare, ...]]:
    """The shares of the sections, and of the skills in menus; no text is in both."""
    sections: list[ContextShare] = []
    skills: dict[str, int] = {}
    for index, tokens in enumerate(prompt.block_tokens):
        listed, pure = _count_menu_tokens(prompt, index)
        rest = tokens - sum(listed.values())
        if listed and pure:
            # The section is only a menu: its other words belong to the menu.
            listed[MENU] = rest
        else:
            sections.append(
                ContextShare(prompt.blocks[index].name, rest, parts=tuple(_list_file_shares(prompt, index)))
            )
        for name, count in listed.items():
            skills[name] = skills.get(name, 0) + count
    words = [(MENU, skills.pop(MENU))] if MENU in skills else []
    return tuple(sections), tuple(ContextShare(*row) for row in (*skills.items(), *words))


def _count_menu_tokens(prompt: Prompt, index: int) -> tuple[dict[str, int], bool]:
    """The tokens of each skill that a block lists, and whether all other text in it is the recipe's own."""
    names = {skill.location: skill.name for skill in prompt.state.skills}
    listed: dict[str, int] = {}
    between, pure = 0, True
    for source, _, tokens in list_counted_sources(prompt, prompt.blocks[index], prompt.block_tokens[index]):
        if source.kind == "file" and source.path in names:
            # The recipe's words between two entries are tags or bullets, and count as part of the later entry.
            name = names[source.path]
            listed[name] = listed.get(name, 0) + tokens + (between if listed else 0)
            between = 0
        elif source.kind == "recipe":
            between += tokens
        else:
            between, pure = 0, False
    return listed, pure


def _list_file_shares(prompt: Prompt, index: int) -> Iterator[ContextShare]:
    skills = {skill.location for skill in prompt.state.skills}
    files = sum_by_file(prompt, [(prompt.blocks[index], prompt.block_tokens[index])])
    return (ContextShare(path, tokens) for path, tokens in files.items() if path not in skills)


CONTEXT_KINDS = ("system prompt", "tools", "skills", "nested files", "messages")


class ContextKind(NamedTuple):
    """One kind of parts."""

    label: str
    shares: tuple[ContextShare, ...]

    @property
    def tokens(self) -> int:
        """The tokens of all its parts."""
        return sum(share.tokens for share in self.shares)


def group_by_kind(context: Context) -> tuple[ContextKind, ...]:
    """The kinds of parts, in the order in which they are shown."""
    shares = (context.system, context.tools, context.skills, context.nested, context.messages)
    return tuple(map(ContextKind, CONTEXT_KINDS, shares))


def bar_lengths(values: Sequence[int], room: int) -> list[int]:
    """The length of each part in a bar, in proportion to its value; no part with a value is invisible."""
    cells = share_out(room, values)
    for index, value in enumerate(values):
        if value and not cells[index]:
            cells[index], largest = 1, max(range(len(cells)), key=cells.__getitem__)
            cells[largest] -= 1
    return cells


def headline(ctx: Context) -> str:
    """`3,120 of 200,000 tokens, 1.6 %; 196,880 are free (claude-opus-5, o200k)`."""
    used = format_tokens(ctx.tokens, exact=ctx.exact)
    by = ", ".join(word for word in (ctx.model, ctx.tokenizer) if word)
    if ctx.window is None or ctx.free is None:
        return f"{used} {pluralize(ctx.tokens, 'token')} ({by})"
    if ctx.free < 0:
        return f"{used} of {ctx.window:,} tokens: {-ctx.free:,} too many ({by})"
    return f"{used} of {ctx.window:,} tokens, {format_percent(ctx.tokens, ctx.window)}; {ctx.free:,} are free ({by})"


def format_percent(part: int, total: int) -> str:
    """`1.6 %`; a value above 0 is never shown as `0.0 %`."""
    share = part / max(total, 1) * 100
    return "<0.1 %" if 0 < share < 0.05 else f"{share:.1f} %"


def share_name(share: ContextShare, kind: str) -> str:
    """The name of a part for a person."""
    return LABELS.get(share.name, share.name) if kind == "messages" else share.name
