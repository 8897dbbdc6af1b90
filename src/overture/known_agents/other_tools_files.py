"""Reports instruction files and skills of other tools that the recipe does not read."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase

from ..discovery.configuration.keys import Features, make_filenames_line, make_skill_folders_line
from ..discovery.duplicate_files import find_same_text, make_text_file
from ..discovery.files import EntryKind
from ..discovery.paths import contains_path, select_visible_folders
from ..discovery.place import Place
from ..discovery.reader import FileReader, ReadRefusal
from ..discovery.world import World, make_absolute
from ..model.state.discovery import InstructionFiles
from ..model.state.files import TextFile
from ..model.state.reasons import because
from ..model.wants import ContextFiles, Wants
from ..text.words import count_noun
from .file_owners import INSTRUCTIONS, SKILLS, group_by_first_step

INSTRUCTION_STEPS, SKILL_STEPS = group_by_first_step(INSTRUCTIONS), group_by_first_step(SKILLS)
MAX_SEARCHED_FOLDERS = 200  # maximum number of folders that are searched below one place
Listings = Mapping[str, Mapping[str, EntryKind]]  # the entries of each folder of the project, outermost first


def report_unread_files(
    reader: FileReader, wants: Wants, features: Features, place: Place, files: InstructionFiles, searched: set[str],
    settings_folder: str,
) -> None:  # fmt: skip
    """Name instruction files and skills that the recipe does not read, with the setting that adds them.

    `searched` are the folders of skills, by their real paths; `settings_folder` has the overture.toml to write into.
    """
    project = [folder for folder in place.walk if contains_path(place.top, reader.real_or(folder))]
    listings = {folder: dict(reader.world.list(folder)) for folder in project}
    if wants.context:
        _report_instructions(reader, wants.context, listings, place, files.context)
        names = [name for name in wants.context.placed_names if "*" not in name]
        for folder in (folder for folder in place.above if folder not in place.walk):
            why = because("too-high", folder)
            if place.checkout is not None and contains_path(place.checkout, reader.real_or(folder)):
                why = because("checkout", place.checkout)
            for path in (f"{folder.rstrip('/')}/{name}" for name in names):
                if reader.world.exists(path):
                    reader.note(path, "context", "unread", why)
    if wants.skills:
        loaded = {skill.name for skill in files.skills}
        added = [make_absolute(reader.world, folder) for folder in features.skills_extra_dirs]
        for path, owner, names in _find_other_skills(reader, listings, searched):
            count, repeated = f"{count_noun(len(names), 'skill')} ({owner})", sum(name in loaded for name in names)
            if repeated == len(names):
                reader.note(path, "skill", "duplicate", because("taken-names", "", count))
                continue
            some = f", {repeated} of them with names that are already loaded" if repeated else ""
            line = make_skill_folders_line(added, [path], settings_folder, place.home)
            them = "it" if len(names) == 1 else "them"
            reader.note(path, "skill", "unread", because("addable", "", f"{count}{some}", them, line))


def _report_instructions(
    reader: FileReader, wants: ContextFiles, listings: Listings, place: Place, loaded: Sequence[TextFile]
) -> None:
    """Name what other tools read in the project's folders, nearest first, each kind once, and the setting for it."""
    known = {look.path for look in reader.looked if look.what == "context" and look.outcome != "absent"}
    first = {file.content: file.path for file in loaded}
    kinds: dict[str, list[str]] = {}
    for folder, listing in reversed([*listings.items()]):
        inside = contains_path(reader.real_or(place.base), reader.real_or(folder))
        # Names with a folder in them can be added only inside the repository.
        patterns = (each for step in listing for each in INSTRUCTION_STEPS.get(step, ()) if inside or "/" not in each)
        for pattern in patterns:
            for path in list_matching_files(reader.world, folder, pattern):
                if path not in known and _is_new_instruction(reader, path, known, first, place.home):
                    kinds.setdefault(pattern, []).append(path)
                    known.add(path)
    for pattern, (path, *more) in kinds.items():
        owner, line = INSTRUCTIONS[pattern], make_filenames_line(wants.names, pattern)
        reads = f"{owner} read{'' if owner.startswith('many ') else 's'}"
        others = f", and {len(more)} more of that name above" if more else ""
        why = because("addable", "", f"{reads} it{others}", "it", line)
        if more and "*" in pattern:
            path = f"{path.rpartition('/')[0]}/{pattern.rpartition('/')[2]}"
            why = because("addable", "", f"{len(more) + 1} files that {reads}", "them", line)
        reader.note(path, "context", "unread", why)


def list_matching_files(world: World, folder: str, pattern: str) -> list[str]:
    """The files of one kind of instructions in a folder."""
    below, _, last = pattern.rpartition("/")
    base = "/".join(filter(None, (folder.rstrip("/"), below)))
    if "*" in last:
        found = [(name, kind) for name, kind in world.list(base) if fnmatchcase(name, last)]
    else:
        found = [(last, entry.kind)] if (entry := world.find(f"{base}/{last}")) else []
    return [f"{base}/{name}" for name, kind in found if kind in ("file", "link")]


def _is_new_instruction(reader: FileReader, path: str, known: set[str], first: dict[str, str], home: str) -> bool:
    """Whether a setting would load something new. A file with the text of another is recorded as such.

    `known` are the paths of instruction files so far, and `first` their texts with the path of each.
    """
    result = reader.look_at(path)
    if isinstance(result, ReadRefusal):
        reader.note(path, "context", "unread", result.reason)
        return False
    file: TextFile | None = reader.peek(result, make_text_file)
    how = reader.find_same_file(result, "context")
    if not how and result.real != path and result.real in known:
        how = because("same-file", result.real, "link")
    if not how and file is not None:
        how = find_same_text(file, first, home)
    if how:
        reader.note(path, "context", "duplicate", how)
    if how or file is None or not file.content:
        return False
    first[file.content] = path
    return True


def _find_other_skills(
    reader: FileReader, listings: Listings, done: set[str]
) -> Iterator[tuple[str, str, list[str]]]:  # fmt: skip
    """Folders of other tools with skills, nearest first: each with its owner and their names.

    `done` are the real paths of folders that need no search.
    """
    for folder, listing in reversed([*listings.items()]):
        for below in (below for step in listing for below in SKILL_STEPS.get(step, ())):
            path, real = f"{folder.rstrip('/')}/{below}", None
            with suppress(OSError):  # it may not exist, or be outside
                if reader.world.look(path) is not None and not reader.check_folder(path):
                    real = reader.resolve_path(path)
            if real is not None and real not in done:
                done.add(real)
                if names := _list_new_skills(reader, path):
                    yield path, SKILLS[below], names


def _list_new_skills(reader: FileReader, folder: str) -> list[str]:
    """The names of the skills right below a folder, except those that are loaded by another name."""
    names = []
    for name in select_visible_folders(reader.world.list(folder))[:MAX_SEARCHED_FOLDERS]:
        entry = reader.world.find(path := f"{folder}/{name}/SKILL.md")  # most have none: to follow a link would open it
        if entry is not None and entry.kind == "link":
            entry = reader.world.find(path, follow=True)
        if entry is not None and entry.kind == "file" and ("skill", entry.id) not in reader.sightings:
            names.append(name)
    return names
