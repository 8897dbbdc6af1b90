"""Runs an agent's module: its settings, its skills, then its files; what it yields is loaded."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ...discovery.place import Place
from ...discovery.reader import FileReader
from ...discovery.skills import report_many_skills
from ...model.agent_rules import AgentWants
from ...model.state.discovery import InstructionFiles
from .look import Look
from .read_file import Found, name_kind
from .settings import report_unmodelled


def find_agent_files(
    module: Any, wants: AgentWants, own: Mapping[str, str], reader: FileReader, place: Place,
    parts: Sequence[str] = ("files", "agents", "commands"),
) -> tuple[InstructionFiles, AgentWants, dict[str, int]]:  # fmt: skip
    """All that an agent loads here, what it looked for, and the limits that its settings change.

    `own` are the agent's folders under home, by name, as variables move them; `parts` are functions of the module.
    """
    look = Look(reader, place, wants, own)
    report_unmodelled(look)
    if wants.listed is not None:
        look.listed = tuple(module.skills(look))
        report_many_skills(reader, len(look.listed))
    found: list[Found] = []
    for part in (getattr(module, name, None) for name in parts):
        for each in part(look) if part else ():
            # Not a file that is only announced, nor one without text of its own.
            for imported, why in each.imported:
                reader.note(imported, "context", "loaded", why, each.step.step)
            if each.why or (each.is_text and each.file.content):
                what = "context" if each.why.code == "imported" else name_kind(each.step, each.spot)
                reader.note(each.spot.path, what, "loaded", each.why, each.step.step)
            found.append(each)
    # What was looked for, as settings changed it.
    steps = tuple(
        replace(step, names=tuple(look.names.get(step.step, map(look.fill, step.names))))
        for step in wants.steps
        if step.step not in look.off
    )
    limits = tuple(replace(limit, most=look.limits.get(limit.name, limit.most)) for limit in wants.limits)
    if (listed := wants.listed) is not None:
        changed = {name: look.limits[f"menu.{name}"] for name in ("most", "entry") if f"menu.{name}" in look.limits}
        menu = replace(listed.menu, **changed) if listed.menu else None
        listed = replace(listed, project=tuple(n for n in look.skill_names if n not in listed.here), menu=menu)
    files = InstructionFiles(context=tuple(each.file for each in found), skills=tuple(look.listed))
    return files, replace(wants, steps=steps, listed=listed, limits=limits), look.limits
