"""All that a request holds -> what each part of it takes of the model's window. The parts add up to the whole."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, NamedTuple

from msgspec.structs import replace

from ..lazy import kept
from ..model.prompt.prompt import Prompt
from ..model.struct import Frozen, as_json, note

MENU = "the menu's own words"
"""What stands around and between the skills."""


class Share(Frozen, frozen=True, omit_defaults=False):
    """One part of the context."""

    name: Annotated[str, note("of the section, tool, skill, file or kind of message")]
    tokens: int
    count: Annotated[int, note("how many messages of this kind there are")] = 1
    parts: Annotated[tuple["Share", ...], note("what of it has a name of its own: files, loaded skills")] = ()


class Context(Frozen, frozen=True, omit_defaults=False):
    """What fills the window of a model, by its parts."""

    recipe: str
    model: str | None
    tokenizer: str
    exact: Annotated[bool, note("false: the tokens are an estimate")]
    tokens: Annotated[int, note("of all parts together")]
    window: Annotated[int | None, note("the tokens that the model takes in; null: not known")]
    free: Annotated[int | None, note("what is left of the window; below 0: so many are too many")]
    system: Annotated[tuple[Share, ...], note("the system prompt by section, without the menu of skills")]
    tools: Annotated[tuple[Share, ...], note("each tool with its description and schema")]
    skills: Annotated[tuple[Share, ...], note("each skill in the menu")]
    nested: Annotated[tuple[Share, ...], note("project files below cwd that messages brought")]
    messages: Annotated[tuple[Share, ...], note("the conversation by kind")]
    not_counted: Annotated[tuple[str, ...], note("what has a size that nobody here knows, e.g. pictures")] = ()

    def within(self, window: int | None, model: str | None = None) -> "Context":
        """The same for a window of so many tokens."""
        free = None if window is None else window - self.tokens
        return replace(self, window=window, free=free, model=model or self.model)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return as_json(self)


class Said(NamedTuple):
    """A text of the request outside the system prompt: of which kind, with which name, and whether it begins one."""

    kind: str
    name: str
    text: str
    begins: bool = True


def context(
    prompt: Prompt, tools: Iterable[Said], messages: Iterable[Said], not_counted: Iterable[str] = ()
) -> Context:
    """Count a request: its system prompt by the prompt's counter, and so all the rest."""
    count = prompt.counter
    system, skills = _system(prompt)
    rows: dict[str, list[tuple[Said, int]]] = {}
    for said in messages:
        rows.setdefault(said.kind, []).append((said, count.by_lines(said.text)))
    nested = _named(rows.pop("context", []))
    offered = tuple(Share(tool.name, count.by_lines(tool.text)) for tool in tools)
    talk = tuple(_kind(kind, rows[kind]) for kind in sorted(rows, key=_place))
    total = sum(share.tokens for share in (*system, *skills, *offered, *nested, *talk))
    return Context(
        prompt.recipe.name, None, count.name, count.exact, total, None, None,
        system, offered, skills, nested, talk, tuple(not_counted),
    )  # fmt: skip


LABELS = {
    "prompt": "the user's words",
    "sections": "sections of the recipe in them",
    "reply": "replies",
    "call": "tool calls",
    "result": "tool results",
    "skill": "skills loaded",
    "summary": "summaries",
    "branch": "summaries of other branches",
    "shell": "commands of the user",
    "custom": "messages of programs",
    "hook": "messages of hooks",
    "update": "changes of the prompt told",
}
"""Kinds of messages in words, in the order in which they are listed. `sections` are what the recipe places in those of
the user, `call` is what the model wants called."""


def _place(kind: str) -> int:
    return [*LABELS].index(kind) if kind in LABELS else len(LABELS)


def _kind(kind: str, said: list[tuple[Said, int]]) -> Share:
    parts = _named([row for row in said if row[0].name])
    return Share(kind, sum(tokens for _, tokens in said), sum(each.begins for each, _ in said), parts)


def _named(said: list[tuple[Said, int]]) -> tuple[Share, ...]:
    names = dict.fromkeys(each.name for each, _ in said)
    return tuple(_of_name(name, [row for row in said if row[0].name == name]) for name in names)


def _of_name(name: str, said: list[tuple[Said, int]]) -> Share:
    return Share(name, sum(tokens for _, tokens in said), sum(each.begins for each, _ in said))


@kept
def _system(prompt: Prompt) -> tuple[tuple[Share, ...], tuple[Share, ...]]:
    """The sections, and the skills of which menus are made: what is in the one is not in the other."""
    sections: list[Share] = []
    skills: dict[str, int] = {}
    for index, tokens in enumerate(prompt.block_tokens):
        listed, pure = _menu(prompt, index)
        left = tokens - sum(listed.values())
        if listed and pure:
            # A section that is nothing but the menu: its words are the menu's.
            listed[MENU] = left
        else:
            sections.append(Share(prompt.blocks[index].name, left, parts=tuple(_files(prompt, index))))
        for name, count in listed.items():
            skills[name] = skills.get(name, 0) + count
    words = [(MENU, skills.pop(MENU))] if MENU in skills else []
    return tuple(sections), tuple(Share(*row) for row in (*skills.items(), *words))


def _menu(prompt: Prompt, index: int) -> tuple[dict[str, int], bool]:
    """The tokens of each skill that a block lists, and whether all else in it is the recipe's own words."""
    names = {skill.location: skill.name for skill in prompt.state.skills}
    listed: dict[str, int] = {}
    between, pure = 0, True
    for path, kind, tokens in _spans(prompt, index):
        if kind == "file" and path in names:
            # The recipe's words between two entries are tags or bullets, and count for the later one.
            listed[names[path]] = listed.get(names[path], 0) + tokens + (between if listed else 0)
            between = 0
        elif kind == "recipe":
            between += tokens
        else:
            between, pure = 0, False
    return listed, pure


def _spans(prompt: Prompt, index: int) -> Iterator[tuple[str, str, int]]:
    block, tokens = prompt.blocks[index], prompt.block_tokens[index]
    for span, count in zip(block.spans, block.span_tokens(prompt.counter, tokens), strict=True):
        source = prompt.resolved(span.source)
        yield source.path or "", source.kind, count


def _files(prompt: Prompt, index: int) -> Iterator[Share]:
    names = {skill.location for skill in prompt.state.skills}
    files: dict[str, int] = {}
    for path, kind, tokens in _spans(prompt, index):
        if kind == "file" and path not in names:
            files[path] = files.get(path, 0) + tokens
    return (Share(*row) for row in files.items())
