"""When a rule applies, by its frontmatter: always, for some files, on demand, or never."""

import posixpath
from functools import lru_cache
from typing import Literal, NamedTuple

from ...discovery.globs import compile_pattern, matches_as_ignored, matches_from_base, matches_glob, matches_relative
from ...discovery.paths import contains_path
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
    "glob": matches_glob, "relative": matches_relative, "path": matches_from_base, "gitignore": matches_as_ignored,
}  # fmt: skip
"""How agents compare patterns with paths."""
PARSERS = {"mended": parse_with_quotes, "lines": parse_by_line, "items": parse_list_items}
"""How frontmatter is read in which YAML may be broken."""
When = Literal["start", "touched", "model", "manual", "never"]


class RuleCondition(NamedTuple):  # when a rule applies, and what is wrong with its frontmatter
    when: When
    patterns: tuple[str, ...] = ()
    faults: tuple[tuple[str, int], ...] = ()  # a sentence and its line each
    reason: Reason = NO_REASON
    is_skipped: bool = False  # whether nothing loads the rule; an agent may list its path all the same


def read_rule_condition(rule: RuleConditions, text: str) -> RuleCondition:
    """When the rule in a text applies."""
    parsed = PARSERS.get(rule.broken, parse_frontmatter)(text)
    if isinstance(parsed, FrontmatterProblem):
        if not text.startswith("---"):
            return _conclude(rule.bare)
        skips = rule.broken == "never" and find_frontmatter(text) is not None
        effect = "the agent skips it" if skips else "loaded as if it had none"
        return _conclude("never" if skips else "start", (), ((f"{parsed.message}; {effect}", parsed.line),))
    if word := next((word for word in rule.never if _holds(word, parsed, lists=True)), ""):
        return _conclude("never")._replace(reason=because("excluded", "", "key", word.partition("=")[0]))
    if any(_holds(word, parsed) for word in rule.always):
        return _conclude("start")
    fields = {key: parsed.fields[key] for key in rule.globs if key in parsed.fields}
    patterns, faults = list[str](), list[tuple[str, int]]()
    for key, field in fields.items():
        for pattern in () if field.kind == "list" and key in rule.texts else _list_patterns(field):
            patterns.append(pattern)
            if isinstance(wrong := compile_pattern(pattern), str):
                fault = f"{key}: {pattern!r:.80} is not a valid pattern: {wrong}; no file matches it"
                faults.append((fault, field.line))
    every = [pattern in rule.everything for pattern in patterns]
    if every and (any(every) if rule.one_is_enough else all(every)):
        return _conclude("start", (), tuple(faults))
    kinds = {field.kind for field in fields.values() if field.kind == "list" or _has_value(field)}
    if (rule.excludes and (patterns or kinds)) or (rule.empty == "never" and not patterns and "list" in kinds):
        return _conclude("never", tuple(patterns), tuple(faults))
    asked: When = "model" if any(_holds(word, parsed) for word in rule.model) else rule.bare
    asked = "manual" if asked == rule.bare and any(_holds(word, parsed) for word in rule.manual) else asked
    return _conclude("touched" if patterns else asked, tuple(patterns), tuple(faults))


def _conclude(when: When, patterns: tuple[str, ...] = (), faults: tuple[tuple[str, int], ...] = ()) -> RuleCondition:
    """The condition with its reason; a rule of which no pattern is valid waits for no file."""
    files, is_skipped = ", ".join(patterns), when == "never" or (when == "touched" and len(faults) == len(patterns))
    if when == "touched":
        reason = because("matches", "", "nothing", files) if is_skipped else because("matches", "", files)
    else:
        reason = because(when, "", *(("files", files) if files else ())) if when != "start" else NO_REASON
    return RuleCondition(when, patterns, faults, reason, is_skipped)


def _holds(word: str, parsed: Frontmatter, *, lists: bool = False) -> bool:
    """Whether the frontmatter has a key with a value, or `key=value`; `lists`: that in a list of it too."""
    key, _, wanted = word.partition("=")
    field = parsed.fields.get(key)
    value = scalar_text(field)
    if not wanted:
        return bool(value or (field and (field.items or field.pairs)))
    is_listed = lists and field is not None and field.kind == "list" and wanted in field.items
    return is_listed or bool(value and (value == wanted or (wanted == "true" and is_true(value))))


def _has_value(field: FrontmatterField) -> bool:
    """Whether a field has a value: one that is not empty, `0` or `false`."""
    return field.kind == "map" or (field.kind != "null" and scalar_text(field) not in ("", "0", "false"))


def _list_patterns(field: FrontmatterField) -> list[str]:
    """The patterns of a list, or of a text with commas; a comma in braces parts nothing."""
    texts = [scalar_text(field)] if field.kind == "text" else field.items if field.kind == "list" else ()
    parts = [""]
    for text in filter(None, texts):
        depth = 0
        for char in text:
            depth += (char == "{") - (char == "}")
            if char == "," and depth <= 0:
                parts.append("")
            else:
                parts[-1] += char
        parts.append("")
    return [part for each in parts if (part := each.strip().strip("\"'"))]


@lru_cache(maxsize=512)
def matches_touched_file(patterns: tuple[str, ...], base: str | None, touching: tuple[str, ...], method: str) -> bool:
    """Whether the patterns match a file that the agent works on; without a base they begin in any folder."""
    if base is None:
        wide = [each if each.startswith(("/", "**/")) else f"**/{each}" for each in patterns]
        return any(matches_glob(pattern.lower(), path.lower().lstrip("/")) for pattern in wide for path in touching)
    inside = [posixpath.relpath(path, base) for path in touching if contains_path(base, path)]
    return any(MATCHERS[method](pattern, path) for pattern in patterns for path in inside)
