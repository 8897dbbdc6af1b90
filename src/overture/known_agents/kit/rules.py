"""When a rule applies, by its frontmatter: always, for some files, on demand, or never. And what git ignores."""

import posixpath
from functools import lru_cache
from typing import Literal, NamedTuple

from ...discovery.globs import (
    compile_pattern,
    matches_as_ignored,
    matches_from_base,
    matches_glob,
    matches_relative,
)
from ...discovery.paths import contains_path
from ...discovery.place import Place
from ...discovery.reader import FileReader, Sighting
from ...model.agent_rules import RuleConditions
from ...model.state.reasons import NO_REASON, Reason, because
from ...text.broken_frontmatter import parse_by_line, parse_list_items, parse_with_quotes
from ...text.frontmatter import (
    Frontmatter,
    FrontmatterField,
    FrontmatterProblem,
    find_frontmatter,
    is_true,
    parse_frontmatter,
    scalar_text,
)

MATCHERS = {
    "glob": matches_glob,
    "relative": matches_relative,
    "path": matches_from_base,
    "gitignore": matches_as_ignored,
}
"""How agents compare patterns with paths."""
PARSERS = {"mended": parse_with_quotes, "lines": parse_by_line, "items": parse_list_items}
"""How frontmatter is read in which YAML may be broken."""


class RuleCondition(NamedTuple):
    """When a rule applies, and what is wrong with its frontmatter."""

    when: Literal["start", "touched", "model", "manual", "never"]
    patterns: tuple[str, ...] = ()
    faults: tuple[tuple[str, int], ...] = ()
    """A sentence and its line each."""
    key: str = ""
    """The key that keeps it out."""

    @property
    def is_skipped(self) -> bool:
        """Whether nothing loads the rule; an agent may list its path all the same."""
        return self.when == "never" or (self.when == "touched" and len(self.faults) == len(self.patterns))

    @property
    def reason(self) -> Reason:
        """When the rule applies."""
        files = ", ".join(self.patterns)
        if self.key:
            return because("excluded", "", "key", self.key)
        if self.when == "touched":
            return because("matches", "", "nothing", files) if self.is_skipped else because("matches", "", files)
        if self.when == "never" and files:
            return because("never", "", "files", files)
        return NO_REASON if self.when == "start" else because(self.when)


def read_rule_condition(rule: RuleConditions, text: str) -> RuleCondition:
    """When the rule in a text applies."""
    parsed = PARSERS.get(rule.broken, parse_frontmatter)(text)
    if isinstance(parsed, FrontmatterProblem):
        if not text.startswith("---"):
            return RuleCondition(rule.bare)
        skips = rule.broken == "never" and find_frontmatter(text) is not None
        effect = "the agent skips it" if skips else "loaded as if it had none"
        return RuleCondition("never" if skips else "start", (), ((f"{parsed.message}; {effect}", parsed.line),))
    if word := next((word for word in rule.never if _holds((word,), parsed) or _lists(word, parsed)), ""):
        return RuleCondition("never", key=word.partition("=")[0])
    if _holds(rule.always, parsed):
        return RuleCondition("start")
    fields = {key: parsed.fields[key] for key in rule.globs if key in parsed.fields}
    patterns: list[str] = []
    faults: list[tuple[str, int]] = []
    for key, field in fields.items():
        for pattern in () if field.kind == "list" and key in rule.texts else _list_patterns(field):
            patterns.append(pattern)
            if isinstance(wrong := compile_pattern(pattern), str):
                fault = f"{key}: {pattern!r:.80} is not a valid pattern: {wrong}; no file matches it"
                faults.append((fault, field.line))
    every = [pattern in rule.everything for pattern in patterns]
    when: Literal["start", "touched", "model", "manual", "never"]
    if every and (any(every) if rule.one_is_enough else all(every)):
        return RuleCondition("start", (), tuple(faults))
    if rule.excludes and (patterns or any(map(_has_value, fields.values()))):
        when = "never"
    elif patterns:
        when = "touched"
    elif rule.empty == "never" and any(f.kind == "list" and not _list_patterns(f) for f in fields.values()):
        when = "never"
    else:
        when = "model" if _holds(rule.model, parsed) else "manual" if _holds(rule.manual, parsed) else rule.bare
    return RuleCondition(when, tuple(patterns), tuple(faults))


