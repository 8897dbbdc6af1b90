"""TurnFiles re-reads the files that sections of pace `turn` need, if the disk changed."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, cast

from msgspec import Struct
from msgspec.structs import replace

from ...discover.discover import ResolvedProject, list_allowed_folders
from ...discover.disk.real_world import read_host_facts
from ...discover.disk.working_directory import find_walk_ends
from ...discover.disk.world import FileEntry, World
from ...discover.git_facts import GIT_FAILED, OUTSIDE, find_git_facts
from ...model.diagnostic import Diagnostic
from ...model.recipe.recipe import Recipe
from ...model.state.discovery import Discovery
from ...model.state.state import State
from ...model.struct import is_given_whole
from ...model.wants import FIELDS_BY_WANT, Wants
from .session_files import Memories, Resources, SessionFiles, list_differing_files, read_session_files

RECORDED = ("look", "real", "target", "names")
"""The methods of a World that say what there is at a path."""


class RecordingWorld:
    """A World that records its answers during discovery. `same` compares them later without reading a file."""

    def __init__(self, world: World) -> None:
        """Record what this world answers."""
        self.world = world
        self.answers: dict[tuple[str, str], Any] = {}

    def __getattr__(self, name: str) -> Any:
        """Everything except files and folders comes from the real World, unrecorded."""
        return partial(self._record, name) if name in RECORDED else getattr(self.world, name)

    def _record(self, what: str, path: str) -> Any:
        """Ask the world, and record its answer."""
        try:
            answer = getattr(self.world, what)(path)
        except OSError as problem:
            self.answers[what, path] = _make_comparable_answer(problem)
            raise
        self.answers[what, path] = _make_comparable_answer(answer)
        return answer

    def drop_irrelevant(self) -> "RecordingWorld":
        """Keep only the answers by which re-reading is decided: files, listings and link targets."""
        entries = {path: answer for (what, path), answer in self.answers.items() if what == "look"}
        links = {path for path, answer in entries.items() if answer and answer[0] == "link"}
        # A look at a file covers the folders above it. A `.git` entry does not affect the content of a file.
        others = {folder for path in entries for folder in _list_folders_above(path)} | {
            p for p in entries if p.endswith("/.git")
        }
        relevant = links | (entries.keys() - others)
        targets = {path for what, path in self.answers if what == "target"}
        matter = {"look": relevant, "real": links, "target": targets, "names": {path for _, path in self.answers}}
        answers = {key: answer for key, answer in self.answers.items() if key[1] in matter[key[0]]}
        # One look at a missing folder covers all files below it.
        self.answers = {(what, path if answer is not None else self._find_missing_top(path)): answer
                        for (what, path), answer in answers.items()}  # fmt: skip
        return self

    def _find_missing_top(self, path: str) -> str:
        """The highest missing folder above a missing path, or the path itself."""
        with suppress(OSError):
            while (folder := path.rpartition("/")[0]) and self.world.look(folder) is None:
                path = folder
        return path

    def same(self) -> bool:
        """Whether the world still gives the recorded answers."""
        methods = {what: getattr(self.world, what) for what in RECORDED}
        for (what, path), before in self.answers.items():
            try:
                answer = methods[what](path)
            except OSError as problem:
                answer = problem
            if answer is not before and _make_comparable_answer(answer) != before:
                return False
        return True


def _make_comparable_answer(answer: Any) -> Any:
    """The comparable part of an answer. A file that was just written never compares equal: its stamp may not change."""
    if isinstance(answer, OSError):
        return (type(answer), answer.errno)
    if not isinstance(answer, FileEntry):
        return answer
    if answer.kind in ("dir", "other"):
        return (answer.kind, answer.id)
    return (answer.kind, answer.id, answer.stamp if answer.stable else object())


def _list_folders_above(path: str) -> list[str]:
    """Every folder above a path."""
    steps = path.split("/")
    return ["/".join(steps[:end]) for end in range(2, len(steps))]


GIT, MACHINE = FIELDS_BY_WANT["git"], FIELDS_BY_WANT["runtime"]
"""Fields of git and the machine: they are read each time, since no file on disk shows a change."""
ANY_PACE = frozenset(("user", "runtime.timezone", *MACHINE))
"""The user and the machine: re-read at any pace, because the recipes' documents read them for each request."""


