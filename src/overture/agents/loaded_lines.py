"""Lists the lines that an agent loads, each with its file and line number."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..discovery.duplicate_files import IMPORT, is_boilerplate
from ..model.agent_rules import TEXT_KINDS, AgentWants
from ..model.state.files import MAX_WORDLESS_CHARS, Piece, TextFile
from ..sections.agent_files import FileCut, cut_files
from ..text.frontmatter import FrontmatterProblem, parse_frontmatter
from ..text.markdown import strip_block_comments
from ..text.normalize import line_at, to_one_line
from .agent_project import AgentFound

UNEVEN_BLANKS = re.compile(r"\s{2,}|[^\S ]")
WORDS = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)
FENCES = ("```", "~~~")
"""The line above a code block names its language at the most."""


class LoadedLine(NamedTuple):
    """One line of a file."""

    path: str
    number: int
    text: str
    key: str
    """The same for two loaded lines with the same words; empty for a line without any."""


def _make_line_key(text: str) -> str:
    words = UNEVEN_BLANKS.sub(" ", text.strip())
    # A line that only imports another file has no words of its own.
    return words if len(words) > MAX_WORDLESS_CHARS and not IMPORT.fullmatch(words) else ""


def list_loaded_lines(found: AgentFound) -> tuple[LoadedLine, ...]:
    """The lines of the files that an agent loads at the start, in its order, and one for each name that it lists."""
    files = found.files
    listed = [(each.called, each.said, each.path, each.said_line) for each in files if each.said is not None]
    listed += [
        (each.name, each.description, each.location, each.line)
        for each in found.skills
        if not each.disable_model_invocation
    ]
    return (*list_file_lines(files, found.wants), *(_make_listed_line(*each) for each in listed))


def list_file_lines(
    files: Sequence[TextFile], wants: AgentWants, *, instructions: bool = False
) -> tuple[LoadedLine, ...]:
    """The lines of the files, up to where the agent's limits cut them.

    `instructions`: only those that ask for something.
    """
    text_steps = _list_text_steps(wants)
    cuts = cut_files(files, wants.limits, {})
    return tuple(
        line
        for index, file in enumerate(files)
        if file.kind in text_steps
        for line in _split_file_lines(file, cuts.get(index), instructions=instructions)
    )


def _list_text_steps(wants: AgentWants) -> set[str | None]:
    """The kinds of files that an agent loads as text: of no step, of a step, or a rule of it for a touched file."""
    steps = [step.step for step in wants.steps if step.tells == "text" and step.kind in TEXT_KINDS]
    return {None, *steps, *(f"{step}:touched" for step in steps)}


def list_wordless_files(files: Sequence[TextFile], wants: AgentWants) -> Iterator[str]:
    """Files that are loaded and of which no line is compared: a word or two, or an import that the agent ignores."""
    text_steps = _list_text_steps(wants)
    for file in files:
        is_loaded = file.kind in text_steps and file.content.strip()
        if is_loaded and not list_file_lines([file], wants, instructions=True):
            yield file.path


def _split_file_lines(file: TextFile, cut: FileCut | None, *, instructions: bool) -> Iterator[LoadedLine]:
    split = parse_loaded_lines if instructions else split_worded_lines
    remaining = len(file.content) if cut is None else _count_whole_line_chars(file.content, cut.chars)
    for piece in file.pieces or (Piece(file.content, file.path, file.line),):
        text, remaining = piece.text[:remaining], max(remaining - len(piece.text), 0)
        if piece.path is not None:
            yield from split(text, piece.path, piece.line)


def _count_whole_line_chars(text: str, chars: int) -> int:
    """The number of characters in whole lines: half a line may have another meaning."""
    return chars if text[chars : chars + 1] in ("", "\n") else text.rfind("\n", 0, chars) + 1


@lru_cache(maxsize=256)
def split_worded_lines(text: str, path: str, first: int = 1) -> tuple[LoadedLine, ...]:
    """The lines of a text that have words. Cached, as several agents load the same files, unchanged or edited."""
    return tuple(
        LoadedLine(path, number, each, key)
        for number, each in enumerate(text.split("\n"), first)
        if (key := _make_line_key(each))
    )


@lru_cache(maxsize=256)
def parse_loaded_lines(text: str, path: str, first: int = 1) -> tuple[LoadedLine, ...]:
    """The lines of a file that ask for something. Cached, as several agents load the same files.

    Not its frontmatter and comments on lines of their own, which agents take out, nor titles and code fences.
    """
    parsed = parse_frontmatter(text) if text.startswith("---") else None
    body = text
    if parsed is not None and not isinstance(parsed, FrontmatterProblem):
        body, first = text[parsed.body :], first + parsed.body_line - 1
    return tuple(
        line
        for start, part in strip_block_comments(body)
        for line in split_worded_lines(part, path, first + line_at(body, start) - 1)
        if not (key := line.key).startswith(FENCES) and not is_boilerplate(key)
    )


def _make_listed_line(name: str, description: str, path: str, line: int) -> LoadedLine:
    text = to_one_line(f"{name}: {description}") if description else name
    return LoadedLine(path, line, text, _make_line_key(text))


def find_loaded_ranges(files: Iterable[TextFile]) -> dict[str, list[tuple[int, int]]]:
    """The ranges of loaded lines of each file; other lines are replaced by what they import, or stripped."""
    ranges: dict[str, list[tuple[int, int]]] = {}
    for piece in (piece for file in files for piece in file.all_pieces if piece.path):
        if words := WORDS.search(piece.text):
            first = piece.line + piece.text.count("\n", 0, words.start())
            ranges.setdefault(piece.path or "", []).append((first, first + words.group().count("\n")))
    return ranges
