"""Finds the imports, settings, files and links by which an agent could load a file it misses."""

import posixpath
from collections.abc import Iterator

from ...discover.disk.paths import contains_path
from ...known_agents.other_tools import INSTRUCTIONS
from ...known_agents.quirks import apply_quirk
from ...model.wants.instruction_files import FileStep
from .advice import AgentChange, ManualChange
from .possible_settings import find_possible_settings
from .shared_files import SharedFile, is_private_name
from .simulated_world import LoadResult, SimulatedProject, read_text_at


def find_possible_changes(
    project: SimulatedProject, result: LoadResult, shared: SharedFile
) -> Iterator[AgentChange | ManualChange]:
    """What stays in one place first: lines that import, settings, then new files and links."""
    steps = [step for step in result.wants.files if step.kind == "instructions" and step.where != "home"]
    for step in steps:
        yield from _find_imports(project, step, shared, new=False)
    yield from find_possible_settings(project, result, shared)
    for step in steps:
        yield from _find_imports(project, step, shared, new=True)
    for step in steps:
        yield from _find_links(project, step, shared)


def _find_step_paths(step: FileStep, shared: SharedFile) -> Iterator[str]:
    """The paths at which a step would look beside a text: names by which people keep instructions.

    In its own folder alone: above it the text would reach further than it does, and below nobody would look for it.
    Never in a file that is one person's own: what mends it has to be shared.
    """
    for name in step.names:
        for each in name.split("|"):
            # Nobody looks for a second AGENTS.md in a hidden folder.
            hidden = each.startswith(".") and each.endswith("/AGENTS.md")
            if each in INSTRUCTIONS and "*" not in each and not hidden and not is_private_name(each):
                yield posixpath.join(shared.folder, each)


def _find_imports(project: SimulatedProject, step: FileStep, shared: SharedFile, *, new: bool) -> Iterator[AgentChange]:
    if step.imports is None:
        return
    for path in _find_step_paths(step, shared):
        fits = apply_quirk(step.quirks, "follow_imports_in", True, path, "", True)
        if path == shared.path or not fits or not contains_path(project.root, path):
            continue
        entry = project.world.look(path)
        line = f"@{posixpath.relpath(shared.path, posixpath.dirname(path))}"
        description = f"{posixpath.relpath(path, project.root)}: a line `{line}`"
        if new and entry is None:
            yield AgentChange(path, "file", description, None, f"{line}\n")
        elif not new and entry is not None and entry.kind == "file":
            before = read_text_at(project.world, path)
            if before is not None:
                yield AgentChange(path, "import", description, before, insert_line(before, line))


def insert_line(text: str, line: str) -> str:
    """A text with a line at its top; at its end, where it begins with frontmatter."""
    end = "\r\n" if "\r\n" in text else "\n"
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix(mark)
    if body.startswith("---"):
        return f"{text.rstrip()}{end}{end}{line}{end}"
    return f"{mark}{line}{end}{end}{body.lstrip(chr(13) + chr(10))}" if body.strip() else f"{mark}{line}{end}"


def _find_links(project: SimulatedProject, step: FileStep, shared: SharedFile) -> Iterator[AgentChange]:
    # A link to a page or to a rule of another agent would take a name at which people look for instructions.
    if step.links == "never" or posixpath.relpath(shared.path, shared.folder) not in INSTRUCTIONS:
        return
    for path in _find_step_paths(step, shared):
        if path != shared.path and contains_path(project.root, path) and project.world.look(path) is None:
            leads = posixpath.relpath(shared.path, posixpath.dirname(path))
            yield AgentChange(
                path, "link", f"{posixpath.relpath(path, project.root)}: a symlink to {leads}", link=leads
            )