def _holds(words: tuple[str, ...], parsed: Frontmatter) -> bool:
    """Whether the frontmatter has one of these keys, or `key=value`."""
    for word in words:
        key, _, wanted = word.partition("=")
        field = parsed.fields.get(key)
        value = scalar_text(field)
        same = value == wanted or (wanted == "true" and is_true(value))
        if (value and same) if wanted else (value or (field and (field.items or field.pairs))):
            return True
    return False


def _lists(word: str, parsed: Frontmatter) -> bool:
    """Whether a key has a list that contains the value."""
    key, _, wanted = word.partition("=")
    field = parsed.fields.get(key)
    return field is not None and field.kind == "list" and wanted in field.items


def _has_value(field: FrontmatterField) -> bool:
    """Whether a field has a value: one that is not a list, not empty, `0` or `false`."""
    return field.kind == "map" or (field.kind not in ("null", "list") and scalar_text(field) not in ("", "0", "false"))


def _list_patterns(field: FrontmatterField) -> list[str]:
    """The patterns of a list, or of a text with commas; a comma in braces parts nothing."""
    if field.kind not in ("text", "list"):
        return []
    texts = [item for item in field.items if item] if field.kind == "list" else [scalar_text(field)]
    return [part for text in texts for each in _split_patterns(text) if (part := each.strip().strip("\"'"))]


def _split_patterns(text: str) -> list[str]:
    parts, depth = [""], 0
    for char in text:
        depth += (char == "{") - (char == "}")
        if char == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


@lru_cache(maxsize=512)
def matches_touched_file(
    patterns: tuple[str, ...], base: str | None, touching: tuple[str, ...], method: str = "glob"
) -> bool:
    """Whether the patterns match a file that the agent works on; without a base they begin in any folder."""
    if base is None:
        wide = [each if each.startswith(("/", "**/")) else f"**/{each}" for each in patterns]
        return any(matches_glob(pattern.lower(), path.lower().lstrip("/")) for pattern in wide for path in touching)
    inside = [posixpath.relpath(path, base) for path in touching if contains_path(base, path)]
    return any(MATCHERS[method](pattern, path) for pattern in patterns for path in inside)


# Which files and folders git ignores, by the `.gitignore` files of a project.


def is_gitignored(reader: FileReader, place: Place, path: str) -> bool:
    """Whether the last matching line ignores the file itself, as goose asks; lines for folders are not consulted."""
    first = place.above.index(place.root) if place.root else len(place.above) - 1
    ignored = False
    for folder in place.above[first:]:
        real = reader.real_or(folder)
        if contains_path(real, path):
            below = posixpath.relpath(path, real)
            for line in _read_ignore_lines(reader, folder):
                if not line.endswith("/") and matches_glob(line.removeprefix("!"), below):
                    ignored = not line.startswith("!")
    return ignored


def is_folder_gitignored(reader: FileReader, place: Place, folder: str) -> bool:
    """Whether git ignores a folder below the working directory, or one on the way to it.

    The last matching line of the deepest `.gitignore` counts; nothing below an ignored folder is included again.
    """
    here = place.project
    ignored: list[tuple[str, list[str]]] = []
    for step in posixpath.relpath(folder, here).split("/"):
        ignored.append((here, _read_ignore_lines(reader, here)))
        here = posixpath.join(here, step)
        below = ((posixpath.relpath(here, top), lines) for top, lines in ignored if lines)
        matching = [line for path, lines in below for line in lines if _matches_folder(line, path)]
        if matching and not matching[-1].startswith("!"):
            return True
    return False


def _matches_folder(line: str, folder: str) -> bool:
    """Whether a line of `.gitignore` matches a folder; `a/**` matches what is below `a`."""
    pattern = line.removeprefix("!").rstrip("/")
    return matches_glob(f"{pattern}/*" if pattern.endswith("/**") else pattern, folder)


def _read_ignore_lines(reader: FileReader, folder: str) -> list[str]:
    result = reader.look_at(posixpath.join(folder, ".gitignore"))
    text: str | None = reader.peek(result, _keep_text) if isinstance(result, Sighting) else None
    lines = [line.rstrip() for line in text.splitlines()] if text else []
    # A blank at the beginning belongs to the name.
    spelled = (line.replace(" ", "[ ]") if line.startswith(" ") else line for line in lines)
    return [line for line in spelled if line and not line.startswith("#")]


def _keep_text(text: str, _: str) -> tuple[str, tuple[()]]:
    return text.removeprefix("\ufeff"), ()
