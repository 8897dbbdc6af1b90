"""Reports instruction files and skills of other tools that the recipe does not read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from ..discover.allowed import ReadRefusal
from ..discover.configuration.keys import Features, make_filenames_line, make_skill_folders_line
from ..discover.duplicate_files import describe_same_text, make_text_file
from ..discover.file_reader import FileReader
from ..discover.files import EntryKind
from ..discover.paths import contains_path, select_visible_folders
from ..discover.place import Place
from ..discover.world import World, make_absolute
from ..model.state.discovery import InstructionFiles
from ..model.state.files import TextFile
from ..model.wants import ContextFiles, Wants
from ..text.words import count_noun
from .file_owners import COLLECTION, INSTRUCTION_STEPS, INSTRUCTIONS, PLUGINS, SKILLS, group_by_first_step

EntryListing = Mapping[str, EntryKind]
"""The entries of a folder."""


def report_other_instructions(
    reader: FileReader,
    wants: ContextFiles,
    listings: Mapping[str, EntryListing],
    place: Place,
    loaded: Sequence[TextFile],
) -> None:
    """Name what other tools read in the project's folders, nearest first, each kind once, and the setting for it."""
    known = {look.path for look in reader.looked if look.what == "context" and look.outcome != "absent"}
    first = {file.content: file.path for file in loaded}
    kinds: dict[str, list[str]] = {}
    for folder, listing in reversed([*listings.items()]):
        inside = contains_path(reader.real_or(place.base), reader.real_or(folder))
        for pattern in _find_instruction_patterns(listing, nested=inside):
            for path in list_matching_files(reader.world, folder, pattern):
                if path not in known and _is_new_instruction(reader, path, known, first, place.home):
                    kinds.setdefault(pattern, []).append(path)
                    known.add(path)
    for pattern, paths in kinds.items():
        _note_kind(reader, wants, pattern, paths)


def _find_instruction_patterns(listing: EntryListing, *, nested: bool) -> list[str]:
    """The kinds of files that a folder may contain, by the first step of their path.

    Names with a folder in them can be added only inside the repository.
    """
    patterns = [pattern for step in listing if step in INSTRUCTION_STEPS for pattern in INSTRUCTION_STEPS[step]]
    return patterns if nested else [pattern for pattern in patterns if "/" not in pattern]


def list_matching_files(world: World, folder: str, pattern: str) -> list[str]:
    """The files of one kind of instructions in a folder."""
    below, _, last = pattern.rpartition("/")
    base_path = "/".join(filter(None, (folder.rstrip("/"), below)))
    if "*" not in last:
        entry = world.find(f"{base_path}/{last}")
        return [f"{base_path}/{last}"] if entry and entry.kind in ("file", "link") else []
    names = world.list(base_path)
    return [f"{base_path}/{name}" for name, kind in names if fnmatchcase(name, last) and kind in ("file", "link")]


def _is_new_instruction(reader: FileReader, path: str, known: set[str], first: dict[str, str], home: str) -> bool:
    """Whether a setting would load something new. A file with the text of another is recorded as such.

    `known` are the paths of instruction files so far, and `first` their texts with the path of each.
    """
    result = reader.look_at(path)
    if isinstance(result, ReadRefusal):
        reader.note(path, "context", "unread", result.detail)
        return False
    file: TextFile | None = reader.peek(result, make_text_file)
    how = reader.describe_same_file(result, "context")
    if how is None and result.real != path and result.real in known:
        how = f"the same file as {result.real}, by a link"
    if how is None and file is not None:
        how = describe_same_text(file, first, home)
    if how is not None:
        reader.note(path, "context", "duplicate", how)
    if how is not None or file is None or not file.content:
        return False
    first[file.content] = path
    return True


def _note_kind(reader: FileReader, wants: ContextFiles, pattern: str, paths: list[str]) -> None:
    """Record files that another tool reads, with the setting that adds them."""
    owner, line = INSTRUCTIONS[pattern], make_filenames_line(wants.names, pattern)
    reads = "read" if owner.startswith("many ") else "reads"
    if len(paths) == 1 or "*" not in pattern:
        more = f", and {len(paths) - 1} more of that name above" if len(paths) > 1 else ""
        reader.note(paths[0], "context", "unread", f"{owner} {reads} it{more}; to add it: {line}")
        return
    folder = paths[0].rpartition("/")[0]
    path = f"{folder}/{pattern.rpartition('/')[2]}"
    reader.note(path, "context", "unread", f"{len(paths)} files that {owner} {reads}; to add them: {line}")


def report_above(reader: FileReader, wants: ContextFiles, place: Place) -> None:
    """Name the project files in folders of the way up in which the recipe does not look."""
    searched, checkout = set(place.walk), place.checkout
    for folder in (folder for folder in place.above if folder not in searched):
        for name in wants.placed_names:
            path = f"{folder.rstrip('/')}/{name}"
            if "*" in name or not reader.world.exists(path):
                continue
            if checkout is not None and contains_path(checkout, reader.real_or(folder)):
                why = f"it belongs to {checkout}, the checkout of this worktree"
            else:
                why = f"it is above the repository, where this recipe stops; to add it: --root {folder}"
            reader.note(path, "context", "unread", why)


SKILL_STEPS = group_by_first_step(SKILLS)
MAX_SEARCHED_FOLDERS = 200
"""Maximum number of folders that are searched for plugins, and below one place."""


