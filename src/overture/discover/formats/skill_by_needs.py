"""A SKILL.md as an agent takes it that has needs of its own: which it lists, under which name, with which words."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...model.diagnostic import Diagnostic
from ...model.recipe.wanted_skills import SkillDirs
from ...model.skill_rules import NAME
from ...model.state.files import Skill
from ...text.frontmatter import Problem, parse, plain_text
from ...text.normalize import one_line, tidy
from ..disk.decode_text import readable
from ..disk.reader import Reader, Sighting

PLAIN = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")
BLANK = re.compile(r"\n\s*\n")
LONGEST = 64
"""Characters of a name, as the format has it."""
LINE = re.compile(r"^([\w-]+):[ \t]*(.*)$", re.MULTILINE)
TRUE = ("true", "yes", "on", "y")


class Parsed(NamedTuple):
    """What a SKILL.md says."""

    fields: dict[str, str]
    body: str
    broken: str
    """What is wrong with its frontmatter."""
    missing: bool
    """It has none."""
    line: int


def read_parsed(text: str, _: str) -> tuple[Parsed, tuple[Diagnostic, ...]]:
    """The fields as texts; where YAML can't be read, each line that looks like one."""
    text, skipped = tidy(text)
    found = parse(text)
    if not isinstance(found, Problem):
        fields = {key: plain_text(field) for key, field in found.fields.items()}
        line = found.fields["description"].line if "description" in found.fields else 1
        return Parsed(fields, text[found.body :], "", False, line + skipped), ()
    if not text.startswith("---"):
        return Parsed({}, text, "", True, 1 + skipped), ()
    head, _, body = text[3:].partition("\n---")
    fields = {key: value.strip().strip("\"'") for key, value in LINE.findall(head)}
    return Parsed(fields, body, found.message, False, found.line + skipped), ()


def load_by_needs(reader: Reader, sighting: Sighting, wants: SkillDirs) -> Skill | None:
    """The skill, or None with the reason in the record."""
    parsed: Parsed | None = reader.load(sighting, "skill", read_parsed)
    if parsed is None:
        return None  # it can't be read, which is recorded
    path = readable(sighting.path)
    lacking = next(_lacks(parsed, path, wants), None)
    if lacking is not None:
        reader.note(path, "skill", "skipped", f"this agent does not list it: {lacking}")
        return None
    return _skill(parsed, path, wants)


def _lacks(parsed: Parsed, path: str, wants: SkillDirs) -> Iterator[str]:
    needs, fields, folder = wants.needs or (), parsed.fields, _called(path)
    name, description = fields.get("name", ""), fields.get("description", "")
    if "frontmatter" in needs and parsed.missing:
        yield "it has no frontmatter"
    if "yaml" in needs and parsed.broken:
        yield parsed.broken
    if "name" in needs and not name:
        yield "it has no name"
    if "description" in needs and not description:
        yield "it has no description"
    if "name-is-folder" in needs and (name or folder) != folder:
        yield f"its name {name!r:.60} is not that of its folder"
    if "name-like-folder" in needs and (name or folder).casefold() != folder.casefold():
        yield f"its name {name!r:.60} is not that of its folder"
    if "plain-name" in needs and (len(name or folder) > LONGEST or not PLAIN.fullmatch(name or folder)):
        yield f"its name {name or folder!r:.60} is too long, or holds more than letters, digits and hyphens"
    if "lower-case-name" in needs and not NAME.fullmatch(name or folder):
        yield f"its name {name or folder!r:.60} holds more than small letters, digits and hyphens"
    if "words" in needs and not parsed.body.strip():
        yield "there is nothing below its frontmatter"
    if wants.longest is not None and len(description) > wants.longest:
        yield f"its description has {len(description):,} characters; {wants.longest:,} is the most"


def _skill(parsed: Parsed, path: str, wants: SkillDirs) -> Skill:
    fields = parsed.fields
    said = fields.get("description", "")
    if not said and wants.described == "body":
        said = one_line(parsed.body.strip().partition("\n\n")[0].lstrip("# "))
    if not said and wants.described == "paragraph":
        said = _first_paragraph(parsed.body)
    own, folder = one_line(fields.get("name", "")), _called(path)
    both = f"{folder} ({own})" if wants.name_from == "both" and own not in ("", folder) else ""
    hidden = any(_set(fields.get(key, ""), key) for key in wants.hidden_by)
    return Skill(
        name=(own if wants.name_from == "name" else "") or folder,
        description=said,
        location=path,
        disable_model_invocation=hidden,
        line=parsed.line,
        called=both,
    )


def _first_paragraph(body: str) -> str:
    """The first lines of a text that are no heading, up to an empty one."""
    for block in BLANK.split(body):
        lines = [line.strip() for line in block.splitlines()]
        if said := " ".join(line for line in lines if line and not line.startswith("#")):
            return one_line(said)
    return ""


def _set(value: str, key: str) -> bool:
    return value.lower() in TRUE if key.startswith("disable") else bool(value)


def _called(path: str) -> str:
    """The folder of a SKILL.md, or the name of a file that is a skill by itself."""
    folder, _, name = path.rpartition("/")
    return folder.rpartition("/")[2] if name.casefold() == "skill.md" else name.removesuffix(".md")