def list_followed_paths(recipe: Recipe, memories: Memories) -> tuple[str, ...]:
    """The discovered paths of State that a section of pace `turn` reads; live memories at any pace."""
    fast = {field for section in recipe.sections if section.pace == "turn" for field in section.reads}
    read = {field for section in recipe.sections for field in section.reads}
    kinds = [paths for kind, paths in FIELDS_BY_WANT.items() if getattr(recipe.wants, kind)]
    followed = []
    for path in dict.fromkeys(path for paths in kinds for path in paths):
        live = memories == "live" if path == "memories" else path in ANY_PACE
        field = path.partition(".")[0]
        if field in read if live else field in fast and path != "memories":
            followed.append(path)
    return tuple(followed)


class FollowedPaths(NamedTuple):
    """The paths of State that are re-read with each prompt, by their source."""

    all: tuple[str, ...] = ()
    in_files: tuple[str, ...] = ()
    of_git: bool = False
    of_machine: bool = False


def select_followed_paths(paths: Sequence[str], fields: Mapping[str, Any]) -> FollowedPaths:
    """The paths that the caller does not set, neither as a whole field nor as a part."""
    own = tuple([path for path in paths if not _is_caller_set(fields, *path.partition(".")[::2])])
    in_files = tuple([path for path in own if path not in (*GIT, *MACHINE)])
    return FollowedPaths(own, in_files, not set(GIT).isdisjoint(own), not set(MACHINE).isdisjoint(own))


def _is_caller_set(fields: Mapping[str, Any], field: str, part: str) -> bool:
    """Whether the caller sets a followed path."""
    value = fields.get(field)
    if part:
        return getattr(value, part, None) not in (None, ())
    # A caller's struct overrides the file field by field. One with a required field overrides it as a whole.
    return field in fields and (not isinstance(value, Struct) or is_given_whole(value))


class TurnFiles:
    """A part of Session. It records the disk's answers: while they are the same, it reads nothing."""

    def __init__(self) -> None:
        """Begin without files that were read again."""
        self.files: SessionFiles | None = None
        self.paths: tuple[str, ...] = ()
        self.recording: RecordingWorld | None = None
        self.looked_at: frozenset[str] = frozenset()
        """The files that discovery looked at for these paths."""

    def look(self, files: SessionFiles, paths: FollowedPaths) -> tuple[SessionFiles, str]:
        """The current files, and the names of the changed ones; an empty text if none changed."""
        files, changed = self._look_at_files(files, paths.in_files) if paths.in_files else (files, "")
        sources = (("git", _reread_git, paths.of_git), ("the machine", _reread_machine, paths.of_machine))
        for name, reread, follows in sources:
            now = reread(files) if follows else files
            if now is not files:
                self.files = now if self.files is files else self.files
                files, changed = now, f"{changed}, {name}" if changed else name
        return files, changed

    def list_diagnostics(self, files: SessionFiles | None) -> tuple[Diagnostic, ...]:
        """The diagnostics of the followed files only, for a session that keeps its saved state otherwise."""
        return tuple(note for note in files.discovery.diagnostics if note.path in self.looked_at) if files else ()

    def _look_at_files(self, files: SessionFiles, paths: tuple[str, ...]) -> tuple[SessionFiles, str]:
        """The files that turns need, read again only if the disk changed, and what changed."""
        if self.files is files and self.paths == paths and self.recording is not None and self.recording.same():
            return files, ""
        recording = RecordingWorld(files.project.world)
        added = files.resources
        resources = Resources(
            added.skills if "skills" in paths else (), added.context if "context_files" in paths else ()
        )
        now = read_session_files(_narrow_project(files.project, paths, recording), resources, files)
        discovery = renew_discovery(files.discovery, now.discovery, paths)
        extra = renew_discovery(files.extra, now.extra, paths)
        changed = _describe_changed_files(files.discovery, discovery) or _describe_changed_files(files.extra, extra)
        self.looked_at = frozenset(look.path for look in now.discovery.looked_at)
        self.files = replace(files, discovery=discovery, extra=extra)
        self.paths, self.recording = paths, recording.drop_irrelevant()
        return self.files, changed


