"""SKILL.md -> Skill, and the Agent Skills rules that it breaks: whether those count is the recipe's word."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...model.diagnostic import Diagnostic, error, warning
from ...model.skill_rules import Broken, broken_beginning, broken_rules, odd_beginning, odd_fields
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
    raw, (text, skipped) = text, tidy(text)
    parsed = parse(text)
    if isinstance(parsed, Problem):
        return SkillFile(None), (error("skill-skipped", parsed.message, path, parsed.line + skipped),)
    rules = (rule._replace(line=rule.line + skipped) for rule in broken_rules(parsed, _folder(path)))
    broken = (*broken_beginning(skipped), *rules)
    odd = (*odd_fields(parsed), *odd_beginning(raw, text, parsed))
    notes = [warning("skill-invalid", each.message, path, each.line + skipped) for each in odd]
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
