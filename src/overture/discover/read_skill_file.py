"""Reads SKILL.md into a Skill with the rules it breaks; its body and resources when it is loaded."""

import re
from collections.abc import Iterator
from heapq import nsmallest
from typing import NamedTuple

from ..model.diagnostic import Diagnostic, error, warning
from ..model.skill_rules import (
    RuleViolation,
    check_beginning,
    describe_missing,
    find_odd_beginning,
    find_odd_fields,
    find_violations,
)
from ..model.state.files import Skill
from ..text.frontmatter import (
    Frontmatter,
    FrontmatterField,
    FrontmatterProblem,
    is_true,
    parse_frontmatter,
    scalar_text,
)
from ..text.normalize import tidy
from .reader import FileReader, decode_text
from .world import World

TOOL_WORD = re.compile(r"[^\s,(]+")


class SkillFile(NamedTuple):
    """The values of a SKILL.md."""

    skill: Skill | None
    broken: tuple[RuleViolation, ...] = ()


def read_skill(text: str, path: str) -> tuple[SkillFile, tuple[Diagnostic, ...]]:
    """The skill, or None with the reason."""
    raw, (text, skipped) = text, tidy(text)
    parsed = parse_frontmatter(text)
    if isinstance(parsed, FrontmatterProblem):
        return SkillFile(None), (error("skill-skipped", parsed.message, path, parsed.line + skipped),)
    rules = (rule._replace(line=rule.line + skipped) for rule in find_violations(parsed, _get_skill_folder(path)))
    broken = (*check_beginning(skipped), *rules)
    odd = (*find_odd_fields(parsed), *find_odd_beginning(raw, text, parsed))
    notes = [warning("skill-invalid", each.message, path, each.line + skipped) for each in odd]
    skill = _make_skill(parsed, path, skipped)
    if skill is None:
        field = parsed.fields.get("description")
        message = f"{describe_missing('description', field)}: agents can't tell when to load it"
        notes.append(error("skill-skipped", message, path, (field.line if field else 1) + skipped))
    return SkillFile(skill, broken), tuple(notes)


def _make_skill(parsed: Frontmatter, path: str, skipped: int) -> Skill | None:
    """The skill of a SKILL.md's fields; None without a description."""
    fields, hidden = parsed.fields, parsed.fields.get("disable-model-invocation")
    description = scalar_text(fields.get("description"))
    if not description:
        return None
    return Skill(
        name=scalar_text(fields.get("name")) or _get_skill_folder(path),
        description=description,
        location=path,
        disable_model_invocation=hidden is not None and hidden.kind == "bool" and is_true(hidden.text),
        license=scalar_text(fields.get("license")) or None,
        compatibility=scalar_text(fields.get("compatibility")) or None,
        allowed_tools=_parse_allowed_tools(fields.get("allowed-tools")),
        metadata=_read_metadata(fields.get("metadata")),
        line=fields["description"].line + skipped,
    )


def _parse_allowed_tools(field: FrontmatterField | None) -> tuple[str, ...] | None:
    """`allowed-tools` as a text with blanks or commas, or as a list; `Bash(git add:*)` is one."""
    if field is None or field.kind == "map":
        return None
    if field.kind == "list":
        return tuple(item for item in field.items if item)
    return tuple(_split_tool_words(scalar_text(field))) or None


def _split_tool_words(text: str) -> Iterator[str]:
    at, last = 0, text.rfind(")")
    while match := TOOL_WORD.search(text, at):
        at = match.end()
        # Only while there is a bracket to come is it looked for: many that open and never close cost nothing.
        if text.startswith("(", at) and at < last:
            at = text.index(")", at) + 1
        yield text[match.start() : at]


def _read_metadata(field: FrontmatterField | None) -> dict[str, str] | None:
    if field is None or field.kind != "map":
        return None
    pairs = {key: value for key, value in field.pairs if value is not None}
    return pairs if len(pairs) == len(dict(field.pairs)) else None


def _get_skill_folder(path: str) -> str:
    return path.rpartition("/")[0].rpartition("/")[2]


# A skill -> its full instructions and the files beside them, read when it is loaded.


MAX_LISTED_RESOURCES = 100
"""Maximum number of listed files."""
MAX_RESOURCE_DEPTH = 4
MAX_SEARCHED_FILES = 10_000
"""Files after which no further folder is searched."""


def read_skill_body(reader: FileReader, skill: Skill) -> tuple[str, int]:
    """The text below the frontmatter, and the line at which it begins. What can't be read is an OSError: why."""
    if skill.body is not None:
        text, skipped = tidy(skill.body)
        return text, 1 + skipped
    folder, _, name = skill.location.rpartition("/")
    sighting = reader.sight(folder, name, "skill")
    if sighting is None:
        raise OSError(reader.looked[-1].detail or "it no longer exists")
    text, skipped = tidy(decode_text(reader.content(sighting), skill.location)[0])
    parsed = parse_frontmatter(text)
    if not isinstance(parsed, Frontmatter):
        return text, 1 + skipped
    body, blank = tidy(text[parsed.body :])
    return body, parsed.body_line + skipped + blank


class SkillResources(NamedTuple):
    """The files beside a skill's instructions."""

    paths: tuple[str, ...] = ()
    """The first of them, by absolute path, sorted."""
    files: int = 0
    """How many files there are, as far as the search went."""
    unsearched: int = 0
    """Folders that were not looked into: too deep, unreadable, or after very many others."""

    @property
    def rest(self) -> str:
        """A note about a skill's unlisted files; empty if all are listed."""
        more = f"{self.files:,}" + " or more" * bool(self.unsearched)
        if len(self.paths) < self.files:
            return f"{len(self.paths):,} of {more} files are listed"
        folders = "1 folder below was" if self.unsearched == 1 else f"{self.unsearched:,} folders below were"
        return f"{folders} not searched" if self.unsearched else ""


def find_skill_resources(world: World, skill: Skill) -> SkillResources:
    """The resource files that one skill has beside its SKILL.md; links and hidden files are skipped."""
    top, _, own = skill.location.rpartition("/")
    files: list[str] = []
    unsearched = 0
    todo = [(top, 1)]
    while todo:
        folder, depth = todo.pop()
        if depth > MAX_RESOURCE_DEPTH or len(files) > MAX_SEARCHED_FILES:
            unsearched += 1
            continue
        try:
            names = world.names(folder)
        except (FileNotFoundError, NotADirectoryError):
            continue  # a skill from a state need not exist on disk
        except OSError:
            unsearched += 1
            continue
        for name, kind in names:
            if name.startswith(".") or (folder == top and name == own):
                continue
            if kind == "file":
                files.append(f"{folder}/{name}")
            elif kind == "dir":
                todo.append((f"{folder}/{name}", depth + 1))
    return SkillResources(tuple(nsmallest(MAX_LISTED_RESOURCES, files)), len(files), unsearched)