class OtherSkillPlace(NamedTuple):
    """A place with skills: its name in the configuration, its owner, and its folders."""

    path: str
    owner: str
    folders: tuple[str, ...]
    grouped: bool = True
    """Whether the folder may hold skills in groups, one level deeper."""


def report_other_skills(
    reader: FileReader,
    listings: Mapping[str, EntryListing],
    searched: set[str],
    depth: int,
    note: Callable[[OtherSkillPlace, list[str], list[str]], None],
) -> None:
    """Find the places in the project's folders, nearest first. `note` gets each, its skills, and the folders to add.

    `searched` are the folders of skills, by their real paths, and `depth` is how deep below one a skill may be.
    """
    done = set(searched)
    for place in _list_skill_places(reader, listings):
        flat: list[str] = []
        deep: list[str] = []
        for folder in place.folders:
            real = _find_real_folder(reader, folder)
            if real is not None and real not in done:
                done.add(real)
                flat += _list_new_skills(reader, folder)
                groups = _list_group_folders(reader, folder) if place.grouped else ()
                deep += [skill for group in groups for skill in _list_new_skills(reader, group)]
        if flat or deep:
            below = [f"{place.path}/*"] if deep and depth < 2 else []
            note(place, [*flat, *deep], [place.path] * bool(flat or not below) + below)


def _find_real_folder(reader: FileReader, folder: str) -> str | None:
    """The real path of a folder; None if it does not exist, or is outside."""
    try:
        if reader.world.look(folder) is None or reader.check_folder(folder):
            return None
        return reader.resolve_path(folder)
    except OSError:
        return None


def _list_skill_places(reader: FileReader, listings: Mapping[str, EntryListing]) -> Iterator[OtherSkillPlace]:
    tops = list(listings)
    for folder, listing in reversed([*listings.items()]):
        base = folder.rstrip("/")
        for below in [below for step in listing if step in SKILL_STEPS for below in SKILL_STEPS[step]]:
            yield OtherSkillPlace(f"{base}/{below}", SKILLS[below], (f"{base}/{below}",))
        if folder in (tops[0], tops[-1]):
            yield from _list_skill_collections(reader, base, listing)


def _list_skill_collections(reader: FileReader, base: str, listing: EntryListing) -> Iterator[OtherSkillPlace]:
    """Plugins, folders of the project with skills of their own, and skills directly in the project."""
    for name in select_visible_folders(listing.items())[:MAX_SEARCHED_FOLDERS]:
        if name == "plugins" or ".claude-plugin" in listing:
            plugins = [f"{base}/{name}/{each}/skills" for each in _list_folders_in(reader, f"{base}/{name}")]
            yield OtherSkillPlace(f"{base}/{name}/*/skills", PLUGINS, tuple(plugins))
        yield OtherSkillPlace(f"{base}/{name}/skills", COLLECTION, (f"{base}/{name}/skills",))
    yield OtherSkillPlace(base or "/", COLLECTION, (base,), grouped=False)


def _list_new_skills(reader: FileReader, folder: str) -> list[str]:
    """The names of the skills right below a folder, except those that are loaded by another name."""
    return [name for name in _list_folders_in(reader, folder) if _is_new_skill(reader, f"{folder}/{name}/SKILL.md")]


def _list_group_folders(reader: FileReader, folder: str) -> list[str]:
    """The folders below one that are no skills themselves."""
    below = [f"{folder}/{name}" for name in _list_folders_in(reader, folder)]
    return [group for group in below if not reader.world.exists(f"{group}/SKILL.md")]


def _list_folders_in(reader: FileReader, folder: str) -> list[str]:
    return select_visible_folders(reader.world.list(folder))[:MAX_SEARCHED_FOLDERS]


def _is_new_skill(reader: FileReader, path: str) -> bool:
    entry = reader.world.find(path)  # most folders have none: to follow a link to it would open it
    if entry is not None and entry.kind == "link":
        entry = reader.world.find(path, follow=True)
    return entry is not None and entry.kind == "file" and ("skill", entry.id) not in reader.sightings


def report_unread_files(
    reader: FileReader,
    wants: Wants,
    features: Features,
    place: Place,
    files: InstructionFiles,
    searched: set[str],
    settings_folder: str,
) -> None:
    """Name instruction files and skills that the recipe does not read, with the setting that adds them.

    `searched` are the folders of skills, by their real paths; `settings_folder` has the overture.toml to write into.
    """
    project = [folder for folder in place.walk if contains_path(place.top, reader.real_or(folder))]
    listings = {folder: dict(reader.world.list(folder)) for folder in project}
    if wants.context:
        report_other_instructions(reader, wants.context, listings, place, files.context)
        report_above(reader, wants.context, place)
    if wants.skills:
        names = {skill.name for skill in files.skills}
        home, named = place.home, [make_absolute(reader.world, folder) for folder in features.skills_extra_dirs]

        def note(place: OtherSkillPlace, skills: list[str], folders: list[str]) -> None:
            loaded, them = sum(name in names for name in skills), "it" if len(skills) == 1 else "them"
            count = f"{count_noun(len(skills), 'skill')} ({place.owner})"
            if loaded == len(skills):
                reader.note(place.path, "skill", "duplicate", f"{count}, with names that are already loaded")
                return
            some = f", {loaded} of them with names that are already loaded" if loaded else ""
            line = make_skill_folders_line(named, folders, settings_folder, home)
            reader.note(place.path, "skill", "unread", f"{count}{some}; to add {them}: {line}")

        report_other_skills(reader, listings, searched, wants.skills.depth, note)
