"""A summary lists what is here: instruction files, skills, tokens, files not read, problems."""

import re
from collections import Counter
from itertools import takewhile
from typing import Annotated

from ..model.diagnostic import Diagnostic
from ..model.prompt.prompt import Prompt
from ..model.state.discovery import Discovery, Look
from ..model.struct import Frozen, note
from .stats import Row, count_by_source

COUNTED_PATHS = re.compile(r"\d+ (?:skills?|files?)\b")
"""How a line of the record begins that stands for several."""


class Summary(Frozen, frozen=True, omit_defaults=False):
    """What a project gives to a prompt, and what it does not."""

    files: Annotated[
        tuple[Row, ...], note("instruction files that are in the prompt, outermost first, with their tokens")
    ]
    skills: Annotated[tuple[str, ...], note("the names that the prompt lists")]
    skill_tokens: int
    tokens: Annotated[int, note("of the whole prompt")]
    unread: Annotated[tuple[str, ...], note("paths of files and folders that are here and not read")]
    counts: Annotated[tuple[str, ...], note("what each of them stands for, such as `3 skills`; mostly nothing")]
    wrong: tuple[Diagnostic, ...]

    @property
    def from_files(self) -> int:
        """The tokens that the files and the skills cost."""
        return sum(file.tokens for file in self.files) + self.skill_tokens


def summarize(prompt: Prompt, found: Discovery) -> Summary:
    """What is here, and what it costs."""
    places = {skill.location for skill in prompt.state.skills}
    blocks = [(count_by_source(prompt, index), tokens) for index, tokens in enumerate(prompt.block_tokens)]
    listed = {place for sources, _ in blocks for place in sources.keys() & places}
    menus = sum(tokens for sources, tokens in blocks if sources.keys() & places)
    costs = Counter[str]()
    for sources, _ in blocks:
        if not sources.keys() & places:
            costs.update(sources)
    read = [look.path for look in found.looked_at if look.outcome == "loaded" and look.what not in ("skill", "recipe")]
    # The nearest first: that is the one somebody misses.
    cwd = prompt.state.runtime.cwd if prompt.state.runtime else None
    unread = sorted(filter(_is_unread, found.looked_at), key=lambda look: -_count_shared_folders(look.path, cwd or "/"))
    sizes = Counter[str]()
    for span in prompt.spans:
        sizes[span.source.path or ""] += span.end - span.start
    return Summary(
        tuple(Row(path, sizes[path], costs[path]) for path in dict.fromkeys(read) if costs[path]),
        tuple(skill.name for skill in prompt.state.skills if skill.location in listed),
        menus,
        prompt.tokens,
        tuple(look.path for look in unread),
        tuple(_count(look) for look in unread),
        tuple(sorted(prompt.diagnostics, key=lambda note: note.level != "error")),
    )


def _is_unread(look: Look) -> bool:
    """Files and skills that are there and would not be read; what is said elsewhere is not missing."""
    return look.what in ("context", "skill") and look.outcome in ("unread", "shadowed")


def _count_shared_folders(path: str, cwd: str) -> int:
    """How many folders two paths have in common."""
    pairs = zip(path.split("/"), cwd.split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _count(look: Look) -> str:
    found = COUNTED_PATHS.match(look.detail)
    return found[0] if found else ""
