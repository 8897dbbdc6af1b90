"""Everything in a request takes a share of the model's window; the shares add up to the whole."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, NamedTuple

from msgspec.structs import replace

from ..model.prompt.block import Block
from ..model.prompt.prompt import Prompt
from ..model.struct import Frozen, as_json, note
from ..tokens.counter import share_out
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


def measure_context(
    prompt: Prompt, tools: Iterable[RequestText], messages: Iterable[RequestText], not_counted: Iterable[str] = ()
) -> Context:
    """Count all parts of a request with the prompt's counter."""
    count = prompt.counter
    system, skills = _share_system_prompt(prompt)
    rows: dict[str, list[CountedText]] = {}
    for message in messages:
        rows.setdefault(message.kind, []).append((message, count.by_lines(message.text)))
    nested = _sum_by_name(rows.pop("context", []))
    offered = list(tools)
    # The list that is sent has brackets and commas: the tools share them.
    whole = count.by_lines(f"[{','.join(tool.text for tool in offered)}]") if offered else 0
    shares = share_out(whole, [count.by_lines(tool.text) for tool in offered])
    listed = tuple(map(ContextShare, (tool.name for tool in offered), shares))
    kinds = sorted(rows, key=lambda kind: list(LABELS).index(kind) if kind in LABELS else len(LABELS))
    said = tuple(
        _sum_rows(kind, rows[kind], _sum_by_name([row for row in rows[kind] if row[0].name])) for kind in kinds
    )
    total = sum(share.tokens for share in (*system, *skills, *listed, *nested, *said))
    return Context(
        prompt.recipe.name, None, count.name, count.exact, total, None, None,
        system, listed, skills, nested, said, tuple(not_counted),
    )  # fmt: skip


CountedText = tuple[RequestText, int]


def _sum_rows(name: str, rows: Sequence[CountedText], parts: tuple[ContextShare, ...] = ()) -> ContextShare:
    return ContextShare(name, sum(tokens for _, tokens in rows), sum(each.begins for each, _ in rows), parts)


def _sum_by_name(rows: Sequence[CountedText]) -> tuple[ContextShare, ...]:
    names = dict.fromkeys(each.name for each, _ in rows)
    return tuple(_sum_rows(name, [row for row in rows if row[0].name == name]) for name in names)


def _share_system_prompt(prompt: Prompt) -> tuple[tuple[ContextShare, ...], tuple[ContextShare, ...]]:
    """The shares of the sections, and of the skills in menus; no text is in both."""
    sections: list[ContextShare] = []
    skills: dict[str, int] = {}
    for block, tokens in zip(prompt.blocks, prompt.block_tokens, strict=True):
        listed, is_only_menu = _count_menu_tokens(prompt, block, tokens)
        rest = tokens - sum(listed.values())
        if listed and is_only_menu:
            listed[MENU] = rest
        else:
            locations = {skill.location for skill in prompt.state.skills}
            files = sum_by_file(prompt, [(block, tokens)]).items()
            parts = tuple(ContextShare(path, cost) for path, cost in files if path not in locations)
            sections.append(ContextShare(block.name, rest, parts=parts))
        for name, cost in listed.items():
            skills[name] = skills.get(name, 0) + cost
    words = [(MENU, skills.pop(MENU))] if MENU in skills else []
    return tuple(sections), tuple(ContextShare(*row) for row in (*skills.items(), *words))


def _count_menu_tokens(prompt: Prompt, block: Block, tokens: int) -> tuple[dict[str, int], bool]:
    """The tokens of each skill that a block lists, and whether all other text in it is the recipe's own."""
    names = {skill.location: skill.name for skill in prompt.state.skills}
    listed: dict[str, int] = {}
    between, is_only_menu = 0, True
    for source, _, cost in list_counted_sources(prompt, block, tokens):
        if source.kind == "file" and source.path in names:
            # The recipe's words between two entries are tags or bullets, and count as part of the later entry.
            name = names[source.path]
            listed[name] = listed.get(name, 0) + cost + (between if listed else 0)
            between = 0
        elif source.kind == "recipe":
            between += cost
        else:
            between, is_only_menu = 0, False
    return listed, is_only_menu


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
    return (
        ContextKind("system prompt", context.system),
        ContextKind("tools", context.tools),
        ContextKind("skills", context.skills),
        ContextKind("nested files", context.nested),
        ContextKind("messages", context.messages),
    )
