"""Finds imports, settings, files and links by which an agent could load a file, and makes them in a simulated world."""

import posixpath
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from ...discovery.parse_json_and_toml import YAML_ENDINGS, format_toml_value, split_key
from ...discovery.paths import contains_path
from ...known_agents.file_owners import INSTRUCTIONS
from ...model.agent_rules import Settings, Step
from ...model.struct import Frozen, note
from ...sections.agent_files import cut_files
from .edit_settings import edit_setting, read_setting
from .shared_files import SharedFile, is_private_name
from .simulated_world import LoadResult, SimulatedProject, SimulatedWorld, read_text_at

ChangeKind = Literal["import", "setting", "file", "link"]
"""import: a line in a file that is there · setting: a key of the agent's configuration · file: a new one that imports ·
link: another name for a file"""


class AgentChange(Frozen, frozen=True, omit_defaults=False):
    """One planned change of a file."""

    path: str
    kind: ChangeKind
    said: Annotated[str, note("what the change does, in a few words")]
    before: Annotated[str | None, note("the current text of the file; none: the file does not exist")] = None
    after: Annotated[str | None, note("the whole new text; none: a symlink is created")] = None
    link: Annotated[str | None, note("the target of the symlink, as it is written")] = None
    helps: Annotated[tuple[str, ...], note("the agents that load more because of it")] = ()


def find_possible_changes(
    project: SimulatedProject, result: LoadResult, shared: SharedFile
) -> Iterator[AgentChange | str]:
    """What stays in one place first: lines that import, settings, then new files and links.

    Of a change that would help, to a file that can't be changed safely, what to do by hand.
    """
    wants = result.found.wants
    steps = [step for step in wants.steps if step.kind == "instructions" and step.place != "home"]
    for step in steps:
        yield from _find_imports(project, step, shared, new=False)
    for file in wants.configured:
        for key, limit in file.limits.items():
            for most in _find_needed_limit(result, shared, limit):
                yield from _change_setting(project, file, key, most)
        for key, name in (*file.adds.items(), *file.replaces.items()):
            for value in _find_names(project, wants.find(name), shared, key, file):
                yield from _change_setting(project, file, key, value)
    for step in steps:
        yield from _find_imports(project, step, shared, new=True)
    for step in steps:
        yield from _find_links(project, step, shared)


def _find_paths_to_write(step: Step, shared: SharedFile) -> Iterator[str]:
    """Where a change could write a file that an agent's step then finds beside a text: names used for instructions.

    Only in the text's own folder: above it the text would reach further than it does, and below no agent looks for it.
    Never in a file of one user: a fix has to be shared.
    """
    for name in step.names:
        for each in name.split("|"):
            # No agent looks for a second AGENTS.md in a hidden folder.
            hidden = each.startswith(".") and each.endswith("/AGENTS.md")
            if each in INSTRUCTIONS and "*" not in each and not hidden and not is_private_name(each):
                yield posixpath.join(shared.folder, each)


def _find_imports(project: SimulatedProject, step: Step, shared: SharedFile, *, new: bool) -> Iterator[AgentChange]:
    """Possible imports: a line `@path` in a file that the step loads, or in a new one."""
    if step.imports is None:
        return
    for path in _find_paths_to_write(step, shared):
        fits = not step.imports.only_in or posixpath.basename(path).casefold() in step.imports.only_in
        if path == shared.path or not fits or not contains_path(project.root, path):
            continue
        entry = project.world.look(path)
        line = f"@{posixpath.relpath(shared.path, posixpath.dirname(path))}"
        description = f"{posixpath.relpath(path, project.root)}: a line `{line}`"
        if new and _is_free(project.world, path):
            yield AgentChange(path, "file", description, None, f"{line}\n")
        elif not new and entry is not None and entry.kind == "file":
            before = read_text_at(project.world, path)
            if before is not None:
                yield AgentChange(path, "import", description, before, insert_line(before, line))


def _is_free(world: SimulatedWorld, path: str) -> bool:
    """Whether a file can be made there, also in a checkout that does not distinguish CLAUDE.md from claude.md."""
    if world.look(path) is not None:
        return False
    folder, name = posixpath.split(path)
    try:
        return not any(each.casefold() == name.casefold() for each, _ in world.names(folder))
    except OSError:
        return True


def insert_line(text: str, line: str) -> str:
    """A text with a line at its top; at its end, where it begins with frontmatter."""
    end = "\r\n" if "\r\n" in text else "\n"
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix(mark)
    if body.startswith("---"):
        return f"{text.rstrip()}{end}{end}{line}{end}"
    return f"{mark}{line}{end}{end}{body.lstrip(chr(13) + chr(10))}" if body.strip() else f"{mark}{line}{end}"


