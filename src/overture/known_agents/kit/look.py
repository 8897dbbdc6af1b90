"""Look: where an agent is, what it reads there, and the record of every path with its outcome."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ...discovery.globs import join_name, list_named_paths, list_touched_folders, matches_glob
from ...discovery.place import Place
from ...discovery.reader import FileReader, ReadRefusal, Sighting
from ...model.agent_rules import AgentWants, Settings, Step, fill_in
from ...model.state.files import Skill
from ...model.state.reasons import Reason, because
from .read_file import Found, Opened, RawText, Reading, Spot, has_text, make_raw_text, name_kind
from .settings import SettingsRead, read_settings


class Look:
    """One agent at its start, or at work on some files. Lives for one discovery."""

    def __init__(self, reader: FileReader, place: Place, wants: AgentWants, own: Mapping[str, str]) -> None:
        """`own` are the agent's folders under home, by name, as variables move them."""
        self.reader, self.place, self.wants, self.own = reader, place, wants, own
        self.env, self.touching = reader.world.machine.environment(), place.touching
        self.cwd, self.home, self.root, self.project = place.cwd, place.home, place.root, place.project
        self.above = place.above  # every folder from the outermost down to the working directory
        # From the repository's top down to the working directory; without a repository, that alone.
        self.walk = self.above[self.above.index(self.root) :] if self.root else [self.cwd]
        self.climb = self.walk if self.root else self.above  # the same; without a repository, from `/`
        self.upward = place.walk  # the same; without a repository, from the outermost folder with something wanted
        self.ends = list(dict.fromkeys((self.walk[0], self.walk[-1])))  # the repository's top and cwd
        worktree = place.worktree
        self.outer = worktree.around if worktree else ()  # the folders of the checkout on the way to its worktree
        self.owner = worktree.owner if worktree else ""  # the checkout, or bare repository, of a worktree
        self.lender = self.owner if self.root and worktree and worktree.lends else ""  # the checkout whose files count
        self.excluded: list[str] = []  # patterns of paths that a setting excludes
        self.limits: dict[str, int] = {}  # those that settings change; `menu.most` is of the list of skills
        self.off: set[str] = set()  # steps that a setting disables
        self.names: dict[str, dict[str, None]] = {}  # those that were looked for, by step
        self.skill_names: dict[str, None] = {}  # the folders of skills that were looked for in a project
        self.skips_import: Callable[[str], bool] | None = None  # files that it does not import, by their real paths
        self.texts: set[str] = set()  # the texts that are loaded
        self.searched: dict[str, str] = {}  # the folders of skills that were searched, by their real paths
        self.listed: Sequence[Skill] = ()  # the skills that it lists; it looks for files after them
        self.settings_read: dict[str, Mapping[str, object] | None] = {}
        listed = (*wants.listed.project, *wants.listed.here, *wants.listed.home) if wants.listed else ()
        # Names that a project's settings do not limit: the agent's own, and those in the user's settings.
        self.free_names = {self.fill(name) for step in wants.steps for name in step.names} | set(map(self.fill, listed))

    # Where

    def below(self, top: str = "") -> list[str]:
        """The folders below one, by default cwd, on the way to the files that it works on, outermost first."""
        return list_touched_folders(top or self.cwd, self.touching)

    def beside(self) -> list[str]:
        """The same below the project's top, without the folders down to cwd."""
        return [folder for folder in self.below(self.project) if folder not in self.above]

    def fill(self, name: str) -> str:
        """A name with the agent's own folders in it."""
        return fill_in(name, self.own)

    def lent(self, names: Iterable[str], *, every: bool = False) -> list[str]:
        """In a worktree, the names that count in its checkout: those whose folder the worktree lacks; or all."""
        here = [name for name in map(self.fill, names) if self.lender and not name.startswith(("~", "/"))]
        tops = {name: name.partition("/*")[0] if "*" in name else name for name in here}
        return [n for n in here if every or not self.reader.world.is_folder(posixpath.join(self.project, tops[n]))]

    def borrowed(self, step: Step, *, every: bool = False) -> list[Spot]:
        """Of a step's names, those in the checkout that count in its worktree."""
        return self.spots(step, [self.lender], self.lent(step.names, every=every))

    def read_ignore_lines(self, folder: str) -> list[str]:
        """The lines of a folder's `.gitignore`; a blank at the beginning belongs to the name."""
        result = self.reader.look_at(posixpath.join(folder, ".gitignore"))
        raw: RawText | None = self.reader.peek(result, make_raw_text) if isinstance(result, Sighting) else None
        lines = (line.rstrip() for line in raw.text.splitlines()) if raw else ()
        return [line.replace(" ", "[ ]") if line[0] == " " else line for line in lines if line and line[0] != "#"]

    def is_ignored(self, folder: str) -> bool:
        """Whether git ignores a folder below the working directory, or one on the way to it: the last line decides."""
        here, lists = self.project, list[tuple[str, list[str]]]()
        for step in posixpath.relpath(folder, here).split("/"):
            lists.append((here, self.read_ignore_lines(here)))
            here, last = posixpath.join(here, step), ""
            for top, lines in lists:
                below = posixpath.relpath(here, top)
                for line in lines:
                    pattern = line.removeprefix("!").rstrip("/")  # `a/**` matches what is below `a`
                    last = line if matches_glob(f"{pattern}/*" * pattern.endswith("/**") or pattern, below) else last
            if last and not last.startswith("!"):
                return True
        return False

    # Settings and variables

    def settings(self, *files: Settings) -> SettingsRead:
        return read_settings(self, files)

    def limit(self, name: str, most: int | None) -> None:
        self.limits.update({} if most is None else {name: most})

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
        every = [*(join_name(self.home, self.fill(name), self.home) for name in step.at_home), *folders]
        pairs = [(folder, name) for folder in every for name in names]
        found: dict[str, Spot] = {}
        for folder, name in [(folder, name) for name in names for folder in every] if by_name else pairs:
            any_case, dotted = step.case == "any", step.dotted
            for path in list_named_paths(self.reader, folder, name, self.home, any_case=any_case, dotted=dotted):
                found.setdefault(path, Spot(folder, name, path))  # a name under home is the same in every folder
        return [spot for spot in found.values() if self._is_there(step, spot)]

    def _is_there(self, step: Step, spot: Spot) -> bool:
        """Whether a path has what the step looks for, and is no folder of further names; records that it has not."""
        reader, what = self.reader, name_kind(step, spot)
        if reader.world.exists(spot.path):
            holds = any(name.startswith(f"{spot.name}/") for name in self.names[step.step])
            if not (holds and reader.world.is_folder(spot.path)):
                return True
        reader.note_absent(spot.path, what)
        return False

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

    def read(self, step: Step, spots: Iterable[Spot]) -> Iterator[Found]:
        for spot in spots:
            yield from self.open(step, spot).files

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
            elif spot.path in unread:
                taken[spot.folder] = spot.path
                self.hide(step, spot, unread[spot.path])
            else:
                opened = self.open(step, spot)
                if opened.outcome in ("text", "again") or (opened.outcome == "blank" and not full):
                    taken[spot.folder] = spot.path
                yield from opened.files

    def first_of_name(self, step: Step, spots: Iterable[Spot], taken: set[str]) -> Iterator[Found]:
        """Of files with one name, the first; `taken` are the names so far."""
        for spot in spots:
            if (name := self.call(step, spot)) in taken:
                self.hide(step, spot, because("hidden", "", "taken"))
                continue
            opened = self.open(step, spot)
            taken.update([name] if opened.outcome in ("text", "blank") else [])
            yield from opened.files

    def one_name(self, step: Step, folders: Iterable[str]) -> Iterator[Found]:
        """The files of the first name that is there in any of the folders."""
        spots = self.spots(step, folders)
        there = {spot.name for spot in spots if self.reader.world.find(spot.path, follow=True)}
        only = next((name for name in self.names.get(step.step, ()) if name in there), None)
        for spot in spots:
            if only is not None and spot.name != only:
                self.hide(step, spot, because("hidden", only, "anywhere", spot.name))
            else:
                yield from self.open(step, spot).files

    def call(self, step: Step, spot: Spot) -> str:
        """What the agent calls a file: its name without the ending."""
        return step.called.get(spot.name) or posixpath.splitext(posixpath.basename(spot.path))[0]

    def open(self, step: Step, spot: Spot) -> Opened:
        """A file, unless its name or a setting excludes it."""
        by_setting = any(matches_glob(f"/{each.lstrip('/')}", spot.path.lstrip("/")) for each in self.excluded)
        if by_setting or self.is_name_excluded(step, spot):
            self.hide(step, spot, because("excluded", "", "setting" if by_setting else "name"))
            return Opened((), "refused")
        return Reading(self, step, spot).open()

    def is_name_excluded(self, step: Step, spot: Spot) -> bool:
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
                what = name_kind(found.step, found.spot)
                self.reader.note(found.spot.path, what, "duplicate", because("same-text"), found.step.step)
                continue
            self.texts.update([found.file.content] if found.is_text else [])
            yield found

    def unique(self, files: Iterable[Found], *, last: bool = False, before: Mapping[str, str] = {}) -> list[Found]:
        """Of sub-agents or commands with one name, the first or last; `before`: names of others, with their paths."""
        files = list(files)
        winners = {each.file.called: each.file.path for each in (files if last else reversed(files))} | {**before}
        for each in files:
            if winners[each.file.called] != each.file.path:
                self.hide(each.step, each.spot, because("hidden", winners[each.file.called], "name"))
        return [each for each in files if winners[each.file.called] == each.file.path]
