"""What frontmatter means to an agent: whether it lists a skill, a sub-agent or a command, and when a rule applies."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from msgspec.structs import replace

from ...discovery.globs import compile_pattern, matches_as_ignored, matches_from_base, matches_glob, matches_relative
from ...discovery.paths import contains_path
from ...model.agent_rules import Listing, MenuEntry, RuleConditions, Skills
from ...model.diagnostic import Diagnostic
from ...model.skill_rules import NAME, describe_missing
from ...model.state.files import Skill
from ...model.state.reasons import Reason, because
from ...text.broken_frontmatter import list_spoilers, parse_by_line, parse_list_items, parse_with_quotes
from ...text.frontmatter import FrontmatterField, FrontmatterProblem, is_true, parse_frontmatter, scalar_text
from ...text.normalize import tidy, to_one_line
from ...text.words import shorten_text


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
        fields, texts = parsed.fields, {key: scalar_text(field) for key, field in parsed.fields.items()}
        line = fields["description"].line if "description" in fields else 1
        odd = [key for key in ("name", "description") if key in fields and fields[key].kind != "text"]
        return ParsedSkill(
            texts, text[parsed.body :], line + skipped, text, spoilers=spoilers, twice=bool(parsed.twice),
            odd=describe_missing(odd[0], fields[odd[0]]) if odd else "", void=all(fields[k].kind == "null" for k in odd),
        ), ()  # fmt: skip
    if not text.startswith("---"):
        return ParsedSkill({}, text, 1 + skipped, text, missing=True), ()
    # An agent that does not need the last line takes all that follows for frontmatter.
    closed = f"{text}\n---" if "unended" in spoilers else text
    fixable = not isinstance(parse_with_quotes(closed), FrontmatterProblem)
    skill = ParsedSkill({}, "", parsed.line + skipped, text, parsed.message, fixable=fixable, spoilers=spoilers)
    if not isinstance(lines := parse_by_line(closed), FrontmatterProblem):
        texts = {key: scalar_text(field) for key, field in lines.fields.items()}
        skill = skill._replace(fields=texts, body=closed[lines.body :])
    return skill, ()


def judge_skill(parsed: ParsedSkill, path: str, wants: Skills, *, decoded: bool = True) -> Skill | Reason:
    """The skill as the agent lists it, or why it does not."""
    folder, _, file = path.rpartition("/")
    alone = file.casefold() != "skill.md"
    own = replace(wants, needs=wants.alone_needs) if alone and wants.alone_needs is not None else wants
    folder = file.removesuffix(".md") if alone else folder.rpartition("/")[2]
    judged = _judge(parsed, folder, own, decoded)
    if isinstance(judged, Reason):
        return judged
    parsed = judged
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
    folder, base = posixpath.split(path)
    file = base.partition(".")[0] or posixpath.splitext(base)[0]
    judged = _judge(parsed, file, wants, decoded)
    if isinstance(judged, Reason):
        return judged
    parsed = judged
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


def _judge(parsed: ParsedSkill, file: str, wants: MenuEntry, decoded: bool) -> ParsedSkill | Reason:
    """What an agent makes of a file, or why it does not list it; `file` is its name if it has none of its own."""
    if not set(parsed.spoilers).isdisjoint(wants.spoiled_by):  # it takes the frontmatter for text
        parsed = parsed._replace(fields={}, body=parsed.whole, missing=True, broken="", odd="", twice=False)
    elif parsed.broken and wants.broken == "mended" and not parsed.fixable:
        parsed = parsed._replace(fields={})
    return next(_find_faults(parsed, file, wants, decoded), parsed)


def _find_faults(parsed: ParsedSkill, file: str, wants: MenuEntry, decoded: bool) -> Iterator[Reason]:
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
    if description := parsed.fields.get("description", ""):
        return description
    blocks = re.split(r"\n\s*\n", parsed.body.strip()) if wants.described == "prose" else [parsed.body.strip()]
    texts = [[line for each in block.splitlines() if (line := each.strip())] for block in blocks]
    plain = next(filter(None, ([line for line in lines if line[0] != "#"] for lines in texts)), [])
    first = {
        "line": [line.lstrip("# ") for line in texts[0][:1]],
        "words": plain[:1],
        "body": plain[:3],
        "prose": plain,
    }
    return to_one_line(" ".join(first.get(wants.described, [])))[: wants.longest]


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
PARSERS = {"mended": parse_with_quotes, "lines": parse_by_line, "items": parse_list_items}  # where YAML may be broken
NOTHING = ("", "0", "false")  # values of a field that has none
COMMA = re.compile(r",(?![^{}]*\})")  # outside braces, it parts patterns
When = Literal["start", "touched", "model", "manual", "never"]


class RuleCondition(NamedTuple):  # when a rule applies, and what is wrong with its frontmatter
    when: When
    patterns: tuple[str, ...] = ()
    faults: tuple[tuple[str, int], ...] = ()  # a sentence and its line each
    excluding: str = ""  # the key that excludes it

    @property
    def is_skipped(self) -> bool:
        """Whether nothing loads the rule, as no pattern is valid; an agent may list its path all the same."""
        return self.when == "never" or (self.when == "touched" and len(self.faults) == len(self.patterns))

    @property
    def reason(self) -> Reason:
        """Why it is not loaded at the start."""
        files = ", ".join(self.patterns)
        if self.excluding:
            return because("excluded", "", "key", self.excluding)
        if self.when == "touched":
            return because("matches", "", *(["nothing"] if self.is_skipped else []), files)
        return because(self.when, "", *(["files", files] if files else []))


def read_rule_condition(rule: RuleConditions, text: str) -> RuleCondition:
    """When the rule in a text applies."""
    parsed = PARSERS.get(rule.broken, parse_frontmatter)(text)
    if isinstance(parsed, FrontmatterProblem):
        if not text.startswith("---"):
            return RuleCondition(rule.bare)
        skips = rule.broken == "never" and "unended" not in list_spoilers(text)
        effect = "the agent skips it" if skips else "loaded as if it had none"
        return RuleCondition("never" if skips else "start", (), ((f"{parsed.message}; {effect}", parsed.line),))
    if word := next((word for word in rule.never if _holds(word, parsed.fields, lists=True)), ""):
        return RuleCondition("never", excluding=word.partition("=")[0])
    if any(_holds(word, parsed.fields) for word in rule.always):
        return RuleCondition("start")
    fields = {key: parsed.fields[key] for key in rule.globs if key in parsed.fields}
    patterns, faults = list[str](), list[tuple[str, int]]()
    for key, field in fields.items():
        for pattern in () if field.kind == "list" and key in rule.texts else _list_patterns(field):
            patterns.append(pattern)
            if isinstance(wrong := compile_pattern(pattern), str):
                fault = f"{key}: {pattern!r:.80} is not a valid pattern: {wrong}; no file matches it"
                faults.append((fault, field.line))
    every = [pattern in rule.everything for pattern in patterns]
    kinds = {
        field.kind for field in fields.values() if field.kind in ("list", "map") or scalar_text(field) not in NOTHING
    }
    when: When = "touched" if patterns else rule.bare
    if every and (any(every) if rule.one_is_enough else all(every)):
        return RuleCondition("start", (), tuple(faults))
    if (rule.excludes and (patterns or kinds)) or (rule.empty == "never" and not patterns and "list" in kinds):
        when = "never"
    elif not patterns and any(_holds(word, parsed.fields) for word in rule.model):
        when = "model"
    elif not patterns and any(_holds(word, parsed.fields) for word in rule.manual):
        when = "manual"
    return RuleCondition(when, tuple(patterns), tuple(faults))


def _holds(word: str, fields: Mapping[str, FrontmatterField], *, lists: bool = False) -> bool:
    """Whether the frontmatter has a key with a value, or `key=value`; `lists`: that in a list of it too."""
    key, _, wanted = word.partition("=")
    field = fields.get(key)
    value = scalar_text(field)
    if not wanted:
        return bool(value or (field and (field.items or field.pairs)))
    is_listed = lists and field is not None and field.kind == "list" and wanted in field.items
    return is_listed or bool(value and (value == wanted or (wanted == "true" and is_true(value))))


def _list_patterns(field: FrontmatterField) -> list[str]:
    """The patterns of a list, or of a text with commas."""
    texts = [scalar_text(field)] if field.kind == "text" else field.items if field.kind == "list" else ()
    parts = (part.strip().strip("\"'") for text in texts if text for part in COMMA.split(text))
    return [part for part in parts if part]


def matches_touched_file(patterns: tuple[str, ...], base: str | None, touching: tuple[str, ...], method: str) -> bool:
    """Whether the patterns match a file that the agent works on; without a base they begin in any folder."""
    if base is None:
        wide = [each if each.startswith(("/", "**/")) else f"**/{each}" for each in patterns]
        return any(matches_glob(pattern.lower(), path.lower().lstrip("/")) for pattern in wide for path in touching)
    inside = [posixpath.relpath(path, base) for path in touching if contains_path(base, path)]
    return any(MATCHERS[method](pattern, path) for pattern in patterns for path in inside)
