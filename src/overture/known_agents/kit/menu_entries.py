"""Reads skills, sub-agents and commands as a particular agent lists them: whether, by which name, with which words."""

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from ...model.agent_rules import Listing, Skills
from ...model.diagnostic import Diagnostic
from ...model.skill_rules import NAME, describe_missing
from ...model.state.files import Skill
from ...model.state.reasons import FAULTS, Reason, because
from ...text.broken_frontmatter import list_spoilers, parse_by_line, parse_with_quotes
from ...text.frontmatter import FrontmatterProblem, is_true, parse_frontmatter, scalar_text
from ...text.normalize import tidy, to_one_line
from ...text.words import shorten_text

PLAIN_NAME = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")
MAX_NAME_CHARS = 64  # characters of a name, as the format has it


class ParsedSkill(NamedTuple):  # the fields and text of a SKILL.md
    fields: dict[str, str]
    body: str
    line: int
    whole: str  # all of its text
    broken: str = ""  # what is wrong with its frontmatter
    missing: bool = False  # it has none
    fixable: bool = False  # it can be parsed once values have quotes
    spoilers: tuple[str, ...] = ()
    odd: str = ""  # a name or a description that is no text
    void: bool = False  # all such are without a value
    twice: bool = False  # a key occurs more than once


def parse_skill(text: str, _: str) -> tuple[ParsedSkill, tuple[Diagnostic, ...]]:
    """The fields as texts; if the YAML is invalid, each line that looks like one."""
    spoilers = list_spoilers(text)
    text, skipped = tidy(text)
    parsed = parse_frontmatter(text)
    if not isinstance(parsed, FrontmatterProblem):
        fields = parsed.fields
        line = fields["description"].line if "description" in fields else 1
        odd = [key for key in ("name", "description") if key in fields and fields[key].kind != "text"]
        said = describe_missing(odd[0], fields[odd[0]]) if odd else ""
        void = all(fields[key].kind == "null" for key in odd)
        texts = {key: scalar_text(field) for key, field in fields.items()}
        skill = ParsedSkill(texts, text[parsed.body :], line + skipped, text, spoilers=spoilers, odd=said, void=void)
        return skill._replace(twice=bool(parsed.twice)), ()
    if not text.startswith("---"):
        return ParsedSkill({}, text, 1 + skipped, text, missing=True), ()
    # An agent that does not need the last line takes all that follows for frontmatter.
    closed = f"{text}\n---" if "unended" in spoilers else text
    fixed = parse_with_quotes(text), parse_frontmatter(closed)
    fixable = not all(isinstance(each, FrontmatterProblem) for each in fixed)
    lines = parse_by_line(closed)
    skill = ParsedSkill({}, "", parsed.line + skipped, text, parsed.message, fixable=fixable, spoilers=spoilers)
    if not isinstance(lines, FrontmatterProblem):
        read = {key: scalar_text(field) for key, field in lines.fields.items()}
        skill = skill._replace(fields=read, body=closed[lines.body :])
    return skill, ()


def judge_skill(parsed: ParsedSkill, path: str, wants: Skills, *, decoded: bool = True) -> Skill | Reason:
    """The skill as the agent lists it, or why it does not."""
    parsed = _read_as(parsed, wants, spoiled=not set(parsed.spoilers).isdisjoint(wants.spoiled_by))
    above, _, file = path.rpartition("/")
    alone = file.casefold() != "skill.md"
    own = replace(wants, needs=wants.alone_needs) if alone and wants.alone_needs is not None else wants
    folder = file.removesuffix(".md") if alone else above.rpartition("/")[2]
    if lacking := next(_find_faults(parsed, folder, own, decoded), None):
        return lacking
    if wants.largest is not None and (size := len(parsed.whole.encode("utf-8", "replace"))) > wants.largest:
        return because("unlisted", "", "largest", size, wants.largest)
    description = parsed.fields.get("description", "") or _choose_fallback(parsed, wants.described)[: wants.longest]
    name = to_one_line(parsed.fields.get("name", ""))
    if wants.hyphens:
        name, folder = name.replace(" ", "-"), folder.replace(" ", "-")
    differs = wants.name_from == "both" and name not in ("", folder) and " " not in name
    return Skill(
        (name if wants.name_from == "name" else "") or folder, description, path,
        disable_model_invocation=any(_is_hidden_by(parsed, key) for key in wants.hidden_by),
        line=parsed.line, called=f"{folder} ({name})" if differs else "",
    )  # fmt: skip