def _find_links(project: SimulatedProject, step: Step, shared: SharedFile) -> Iterator[AgentChange]:
    # A link to a page or to a rule of another agent would take a name at which people look for instructions.
    if step.links == "never" or posixpath.relpath(shared.path, shared.folder) not in INSTRUCTIONS:
        return
    for path in _find_paths_to_write(step, shared):
        if path != shared.path and contains_path(project.root, path) and _is_free(project.world, path):
            leads = posixpath.relpath(shared.path, posixpath.dirname(path))
            yield AgentChange(
                path, "link", f"{posixpath.relpath(path, project.root)}: a symlink to {leads}", link=leads
            )


def _find_names(
    project: SimulatedProject, step: Step | None, shared: SharedFile, key: str, file: Settings
) -> Iterator[list[str]]:
    """What a key that names files could be set to, so that the text is read."""
    if step is None or step.place != "project":
        return
    setting = _read_key(project, find_settings_path(project, file, key), key)
    settings = setting if isinstance(setting, list) else [setting]
    listed = [each for each in settings if isinstance(each, str)]
    names = listed if key in file.adds or listed else list(step.names)
    # A path from the working directory holds only in a file that is there; into a folder below, it would load at the
    # start what is for that folder.
    from_cwd = file.where == "cwd" and shared.folder in project.walk
    bases = (shared.folder, project.walk[-1]) if from_cwd else (shared.folder,)
    for name in dict.fromkeys(posixpath.relpath(shared.path, base) for base in bases):
        if name not in names:
            yield [*names, name]


def _read_key(project: SimulatedProject, path: str | None, key: str) -> Any:
    return read_setting(read_text_at(project.world, path) or "", path, split_key(key)) if path else None


def _find_needed_limit(result: LoadResult, shared: SharedFile, name: str) -> Iterator[int]:
    """The limit that all counted files need, if the current one is in the way of this file."""
    files = result.found.files
    limits = result.found.wants.limits
    cuts = cut_files(files, limits, {})
    if not any(files[index].path == shared.path and cut.limit.name == name for index, cut in cuts.items()):
        return
    limit = next(limit for limit in limits if limit.name == name)
    sizes = [len(file.content.encode()) + 2 for file in files if file.kind in limit.of]
    need = sum(sizes) if limit.over == "together" else max(sizes)
    yield -(-need // 1024) * 1024 * 2


def find_settings_path(project: SimulatedProject, file: Settings, key: str) -> str | None:
    """The project's settings file to write to: the last that has the key, or one that is there, or the first."""
    folder = project.walk[-1] if file.where == "cwd" else project.root
    paths = [posixpath.join(folder, path) for path in file.paths if not path.startswith(("~", "/"))]
    there = [path for path in paths if project.world.look(path) is not None]
    having = [path for path in there if _read_key(project, path, key) is not None]
    return next(iter((*having[::-1], *there, *paths)), None)


def _change_setting(project: SimulatedProject, file: Settings, key: str, value: Any) -> Iterator[AgentChange | str]:
    """The possible change of one setting; one by hand if the file can't be edited safely."""
    path = find_settings_path(project, file, key)
    if path is None:
        return
    entry = project.world.look(path)
    before = read_text_at(project.world, path)
    shown, name = posixpath.relpath(path, project.root), key.replace('"', "")
    try:
        if entry is not None and (entry.kind != "file" or before is None):
            raise ValueError("it is not a plain text file")
        after = edit_setting(before or "", path, split_key(key), value)
    except ValueError as problem:
        why = "" if path.endswith(YAML_ENDINGS) else f": {problem}"
        yield f"set `{name}` in {shown} to {format_toml_value(value)} by hand{why}"
        return
    yield AgentChange(path, "setting", f"{shown}: `{name}` = {format_toml_value(value)}", before, after)


def apply_agent_change(world: SimulatedWorld, change: AgentChange) -> SimulatedWorld:
    """The world with one more change."""
    path = resolve_links(world, change.path)
    if change.link is not None:
        return SimulatedWorld(world.base, world.files, {**world.links, path: change.link})
    return SimulatedWorld(world.base, {**world.files, path: (change.after or "").encode()}, world.links)


def resolve_links(world: SimulatedWorld, path: str) -> str:
    """The path, with the links on its way followed as far as it is there."""
    folder, rest = posixpath.split(path)
    while True:
        try:
            return posixpath.join(world.real(folder), rest)
        except OSError:
            folder, name = posixpath.split(folder)
            rest = posixpath.join(name, rest)


def find_touched_paths(world: SimulatedWorld, change: AgentChange) -> list[str]:
    """The paths that a change alters: its own, and those of folders that it creates."""
    paths = [resolve_links(world, change.path)]
    while world.look(folder := posixpath.dirname(paths[-1])) is None:
        paths.append(folder)
    return paths


def can_create(world: SimulatedWorld, paths: Sequence[str]) -> bool:
    """Whether the last of these paths would be in a folder."""
    found = world.look(posixpath.dirname(paths[-1]))
    return found is not None and found.kind == "dir"
