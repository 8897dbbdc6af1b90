"""Reads skills, sub-agents and commands as a particular agent lists them: whether, by which name, with which words."""

import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from ...discover.file_reader import FileReader
from ...discover.real_paths import Sighting
from ...model.agent_rules import Listing, Skills, Step
from ...model.diagnostic import Diagnostic
from ...model.skill_rules import NAME, describe_missing
from ...model.state.files import Skill
from ...text.frontmatter import Frontmatter, FrontmatterProblem, is_true, parse_frontmatter, scalar_text
from ...text.normalize import tidy, to_one_line
from ...text.path_printer import readable_path
from ...text.words import shorten_text
from .frontmatter_and_rules import list_spoilers, parse_by_line, parse_with_quotes

PLAIN_NAME = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")
PARAGRAPH_BREAK = re.compile(r"\n\s*\n")
MAX_NAME_CHARS = 64
"""Characters of a name, as the format has it."""


class ParsedSkill(NamedTuple):
    """The fields and text of a SKILL.md."""

    fields: dict[str, str]
    body: str
    broken: str
    """What is wrong with its frontmatter."""
    missing: bool
    """It has none."""
    line: int
    whole: str = ""
    """All of its text."""
    fixable: bool = False
    """It can be parsed once values have quotes."""
    spoilers: tuple[str, ...] = ()
    odd: str = ""
    """A name or a description that is no text."""
    void: bool = False
    """All such are without a value."""
    twice: bool = False
    """A key occurs more than once."""


def parse_skill(text: str, _: str) -> tuple[ParsedSkill, tuple[Diagnostic, ...]]:
    """The fields as texts; if the YAML is invalid, each line that looks like one."""
    spoilers = list_spoilers(text)
    text, skipped = tidy(text)
    parsed = parse_frontmatter(text)
    if not isinstance(parsed, FrontmatterProblem):
        return _parse_fields(parsed, text, skipped)._replace(spoilers=spoilers), ()
    if not text.startswith("---"):
        return ParsedSkill({}, text, "", True, 1 + skipped), ()
    # An agent that does not need the last line takes all that follows for frontmatter.
    closed = f"{text}\n---" if "unended" in spoilers else text
    fixable = not isinstance(parse_with_quotes(text), FrontmatterProblem) or not isinstance(
        parse_frontmatter(closed), FrontmatterProblem
    )
    lines = parse_by_line(closed)
    fields, body = (
        ({}, "") if isinstance(lines, FrontmatterProblem) else (_read_field_texts(lines), closed[lines.body :])
    )
    return ParsedSkill(fields, body, parsed.message, False, parsed.line + skipped, text, fixable, spoilers), ()


def _read_field_texts(found: Frontmatter) -> dict[str, str]:
    return {key: scalar_text(field) for key, field in found.fields.items()}


def _parse_fields(frontmatter: Frontmatter, text: str, skipped: int) -> ParsedSkill:
    """The frontmatter of a skill as an agent reads it, with odd fields noted."""
    line = frontmatter.fields["description"].line if "description" in frontmatter.fields else 1
    odd = [
        key for key in ("name", "description") if key in frontmatter.fields and frontmatter.fields[key].kind != "text"
    ]
    message = describe_missing(odd[0], frontmatter.fields[odd[0]]) if odd else ""
    void = all(frontmatter.fields[key].kind == "null" for key in odd)
    body, twice = text[frontmatter.body :], bool(frontmatter.twice)
    return ParsedSkill(
        _read_field_texts(frontmatter), body, "", False, line + skipped, text, odd=message, void=void, twice=twice
    )


def load_listed_skill(reader: FileReader, sighting: Sighting, wants: Skills) -> Skill | None:
    """The skill, or None with the reason in the record."""
    parsed: ParsedSkill | None = reader.load(sighting, "skill", parse_skill)
    if parsed is None:
        return None  # it can't be read, which is recorded
    path = readable_path(sighting.path)
    skill = judge_skill(parsed, path, wants, decoded=reader.is_utf_8(sighting.path, "skill"))
    if isinstance(skill, str):
        reader.note(path, "skill", "skipped", f"this agent does not list it: {skill}")
        return None
    return skill


