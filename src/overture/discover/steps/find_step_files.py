"""Takes the steps of an agent's recipe: the files it loads, in its order, and a record of those it skips."""

import posixpath
from collections.abc import Iterator
from functools import cached_property, partial

from ...known_agents.quirks import apply_quirk
from ...model.state.files import TextFile
from ...model.wants.instruction_files import FileStep
from ...model.wants.wants import Wants
from ..disk.project_root import SearchScope
from ..disk.reader import FileReader, Sighting
from ..disk.world import path_exists
from ..formats.path_patterns import matches_glob
from .load_file import StepLoader
from .step_paths import (
    StepPath,
    find_pattern_top,
    is_folder_path,
    list_files_within,
    list_home_folders,
    list_named_paths,
    list_step_folders,
    list_step_walk,
    path_leads_somewhere,
    refuse_hidden_name,
)

ANNOUNCED_KINDS = (":waiting", ":model")
"""Kinds of files of which the agent is told that they are there, and not what they say."""


def find_step_files(
    reader: FileReader, wants: Wants, ground: SearchScope, exclude: tuple[str, ...] = ()
) -> tuple[TextFile, ...]:
    """All files of all steps. `exclude` are patterns of paths that the agent's settings leave out."""
    found: list[TextFile] = []
    folders: list[tuple[str, str]] = []
    names: dict[str, set[str]] = {}
    for step in wants.files:
        taking = StepSearch(reader, step, ground, exclude, found)
        taking.names.update(*(names.get(each, ()) for each in step.hidden_by))
        names[step.step] = taking.names
        made = [(file, (step.step, taking.folder)) for file in taking.files()]
        if step.listing is not None:
            made = _named_once(reader, step.kind, step.listing.same_name, made)
        if step.listing is not None and step.order in ("name", "here"):
            made.sort(key=partial(_rank, step, ground))
        found += [file for file, _ in made]
        folders += [folder for _, folder in made]
        if step.among:
            mixed = {step.among, *(each.step for each in wants.files if each.among == step.among)}
            found, folders = _among(found, folders, mixed, None if step.order == "path" else ground)
    return tuple(found)


NamedFile = tuple[TextFile, tuple[str, str]]


def _named_once(reader: FileReader, kind: str, which: str, made: list[NamedFile]) -> list[NamedFile]:
    """Of sub-agents or commands with one name those that count."""
    if which == "all":
        return made
    kept = {each[0].called: each for each in (made if which == "last" else reversed(made))}
    for file, (step, _) in made:
        winner = kept[file.called][0]
        if winner is not file:
            # Until all were read, it was told of: the record says only what came of it in the end.
            reader.looked[:] = [look for look in reader.looked if (look.path, look.step) != (file.path, step)]
            reader.note(file.path, kind, "shadowed", f"by {winner.path}, which has the same name", step)
    return [each for each in made if kept[each[0].called] is each]


def _rank(step: FileStep, ground: SearchScope, made: NamedFile) -> tuple[bool, str]:
    """Where a sub-agent or a command stands: by name, and those in cwd may come first."""
    file, (_, folder) = made
    capitals = step.listing is not None and step.listing.capitals
    return step.order == "here" and folder != ground.cwd, file.called if capitals else file.called.casefold()


def _among(
    files: list[TextFile], folders: list[tuple[str, str]], steps: set[str], ground: SearchScope | None
) -> tuple[list[TextFile], list[tuple[str, str]]]:
    """The files of some steps folder by folder, or else by path, in the place where the first of them stands."""
    mixed = [index for index, (step, _) in enumerate(folders) if step in steps]
    rank = {folder: number for number, folder in enumerate(ground.above)} if ground else {}
    ordered = sorted(mixed, key=lambda index: (rank.get(folders[index][1], -1), "" if ground else files[index].path))
    order = [*range(len(files))]
    for place, index in zip(mixed, ordered, strict=True):
        order[place] = index
    return [files[index] for index in order], [folders[index] for index in order]