def read_entry(
    parsed: ParsedSkill, path: str, top: str, listing: Listing, *, decoded: bool, spoiled: bool
) -> tuple[str, str, int] | Reason:
    """The name, the description and the line of a sub-agent or a command, or why the agent does not list it.

    `top` is the folder in which the agent looks for them; `spoiled`: it takes the frontmatter for text.
    """
    parsed = _read_as(parsed, listing, spoiled=spoiled)
    parsed = parsed._replace(broken=FAULTS["spoiled"]) if spoiled else parsed
    folder, base = posixpath.split(path)
    file = base.partition(".")[0] or posixpath.splitext(base)[0]
    if lacking := next(_find_faults(parsed, file, listing, decoded), None):
        return lacking
    if odd := [key for key in parsed.fields if listing.keys and key not in listing.keys]:
        return because("unlisted", "", "key", odd[0])
    if hidden := [key for key in listing.hidden_by if _is_hidden_by(parsed, key)]:
        return because("unlisted", "", "hidden", hidden[0])
    if len(parsed.body.strip()) < listing.least:
        return because("unlisted", "", "least", listing.least)
    own = to_one_line(parsed.fields.get("name", "")) if listing.named == "name" else ""
    folders = posixpath.relpath(folder, top).split("/") if listing.folders else []
    above = "".join(f"{each}{listing.folders}" for each in folders if each != ".")
    fallback = _choose_fallback(parsed, listing.described)[: listing.longest]
    said = to_one_line(parsed.fields.get("description", "") or fallback)
    return own or above + file, said if listing.entry is None else shorten_text(said, listing.entry), parsed.line


def _read_as(parsed: ParsedSkill, wants: Skills | Listing, *, spoiled: bool) -> ParsedSkill:
    """What an agent makes of it that may take the frontmatter for text, or not read it if it is broken."""
    if spoiled:
        return parsed._replace(fields={}, body=parsed.whole, missing=True, broken="", odd="", twice=False)
    unread = parsed.broken and wants.broken == "mended" and not parsed.fixable
    return parsed._replace(fields={}) if unread else parsed


def _find_faults(parsed: ParsedSkill, folder: str, wants: Skills | Listing, decoded: bool) -> Iterator[Reason]:
    """Why an agent does not list it; `folder` is its name if the file has none."""
    name, description = parsed.fields.get("name", ""), parsed.fields.get("description", "")
    called = name or folder
    absent = [key for key in ("name", "description") if key not in parsed.fields]
    lacks: dict[str, tuple[object, ...]] = {
        "utf-8": (not decoded,),
        "frontmatter": (parsed.missing,),
        "yaml": (parsed.broken, parsed.broken),
        "texts": (parsed.odd, parsed.odd),
        "texts-or-none": (parsed.odd and not parsed.void, parsed.odd),
        "keys-once": (parsed.twice,),
        "words": (not parsed.body.strip(),),
        "keys": (absent, *absent[:1]),
        "name": (not name,),
        "description": (not description,),
        "name-is-folder": (called != folder, name),
        "name-like-folder": (called.casefold() != folder.casefold(), name),
        "plain-name": (len(called) > MAX_NAME_CHARS or not PLAIN_NAME.fullmatch(called), called),
        "lower-case-name": (not NAME.fullmatch(called), called),
    }
    same = {"texts": "yaml", "texts-or-none": "yaml", "name-like-folder": "name-is-folder"}
    for need, (is_lacking, *args) in lacks.items():
        if need in wants.needs and is_lacking:
            yield because("unlisted", "", same.get(need, need), *map(str, args))
    if wants.name_like and not re.fullmatch(wants.name_like, called):
        yield because("unlisted", "", "name-like", called)
    for label, text, limit in (("name", called, wants.longest_name), ("description", description, wants.longest)):
        if limit is not None and len(text) > limit:
            yield because("unlisted", "", "longest", label, len(text), limit)


def _choose_fallback(parsed: ParsedSkill, described: str) -> str:
    """What takes the place of a description: its first lines without headings, or its first paragraph or line."""
    body = parsed.body.strip()
    if described == "line":
        return to_one_line(body.partition("\n")[0].strip().lstrip("# "))
    blocks = re.split(r"\n\s*\n", body) if described == "prose" else [body]
    texts = ([line.strip() for line in block.splitlines()] for block in blocks)
    plain = ([line for line in lines if line and not line.startswith("#")] for lines in texts)
    most = {"words": 1, "body": 3, "prose": None}.get(described, 0)
    return to_one_line(" ".join(next(filter(None, plain), [])[:most]))


def _is_hidden_by(parsed: ParsedSkill, word: str) -> bool:
    """Whether a key that hides it is true, or has the value that hides."""
    key, _, wanted = word.partition("=")
    value = parsed.fields.get(key, "")
    if wanted:
        return value == wanted
    return is_true(value) if key.startswith("disable") else bool(value)
