"""SessionFiles holds a session's discovered files and added resources; the caller's fields override them."""

import posixpath
from collections.abc import Callable, Iterable, Mapping
from os import PathLike, fspath
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Struct

from ..discovery.context_files import find_extra_files
from ..discovery.discover import MAIN_SESSION, ResolvedProject, fill_wants, reuse_equal_fields
from ..discovery.duplicate_files import drop_copies
from ..discovery.paths import fixed_prefix
from ..discovery.reader import FileReader
from ..discovery.world import find_folders, make_absolute
from ..errors import SessionError, StateError, show_value
from ..model.diagnostic import warning
from ..model.state.discovery import Discovery
from ..model.state.state import FIELDS, State, plain_tools
from ..model.struct import Frozen, is_given_whole, note, overlay_value
from .prompt_templates import PromptTemplate, find_templates

CONFIG_NAMES = ("overture.toml", "pyproject.toml")
Memories = Literal["live", "frozen"]
EMPTY_STATE = State()


def check_list(name: str, value: object) -> tuple[Any, ...]:
    """The items of a caller's list. A text is an error: it would be read letter by letter."""
    if isinstance(value, str) or callable(value) or not isinstance(value, Iterable):
        raise SessionError(f"{name} is {show_value(value)}.", hint=f"Pass a list: {name}=[…].")
    return tuple(value)


def check_list_of_texts(name: str, value: object) -> tuple[str, ...]:
    """The texts of a caller's list, whose paths may be objects."""
    items = tuple(fspath(item) if isinstance(item, PathLike) else item for item in check_list(name, value))
    for item in items:
        if not isinstance(item, str):
            raise SessionError(f"{name} has {show_value(item)}, which is not a text.", hint=f"Pass texts: {name}=[…].")
    return items


class Resources(Frozen, frozen=True):
    """More files to discover, added by a program or a `resources_discover` hook."""

    skills: Annotated[tuple[str, ...], note("folders whose subfolders contain a SKILL.md")] = ()
    context: Annotated[tuple[str, ...], note("project files")] = ()
    prompts: Annotated[tuple[str, ...], note("folders with templates, or .md files")] = ()
    themes: Annotated[tuple[str, ...], note("files for user interfaces; never in a prompt")] = ()

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            msgspec.structs.force_setattr(self, name, check_list_of_texts(name, getattr(self, name)))

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of all resources that were added to the session's files."""
        return tuple(path for name in self.__struct_fields__ for path in getattr(self, name))

    def __add__(self, other: "Resources") -> "Resources":
        pairs = ((getattr(self, name), getattr(other, name)) for name in self.__struct_fields__)
        return Resources(*(tuple(dict.fromkeys((*mine, *theirs))) for mine, theirs in pairs))


def select_new_resources(more: Resources, known: Resources, make_path: Callable[[str], str]) -> Resources:
    """The paths of `more` that `known` does not have, in whichever spelling."""
    pairs = ((getattr(more, name), {*map(make_path, getattr(known, name))}) for name in more.__struct_fields__)
    return Resources(*(tuple(path for path in mine if make_path(path) not in theirs) for mine, theirs in pairs))


class SessionFiles(Struct, frozen=True, eq=False):
    """The result of reading the disk: what the recipe wants, and the added resources."""

    project: ResolvedProject
    discovery: Discovery
    templates: dict[str, PromptTemplate] = {}
    extra: Discovery = Discovery(State())
    """Files that the recipe does not look for: added context, and templates."""
    searched: tuple[str, ...] = ()
    """The folders and files of templates."""
    skills: tuple[str, ...] = ()
    """Added folders of skills."""
    resources: Resources = Resources()
    """The resources that programs and hooks added."""
    themes: tuple[str, ...] = ()
    """Themes for a user interface; never in a prompt."""


def read_session_files(project: ResolvedProject, resources: Resources, since: SessionFiles | None) -> SessionFiles:
    """Discover what the recipe wants, and the added resources. With `since`, only changed files are read."""
    if since is not None and since.project.recipe.name != project.recipe.name:
        since = None  # each agent parses a skill in its own way
    folders = dict.fromkeys((*project.features.skills_extra_dirs, *list_absolute_paths(project, resources.skills)))
    features = msgspec.structs.replace(project.features, skills_extra_dirs=tuple(folders))
    discovery = project._replace(features=features).find(since.discovery if since else None)
    reader, _, _ = project.open(since.extra.cached_files if since else {})
    loaded = (*discovery.state.context_files, *discovery.state.workspace_files)
    known = {file.path for file in loaded}
    files = find_extra_files(reader, list_absolute_paths(project, resources.context))
    template_folders = _list_template_places(project)
    for path in list_absolute_paths(project, resources.prompts):
        reader.allow_named(path.rpartition("/")[0] if path.endswith(".md") else path)
        template_folders.append(path)
    templates = find_templates(reader, template_folders)
    new = [file for file in files if file.path not in known]
    more = drop_copies(reader, new, loaded, fill_wants(project).context, project.home)
    themes = _find_themes(reader, dict.fromkeys(list_absolute_paths(project, resources.themes)))
    added = list_absolute_paths(project, (*resources.skills, *resources.context, *resources.prompts))
    _report_missing(reader, "resource-missing", [path for path in dict.fromkeys(added) if "*" not in path])
    state = reuse_equal_fields(State(context_files=more), since.extra.state if since else None)
    extra = Discovery(state, tuple(reader.diagnostics), tuple(reader.looked), reader.cached_files)
    searched = [each for path in folders for each in (fixed_prefix(path), *find_folders(project.world, path))]
    return SessionFiles(
        project, discovery, templates, extra, tuple(template_folders), tuple(searched), resources, themes
    )


