"""Finds the skills in folders, reads a SKILL.md, and on demand its instructions and the files beside it."""

import re
from operator import attrgetter
from posixpath import join
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
from ..model.state.reasons import NO_REASON, because
from ..model.wants import SkillDirs
from ..text.frontmatter import (
    FrontmatterField,
    FrontmatterProblem,
    is_true,
    parse_frontmatter,
    scalar_text,
)
from ..text.normalize import tidy
from ..text.path_printer import readable_path
from .reader import ABSENT, FileReader

MAX_SKILL_FOLDERS = 2000  # folders that are searched for skills, besides those that are named
MAX_SKILLS = 1000  # more skills than any menu has room for
TOOL_WORD = re.compile(r"[^\s,()]+(?:\([^()]*\))?")


def find_skills(
    reader: FileReader, wants: SkillDirs, walk: list[str], home: str, extra: tuple[str, ...], searched: dict[str, str]
) -> tuple[Skill, ...]:
    """All skills in menu order; of two with one name, the more specific wins. `searched`: as in the function below."""
    levels = walk[::-1] if wants.ancestors else walk[-1:]
    places = [join(level, folder) for level in levels for folder in wants.project]
    places += [join(home, folder) for folder in wants.home]
    by_name: dict[str, Skill] = {}
    for place in dict.fromkeys((*places, *extra)):  # home may be on the walk
        for skill in _scan(reader, place, wants, searched):
            winner = by_name.setdefault(skill.name, skill)
            if winner is skill:
                hidden = because("user-only") if skill.disable_model_invocation else NO_REASON
                reader.note(skill.location, "skill", "loaded", hidden)
                continue
            reader.note(skill.location, "skill", "hidden", because("hidden", winner.location))
            message = f"skipped: {winner.location} has the same name, {skill.name!r}, and comes first"
            reader.diagnostics.append(warning("skill-collision", message, skill.location))
    report_many_skills(reader, len(by_name))
    return tuple(sorted(by_name.values(), key=attrgetter("name", "location")))


def list_skill_subfolders(
    reader: FileReader, folder: str, searched: dict[str, str], *, top: bool, dotted: bool
) -> list[str]:
    """The names of folders that may contain a SKILL.md: directories, and links that do not lead to a plain file.

    Each real folder is searched once: `searched` takes it, with the path by which it was first found. `top`: a recipe
    or a setting names the folder, so what is wrong with it is recorded. `dotted`: names may begin with a dot.
    """
    world = reader.world
    try:
        if world.look(folder) is None:
            if top:
                reader.note_absent(folder, "skill")
            return []
        if refusal := reader.check_folder(folder):
            reader.refuse(folder, "skill", *refusal)
            return []
        real = reader.resolve_path(folder)
        entry = world.look(real)
        if entry is None or entry.kind != "dir":
            if top:
                reader.refuse(folder, "skill", "skipped", because("no-folder"))
            return []
        if real in searched:
            if searched[real] != folder:
                reader.note(folder, "skill", "duplicate", because("same-file", searched[real], "folder"))
            return []
        searched[real] = folder
        names = world.names(folder)
    except OSError as problem:
        reader.refuse(folder, "skill", "unreadable", reader.explain(folder, problem))
        return []
    usual = [row for row in names if (dotted or not row[0].startswith(".")) and row[0] != "node_modules"]
    return [n for n, kind in usual if kind == "dir" or (kind == "link" and _leads_to_folder(reader, f"{folder}/{n}"))]


def _leads_to_folder(reader: FileReader, path: str) -> bool:
    """Whether a link leads to a directory; one that leads nowhere is reported."""
    try:
        entry = reader.world.look(reader.world.real(path))
    except OSError as problem:
        reader.refuse(path, "skill", "unreadable", reader.explain(path, problem))
        return False
    return entry is not None and entry.kind == "dir"


def report_many_skills(reader: FileReader, count: int) -> None:
    """Warn of more skills than fit into a prompt."""
    if count > MAX_SKILLS:
        message = f"{count:,} skills are listed: their names and descriptions alone fill a model's context window"
        hint = "Remove some, set a budget (--budget skills=2000), or set features.skills.enabled = false"
        reader.diagnostics.append(warning("skills-many", f"{message}. {hint}"))


