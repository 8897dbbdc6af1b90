"""Frontmatter as agents read it, even if it is invalid. A rule's frontmatter sets when the rule applies."""

import posixpath
import re
from functools import lru_cache
from typing import Literal, NamedTuple

from ...discover.globs import (
    compile_pattern,
    matches_as_ignored,
    matches_from_base,
    matches_glob,
    matches_relative,
)
from ...discover.paths import contains_path
from ...model.agent_rules import RuleConditions
from ...text.frontmatter import (
    FIRST_LINE,
    MAX_YAML_CHARS,
    Frontmatter,
    FrontmatterField,
    FrontmatterLines,
    FrontmatterProblem,
    find_frontmatter,
    is_true,
    parse_frontmatter,
    scalar_text,
)
from ...text.normalize import line_at

QUOTABLE = r"(?m)^([\w-]+:[ \t]+)([\[{@`*&!%].*|\"[^\"\n]*|'[^'\n]*|[^\s'\"|>#].*:[ \t].*)$"
"""A line whose value YAML may take for something else than text. Few need it: it is compiled for those."""
ITEM = re.compile(r"[ \t]*- +(\S.*)")
LINE = re.compile(r"([\w-]+):[ \t]*(.*)")
BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)+")


def parse_with_quotes(text: str) -> Frontmatter | FrontmatterProblem:
    """Frontmatter as a lenient agent reads it: if it is no YAML, with quotes around values that may be the reason."""
    parsed = parse_frontmatter(text)
    lines = _find_broken(text, parsed)
    if lines is None:
        return parsed
    source = text[lines.start : lines.end]
    quoted = re.sub(QUOTABLE, lambda m: m[1] + "'" + m[2].rstrip(" \t").replace("'", "''") + "'", source)
    again = parse_frontmatter(f"---\n{quoted}\n---\n")
    return parsed if isinstance(again, FrontmatterProblem) else again._replace(body=lines.body)


def parse_list_items(text: str) -> Frontmatter | FrontmatterProblem:
    """As `parse_forgiving`, and lines `- item` below a key without a value are its list."""
    parsed = parse_by_line(text)
    if isinstance(parsed, FrontmatterProblem) or not isinstance(parse_frontmatter(text), FrontmatterProblem):
        return parsed
    lines = text[: parsed.body].split("\n")
    return parsed._replace(fields={key: _read_list_items(field, lines) for key, field in parsed.fields.items()})


def _read_list_items(field: FrontmatterField, lines: list[str]) -> FrontmatterField:
    """A field of frontmatter as a list, if the lines below it are items."""
    at, items = field.line, list[str]()
    while field.kind == "null" and at < len(lines) and (item := ITEM.match(lines[at])):
        items.append(item[1].rstrip(" \t").strip("\"'"))
        at += 1
    return FrontmatterField("list", field.line, items=tuple(items)) if items else field


def parse_by_line(text: str) -> Frontmatter | FrontmatterProblem:
    """The same; if it is no YAML, each line `key: value` is a text."""
    parsed = parse_frontmatter(text)
    lines = _find_broken(text, parsed)
    if lines is None:
        return parsed
    fields: dict[str, FrontmatterField] = {}
    for number, line in enumerate(text[lines.start : lines.end].split("\n"), 2):
        if each := LINE.match(line):
            value = each[2].strip()
            fields[each[1]] = FrontmatterField("text" if value else "null", number, value.strip("\"'"))
    return Frontmatter(fields, (), line_at(text, lines.body - 1) + 1, lines.body)


def _find_broken(text: str, found: Frontmatter | FrontmatterProblem) -> FrontmatterLines | None:
    """Frontmatter that is no YAML and may be parsed otherwise; None if there is none, or too much."""
    lines = find_frontmatter(text) if isinstance(found, FrontmatterProblem) else None
    return lines if lines is not None and lines.end <= MAX_YAML_CHARS else None


def list_spoilers(text: str) -> tuple[str, ...]:
    """Text around the frontmatter, as it was read, that keeps some agents from recognizing it."""
    plain = text.removeprefix("\ufeff")
    blank = BLANK_LINES.match(plain)
    plain = plain[blank.end() if blank else 0 :]
    begin = FIRST_LINE.match(plain)
    if begin is None:
        return ()
    lines = find_frontmatter(plain)
    last = plain[: lines.body].rstrip("\r\n").rpartition("\n")[2] if lines else "---"
    spoilers = {
        "bom": text.startswith("\ufeff"),
        "blank-lines": blank is not None,
        "unended": lines is None,
        "blanks-after-first": begin[0].rstrip("\r") != "---",
        "blanks-after-last": last != "---",
    }
    return tuple(name for name, holds in spoilers.items() if holds)


# Reads from a rule's frontmatter when it applies: always, for some files, on demand, or never.

PATTERN_MATCHERS = {
    "glob": matches_glob,
    "relative": matches_relative,
    "path": matches_from_base,
    "gitignore": matches_as_ignored,
}
"""How agents compare patterns with paths."""
FRONTMATTER_PARSERS = {"mended": parse_with_quotes, "lines": parse_by_line, "items": parse_list_items}
"""How frontmatter is read in which YAML may be broken."""