def _find_themes(reader: FileReader, paths: Iterable[str]) -> tuple[str, ...]:
    """The absolute paths of a session's themes that exist. They are not read: they are never in a prompt."""
    missing = _report_missing(reader, "theme-missing", paths)
    return tuple(path for path in paths if path not in missing)


def _report_missing(reader: FileReader, code: str, paths: Iterable[str]) -> list[str]:
    """Report each added path that does not exist, and return them."""
    missing: list[str] = []
    for path in paths:
        try:
            exists = reader.world.look(reader.world.real(path)) is not None
        except OSError:
            exists = False
        if not exists:
            message = "added, but does not exist: it is not used; pass the path of an existing file or folder"
            reader.diagnostics.append(warning(code, message, path))
            missing.append(path)
    return missing


def merge_discovered_state(files: SessionFiles) -> State:
    """The discovered state, with the added context files."""
    state, more = files.discovery.state, files.extra.state.context_files
    return state.replace(context_files=(*state.context_files, *more)) if more else state


def list_absolute_paths(project: ResolvedProject, paths: Iterable[str]) -> list[str]:
    """The absolute paths of a session's files; relative ones start from the working directory."""
    return [make_absolute_path(project, path) for path in paths]


def make_absolute_path(project: ResolvedProject, path: str) -> str:
    """The absolute path of one of them."""
    return make_absolute(project.world, posixpath.join(project.cwd, path))


def _list_template_places(project: ResolvedProject) -> list[str]:
    """The recipe's folders of prompt templates."""
    wants = fill_wants(project).templates
    if wants is None:
        return []
    project_folders = [f"{project.cwd.rstrip('/')}/{folder}" for folder in wants.project]
    return [*project_folders, *(f"{project.home.rstrip('/')}/{folder}" for folder in wants.home)]


def list_differing_files(old: Discovery, new: Discovery) -> list[str]:
    """The files whose content differs between two discoveries, or that only one of them has."""
    before, after = old.cached_files, new.cached_files
    read = [key for key, cached in after.items() if key not in before or before[key].value != cached.value]
    removed = [key for key in before if key not in after]
    files = [path for _, path in (*read, *removed)]
    if not files and old.diagnostics != new.diagnostics:
        files = [note.path for note in (*new.diagnostics, *old.diagnostics) if note.path]
    return list(dict.fromkeys(files))


def collect_caller_fields(state: State | Mapping[str, Any]) -> dict[str, Any]:
    """The caller's fields: of a State, those that differ from their default; of a mapping, all.

    A part of a struct that a mapping clears, with null or an empty list, is UNSET in the result.
    """
    if isinstance(state, State):
        fields = {name: value for name in FIELDS if (value := getattr(state, name)) != getattr(EMPTY_STATE, name)}
        # Discovery sets MAIN_SESSION as a placeholder: a real session has its own id.
        return {name: value for name, value in fields.items() if value is not MAIN_SESSION}
    given: object = state
    if not isinstance(given, Mapping):
        State.from_dict(state)  # says what it is
    data = {name: _as_data(name, value) for name, value in plain_tools(state).items()}
    typed = State.from_dict(data)
    return {name: _mark_removals(getattr(typed, name), value) for name, value in data.items()}


def _as_data(name: str, value: Any) -> Any:
    """The JSON form of a caller's field; an object that has none is an error that names the field."""
    try:
        return msgspec.to_builtins(value)
    except (TypeError, RecursionError) as problem:
        raise StateError(
            f"{name}: it contains values that JSON can't represent: {problem}.", hint="Pass data."
        ) from None


def _mark_removals(value: Any, data: Any) -> Any:
    """A struct in which each part that `data` sets to its default is UNSET: a default alone would not override."""
    if not isinstance(value, Struct) or not isinstance(data, Mapping) or is_given_whole(value):
        return value
    plain, parts = type(value)(), [name for name in data if name in value.__struct_fields__]
    changes = {
        name: UNSET if part == getattr(plain, name) else _mark_removals(part, data[name])
        for name in parts
        for part in [getattr(value, name)]
    }
    return msgspec.structs.replace(value, **changes)


def write_plain_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as JSON that `collect_caller_fields` can read again; UNSET parts are written as defaults."""
    return {name: _write_plain(value) for name, value in fields.items()}


def _write_plain(value: Any) -> Any:
    if not isinstance(value, Struct) or is_given_whole(value):
        return msgspec.to_builtins(value)
    default = type(value)()
    parts = {name: (getattr(value, name), getattr(default, name)) for name in value.__struct_fields__}
    return {
        name: msgspec.to_builtins(empty) if part is UNSET else _write_plain(part)
        for name, (part, empty) in parts.items()
        if part != empty
    }


def overlay_fields(state: State, fields: Mapping[str, Any]) -> State:
    """The discovered state, overridden by the caller's fields. Structs are merged field by field."""
    changes = {name: _drop_unset(overlay_value(getattr(state, name), value)) for name, value in fields.items()}
    return state.replace(**changes) if changes else state


def _drop_unset(value: Any) -> Any:
    """A struct whose UNSET parts are at their defaults."""
    if not isinstance(value, Struct) or is_given_whole(value):
        return value
    plain = type(value)()
    parts = {name: getattr(value, name) for name in value.__struct_fields__}
    changes = {
        name: getattr(plain, name) if part is UNSET else _drop_unset(part)
        for name, part in parts.items()
        if part is UNSET or isinstance(part, Struct)
    }
    return msgspec.structs.replace(value, **changes) if changes else value
