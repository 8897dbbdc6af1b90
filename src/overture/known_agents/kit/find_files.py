"""Look: where an agent is, what its settings say and what is there; and what it finds, with the record of every path."""

import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, product
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from msgspec.structs import replace

from ...discovery.globs import join_name, list_named_paths, list_touched_folders
from ...discovery.parse_json_and_toml import find_setting, parse_settings
from ...discovery.place import Place
from ...discovery.reader import FileReader, PathReference, ReadRefusal, Sighting, plain_folder_name
from ...discovery.skills import MAX_SKILL_FOLDERS, list_skill_subfolders, report_many_skills
from ...model.agent_rules import AgentWants, Settings, Skills, Step, fill_in
from ...model.diagnostic import Diagnostic, warning
from ...model.recipe.recipe import AgentSection
from ...model.state.discovery import InstructionFiles
from ...model.state.files import Skill
from ...model.state.reasons import NO_REASON, Reason, because
from ...text.path_printer import readable_path
from .menu_entries import judge_skill, parse_skill
from .read_file import Found, Opened, RawText, Spot, is_link, make_raw_text, read_spot

MAX_SETTING_NAMES = 200  # names that a setting may have
REMOTE = "://"  # what a URL has, and no name of a file
T = TypeVar("T")


def find_agent_files(
    module: Any, wants: AgentWants, own: Mapping[str, str], reader: FileReader, place: Place,
    parts: Sequence[str] = ("files", "agents", "commands"),
) -> tuple[InstructionFiles, AgentWants, dict[str, int]]:  # fmt: skip
    """All that an agent loads here, what it looked for, and the limits that its settings change.

    `own` are the agent's folders under home, by name, as variables move them; `parts` are functions of the module.
    """
    look = Look(reader, place, wants, own)
    look.find_unmodelled()
    if wants.listed is not None:
        look.listed = tuple(module.skills(look))
        report_many_skills(reader, len(look.listed))
    found: list[Found] = []
    for part in (getattr(module, name, None) for name in parts):
        for each in part(look) if part else ():
            # Not a file that is only announced, nor one without text of its own.
            for imported, why in each.imported:
                reader.note(imported, "context", "loaded", why, each.spot.step.step)
            if each.why or (each.is_text and each.file.content):
                what = "context" if each.why.code == "imported" else each.spot.what
                reader.note(each.spot.path, what, "loaded", each.why, each.spot.step.step)
            found.append(each)
    # What was looked for, as settings changed it.
    steps = tuple(
        replace(step, names=tuple(look.looked_for.get(step.step, map(look.fill, step.names))))
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


class Value(NamedTuple):
    """The value of a key in one settings file."""

    key: str
    value: Any
    path: str
    is_users: bool  # whether it is the user's own file, or the machine's

    @property
    def invalid(self) -> Diagnostic:
        message = f"{self.key} is {self.value!r:.60}, which is invalid: it is skipped"
        return warning("settings-invalid", message, self.path)


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
        self.lenders = (
            [self.owner] if self.root and worktree and worktree.lends else []
        )  # the checkout, if its files count
        self.limits: dict[str, int] = {}  # those that settings change; `menu.most` is of the list of skills
        self.off: set[str] = set()  # steps that a setting disables
        self.looked_for: dict[str, dict[str, None]] = {}  # names, by step
        self.skill_names: dict[str, None] = {}  # the folders of skills that were looked for in a project
        self.skips_import: Callable[[str], bool] | None = None  # files that it does not import, by their real paths
        self.texts: set[str] = set()  # the texts that are loaded
        self.searched: dict[str, str] = {}  # the folders of skills that were searched, by their real paths
        self.listed: Sequence[Skill] = ()  # the skills that it lists; it looks for files after them
        self.settings_read: dict[str, Mapping[str, Any] | None] = {}
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

    def read_ignore_lines(self, folder: str) -> list[str]:
        """The lines of a folder's `.gitignore`; a blank at the beginning belongs to the name."""
        raw: RawText | None = self.peek(posixpath.join(folder, ".gitignore"), make_raw_text)
        lines = (line.rstrip() for line in raw.text.splitlines()) if raw else ()
        return [line.replace(" ", "[ ]") if line[0] == " " else line for line in lines if line and line[0] != "#"]

    def peek(self, path: str, make: Callable[[str, str], Any]) -> Any:
        """What `make` makes of a file that is only looked into; None if it can't be read."""
        result = self.reader.look_at(path)
        return None if isinstance(result, ReadRefusal) else self.reader.peek(result, make)

    # Settings and variables

    def flag(self, variable: str) -> bool:
        """Whether a variable is set, and not to a word for no."""
        return self.env.get(variable, "") not in ("", "0", "false", "no", "off")

    def limit(self, name: str, most: int | str | None) -> None:
        """A limit that a setting or a variable changes, if it is a number."""
        if str(most).strip().isdecimal():
            self.limits[name] = int(str(most))

    def values(self, key: str, *files: Settings) -> list[Value]:
        """The values of a key in settings files, in folders of the project or at home, which are the user's own."""
        found: list[Value] = []
        for file in files:
            folders = {"cwd": [self.cwd], "root": [self.project], "walk": self.walk}[file.where]
            for is_users, names in groupby(map(self.fill, file.paths), key=lambda path: path.startswith(("~/", "/"))):
                for folder, name in product([self.home] if is_users else folders, list(names)):
                    path = join_name(folder, name, self.home)
                    if path not in self.settings_read:
                        self.settings_read[path] = self._read_settings(path)
                    value = find_setting(self.settings_read[path], key)
                    found += [Value(key, value, path, is_users)] if value is not None else []
        return found

    def last(self, key: str, kind: type[T], *files: Settings) -> T | None:
        """The last value of a key that has this type, and is not negative; others are reported."""
        value = None
        for each in self.values(key, *files):
            if type(each.value) is kind and not (isinstance(each.value, int) and each.value < 0):
                value = each.value
            else:
                self.report(each.invalid)
        return value

    def names(self, key: str, *files: Settings, last: bool = False) -> list[str] | None:
        """The names of files that a key lists, in all settings files or in the last; None if none has a list."""
        lists: list[list[str]] = []
        for each in self.values(key, *files):
            names = self.check_names(each.value, each)
            if names is not None:
                self.limit_reach(names, each)
                lists.append(names)
        return list(dict.fromkeys(name for names in lists[-last:] for name in names)) if lists else None

    def check_names(self, value: Any, each: Value) -> list[str] | None:
        """Names of files; `{folder}` in a setting does not lead to the agent's own folders. None: it is reported."""
        names = check_file_names(value)
        if names is None:
            self.report(each.invalid)
            return None
        for name in (name for name in names if REMOTE in name):  # the agent may fetch it; discovery has no network
            self.report_unmodelled(f"{name:.80} in {each.key}", each.path)
        return [name for name in names if REMOTE not in name and self.fill(name) == name]

    def limit_reach(self, names: Iterable[str], each: Value) -> None:
        """A project's settings name files of the project; names in the user's own settings may lead anywhere."""
        new, allowed = set(names) - self.free_names, self.reader.allowed
        self.free_names |= new if each.is_users else set()
        for name in map(plain_folder_name, new):
            self.reader.reaches.pop(name, None)
            if not each.is_users:
                rule = f"named by {each.key} in {each.path}"
                self.reader.reaches[name] = PathReference(rule, allowed.limits_of(allowed.project))

    def _read_settings(self, path: str) -> Mapping[str, Any] | None:
        """The values of a settings file; an unreadable one is reported and ignored."""
        result = self.reader.look_at(path)
        found = None if isinstance(result, ReadRefusal) else self.reader.load(result, "settings", _parse_settings)
        if isinstance(result, ReadRefusal) and result.outcome != "absent":
            self.reader.refuse(path, "settings", *result)
        elif isinstance(found, str):
            self.reader.refuse(path, "settings", "skipped", because("invalid", "", found))
        elif found is not None:
            self.reader.note(path, "settings", "loaded")
        return found if isinstance(found, Mapping) else None

    def find_unmodelled(self) -> None:
        """Report settings and variables that are set and whose effect is not modelled."""
        for file in self.wants.configured:
            for key, equals, wanted in (each.partition("=") for each in file.unmodelled):
                for each in self.values(key.replace("{project}", self.project), file):
                    said = str(each.value).lower() if isinstance(each.value, bool) else each.value
                    if said == wanted if equals else each.value:
                        self.report_unmodelled(key.strip('"'), each.path)
        for variable in filter(self.flag, self.wants.variables):
            self.report_unmodelled(variable)

    def report_unmodelled(self, name: str, path: str | None = None) -> None:
        message = f"{name} is set; the agent may read other files than shown here"
        self.report(warning("not-modelled", f"not modelled: {message}", path))

    def report(self, note: Diagnostic) -> None:
        """Report something once: skills and files may ask for the same setting."""
        self.reader.diagnostics += [] if note in self.reader.diagnostics else [note]

    # What is there

    def spots(self, step: Step, folders: Iterable[str] = (), names: Iterable[str] | None = None) -> list[Spot]:
        """What is there of a step's names, in its folders under home and then in these."""
        if step.step in self.off:
            return []
        names = list(map(self.fill, step.names if names is None else names))
        self.looked_for.setdefault(step.step, {}).update(dict.fromkeys(names))
        at_home = (join_name(self.home, self.fill(name), self.home) for name in step.at_home)
        found: dict[str, Spot] = {}
        for folder, name in product((*at_home, *folders), names):
            any_case, dotted = step.case == "any", step.dotted
            for path in list_named_paths(self.reader, folder, name, self.home, any_case=any_case, dotted=dotted):
                found.setdefault(path, Spot(step, folder, name, path))  # a name under home is the same in every folder
        return [spot for spot in found.values() if self._is_there(spot)]

    def _is_there(self, spot: Spot) -> bool:
        """Whether a path has what the step looks for, and is no folder of further names; records that it has not."""
        reader = self.reader
        if reader.world.exists(spot.path):
            holds = any(name.startswith(f"{spot.name}/") for name in self.looked_for[spot.step.step])
            if not (holds and reader.world.is_folder(spot.path)):
                return True
        reader.note_absent(spot.path, spot.what)
        return False

    # What is loaded

    def each(self, step: Step, folders: Iterable[str] = (), names: Iterable[str] | None = None) -> Iterator[Found]:
        """All that is there of a step's names."""
        yield from self.read(self.spots(step, folders, names))

    def read(self, spots: Iterable[Spot]) -> Iterator[Found]:
        for spot in spots:
            yield from self.open(spot).files

    def open(self, spot: Spot) -> Opened:
        """A file, unless the agent excludes its name."""
        if spot.step.but_not and spot.is_excluded:
            self.hide(spot, because("excluded", "", "name"))
            return Opened((), "refused")
        return read_spot(self, spot)

    def first(
        self, spots: Iterable[Spot], taken: dict[str, str] | None = None, *, full: bool = False, by_name: bool = False
    ) -> Iterator[Found]:
        """Of each folder the first of these paths, empty or not, which hides the others; `full`: with text.

        `by_name`: the first of those with one name, in any folder. `taken`: what hides others already.
        """
        taken = {} if taken is None else taken
        hiding = {"text"} | ({"blank"} if not full else set()) | ({"again"} if not by_name else set())
        for spot in spots:
            key = spot.called if by_name else spot.folder
            if key in taken:
                self.hide(spot, because("hidden", taken[key], "name" if by_name else "first"))
                continue
            opened = self.open(spot)
            if opened.outcome in hiding:
                taken[key] = spot.path
            yield from opened.files

    def each_text_once(self, files: Iterable[Found]) -> Iterator[Found]:
        """The files without those that repeat the text of an earlier one."""
        for found in files:
            if found.file.content in self.texts:
                step = found.spot.step.step
                self.reader.note(found.spot.path, found.spot.what, "duplicate", because("same-text"), step)
                continue
            self.texts.update([found.file.content] if found.is_text else [])
            yield found

    def unique(self, files: Iterable[Found], *, last: bool = False, before: Mapping[str, str] = {}) -> list[Found]:
        """Of sub-agents or commands with one name, the first or last; `before`: names of others, with their paths."""
        files = list(files)
        winners = {each.file.called: each.file.path for each in (files if last else reversed(files))} | {**before}
        for each in files:
            if winners[each.file.called] != each.file.path:
                self.hide(each.spot, because("hidden", winners[each.file.called], "name"))
        return [each for each in files if winners[each.file.called] == each.file.path]

    def hide(self, spot: Spot, why: Reason) -> None:
        """Record that something keeps a file from being loaded."""
        self.reader.note(spot.path, spot.what, "hidden", why, spot.step.step)


def _parse_settings(text: str, path: str) -> tuple[Mapping[str, Any] | str, tuple[()]]:
    """The values of a settings file, or what is wrong with it."""
    try:
        return parse_settings(text, path), ()
    except (ValueError, RecursionError) as problem:
        return str(problem) or "it can't be read", ()


def check_file_names(value: Any) -> list[str] | None:
    """Names that the disk could have: JSON may hold a NUL, and half of a surrogate pair; None if it is not all that."""
    names = [value] if isinstance(value, str) else value
    try:
        valid = isinstance(names, list) and all(name and b"\0" not in os.fsencode(name) for name in names)
        return names[:MAX_SETTING_NAMES] if valid else None
    except (TypeError, UnicodeEncodeError):
        return None


# Skills: an agent's folders, what in them is one, and which of several with one name it lists.

Sort = Callable[[list[Skill]], list[Skill]]
AVAILABLE_SKILLS = AgentSection("skills",
    menu="  <skill>\n    <name>{{ name }}</name>\n    <description>{{ description }}</description>\n    <location>{{ path }}</location>\n  </skill>",
    opens="<available_skills>\n", closes="\n</available_skills>")  # fmt: skip


class SkillFolder(NamedTuple):
    path: str
    level: str  # the folder in which it was looked for
    name: str  # as the agent or a setting names it, there


FoundSkill = tuple[Skill, SkillFolder]


def list_places(look: Look, folders: Iterable[str], names: Iterable[str]) -> list[SkillFolder]:
    """Folders of skills: in each of these folders all names."""
    levels, names = list(folders), list(map(look.fill, names))
    if levels != [look.home]:
        look.skill_names.update(dict.fromkeys(names))
    return [SkillFolder(join_name(level, name, look.home), level, name) for level in levels for name in names]


in_order_of_path: Sort = partial(sorted, key=attrgetter("location"))
ignoring_case: Sort = partial(sorted, key=lambda skill: skill.location.casefold())


def by_name(skills: Iterable[Skill], *, folded: bool = False) -> list[Skill]:
    """The skills by name; `folded`: ignoring letter case."""
    found = sorted(skills, key=attrgetter("name", "location"))
    return sorted(found, key=lambda skill: skill.name.casefold()) if folded else found


def list_skills(
    look: Look, wants: Skills, folders: Iterable[str], *,
    home_first: bool = False, sort: Sort = list, once_a_place: bool = False, last: bool = False, every: bool = False,
) -> list[Skill]:  # fmt: skip
    """The skills of these folders of a project, then those under home; `home_first`: the other way round.

    Each folder's are sorted; of one name it lists the first, the `last`, or `every` one.
    """
    places, own = list_places(look, folders, wants.project), list_places(look, [look.home], wants.home)
    places = own + places if home_first else places + own
    return pick(look, wants, search(look, wants, places, sort=sort, once_a_place=once_a_place), last=last, every=every)


def search(
    look: Look, wants: Skills, places: Iterable[SkillFolder], *, sort: Sort = list, once_a_place: bool = False
) -> Iterator[FoundSkill]:
    """The skills in these folders, each folder's sorted; `once_a_place`: one for each path below them."""
    reader = look.reader
    claimed: dict[str, str] = {}
    first: dict[str, SkillFolder] = {}
    for place in places:
        first.setdefault(place.path, place)  # home may be on the walk
    for place in first.values():
        reach = reader.find_naming_setting(place.name)
        skills: list[Skill] = []
        for sighting in _scan(look, wants, place.path, reach):
            # An earlier folder's file at the same place hides this one whatever its content.
            path, below = readable_path(sighting.path), sighting.path.removeprefix(place.path)
            hiding = claimed.setdefault(below, sighting.path) if once_a_place else sighting.path
            if hiding != sighting.path:
                reader.note(path, "skill", "hidden", because("hidden", readable_path(hiding), "place"))
            elif (parsed := reader.load(sighting, "skill", parse_skill)) is not None:
                skill = judge_skill(parsed, path, wants, decoded=reader.is_utf_8(sighting.path, "skill"))
                if isinstance(skill, Reason):
                    reader.note(path, "skill", "skipped", skill)
                else:
                    skills.append(skill)
        yield from ((skill, place) for skill in sort(skills))


def pick(
    look: Look, wants: Skills, found: Iterable[FoundSkill], *, last: bool = False, every: bool = False
) -> list[Skill]:
    """Of skills with one name the first, the last, or every one; the record says why not the others."""
    picked: dict[str, Skill] = {}
    unsure, reader = wants.unordered == "winners", look.reader
    for skill, _ in list(found):
        key = skill.location if every else skill.name
        if (before := picked.get(key)) is not None:
            loser, winner = (before, skill) if last else (skill, before)
            if last:
                reader.withdraw(loser.location, "skill", "loaded")
            unordered = ["unordered"] if unsure else []
            reader.note(loser.location, "skill", "hidden", because("hidden", winner.location, *unordered))
        if before is None or last:
            picked[key] = skill
            why = because("user-only") if skill.disable_model_invocation else NO_REASON
            reader.note(skill.location, "skill", "loaded", why)
    return list(picked.values())


def _scan(look: Look, wants: Skills, folder: str, reach: PathReference | None) -> Iterator[Sighting]:
    """The files in the folder, and as deep below it as the agent looks, that may be skills."""
    reader, todo = look.reader, [(folder, wants.depth)]
    dotted, flat, loose = (
        folder.endswith(tuple(map(look.fill, names))) if isinstance(names, tuple) else bool(names)
        for names in (wants.dotted, wants.flat, wants.loose)
    )
    deep = wants.flat is True or loose
    while todo:
        here, levels = todo.pop()
        deeper, found = [], list[Sighting | None]()
        for name in list_skill_subfolders(reader, here, look.searched, top=here == folder, dotted=dotted):
            below, file = f"{here}/{name}", "SKILL.md"
            if wants.unfollowed == "folders" and is_link(reader, below):
                continue
            if wants.any_case:
                spelled = (each for each, _ in reader.world.list(below) if each.casefold() == "skill.md")
                file = min(spelled, default=file)
            if wants.unfollowed == "files" and is_link(reader, f"{below}/{file}"):
                reader.note(readable_path(f"{below}/{file}"), "skill", "skipped", because("not-followed"))
            else:
                found.append(reader.sight(f"{below}/{file}", "skill", reach))
            is_closed = wants.dotted == "itself" and name.startswith(".")
            if levels > 1 and not is_closed and (wants.nested or not reader.world.exists(f"{below}/{file}")):
                deeper.append((below, levels - 1))
        if flat if here == folder else deep:  # each file is a skill
            files = [name for name, kind in reader.world.list(here) if name.endswith(".md") and kind != "dir"]
            files = [f for f in files if f != "SKILL.md" and (wants.loose or f.casefold() != "skill.md")]
            found += [reader.sight(f"{here}/{name}", "skill", reach) for name in files]
        yield from filter(None, found)
        todo += reversed(deeper)
        if todo and len(look.searched) > MAX_SKILL_FOLDERS:
            message = f"more than {MAX_SKILL_FOLDERS:,} folders: deeper folders were not searched"
            reader.diagnostics.append(warning("skill-folders", message, folder))
            return
