"""Instruction files that the recipe does not read: of other tools, one line for each kind, and above the project."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from ...model.other_tools import INSTRUCTIONS, by_first_step
from ...model.recipe.wants.wanted_files import ContextFiles
from ...model.state.files import TextFile
from ..disk.project_root import Roots
from ..disk.reader import Reader, Refusal
from ..disk.walk import at_or_above
from ..disk.world import Kind, listed
from ..find.context_files import exists, names_of, text_file
from .copies import same_as
from .settings_lines import naming

STEPS = by_first_step(INSTRUCTIONS)
Listing = Mapping[str, Kind]
"""What a folder holds."""


class Known(NamedTuple):
    """What was met so far: the paths of instruction files, and their texts with where each is from."""

    paths: set[str]
    texts: dict[str, str]


def read_listing(reader: Reader, folder: str) -> dict[str, Kind]:
    """The names in a folder; one that can't be listed holds nothing that we could name."""
    return dict(listed(reader.world, folder))


def note_other_instructions(
    reader: Reader,
    wants: ContextFiles,
    listings: Mapping[str, Listing],
    roots: Roots,
    said: Sequence[TextFile],
    home: str,
) -> None:
    """Name what other tools read in the project's folders, nearest first, each kind once, and the setting for it."""
    known = {look.path for look in reader.looked if look.what == "context" and look.outcome != "absent"}
    first = {file.content: file.path for file in said}
    kinds: dict[str, list[str]] = {}
    for folder, listing in reversed([*listings.items()]):
        inside = at_or_above(roots.repository, reader.real_or(folder))
        for pattern in _patterns(listing, nested=inside):
            for path in _files(reader, folder, pattern):
                if path not in known and _is_new(reader, path, roots.of(folder), Known(known, first), home):
                    kinds.setdefault(pattern, []).append(path)
                    known.add(path)
    for pattern, paths in kinds.items():
        _note_kind(reader, wants, pattern, paths)


def _patterns(listing: Listing, *, nested: bool) -> list[str]:
    """The kinds of which something may lie in a folder, by the first step of their path.

    Names with a folder in them can be added only inside the repository.
    """
    found = [pattern for step in listing if step in STEPS for pattern in STEPS[step]]
    return found if nested else [pattern for pattern in found if "/" not in pattern]


def _files(reader: Reader, folder: str, pattern: str) -> list[str]:
    """The files of one kind in a folder."""
    below, _, last = pattern.rpartition("/")
    place = "/".join(filter(None, (folder.rstrip("/"), below)))
    if "*" not in last:
        path = f"{place}/{last}"
        return [path] if _is_file(reader, path) else []
    names = read_listing(reader, place)
    return [f"{place}/{name}" for name, kind in names.items() if fnmatchcase(name, last) and kind in ("file", "link")]


def _is_file(reader: Reader, path: str) -> bool:
    try:
        entry = reader.world.look(path)
    except OSError:
        return False
    return entry is not None and entry.kind in ("file", "link")


def _is_new(reader: Reader, path: str, root: str, known: Known, home: str) -> bool:
    """Whether a setting would bring something; where a file says what another says, the record says so."""
    seen = reader.look_at(path, root)
    if isinstance(seen, Refusal):
        reader.note(path, "context", "unread", seen.detail)
        return False
    file: TextFile | None = reader.peek(seen, text_file)
    how = reader.same_file(seen, "context")
    if how is None and seen.real != path and seen.real in known.paths:
        how = f"the same file as {seen.real}, by a link"
    if how is None and file is not None:
        how = same_as(file, known.texts, home)
    if how is not None:
        reader.note(path, "context", "duplicate", how)
    if how is not None or file is None or not file.content:
        return False
    known.texts[file.content] = path
    return True


def _note_kind(reader: Reader, wants: ContextFiles, pattern: str, paths: list[str]) -> None:
    owner, line = INSTRUCTIONS[pattern], naming(wants)(pattern)
    reads = "read" if owner.startswith("many ") else "reads"
    if len(paths) == 1 or "*" not in pattern:
        more = f", and {len(paths) - 1} more of that name above" if len(paths) > 1 else ""
        reader.note(paths[0], "context", "unread", f"{owner} {reads} it{more}; {line} adds it")
        return
    folder = paths[0].rpartition("/")[0]
    path = f"{folder}/{pattern.rpartition('/')[2]}"
    reader.note(path, "context", "unread", f"{len(paths)} files that {owner} {reads}; {line} adds them")


def note_above(reader: Reader, wants: ContextFiles, left: list[str], checkout: str | None) -> None:
    """Name the project files in folders of the way up in which the recipe does not look."""
    for folder in left:
        for name in names_of(wants):
            path = f"{folder.rstrip('/')}/{name}"
            if "*" in name or not exists(reader, path):
                continue
            if checkout is not None and at_or_above(checkout, reader.real_or(folder)):
                why = f"it is of {checkout}, the checkout that this worktree belongs to"
            else:
                why = f"it lies above the repository, where this recipe stops; --root {folder} adds it"
            reader.note(path, "context", "unread", why)
