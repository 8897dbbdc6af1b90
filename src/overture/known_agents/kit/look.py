"""Look: where an agent is, what it reads there, and the record of every path with its outcome."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...discovery.allowed import ReadRefusal
from ...discovery.globs import (
    join_name,
    list_files_within,
    list_named_paths,
    list_touched_folders,
    matches_glob,
    refuse_hidden_name,
)
from ...discovery.paths import contains_path
from ...discovery.place import Place
from ...discovery.reader import FileReader, Sighting
from ...model.agent_rules import AgentWants, Settings, Step, fill_in
from ...model.state.files import Skill
from ...model.state.reasons import Reason, because
from .read_file import Found, Opened, RawText, Spot, has_text, make_raw_text, name_kind, open_spot
from .settings import SettingsRead, read_settings


class Look:
    """One agent at its start, or at work on some files. Lives for one discovery."""

    def __init__(self, reader: FileReader, place: Place, wants: AgentWants, own: Mapping[str, str]) -> None:
        """`own` are the agent's folders under home, by name, as variables move them."""
        self.reader, self.place, self.wants, self.own = reader, place, wants, own
        self.env = reader.world.machine.environment()
        self.cwd, self.home, self.root, self.project = place.cwd, place.home, place.root, place.project
        self.touching = place.touching
        """The files that the agent works on."""
        self.above = place.above
        """Every folder from the outermost down to the working directory."""
        self.walk = self.above[self.above.index(self.root) :] if self.root else [self.cwd]
        """From the repository's top down to the working directory; without a repository, that alone."""
        self.climb = self.walk if self.root else self.above
        """The same; without a repository, from `/`, even where a link leads into one."""
        self.upward = place.walk
        """The same; without a repository, from the outermost folder with something wanted."""
        self.ends = list(dict.fromkeys((self.walk[0], self.walk[-1])))
        """The repository's top and the working directory."""
        worktree = place.worktree
        self.outer = worktree.around if worktree else ()
        """In a worktree inside its checkout: the folders of that checkout on the way to it."""
        self.owner = worktree.owner if worktree else ""
        """The checkout, or bare repository, that a worktree belongs to."""
        self.lender = self.owner if self.root and worktree and worktree.lends else None
        """The checkout whose files count in its worktree: one that knows of it."""
        self.excluded: list[str] = []
        """Patterns of paths that a setting excludes."""
        self.limits: dict[str, int] = {}
        """Limits that settings change; `menu.most` and `menu.entry` are those of the list of skills."""
        self.off: set[str] = set()
        """Steps that a setting disables."""
        self.names: dict[str, dict[str, None]] = {}
        """The names that were looked for, by step."""
        self.skill_names: dict[str, None] = {}
        """The folders of skills that were looked for in a project."""
        self.texts: set[str] = set()
        """The texts that are loaded."""
        self.searched: dict[str, str] = {}
        """The folders of skills that were searched, by their real paths."""
        self.listed: Sequence[Skill] = ()
        """The skills that it lists; it looks for files after them."""
        self.settings_read: dict[str, Mapping[str, object] | None] = {}
        listed = (*wants.listed.project, *wants.listed.here, *wants.listed.home) if wants.listed else ()
        self.free_names = {self.fill(name) for step in wants.steps for name in step.names} | set(map(self.fill, listed))
        """Names that a project's settings do not limit: the agent's own, and those in the user's settings."""

    # Where

    def below(self, top: str = "") -> list[str]:
        """The folders below one, by default cwd, on the way to the files that it works on, outermost first."""
        return [*list_touched_folders(top or self.cwd, self.touching)]

    def beside(self) -> list[str]:
        """The same below the project's top, without the folders down to cwd."""
        return [folder for folder in self.below(self.project) if folder not in self.above]

    @property
    def beyond(self) -> list[str]:
        """Of the folders upward, those outside the repository; without one, all above the working directory."""
        top = self.reader.real_or(self.place.base)
        inside = [folder for folder in self.upward if contains_path(top, self.reader.real_or(folder))] or [self.cwd]
        return [folder for folder in self.upward if folder not in inside]

    def at_home(self, *names: str) -> list[str]:
        """Folders under home; `{folder}` stands for one that a variable may move."""
        return [join_name(self.home, self.fill(name), self.home) for name in names]

    def fill(self, name: str) -> str:
        """A name with the agent's own folders in it."""
        return fill_in(name, self.own)

    def join(self, folder: str, name: str) -> str:
        return f"{folder.rstrip('/')}/{name}"

    def exists(self, path: str) -> bool:
        """Whether a path leads somewhere, with links followed."""
        return self.reader.world.find(path, follow=True) is not None

    def is_folder(self, path: str) -> bool:
        return self.reader.world.is_folder(path)

    # Settings

    def settings(self, *files: Settings) -> SettingsRead:
        """What the agent's settings files say."""
        return read_settings(self, files)

    def limit(self, name: str, most: int | None) -> None:
        """Change a limit, if a setting does."""
        if most is not None:
            self.limits[name] = most

    def flag(self, variable: str) -> bool:
        """Whether a variable is set, and not to a word for no."""
        return self.env.get(variable, "") not in ("", "0", "false", "no", "off")

    def number(self, variable: str) -> int | None:
        """The whole number in a variable; None if it holds none."""
        text = self.env.get(variable, "").strip()
        return int(text) if text.isdecimal() else None

    # What is there

    def spots(
        self, step: Step, folders: Iterable[str] = (), names: Sequence[str] | None = None, *, by_name: bool = False
    ) -> list[Spot]:
        """What is there of a step's names in its folders under home, then in these; `by_name`: name after name."""
        if step.step in self.off:
            return []
        names = list(map(self.fill, step.names if names is None else names))
        self.names.setdefault(step.step, {}).update(dict.fromkeys(names))
        every = [*self.at_home(*step.at_home), *folders]
        pairs = [(folder, name) for folder in every for name in names]
        found: dict[str, Spot] = {}
        for folder, name in [(folder, name) for name in names for folder in every] if by_name else pairs:
            any_case, dotted = step.case == "any", step.dotted
            for path in list_named_paths(self.reader, folder, name, self.home, any_case=any_case, dotted=dotted):
                found.setdefault(path, Spot(folder, name, path))  # a name under home is the same in every folder
        return [spot for spot in found.values() if self._is_there(step, spot)]

    def _is_there(self, step: Step, spot: Spot) -> bool:
        """Whether a path has what the step looks for, and is no folder of further names; records that it has not."""
        if self.reader.world.exists(spot.path):
            holds = any(name.startswith(f"{spot.name}/") for name in self.names[step.step])
            if not (holds and self.is_folder(spot.path)):
                return True
        what = name_kind(step, spot)
        if refusal := refuse_hidden_name(self.reader, spot.folder, spot.name, spot.path):
            self.reader.refuse(spot.path, what, *refusal)
        else:
            self.reader.note_absent(spot.path, what)
        return False

    def within(self, step: Step, folder: str, *names: str) -> list[Spot]:
        """All files in folders of these names, and below them without links; or the files of these names; each once."""
        known = self.names.setdefault(step.step, {})
        known.update(dict.fromkeys(map(self.fill, names)))
        found: dict[str, Spot] = {}
        for name in (self.fill(name).removesuffix("/**/*").rstrip("/") for name in names):
            paths = list_files_within(self.reader, folder, name, self.home)
            known |= {f"{name}/**/*": None} if paths else {}
            spots = [Spot(folder, f"{name}/**/*", path) for path in paths] or self.spots(step, [folder], [name])
            for spot in spots:
                found.setdefault(spot.path, spot)
        return [*found.values()]

    def borrowed(self, step: Step, *, every: bool = False) -> list[Spot]:
        """In a worktree, what of the checkout counts: the names whose folder the worktree lacks; or all."""
        if self.lender is None:
            return []
        names = [name for name in map(self.fill, step.names) if not name.startswith(("~", "/"))]
        tops = {name: posixpath.join(self.root or "", name.partition("*")[0].rpartition("/")[0]) for name in names}
        lacking = [name for name in names if every or not self.is_folder(tops[name])]
        return [spot for name in lacking for spot in self.spots(step, [self.lender], [name])]

    def has_text(self, step: Step, spot: Spot) -> bool:
        """Whether a file has text besides what the step strips. One outside the project is not read: its size decides."""
        result = self.reader.look_at(spot.path)
        if isinstance(result, ReadRefusal) and result.outcome == "outside":
            entry = self.reader.world.find(self.reader.real_or(spot.path))
            return entry is not None and entry.size > 0
        raw: RawText | None = self.reader.peek(result, make_raw_text) if isinstance(result, Sighting) else None
        return spot.path in self.reader.elsewhere or (raw is not None and has_text(step, raw))

    # What is loaded

    def each(
        self, step: Step, folders: Iterable[str] = (), names: Sequence[str] | None = None, *, by_name: bool = False
    ) -> Iterator[Found]:
        """All that is there of a step's names."""
        yield from self.read(step, self.spots(step, folders, names, by_name=by_name))

    def read(self, step: Step, spots: Iterable[Spot], names: set[str] | None = None) -> Iterator[Found]:
        """The files at these paths, as the agent loads them; `names` collects what those that it read are called."""
        for spot in spots:
            opened = self.open(step, spot)
            if names is not None and opened.outcome in ("text", "blank"):
                names.add(self.call(step, spot))
            yield from opened.files

    def first(
        self, step: Step, folders: Iterable[str] = (), names: Sequence[str] | None = None, *, full: bool = False
    ) -> Iterator[Found]:
        """The first name that is there in each folder, empty or not, which hides the others; `full`: with text."""
        yield from self.first_of(step, self.spots(step, folders, names), full=full)

    def first_of(
        self, step: Step, spots: Iterable[Spot], *, full: bool = False, unread: Mapping[str, Reason] = {}
    ) -> Iterator[Found]:
        """The same of these paths; `unread`: paths that hide the others and are not loaded themselves, and why."""
        taken: dict[str, str] = {}
        for spot in spots:
            if spot.folder in taken:
                self.hide(step, spot, because("hidden", taken[spot.folder], "first"))
                continue
            if spot.path in unread:
                taken[spot.folder] = spot.path
                self.hide(step, spot, unread[spot.path])
                continue
            opened = self.open(step, spot)
            if opened.outcome in ("text", "again") or (opened.outcome == "blank" and not full):
                taken[spot.folder] = spot.path
            yield from opened.files

    def one_name(self, step: Step, folders: Iterable[str], names: Sequence[str] | None = None) -> Iterator[Found]:
        """The files of the first name that is there in any of the folders."""
        spots = self.spots(step, folders, names)
        there = {spot.name for spot in spots if self.exists(spot.path)}
        only = next((name for name in self.names.get(step.step, ()) if name in there), None)
        for spot in spots:
            if only is not None and spot.name != only:
                self.hide(step, spot, because("hidden", only, "anywhere", spot.name))
            else:
                yield from self.open(step, spot).files

    def first_of_name(self, step: Step, spots: Iterable[Spot], taken: set[str]) -> Iterator[Found]:
        """Of files with one name, the first; `taken` are the names so far."""
        for spot in spots:
            if (name := self.call(step, spot)) in taken:
                self.hide(step, spot, because("hidden", "", "taken"))
                continue
            opened = self.open(step, spot)
            if opened.outcome in ("text", "blank"):
                taken.add(name)
            yield from opened.files

    def last_of_name(self, step: Step, spots: Sequence[Spot]) -> list[Spot]:
        """Of files with one name, the last."""
        last = {self.call(step, spot): spot for spot in spots}
        for spot in spots:
            if (winner := last[self.call(step, spot)]) is not spot:
                self.hide(step, spot, because("hidden", winner.path, "later"))
        return [spot for spot in spots if last[self.call(step, spot)] is spot]

    def call(self, step: Step, spot: Spot) -> str:
        """What the agent calls a file: its name without the ending."""
        return step.called.get(spot.name) or posixpath.splitext(posixpath.basename(spot.path))[0]

    def open(self, step: Step, spot: Spot) -> Opened:
        """A file, unless its name or a setting excludes it."""
        if self.is_name_excluded(step, spot):
            self.hide(step, spot, because("excluded", "", "name"))
        elif any(matches_glob(f"/{each.lstrip('/')}", spot.path.lstrip("/")) for each in self.excluded):
            self.hide(step, spot, because("excluded", "", "setting"))
        else:
            return open_spot(self.reader, self.place, step, spot)
        return Opened((), "refused")

    def is_name_excluded(self, step: Step, spot: Spot) -> bool:
        """Whether the step excludes a name that its `*` matches."""
        name = posixpath.basename(spot.path).lower()
        return spot.is_rule and any(matches_glob(pattern.lower(), name) for pattern in step.but_not)

    # What hides what

    def hide(self, step: Step, spot: Spot, why: Reason) -> None:
        """Record that something keeps a file from being loaded."""
        self.reader.note(spot.path, name_kind(step, spot), "hidden", why, step.step)

    def hide_all(self, step: Step, spots: Iterable[Spot], by: str) -> None:
        """The same for all files of a step, which another file disables."""
        for spot in spots:
            self.hide(step, spot, because("hidden", by, "everywhere", " and ".join(map(self.fill, step.names))))

    def each_text_once(self, files: Iterable[Found]) -> Iterator[Found]:
        """The files without those that repeat the text of an earlier one."""
        for found in files:
            if found.file.content in self.texts:
                step, what = found.step.step, name_kind(found.step, found.spot)
                self.reader.note(found.spot.path, what, "duplicate", because("same-text"), step)
                continue
            if found.is_text:
                self.texts.add(found.file.content)
            yield found

    def unique(
        self, files: Iterable[Found], *, last: bool = False, before: Mapping[str, str] | None = None
    ) -> list[Found]:
        """Of sub-agents or commands with one name, the first or last; `before`: names of others, with their paths."""
        files = list(files)
        winners = {found.name: found.file.path for found in (files if last else reversed(files))} | {**(before or {})}
        for found in files:
            if winners[found.name] != found.file.path:
                self.hide(found.step, found.spot, because("hidden", winners[found.name], "name"))
        return [found for found in files if winners[found.name] == found.file.path]

    def names_of_skills(self, *, visible: bool = False) -> dict[str, str]:
        """The names of the skills that it lists, with their paths; `visible`: to the model."""
        return {s.name: s.location for s in self.listed if not (visible and s.disable_model_invocation)}
