"""What frontmatter means to an agent: whether it lists a skill, a sub-agent or a command, and when a rule applies."""

import posixpath
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from msgspec.structs import replace

from ...discovery.globs import compile_pattern, matches_as_ignored, matches_from_base, matches_glob, matches_relative
from ...discovery.paths import contains_path
from ...model.agent_rules import Listing, MenuEntry, RuleConditions, Skills
from ...model.diagnostic import Diagnostic
from ...model.skill_rules import NAME, describe_missing
from ...model.state.files import Skill
from ...model.state.reasons import NO_REASON, Reason, because
from ...text.broken_frontmatter import list_spoilers, parse_by_line, parse_list_items, parse_with_quotes
from ...text.frontmatter import (
    Frontmatter,
    FrontmatterField,
    FrontmatterProblem,
    find_frontmatter,
    is_true,
    parse_frontmatter,
    scalar_text,
)
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
        return ParsedSkill(
            _texts(fields), text[parsed.body :], line + skipped, text, spoilers=spoilers, twice=bool(parsed.twice),
            odd=describe_missing(odd[0], fields[odd[0]]) if odd else "", void=all(fields[k].kind == "null" for k in odd),
        ), ()  # fmt: skip
    if not text.startswith("---"):
        return ParsedSkill({}, text, 1 + skipped, text, missing=True), ()
    # An agent that does not need the last line takes all that follows for frontmatter.
    closed = f"{text}\n---" if "unended" in spoilers else text
    fixable = any(isinstance(each, Frontmatter) for each in (parse_with_quotes(text), parse_frontmatter(closed)))
    lines = parse_by_line(closed)
    found, body = ({}, "") if isinstance(lines, FrontmatterProblem) else (_texts(lines.fields), closed[lines.body :])
    return ParsedSkill(found, body, parsed.line + skipped, text, parsed.message, False, fixable, spoilers), ()


def _texts(fields: dict[str, FrontmatterField]) -> dict[str, str]:
    return {key: scalar_text(field) for key, field in fields.items()}


def judge_skill(parsed: ParsedSkill, path: str, wants: Skills, *, decoded: bool = True) -> Skill | Reason:
    """The skill as the agent lists it, or why it does not."""
    parsed = _read_as(parsed, wants)
    folder, _, file = path.rpartition("/")
    alone = file.casefold() != "skill.md"
    own = replace(wants, needs=wants.alone_needs) if alone and wants.alone_needs is not None else wants
    folder = file.removesuffix(".md") if alone else folder.rpartition("/")[2]
    if fault := next(_find_faults(parsed, folder, own, decoded), None):
        return fault
    if wants.largest is not None and (size := len(parsed.whole.encode("utf-8", "replace"))) > wants.largest:
        return because("unlisted", "", "largest", size, wants.largest)
    name = to_one_line(parsed.fields.get("name", ""))
    differs = wants.named == "both" and name not in ("", folder) and " " not in name
    return Skill(
        (name if wants.named == "name" else "") or folder, _describe(parsed, wants), path,
        disable_model_invocation=any(_is_hidden_by(parsed, key) for key in wants.hidden_by),
        line=parsed.line, called=f"{folder} ({name})" if differs else "",
    )  # fmt: skip


def read_entry(parsed: ParsedSkill, path: str, top: str, wants: Listing, *, decoded: bool) -> tuple[str, str] | Reason:
    """The name and the description of a sub-agent or a command, or why the agent does not list it.

    `top` is the folder in which the agent looks for them.
    """
    if "yaml" in wants.needs and not set(parsed.spoilers).isdisjoint(wants.spoiled_by):
        return because("unlisted", "", "spoiled")
    parsed = _read_as(parsed, wants)
    folder, base = posixpath.split(path)
    file = base.partition(".")[0] or posixpath.splitext(base)[0]
    if fault := next(_find_faults(parsed, file, wants, decoded), None):
        return fault
    if odd := [key for key in parsed.fields if wants.keys and key not in wants.keys]:
        return because("unlisted", "", "key", odd[0])
    if hidden := [key for key in wants.hidden_by if _is_hidden_by(parsed, key)]:
        return because("unlisted", "", "hidden", hidden[0])
    if len(parsed.body.strip()) < wants.least:
        return because("unlisted", "", "least", wants.least)
    own = to_one_line(parsed.fields.get("name", "")) if wants.named == "name" else ""
    folders = posixpath.relpath(folder, top).split("/") if wants.folders else []
    above = "".join(f"{each}{wants.folders}" for each in folders if each != ".")
    said = to_one_line(_describe(parsed, wants))
    return own or above + file, said if wants.entry is None else shorten_text(said, wants.entry)


def _read_as(parsed: ParsedSkill, wants: MenuEntry) -> ParsedSkill:
    """What an agent makes of it that may take the frontmatter for text, or not read it if it is broken."""
    if not set(parsed.spoilers).isdisjoint(wants.spoiled_by):
        return parsed._replace(fields={}, body=parsed.whole, missing=True, broken="", odd="", twice=False)
    unread = parsed.broken and wants.broken == "mended" and not parsed.fixable
    return parsed._replace(fields={}) if unread else parsed


def _find_faults(parsed: ParsedSkill, file: str, wants: MenuEntry, decoded: bool) -> Iterator[Reason]:
    """Why an agent does not list it; `file` is its name if it has none of its own."""
    name, description = parsed.fields.get("name", ""), parsed.fields.get("description", "")
    called = name or file
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
        "name-is-folder": (called != file, name),
        "name-like-folder": (called.casefold() != file.casefold(), name),
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


def _describe(parsed: ParsedSkill, wants: MenuEntry) -> str:
    """The description, or in its place the first line, the first lines without headings, or the first paragraph."""
    body = parsed.body.strip()
    if description := parsed.fields.get("description", ""):
        return description
    if wants.described == "line":
        return to_one_line(body.partition("\n")[0].strip().lstrip("# "))[: wants.longest]
    blocks = re.split(r"\n\s*\n", body) if wants.described == "prose" else [body]
    texts = ([line.strip() for line in block.splitlines()] for block in blocks)
    plain = ([line for line in lines if line and not line.startswith("#")] for lines in texts)
    most = {"words": 1, "body": 3, "prose": None}.get(wants.described, 0)
    return to_one_line(" ".join(next(filter(None, plain), [])[:most]))[: wants.longest]


def _is_hidden_by(parsed: ParsedSkill, word: str) -> bool:
    """Whether a key that hides it is true, or has the value that hides."""
    key, _, wanted = word.partition("=")
    value = parsed.fields.get(key, "")
    if wanted:
        return value == wanted
    return is_true(value) if key.startswith("disable") else bool(value)


# When a rule applies, by its frontmatter: always, for some files, on demand, or never.

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


def matches_touched_file(patterns: tuple[str, ...], base: str | None, touching: tuple[str, ...], method: str) -> bool:
    """Whether the patterns match a file that the agent works on; without a base they begin in any folder."""
    if base is None:
        wide = [each if each.startswith(("/", "**/")) else f"**/{each}" for each in patterns]
        return any(matches_glob(pattern.lower(), path.lower().lstrip("/")) for pattern in wide for path in touching)
    inside = [posixpath.relpath(path, base) for path in touching if contains_path(base, path)]
    return any(MATCHERS[method](pattern, path) for pattern in patterns for path in inside)
