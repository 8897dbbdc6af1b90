"""SKILL.md -> Skill, by the Agent Skills rules. A broken rule is a warning; only the unusable is left out."""

import re
from collections.abc import Iterator

from ..model.diagnostic import Diagnostic, error, warning
from ..model.files import Skill
from ..model.tidy import tidy
from .frontmatter import Field, Frontmatter, Problem, parse, plain_text

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
WORD = re.compile(r"[^\s,(]+(?:\([^)]*\))?")
TRUE = ("true", "yes", "on", "y")


def read_skill(text: str, path: str) -> tuple[Skill | None, tuple[Diagnostic, ...]]:
    """The skill, or None with the reason."""
    text, skipped = tidy(text)
    parsed = parse(text)
    if isinstance(parsed, Problem):
        return None, (error("skill-skipped", parsed.message, path, parsed.line + skipped),)
    notes = [_moved(note, skipped) for note in _broken_rules(parsed, path)]
    skill = _skill(parsed, path, skipped)
    if skill is None:
        message = "it has no description: without one nobody knows when to load it"
        notes.append(error("skill-skipped", message, path, 1 + skipped))
    return skill, tuple(notes)


def _moved(note: Diagnostic, by: int) -> Diagnostic:
    return Diagnostic(note.level, note.code, note.message, note.path, (note.line or 1) + by)


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


def _broken_rules(parsed: Frontmatter, path: str) -> Iterator[Diagnostic]:
    def broken(message: str, line: int) -> Diagnostic:
        return warning("skill-invalid", message, path, line)

    fields = parsed.fields
    for key, line in parsed.twice:
        yield broken(f"{key!r} is given twice; the last one counts", line)
    yield from (broken(*found) for found in _name_faults(fields.get("name"), _folder(path)))
    for key, most in (("description", 1024), ("compatibility", 500)):
        field = fields.get(key)
        if field is not None:
            yield from (broken(*found) for found in _text_faults(key, field, most))
    flag = fields.get("disable-model-invocation")
    if flag is not None and flag.kind != "bool":
        yield broken(f"disable-model-invocation is {flag.text!r}, not true or false: the skill is listed", flag.line)
    tools = fields.get("allowed-tools")
    if tools is not None and (tools.kind == "map" or None in tools.items):
        yield broken("allowed-tools holds what is no text: that is passed over", tools.line)
    extra = fields.get("metadata")
    if extra is not None and _map(extra) is None:
        yield broken("metadata is not a map of texts: it is passed over", extra.line)


def _name_faults(field: Field | None, folder: str) -> Iterator[tuple[str, int]]:
    name = plain_text(field)
    if field is None or not name:
        yield f"it has no name: its folder's, {folder!r}, is used", field.line if field else 1
        return
    if field.kind not in ("text", "list", "map"):
        yield f"name is written {field.text!r}, which YAML takes for a {field.kind}: put quotes around it", field.line
    if len(name) > 64:
        yield f"name has {len(name)} characters; 64 is the most", field.line
    if not NAME.fullmatch(name):
        yield f"name {name!r} may hold only a-z, 0-9 and single hyphens between them", field.line
    if name != folder:
        yield f"name {name!r} is not the name of its folder, {folder!r}", field.line


def _text_faults(key: str, field: Field, most: int) -> Iterator[tuple[str, int]]:
    text = plain_text(field)
    if field.kind not in ("text", "null"):
        yield f"{key} is written as a {field.kind}, not as text: put quotes around it", field.line
    if len(text) > most:
        yield f"{key} has {len(text):,} characters; {most:,} is the most", field.line


def _is_true(field: Field | None) -> bool:
    return field is not None and field.kind == "bool" and field.text.lower() in TRUE


def _words(field: Field | None) -> tuple[str, ...] | None:
    """`allowed-tools` as a text with blanks or commas, or as a list; `Bash(git add:*)` is one."""
    if field is None or field.kind == "map":
        return None
    if field.kind == "list":
        return tuple(item for item in field.items if item)
    return tuple(WORD.findall(plain_text(field))) or None


def _map(field: Field | None) -> dict[str, str] | None:
    if field is None or field.kind != "map":
        return None
    pairs = {key: value for key, value in field.pairs if value is not None}
    return pairs if len(pairs) == len(dict(field.pairs)) else None


def _folder(path: str) -> str:
    return path.rpartition("/")[0].rpartition("/")[2]