def judge_skill(parsed: ParsedSkill, path: str, wants: Skills, *, decoded: bool = True) -> Skill | str:
    """The skill as the agent lists it, or why it does not."""
    size = len(parsed.whole.encode("utf-8", "replace")) if wants.largest is not None else 0
    hidden = not set(parsed.spoilers).isdisjoint(wants.spoiled_by)
    parsed = ignore_frontmatter(parsed) if hidden else read_broken_frontmatter(parsed, wants.broken)
    alone = path.rpartition("/")[2].casefold() != "skill.md"
    own = replace(wants, needs=wants.alone_needs) if alone and wants.alone_needs is not None else wants
    lacking = next(list_missing_fields(parsed, _find_default_name(path), own, decoded), None)
    if lacking is None and wants.largest is not None and size > wants.largest:
        lacking = f"it has {size:,} bytes, over the limit of {wants.largest:,}"
    return lacking if lacking is not None else _make_listed_skill(parsed, path, wants)


def ignore_frontmatter(parsed: ParsedSkill) -> ParsedSkill:
    """The skill as an agent lists it that does not recognize its frontmatter."""
    return parsed._replace(fields={}, body=parsed.whole, missing=True, broken="", odd="", twice=False)


def read_broken_frontmatter(parsed: ParsedSkill, broken: str) -> ParsedSkill:
    """What an agent makes of broken YAML: it may ignore all fields if quotes do not repair it."""
    return parsed._replace(fields={}) if parsed.broken and broken == "mended" and not parsed.fixable else parsed


def list_missing_fields(parsed: ParsedSkill, called: str, wants: Skills | Listing, decoded: bool) -> Iterator[str]:
    """Required fields that are missing; `called` is its name if the file has none."""
    needs = wants.needs
    if "utf-8" in needs and not decoded:
        yield "it is not UTF-8"
    if "frontmatter" in needs and parsed.missing:
        yield "it has no frontmatter"
    if "yaml" in needs and parsed.broken:
        yield parsed.broken
    if parsed.odd and ("texts" in needs or ("texts-or-none" in needs and not parsed.void)):
        yield parsed.odd
    if "keys-once" in needs and parsed.twice:
        yield "its frontmatter has a key twice"
    if "words" in needs and not parsed.body.strip():
        yield "it has no text below its frontmatter"
    yield from _find_name_faults(parsed, called, wants)


def _find_name_faults(parsed: ParsedSkill, folder: str, wants: Skills | Listing) -> Iterator[str]:
    """What is wrong with its name or its description."""
    needs = wants.needs
    name, description = parsed.fields.get("name", ""), parsed.fields.get("description", "")
    absent = [key for key in ("name", "description") if key not in parsed.fields]
    if "keys" in needs and absent:
        yield f"its frontmatter has no `{absent[0]}`"
    if "name" in needs and not name:
        yield "it has no name"
    if "description" in needs and not description:
        yield "it has no description"
    if "name-is-folder" in needs and (name or folder) != folder:
        yield f"its name {name!r:.60} differs from its folder"
    if "name-like-folder" in needs and (name or folder).casefold() != folder.casefold():
        yield f"its name {name!r:.60} differs from its folder"
    if "plain-name" in needs and (len(name or folder) > MAX_NAME_CHARS or not PLAIN_NAME.fullmatch(name or folder)):
        yield f"its name {name or folder!r:.60} is too long, or contains more than letters, digits and hyphens"
    if "lower-case-name" in needs and not NAME.fullmatch(name or folder):
        yield f"its name {name or folder!r:.60} contains more than lower-case letters, digits and hyphens"
    if wants.name_like and not re.fullmatch(wants.name_like, name or folder):
        yield f"this agent does not accept the name {name or folder!r:.60}"
    for label, text, limit in (
        ("name", name or folder, wants.longest_name),
        ("description", description, wants.longest),
    ):
        if limit is not None and len(text) > limit:
            yield f"its {label} has {len(text):,} characters, over the limit of {limit:,}"


