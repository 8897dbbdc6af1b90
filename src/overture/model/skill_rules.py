"""The Agent Skills rules on a SKILL.md, and which of them it breaks: whether that counts is the reader's word."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ..text.frontmatter import Frontmatter, FrontmatterField, scalar_text
from ..text.words import shorten_text
from .diagnostic import Diagnostic, warning
from .state.files import MAX_DESCRIPTION_CHARS, Skill

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
CUT_NOTE = ", and lists of skills show no more of it"
SkillFault = Literal[
    "frontmatter",
    "yaml",
    "colon",
    "name-missing",
    "name-long",
    "name-letters",
    "name-folder",
    "description-missing",
    "description-long",
    "compatibility-long",
    "compatibility-type",
    "blank-lines",
    "bom",
    "blanks",
    "field",
]
"""What may be wrong with a skill; `colon`: YAML that only lacks quotes; `field`: a value that is odd, or cut short."""
TEXTS = ("name", "description", "license", "compatibility")
TRAILING = re.compile(r"^---[^\S\n]+$", re.MULTILINE)


class RuleViolation(NamedTuple):
    """A rule that a skill breaks, and the effect if the skill is loaded anyway."""

    fault: SkillFault
    message: str
    line: int
    instead: str = ""


def too_long(chars: int) -> str:
    """Which rule a long description breaks."""
    return f"description has {chars:,} characters, over the limit of {MAX_DESCRIPTION_CHARS:,}"


def find_violations(parsed: Frontmatter, folder: str) -> Iterator[RuleViolation]:
    """The rules on name, description and compatibility that the skill in a folder does not keep."""
    fields = parsed.fields
    yield from _find_name_violations(fields.get("name"), folder)
    length = len(scalar_text(fields.get("description")))
    if length > MAX_DESCRIPTION_CHARS:
        yield RuleViolation("description-long", too_long(length), fields["description"].line, CUT_NOTE)
    length = len(scalar_text(fields.get("compatibility")))
    if length > 500:
        message = f"compatibility has {length:,} characters, over the limit of 500"
        yield RuleViolation("compatibility-long", message, fields["compatibility"].line)
    field = fields.get("compatibility")
    if field is not None and (field.kind != "text" or not length):
        yield RuleViolation("compatibility-type", f"compatibility {_describe_wrong_kind(field)}", field.line)


def check_beginning(skipped: int) -> Iterator[RuleViolation]:
    """The rule that a file begins with its frontmatter; `skipped` lines before it are blank."""
    if skipped:
        message = f"its frontmatter begins on line {skipped + 1}: put its `---` on the first line"
        yield RuleViolation("blank-lines", message, 1)


def find_odd_beginning(raw: str, text: str, parsed: Frontmatter) -> Iterator[RuleViolation]:
    """Text around frontmatter that hides it from some agents; `text` is `raw` without the text before it."""
    if raw.startswith("\ufeff"):
        yield RuleViolation("bom", "it begins with a byte order mark, which hides the frontmatter from some agents", 1)
    if match := TRAILING.search(text, 0, parsed.body):
        line = 1 + text.count("\n", 0, match.start())
        yield RuleViolation("blanks", "there are spaces after `---`, which hide the frontmatter from some agents", line)


def find_odd_fields(parsed: Frontmatter) -> Iterator[RuleViolation]:
    """Odd values that do not invalidate a skill: they are corrected, or ignored."""
    fields = parsed.fields
    for key, line in parsed.twice:
        yield RuleViolation("field", f"{key!r:.80} is given twice; the last value is used", line)
    for key in TEXTS:
        if (field := fields.get(key)) is not None and (message := _describe_odd_text(key, field)):
            yield RuleViolation("field", message, field.line)
    flag = fields.get("disable-model-invocation")
    if flag is not None and flag.kind != "bool":
        message = f"disable-model-invocation is {flag.text!r:.80}, not true or false: the skill is listed"
        yield RuleViolation("field", message, flag.line)
    tools = fields.get("allowed-tools")
    if tools is not None and (tools.kind not in ("text", "list") or None in tools.items or not _has_value(tools)):
        yield RuleViolation(
            "field", f"allowed-tools {_describe_wrong_kind(tools) if not tools.items else HOLDS}", tools.line
        )
    extra = fields.get("metadata")
    if extra is not None and (message := _describe_odd_metadata(extra)):
        yield RuleViolation("field", f"metadata {message}", extra.line)


def describe_missing(key: str, field: FrontmatterField | None) -> str:
    """Why a skill has no name or no description that is text."""
    if field is None:
        return f"it has no {key}"
    if field.kind in ("null", "text"):
        return f"{key} is empty"
    return f"{key} is written as a {field.kind}, `{_format_field_value(field):.60}`, not as a string"


HOLDS = "contains values that are not strings: they are skipped"


def describe_yaml_comment(key: str, field: FrontmatterField) -> str:
    """The text of a field that YAML reads as a comment."""
    return f"YAML ends the {key} before `{shorten_text(field.lost, 60)}`: put quotes around the whole value"


def _describe_odd_text(key: str, field: FrontmatterField) -> str:
    if field.lost.startswith("#") and key != "name":
        return describe_yaml_comment(key, field)
    if field.lost and not field.lost.startswith("#"):
        return f"YAML removes `{field.lost:.60}` from {key}: put quotes around the whole value"
    if key == "name" and field.kind in ("bool", "number", "date"):
        return f"name is written {field.text!r:.80}, which YAML reads as a {field.kind}: put quotes around it"
    if key == "license" or (key == "description" and field.kind in ("bool", "number", "date")):
        return f"{key} {_describe_wrong_kind(field)}" if field.kind != "text" or not scalar_text(field) else ""
    return ""


def _describe_odd_metadata(field: FrontmatterField) -> str:
    if field.kind != "map":
        return _describe_wrong_kind(field, "a map of strings", "write `key: text` on the lines below it")
    odd = next((key for key, text in dict(field.pairs).items() if text is None), None)
    return "" if odd is None else f"is skipped: {odd!r:.80} contains a list or a map, but the format requires strings"


def _has_value(field: FrontmatterField) -> bool:
    return bool(field.items) or bool(scalar_text(field))


def _describe_wrong_kind(field: FrontmatterField, wanted: str = "text", instead: str = "put quotes around it") -> str:
    """Why a value is invalid, and what to write instead."""
    if field.kind == "null" or not (field.text.strip() or field.items or field.pairs):
        return "is empty: remove the line"
    if field.kind in ("list", "map") and wanted == "text":
        instead = "write a string"
    return f"is written as a {field.kind}, `{_format_field_value(field):.60}`, not as {wanted}: {instead}"


def _format_field_value(field: FrontmatterField) -> str:
    """A value on one line; parts that are no text become `…`."""
    if field.kind == "list":
        return f"[{', '.join(item or '…' for item in field.items)}]"
    pairs = ", ".join(f"{key}: {text or '…'}" for key, text in field.pairs)
    return f"{{{pairs}}}" if field.kind == "map" else field.text.strip()


def _find_name_violations(field: FrontmatterField | None, folder: str) -> Iterator[RuleViolation]:
    """The rules that the name of a skill breaks."""
    name = scalar_text(field)
    if field is None or not name:
        line, fault = field.line if field else 1, describe_missing("name", field)
        yield RuleViolation("name-missing", fault, line, f": the name of its folder, {folder!r}, is used")
        return
    if len(name) > 64:
        yield RuleViolation("name-long", f"name has {len(name)} characters, over the limit of 64", field.line)
    if not NAME.fullmatch(name):
        message = f"name {name!r:.80} may contain only a-z, 0-9 and single hyphens between them"
        yield RuleViolation("name-letters", message, field.line)
    if name != folder:
        yield RuleViolation(
            "name-folder", f"name {name!r:.80} differs from the name of its folder, {folder!r}", field.line
        )


def report_overlong(skill: Skill) -> Diagnostic:
    """The report that menus cut a description, worded for the author of the skill's file."""
    message = too_long(len(skill.description)) + CUT_NOTE
    return warning("skill-invalid", message, skill.location or None, skill.line)
