"""Runs an agent's module: its settings, its skills, then its files; what it yields is loaded."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from ...discovery.place import Place
from ...discovery.reader import FileReader
from ...discovery.skills import report_many_skills
from ...model.agent_rules import AgentWants
from ...model.state.discovery import InstructionFiles
from ...model.state.reasons import because
from .look import Look
from .read_file import Found, name_kind
from .settings import report_unmodelled


def find_agent_files(
    module: Any, wants: AgentWants, own: Mapping[str, str], reader: FileReader, place: Place
) -> tuple[InstructionFiles, AgentWants, dict[str, int]]:
    """All that an agent loads here, what it looked for, and the limits that its settings change.

    `own` are the agent's folders under home, by name, as variables move them.
    """
    look = Look(reader, place, wants, own)
    report_unmodelled(look)
    if wants.listed is not None:
        look.listed = tuple(module.skills(look))
        report_many_skills(reader, len(look.listed))
    found: list[Found] = []
    for part in ("files", "agents", "commands"):
        for each in getattr(module, part)(look) if hasattr(module, part) else ():
            _note_loaded(reader, each)
            found.append(each)
    files = InstructionFiles(context=tuple(each.file for each in found), skills=tuple(look.listed))
    return files, _make_wants(look), look.limits


def _note_loaded(reader: FileReader, each: Found) -> None:
    """Record what is loaded: not a file that is only announced, nor one without text of its own."""
    path, step, kind = each.spot.path, each.step.step, name_kind(each.step, each.spot)
    for imported, why in each.imported:
        reader.note(imported, "context", "loaded", why, step)
    if each.why:
        reader.note(path, "context", "loaded", each.why, step)
    elif each.blank:
        reader.note(path, kind, "loaded", because("empty"), step)
    elif each.is_text and each.file.content:
        reader.note(path, kind, "loaded", step=step)


def _make_wants(look: Look) -> AgentWants:
    """What was looked for, as settings changed it."""
    steps = tuple(
        replace(step, names=tuple(look.names.get(step.step, map(look.fill, step.names))))
        for step in look.wants.steps
        if step.step not in look.off
    )
    limits = tuple(replace(limit, most=look.limits.get(limit.name, limit.most)) for limit in look.wants.limits)
    listed = look.wants.listed
    if listed is not None:
        menu = listed.menu
        if menu is not None:
            most = {name: look.limits.get(f"menu.{name}", getattr(menu, name)) for name in ("most", "entry")}
            menu = replace(menu, **most)
        project = tuple(name for name in look.skill_names if name not in listed.here)
        listed = replace(listed, project=project, menu=menu)
    return replace(look.wants, steps=steps, listed=listed, limits=limits)