def _make_listed_skill(parsed: ParsedSkill, path: str, wants: Skills) -> Skill:
    """The skill with the name, description and visibility that the agent lists."""
    fields = parsed.fields
    description = fields.get("description", "")
    description = description or choose_fallback_description(parsed, wants.described)[: wants.longest]
    candidates = (to_one_line(fields.get("name", "")), _find_default_name(path))
    own, folder = (name.replace(" ", "-") if wants.hyphens else name for name in candidates)
    differs = wants.name_from == "both" and own not in ("", folder) and " " not in own
    both = f"{folder} ({own})" if differs else ""
    hidden = any(is_hidden_by(fields, key) for key in wants.hidden_by)
    name = (own if wants.name_from == "name" else "") or folder
    return _share_skill(name, description, path, hidden, parsed.line, both)


@lru_cache(maxsize=4096)
def _share_skill(name: str, description: str, path: str, hidden: bool, line: int, called: str) -> Skill:
    """One skill for all agents that list it alike: facts about it are cached with it."""
    return Skill(name, description, path, disable_model_invocation=hidden, line=line, called=called)


def choose_fallback_description(parsed: ParsedSkill, described: str) -> str:
    """What takes the place of a description: its first lines without headings, or its first paragraph or line."""
    lines = [line.strip() for line in parsed.body.strip().split("\n")]
    if described == "line":
        return to_one_line(lines[0].lstrip("# "))
    if described == "prose":
        return _find_first_paragraph(parsed.body)
    plain = (line for line in lines if line and not line.startswith("#"))
    return to_one_line(" ".join(islice(plain, FALLBACK_LINES.get(described, 0))))


FALLBACK_LINES = {"words": 1, "body": 3}
"""Lines of its text that take the place of a description."""


def _find_first_paragraph(body: str) -> str:
    """The first lines of a text that are no heading, up to an empty one."""
    for block in PARAGRAPH_BREAK.split(body):
        lines = [line.strip() for line in block.splitlines()]
        if paragraph := " ".join(line for line in lines if line and not line.startswith("#")):
            return to_one_line(paragraph)
    return ""


def is_hidden_by(fields: dict[str, str], word: str) -> bool:
    """Whether a key that hides it is true, or has the value that hides."""
    key, _, wanted = word.partition("=")
    value = fields.get(key, "")
    if wanted:
        return value == wanted
    return is_true(value) if key.startswith("disable") else bool(value)


def _find_default_name(path: str) -> str:
    """The folder of a SKILL.md, or the name of a file that is a skill by itself."""
    folder, _, name = path.rpartition("/")
    return folder.rpartition("/")[2] if name.casefold() == "skill.md" else name.removesuffix(".md")


class Helper(NamedTuple):
    """The name and description of a sub-agent or a command, as the agent lists them."""

    name: str
    description: str
    line: int


def _find_odd_key(parsed: ParsedSkill, listing: Listing) -> str:
    key = next((key for key in parsed.fields if listing.keys and key not in listing.keys), None)
    return "" if key is None else f"its frontmatter has the key {key!r:.60}, which this agent does not know"


def _find_shortness(parsed: ParsedSkill, listing: Listing) -> str:
    short = len(parsed.body.strip()) < listing.least
    return f"it has fewer than {listing.least} characters below its frontmatter" if short else ""


def read_helper(parsed: ParsedSkill, path: str, top: str, step: Step, *, decoded: bool) -> Helper | str:
    """The helper, or why the agent does not list it. `top` is the folder in which the agent looks for helpers."""
    listing = step.listing or Listing()
    parsed = read_broken_frontmatter(parsed, listing.broken)
    file = posixpath.basename(path).partition(".")[0] or posixpath.splitext(posixpath.basename(path))[0]
    lacking = next(list_missing_fields(parsed, file, listing, decoded), "")
    hidden = next((f"excluded by {key}" for key in listing.hidden_by if is_hidden_by(parsed.fields, key)), "")
    if lacking := lacking or _find_odd_key(parsed, listing) or hidden or _find_shortness(parsed, listing):
        return lacking
    own = to_one_line(parsed.fields.get("name", "")) if listing.named == "name" else ""
    folders = posixpath.relpath(posixpath.dirname(path), top).split("/") if listing.folders else []
    above = "".join(f"{folder}{listing.folders}" for folder in folders if folder != ".")
    fallback = choose_fallback_description(parsed, listing.described)[: listing.longest]
    description = parsed.fields.get("description", "") or fallback
    shown = to_one_line(description) if listing.entry is None else shorten_text(to_one_line(description), listing.entry)
    return Helper(own or above + file, shown, parsed.line)