def _reread_machine(files: SessionFiles) -> SessionFiles:
    """The files with the machine's current facts; the same object if they are equal."""
    discovery = files.discovery
    runtime = discovery.state.runtime
    facts = read_host_facts(files.project.world, runtime)
    if runtime is None or all(getattr(runtime, name) == value for name, value in facts.items()):
        return files
    state = discovery.state.replace(runtime=replace(runtime, **facts))
    new = Discovery(state, discovery.diagnostics, discovery.looked_at, discovery.cached_files)
    return replace(files, discovery=new)


def _reread_git(files: SessionFiles) -> SessionFiles:
    """The files with git's current facts; the same object if they are equal or git is disabled."""
    project, discovery = files.project, files.discovery
    if not project.features.git_enabled:
        return files
    cwd, top = find_walk_ends(project.world, project.cwd, project.root)
    allow = list_allowed_folders(project.world, project.features)
    git, notes = find_git_facts(project.world, cwd, top, discovery.state.git, allow)
    others = tuple(note for note in discovery.diagnostics if note.code not in (GIT_FAILED, OUTSIDE))
    if git == discovery.state.git and (*others, *notes) == discovery.diagnostics:
        return files
    state = discovery.state if git == discovery.state.git else discovery.state.replace(git=git)
    return replace(files, discovery=Discovery(state, (*others, *notes), discovery.looked_at, discovery.cached_files))


def _narrow_project(project: ResolvedProject, paths: tuple[str, ...], world: RecordingWorld) -> ResolvedProject:
    """The same project, whose recipe wants only these paths."""
    kinds = [kind for kind, fields in FIELDS_BY_WANT.items() if not set(fields).isdisjoint(paths)]
    wants = Wants(project.recipe.wants.walk, **{kind: getattr(project.recipe.wants, kind) for kind in kinds})
    recipe = replace(project.recipe, wants=wants, files=())
    return project._replace(recipe=recipe, location=project.location._replace(world=cast(World, world)), notes=())


def renew_discovery(old: Discovery, new: Discovery, paths: Iterable[str]) -> Discovery:
    """`old`, updated from `new`: these paths of the State, and the diagnostics of their files."""
    whats = {look.what for look in new.looked_at}
    own = {look.path for look in old.looked_at if look.what in whats}
    before = tuple(note for note in old.diagnostics if note.path in own)
    others = tuple(note for note in old.diagnostics if note.path not in own)
    return Discovery(
        adopt_paths(old.state, new.state, paths),
        old.diagnostics if before == new.diagnostics else (*others, *new.diagnostics),
        (*(look for look in old.looked_at if look.what not in whats), *new.looked_at),
        {**{key: cached for key, cached in old.cached_files.items() if key[0] not in whats}, **new.cached_files},
    )


def adopt_paths(old: State, new: State, paths: Iterable[str]) -> State:
    """The old state with these paths of the new one; the old state itself if they are equal."""
    changes: dict[str, Any] = {}
    for path in paths:
        field, _, part = path.partition(".")
        before, now = getattr(old, field), getattr(new, field)
        if part and before and now and getattr(before, part) != getattr(now, part):
            changes[field] = replace(changes.get(field, before), **{part: getattr(now, part)})
        elif not part and now is not before and now != before:
            changes[field] = now
    if not changes:
        return old
    own = tuple(paths)
    origins = {path: origin for path, origin in old.origins.items() if not _is_below(path, own)}
    origins |= {path: origin for path, origin in new.origins.items() if _is_below(path, own)}
    return old.replace(**changes, origins=origins)


def _is_below(path: str, tops: tuple[str, ...]) -> bool:
    """Whether a field's path is one of those, or below one."""
    return any(path == top or path.startswith((f"{top}.", f"{top}[")) for top in tops)


def _describe_changed_files(old: Discovery, new: Discovery) -> str:
    """The files that changed the state or the diagnostics; an empty text if both are equal."""
    if new.state is old.state and new.diagnostics == old.diagnostics:
        return ""
    return ", ".join(list_differing_files(old, new)) or "a file"