class StepSearch:
    """Searches for the files of one step. Lives for one call."""

    def __init__(
        self, reader: FileReader, step: FileStep, ground: SearchScope, exclude: tuple[str, ...], before: list[TextFile]
    ) -> None:
        self.reader, self.step, self.ground, self.exclude = reader, step, ground, exclude
        self.loader = StepLoader(reader, step, ground)
        self.folder = ""
        """Where the file was found that came last."""
        self.names: set[str] = set()
        self.taken: dict[str, str] = {}
        """A folder -> the file in it that came first."""
        self.last: dict[str, str] = {}
        self.texts = {file.content for file in before if _is_loaded(file)}

    def files(self) -> Iterator[TextFile]:
        """The files of the step that count at once."""
        own = self._by_name() if self.step.by == "name" else self._by_folder()
        places = self._each_once([*own, *self._borrowed()])
        if self.step.same_name == "last":
            self.last = {
                self._called(place): place.path for place in places if path_exists(self.reader.world, place.path)
            }
        if self.step.order == "name" and self.step.listing is None:
            places = sorted(places, key=lambda place: (self._called(place).casefold(), place.path))
        elif self.step.order == "file":
            ranks = {folder: rank for rank, folder in enumerate(self._folders())}
            places = sorted(places, key=lambda place: (ranks[place.folder], posixpath.basename(place.path).casefold()))
        elif self.step.order == "path":
            places = sorted(places, key=lambda place: place.path)
        yield from self._take(places)

    def _take(self, places: list[StepPath]) -> Iterator[TextFile]:
        """The files at these paths that count at once; of the others it is recorded why they do not."""
        stopped = self._stopped_by() if self.step.unless else None
        only = self._only_name(places) if self.step.take == "name" else None
        self.taken = {}
        for place in places:
            if self._is_absent(place):
                continue
            why = self._left_out(place, stopped, only)
            if why is None:
                self.folder = place.folder
                yield from self.load(place)
            else:
                self._note_hidden(place, why)

    def _is_absent(self, place: StepPath) -> bool:
        """Whether nothing lies there that the step looks for, which is recorded."""
        absent = not path_exists(self.reader.world, place.path) or self._holds_others(place)
        if absent:
            self._note_missing(place)
        return absent

    def _note_hidden(self, place: StepPath, why: str) -> None:
        self.reader.note(place.path, self._what(place), "shadowed", why, self.step.step)

    def _note_missing(self, place: StepPath) -> None:
        """Record a path that is not there; one outside the repository of a revision is named, and not looked at."""
        refusal = refuse_hidden_name(self.reader, place.folder, place.name, place.path)
        if refusal is not None:
            self.reader.refuse(place.path, self._what(place), *refusal)
        else:
            self.reader.note_absent(place.path, self._what(place))

    def _holds_others(self, place: StepPath) -> bool:
        """Whether it is a folder in which the step looks for other names."""
        inner = f"{place.name}/"
        return any(name.startswith(inner) for name in self.step.names) and is_folder_path(self.reader, place.path)

    def _what(self, place: StepPath) -> str:
        return place.what if self.step.kind == "instructions" else self.step.kind

    def _called(self, place: StepPath) -> str:
        return self.step.called.get(place.name) or posixpath.splitext(posixpath.basename(place.path))[0]

    def _folders(self) -> list[str]:
        return [*list_home_folders(self.step, self.ground), *list_step_folders(self.step, self.ground)]

    def _borrowed(self) -> list[StepPath]:
        """What of the checkout counts in its worktree."""
        worktree, top, every = self.ground.worktree, self.ground.root, self.step.borrows == "always"
        if self.step.borrows == "never" or worktree is None or top is None or not worktree.lends:
            return []
        names = [name for name in self.step.names if not name.startswith(("~", "/"))]
        lent = [
            name
            for name in names
            if every or not is_folder_path(self.reader, find_pattern_top(top, name, self.ground.home))
        ]
        return [place for name in lent for place in self._places(worktree.owner, name)]

    def _each_once(self, places: list[StepPath]) -> list[StepPath]:
        """A name under home is the same in every folder."""
        found: dict[str, StepPath] = {}
        for place in places:
            found.setdefault(place.path, place)
        return list(found.values())

    def _by_folder(self) -> list[StepPath]:
        names = apply_quirk(self.step.quirks, "order_names", self.step.names)
        return [place for folder in self._folders() for name in names for place in self._places(folder, name)]

    def _by_name(self) -> list[StepPath]:
        return [place for name in self.step.names for folder in self._folders() for place in self._places(folder, name)]

    def _places(self, folder: str, name: str) -> list[StepPath]:
        if apply_quirk(self.step.quirks, "take_folders", False):
            name = name.removesuffix("/**/*").rstrip("/")
            if within := list_files_within(self.reader, folder, name, self.ground.home):
                return [StepPath(folder, f"{name}/**/*", path) for path in within]
        return self._exactly(folder, name, any_case=self.step.case == "any")

    def _exactly(self, folder: str, name: str, *, any_case: bool = False) -> list[StepPath]:
        paths = list_named_paths(
            self.reader, folder, name, self.ground.home, any_case=any_case, dotted=self.step.dotted
        )
        return [StepPath(folder, name, path) for path in paths]

    def _is_passed_over(self, place: StepPath) -> bool:
        """Whether its `*` does not stand for such a name."""
        name = posixpath.basename(place.path).lower()
        return "*" in place.name and any(matches_glob(pattern.lower(), name) for pattern in self.step.but_not)

    def _left_out(self, place: StepPath, stopped: str | None, only: str | None) -> str | None:
        """Why a file that is there is not told; None where it is."""
        step = self.step
        if not self._counts_around(place):
            return f"it is of {self._owner()}, the checkout that this worktree belongs to"
        if stopped is not None:
            return f"by {stopped}: where that exists, {' and '.join(step.names)} are not read"
        if self._is_passed_over(place):
            return "the agent passes such a name over"
        if only is not None and place.name != only:
            return f"by {only}: where that exists, no {place.name} is read anywhere"
        if step.take in ("first", "full") and place.folder in self.taken:
            return f"by {self.taken[place.folder]}, which comes first in its folder"
        if place.path == self._copied:
            self.taken.setdefault(place.folder, place.path)
            return f"the worktree has a {place.name} of its own, and it is of {self._owner()}, its checkout"
        if step.same_name == "first" and self._called(place) in self.names:
            return "a file of the same name comes first"
        if step.same_name == "last" and self.last.get(self._called(place)) != place.path:
            return f"by {self.last.get(self._called(place))}, which has the same name and comes later"
        if any(matches_glob(f"/{pattern.lstrip('/')}", place.path.lstrip("/")) for pattern in self.exclude):
            return "a setting of the agent's leaves it out"
        return None

    def _sight(self, place: StepPath) -> Sighting | None:
        return self.loader.sightings.at(place, self._what(place))

    def load(self, place: StepPath) -> Iterator[TextFile]:
        """The file and those that it brings along; one with the text of another may count once."""
        called = self.step.called.get(place.name, "")
        folder = find_pattern_top(place.folder, place.name, self.ground.home) if self.step.listing else place.folder
        seen = self._sight(place)
        found = self.loader.load(seen, place, self._what(place), folder, called) if seen else None
        if found is None:
            if self.reader.looked and self.reader.looked[-1].outcome == "duplicate":
                self.taken.setdefault(place.folder, place.path)  # its text is told already, and it still comes first
            return
        if found.there or self.step.take != "full":
            self.taken.setdefault(place.folder, place.path)
            self.names.add(self._called(place))
        for index, file in enumerate(found.files):
            if self.step.same_text == "first" and file.content in self.texts:
                self.reader.note(
                    file.path, self._what(place), "duplicate", "the same text is told already", self.step.step
                )
                continue
            if _is_loaded(file):
                self.texts.add(file.content)
                if not index and file.content:
                    self.reader.note(place.path, self._what(place), "loaded", "", self.step.step)
            yield file

    def _owner(self) -> str:
        return self.ground.worktree.owner if self.ground.worktree else ""

    def _counts_around(self, place: StepPath) -> bool:
        """Whether the step takes such a name in the folders of the checkout in which a worktree lies."""
        around = self.ground.worktree.around if self.ground.worktree else ()
        return isinstance(self.step.around, str) or place.folder not in around or place.name in self.step.around

    @cached_property
    def _copied(self) -> str | None:
        """The checkout's file that the worktree has too, where only other names count."""
        worktree, top = self.ground.worktree, self.ground.root
        if self.step.around != "others" or not worktree or worktree.is_bare or not worktree.around or top is None:
            return None
        name = next((name for name in self.step.names if path_leads_somewhere(self.reader, f"{top}/{name}")), None)
        return f"{worktree.around[0]}/{name}" if name else None

    def _only_name(self, places: list[StepPath]) -> str | None:
        there = {place.name for place in places if path_leads_somewhere(self.reader, place.path)}
        return next((name for name in self.step.names if name in there), None)

    def _stopped_by(self) -> str | None:
        """The file that switches the step off."""
        folders = list_step_walk(self.step, self.ground)
        for place in (each for folder in folders for name in self.step.unless for each in self._exactly(folder, name)):
            there = path_exists(self.reader.world, place.path) and not self._is_passed_over(place)
            there = there and self._counts_around(place)
            empty = apply_quirk(self.step.quirks, "stop_for_empty_file", False)
            if there and (empty or self.loader.says_anything(place.path)):
                return place.path
        return None


def _is_loaded(file: TextFile) -> bool:
    """Whether an agent is told what the file says, and not only that it is there."""
    return not (file.kind or "").endswith(ANNOUNCED_KINDS)