class RuleCondition(NamedTuple):
    """When a rule applies, and what is wrong with its frontmatter."""

    when: Literal["start", "touched", "model", "manual", "never"]
    patterns: tuple[str, ...] = ()
    faults: tuple[tuple[str, int], ...] = ()
    """A sentence and its line each."""
    word: str = ""
    """The key that keeps it out."""

    @property
    def is_skipped(self) -> bool:
        """Whether nothing loads the rule; an agent may list its path all the same."""
        return self.when == "never" or (self.when == "touched" and len(self.faults) == len(self.patterns))

    @property
    def explanation(self) -> str:
        """When the rule applies, in words."""
        files = ", ".join(self.patterns)
        if self.word:
            return f"excluded by its `{self.word}`"
        if self.when == "touched" and self.is_skipped:
            return f"no file matches {files}"
        return {
            "start": "",
            "touched": f"when the agent works on a file that matches {files}",
            "model": "the model gets its description, and asks for it",
            "manual": "only when somebody names it",
            "never": f"this agent does not load rules for {files}" if files else "this agent does not load it",
        }[self.when]


def read_rule_condition(rule: RuleConditions, text: str) -> RuleCondition:
    """When the rule in a text counts."""
    parsed = FRONTMATTER_PARSERS.get(rule.broken, parse_frontmatter)(text)
    if isinstance(parsed, FrontmatterProblem):
        if not text.startswith("---"):
            return RuleCondition(rule.bare)
        broken: Literal["start", "never"] = "never" if rule.broken == "never" else "start"
        then = broken if find_frontmatter(text) else "start"
        effect = "loaded as if it had none" if then == "start" else "the agent skips it"
        return RuleCondition(then, (), ((f"{parsed.message}; {effect}", parsed.line),))
    if word := next((word for word in rule.never if _holds((word,), parsed) or _lists(word, parsed)), ""):
        return RuleCondition("never", word=word.partition("=")[0])
    if _holds(rule.always, parsed):
        return RuleCondition("start")
    patterns, faults = _read_rule_patterns(rule, parsed)
    every = [pattern in rule.everything for pattern in patterns]
    if every and (any(every) if rule.one_is_enough else all(every)):
        return RuleCondition("start", (), faults)
    if rule.excludes and (patterns or any(_has_value(parsed.fields.get(key)) for key in rule.globs)):
        return RuleCondition("never", patterns, faults)
    if patterns:
        return RuleCondition("touched", patterns, faults)
    fields = [parsed.fields[key] for key in rule.globs if key in parsed.fields]
    if rule.empty == "never" and any(field.kind == "list" and not _list_patterns(field) for field in fields):
        return RuleCondition("never", (), faults)
    if _holds(rule.model, parsed):
        return RuleCondition("model", (), faults)
    return RuleCondition("manual" if _holds(rule.manual, parsed) else rule.bare, (), faults)


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


def _has_value(field: FrontmatterField | None) -> bool:
    """Whether a field has a value: one that is not a list, not empty, `0` or `false`."""
    if field is None or field.kind in ("null", "list"):
        return False
    return field.kind == "map" or scalar_text(field) not in ("", "0", "false")


def _lists(word: str, parsed: Frontmatter) -> bool:
    """Whether a key has a list that contains the value."""
    key, _, wanted = word.partition("=")
    field = parsed.fields.get(key)
    return field is not None and field.kind == "list" and wanted in field.items


def _read_rule_patterns(
    rule: RuleConditions, parsed: Frontmatter
) -> tuple[tuple[str, ...], tuple[tuple[str, int], ...]]:
    """The patterns of a rule's frontmatter, and what is wrong with some, each with its line."""
    patterns: list[str] = []
    faults: list[tuple[str, int]] = []
    for key in rule.globs:
        field = parsed.fields.get(key)
        if field is None or (field.kind == "list" and key in rule.texts):
            continue
        for pattern in _list_patterns(field):
            patterns.append(pattern)
            if isinstance(wrong := compile_pattern(pattern), str):
                fault = f"{key}: {pattern!r:.80} is not a valid pattern: {wrong}; no file matches it"
                faults.append((fault, field.line))
    return tuple(patterns), tuple(faults)


def _list_patterns(field: FrontmatterField) -> list[str]:
    """The patterns of a list, or of a text with commas; a comma in braces parts nothing."""
    if field.kind not in ("text", "list"):
        return []
    texts = [item for item in field.items if item] if field.kind == "list" else [scalar_text(field)]
    return [each for text in texts for each in _split_patterns(text)]


def _split_patterns(text: str) -> list[str]:
    """The patterns of files to which a rule applies, at commas outside of braces."""
    parts, depth = [""], 0
    for char in text:
        depth += (char == "{") - (char == "}")
        if char == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip().strip("\"'") for part in parts if part.strip().strip("\"'")]


@lru_cache(maxsize=512)
def matches_touched_file(
    patterns: tuple[str, ...], base: str | None, touching: tuple[str, ...], method: str = "glob"
) -> bool:
    """Whether the patterns match a file that the agent works on; without a base they begin in any folder."""
    if base is None:
        wide = [each if each.startswith(("/", "**/")) else f"**/{each}" for each in patterns]
        return any(matches_glob(pattern.lower(), path.lower().lstrip("/")) for pattern in wide for path in touching)
    inside = [posixpath.relpath(path, base) for path in touching if contains_path(base, path)]
    fits = PATTERN_MATCHERS[method]
    return any(fits(pattern, path) for pattern in patterns for path in inside)
