"""SKILL.md -> Skill, and the Agent Skills rules that it breaks: whether those count is the recipe's word."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...model.diagnostic import Diagnostic, error, warning
from ...model.skill_rules import Broken, broken_rules
from ...model.state.files import Skill
from ...text.frontmatter import Field, Frontmatter, Problem, parse, plain_text
from ...text.normalize import tidy

WORD = re.compile(r"[^\s,(]+")
TRUE = ("true", "yes", "on", "y")


class SkillFile(NamedTuple):
    """What a SKILL.md gives."""

    skill: Skill | None
    broken: tuple[Broken, ...] = ()


def read_skill(text: str, path: str) -> tuple[SkillFile, tuple[Diagnostic, ...]]:
    """The skill, or None with the reason."""
    text, skipped = tidy(text)
    parsed = parse(text)
    if isinstance(parsed, Problem):
        return SkillFile(None), (error("skill-skipped", parsed.message, path, parsed.line + skipped),)
    broken = tuple(rule._replace(line=rule.line + skipped) for rule in broken_rules(parsed, _folder(path)))
    notes = [warning("skill-invalid", said, path, line + skipped) for said, line in _oddities(parsed)]
    skill = _skill(parsed, path, skipped)
    if skill is None:
        message = "it has no description: without one nobody knows when to load it"
        notes.append(error("skill-skipped", message, path, 1 + skipped))
    return SkillFile(skill, broken), tuple(notes)


def _skill(parsed: Frontmatter, path: str, skipped: int) -> Skill | None:
    fields = parsed.fields
    description = plain_text(fields.get("description"))
    if not description:
        return None
    return Skill(
        name=plain_text(fields.get("name")) or _folder(path),
        description=description,
        location=path,
        disable_model_invocation=_is_true(fields.get("disable-model-invocation")),
        license=plain_text(fields.get("license")) or None,
        compatibility=plain_text(fields.get("compatibility")) or None,
        allowed_tools=_words(fields.get("allowed-tools")),
        metadata=_map(fields.get("metadata")),
        line=fields["description"].line + skipped,
    )


def _oddities(parsed: Frontmatter) -> Iterator[tuple[str, int]]:
    """What is odd and breaks no rule: it is taken as it is meant, or passed over."""
    fields = parsed.fields
    for key, line in parsed.twice:
        yield f"{key!r:.80} is given twice; the last one counts", line
    name = fields.get("name")
    if name is not None and name.kind not in ("text", "null", "list", "map"):
        yield f"name is written {name.text!r:.80}, which YAML takes for a {name.kind}: put quotes around it", name.line
    for key in ("description", "compatibility"):
        field = fields.get(key)
        if field is not None and field.kind not in ("text", "null"):
            yield f"{key} is written as a {field.kind}, not as text: put quotes around it", field.line
    flag = fields.get("disable-model-invocation")
    if flag is not None and flag.kind != "bool":
        yield f"disable-model-invocation is {flag.text!r:.80}, not true or false: the skill is listed", flag.line
    tools = fields.get("allowed-tools")
    if tools is not None and (tools.kind == "map" or None in tools.items):
        yield "allowed-tools holds what is no text: that is passed over", tools.line
    extra = fields.get("metadata")
    if extra is not None and _map(extra) is None:
        yield "metadata is not a map of texts: it is passed over", extra.line


def _is_true(field: Field | None) -> bool:
    return field is not None and field.kind == "bool" and field.text.lower() in TRUE


def _words(field: Field | None) -> tuple[str, ...] | None:
    """`allowed-tools` as a text with blanks or commas, or as a list; `Bash(git add:*)` is one."""
    if field is None or field.kind == "map":
        return None
    if field.kind == "list":
        return tuple(item for item in field.items if item)
    return tuple(_each_word(plain_text(field))) or None


def _each_word(text: str) -> Iterator[str]:
    at, last = 0, text.rfind(")")
    while found := WORD.search(text, at):
        at = found.end()
        # Only while there is a bracket to come is it looked for: many that open and never close cost nothing.
        if text.startswith("(", at) and at < last:
            at = text.index(")", at) + 1
        yield text[found.start() : at]


def _map(field: Field | None) -> dict[str, str] | None:
    if field is None or field.kind != "map":
        return None
    pairs = {key: value for key, value in field.pairs if value is not None}
    return pairs if len(pairs) == len(dict(field.pairs)) else None


def _folder(path: str) -> str:
    return path.rpartition("/")[0].rpartition("/")[2]