def _scan(reader: FileReader, place: str, wants: SkillDirs, searched: dict[str, str]) -> list[Skill]:
    """The skills in one folder and below it; below a skill there is none."""
    skills: list[Skill] = []
    todo = [(place, wants.depth)]
    while todo:
        here, levels = todo.pop()
        deeper = []
        for name in list_skill_subfolders(reader, here, searched, top=here == place, dotted=False):
            path = f"{here}/{name}/SKILL.md"
            sighting = reader.sight(path, "skill")
            file: SkillFile | None = reader.load(sighting, "skill", read_skill) if sighting else None
            skills += [skill] if file and (skill := _judge(reader, readable_path(path), file, wants)) else []
            if levels > 1 and sighting is None and reader.look_at(path) == ABSENT:
                deeper.append((f"{here}/{name}", levels - 1))
        todo += reversed(deeper)
        if todo and len(searched) > MAX_SKILL_FOLDERS:
            message = f"more than {MAX_SKILL_FOLDERS:,} folders: deeper folders were not searched"
            reader.diagnostics.append(warning("skill-folders", message, place))
            break
    return skills


def _judge(reader: FileReader, path: str, file: "SkillFile", wants: SkillDirs) -> Skill | None:
    """The skill, unless it is unusable, or breaks a rule and the recipe wants none that does."""
    refused = file.skill is not None and bool(file.broken) and wants.invalid == "skip"
    for _, message, line, instead in file.broken:
        note = warning("skill-invalid", message + instead * (file.skill is not None), path, line)
        reader.diagnostics.append(error("skill-skipped", f"skipped: {message}", path, line) if refused else note)
    if file.skill is None or refused:
        reader.note(path, "skill", "skipped", because("invalid", "", file.broken[0].message if refused else file.fault))
        return None
    return file.skill


# A SKILL.md -> its values.


class SkillFile(NamedTuple):
    """A skill, or why there is none, and the rules that the file breaks."""

    skill: Skill | None
    broken: tuple[RuleViolation, ...] = ()
    fault: str = ""


def read_skill(text: str, path: str) -> tuple[SkillFile, tuple[Diagnostic, ...]]:
    """The skill, or None with the reason."""
    raw, (text, skipped) = text, tidy(text)
    folder = path.rpartition("/")[0].rpartition("/")[2]
    parsed = parse_frontmatter(text)
    if isinstance(parsed, FrontmatterProblem):
        note = error("skill-skipped", parsed.message, path, parsed.line + skipped)
        return SkillFile(None, fault=note.message), (note,)
    rules = (rule._replace(line=rule.line + skipped) for rule in find_violations(parsed, folder))
    broken = (*check_beginning(skipped), *rules)
    odd = (*find_odd_fields(parsed), *find_odd_beginning(raw, text, parsed))
    notes = [warning("skill-invalid", each.message, path, each.line + skipped) for each in odd]
    fields = parsed.fields
    field, hidden = fields.get("description"), fields.get("disable-model-invocation")
    description = scalar_text(field)
    if field is None or not description:
        message = f"{describe_missing('description', field)}: agents can't tell when to load it"
        notes.append(error("skill-skipped", message, path, (field.line if field else 1) + skipped))
        return SkillFile(None, broken, notes[-1].message), tuple(notes)
    metadata = fields.get("metadata")
    pairs = dict(metadata.pairs) if metadata is not None and metadata.kind == "map" else {"": None}
    skill = Skill(
        name=scalar_text(fields.get("name")) or folder, description=description, location=path,
        disable_model_invocation=hidden is not None and hidden.kind == "bool" and is_true(hidden.text),
        license=scalar_text(fields.get("license")) or None,
        compatibility=scalar_text(fields.get("compatibility")) or None,
        allowed_tools=_parse_allowed_tools(fields.get("allowed-tools")),
        metadata=None if None in pairs.values() else {key: text or "" for key, text in pairs.items()},
        line=field.line + skipped,
    )  # fmt: skip
    return SkillFile(skill, broken), tuple(notes)


def _parse_allowed_tools(field: FrontmatterField | None) -> tuple[str, ...] | None:
    """`allowed-tools` as a text with blanks or commas, or as a list; `Bash(git add:*)` is one."""
    if field is not None and field.kind == "list":
        return tuple(item for item in field.items if item)
    return tuple(TOOL_WORD.findall(scalar_text(field))) or None if field and field.kind != "map" else None
