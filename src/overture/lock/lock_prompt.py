"""A prompt -> what is locked of it."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..model.prompt.block import Block
from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Look
from .lock import LockedFile, LockedPrompt, LockedSection, Said

SETTINGS = ("settings", "config")
"""What these say is locked with the sections that it changes: a comment in them changes no prompt."""
CUT = ("file-cut", "menu-cut")
"""Diagnostics that say that a file is not said in full."""


class Read(NamedTuple):
    """A prompt with all that it was made of."""

    prompt: Prompt
    looks: tuple[Look, ...]
    tools: str
    """The tools as they are sent."""


class Told(NamedTuple):
    """What a prompt says of one file."""

    tokens: int = 0
    sections: tuple[str, ...] = ()


def paths_read(read: Read) -> list[str]:
    """The files that a prompt is made of."""
    loaded = [look.path for look in read.looks if look.outcome == "loaded" and look.what not in SETTINGS]
    return sorted({*loaded, *told_of(read.prompt)})


def locked_prompt(
    read: Read, recipe: str, cwd: str, digests: Mapping[str, str], top: str, options: tuple[str, ...] = ()
) -> LockedPrompt:
    """What is locked of a prompt. `digests` are of the files that lie below `top`; others are nobody else's."""
    sections = tuple(locked_sections(read))
    listed = "".join(f"{each.place} {each.name} {each.sha256}\n" for each in sections)
    return LockedPrompt(
        recipe,
        cwd,
        f"sha256:{digest(listed)}",
        sum(each.tokens for each in sections),
        read.prompt.counter.name,
        options,
        sections,
        tuple(locked_files(read, digests, top)),
    )


def locked_sections(read: Read) -> Iterator[LockedSection]:
    """All that is sent: tools, sections of the system prompt, sections of the user's message."""
    prompt = read.prompt
    if read.tools:
        yield LockedSection("tools", "tools", prompt.counter(read.tools), digest(read.tools))
    for block, tokens in counted(prompt):
        yield LockedSection(block.name, block.section.place, tokens, digest(block.text))


def counted(prompt: Prompt) -> list[tuple[Block, int]]:
    """The sections with their tokens."""
    later = [block.tokens(prompt.counter) for block in prompt.messages]
    return list(zip((*prompt.blocks, *prompt.messages), (*prompt.block_tokens, *later), strict=True))


def locked_files(read: Read, digests: Mapping[str, str], top: str) -> Iterator[LockedFile]:
    """The files, sorted by their paths."""
    told, cut = told_of(read.prompt), cut_files(read.prompt)
    kinds = {look.path: look.what for look in reversed(read.looks) if look.outcome == "loaded"}
    skills = {skill.location: skill.name for skill in read.prompt.state.skills}
    for path in sorted(digests):
        tokens, sections = told.get(path, Told())
        said: Said = "cut" if path in cut else "whole" if tokens else "nothing"
        name, kind = path.removeprefix(f"{top}/"), kinds.get(path, "context")
        yield LockedFile(name, kind, said, tokens, digests[path], skills.get(path), sections)


def told_of(prompt: Prompt) -> dict[str, Told]:
    """What the prompt says of each file."""
    told: dict[str, Told] = {}
    for block, tokens in counted(prompt):
        for span, count in zip(block.spans, block.span_tokens(prompt.counter, tokens), strict=True):
            source = prompt.resolved(span.source)
            if source.kind == "file" and source.path:
                had = told.get(source.path, Told())
                sections = had.sections if block.name in had.sections else (*had.sections, block.name)
                told[source.path] = Told(had.tokens + count, sections)
    return told


def cut_files(prompt: Prompt) -> set[str]:
    """The files that are not said in full."""
    cut = {path for cut in prompt.cuts if (path := _path(prompt, cut)) is not None}
    return cut | {note.path for note in prompt.diagnostics if note.code in CUT and note.path}


def _path(prompt: Prompt, cut: object) -> str | None:
    source = getattr(cut, "source", None)
    return prompt.resolved(source).path if source is not None else None


def digest(text: str) -> str:
    """The SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def settings_read(looks: Sequence[Look], top: str, more: Iterable[str] = ()) -> tuple[str, ...]:
    """The settings that count, by their paths from the project's top."""
    paths = (look.path for look in looks if look.outcome == "loaded" and look.what in SETTINGS)
    below = [path.removeprefix(f"{top}/") for path in (*more, *paths) if path.startswith(f"{top}/")]
    return tuple(dict.fromkeys(below))
