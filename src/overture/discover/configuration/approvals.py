"""Approvals of the user: files by path and content, each with those that it pulls in; and the checks by them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from posixpath import normpath
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from ...model.struct import Frozen, note
from ...text.path_printer import readable_path
from ..disk.allowed import ANY_CONTENT, OutsideApproval
from ..disk.open_file import read_limited
from ..disk.paths import choose_user_folder, contains_path, expand_path, is_folder, real_path_or_same
from ..disk.place import Location
from ..disk.repository import find_project_folder
from ..disk.world import MAX_FILE_BYTES, World, find_entry, list_folder
from ..parse_json_and_toml import MAX_TOML_BYTES, parse_toml
from .config import Config, ConfigLayer
from .config_keys import find_key

MAX_APPROVALS_BYTES = 8 * 1024 * 1024
ApprovalStatus = Literal["trusted", "changed", "unknown"]


class Approval(Frozen, frozen=True):
    """One file as it was when it was approved."""

    sha256: str
    when: Annotated[str, note("ISO 8601")] = ""


class ApprovalsFile(Frozen, frozen=True, omit_defaults=False):
    """The file trust.json."""

    version: Literal[1] = 1
    settings: Annotated[dict[str, Approval], note("a project's own files: overture.toml and the like")] = {}
    files: Annotated[dict[str, Approval], note("by real path")] = {}
    outside: Annotated[
        dict[str, dict[str, Approval]], note("approved files outside a project: by project, by real path")
    ] = {}


class Approvals(NamedTuple):
    """What is approved, and the file that records it."""

    path: str
    files: Mapping[str, Approval] = {}
    outside: Mapping[str, Mapping[str, Approval]] = {}
    problem: str = ""
    """Why the stored approvals have no effect."""
    settings: Mapping[str, Approval] = {}
    """Files whose settings were shown: one that was approved as a text of another project's recipe is not here."""

    def status(self, real: str, digest: str, *, settings: bool = False) -> ApprovalStatus:
        """The approval status of a file with this content; with `settings`, of the settings in it."""
        known = (self.settings if settings else self.files).get(real)
        if known is None:
            return "unknown"
        return "trusted" if known.sha256 == digest else "changed"


def approvals_path(world: World, home: str) -> str:
    """The file of approvals: in XDG_STATE_HOME, or else in ~/.local/state."""
    return f"{choose_user_folder(world.environment(), home, '.local/state', 'XDG_STATE_HOME')}/overture/trust.json"


def read_approvals(world: World, home: str) -> Approvals:
    """All approvals. A file that can't be used approves nothing, and `problem` explains why."""
    path = approvals_path(world, home)
    try:
        # The standard library reads and writes also paths that are not UTF-8.
        stored = msgspec.convert(json.loads(read_limited(world, path, MAX_APPROVALS_BYTES)), ApprovalsFile)
    except (FileNotFoundError, NotADirectoryError):
        return Approvals(path)
    except OSError as problem:
        return Approvals(path, problem=(problem.strerror or str(problem)).lower())
    except (msgspec.MsgspecError, ValueError, RecursionError) as problem:
        return Approvals(path, problem=f"it was not written by `overture trust`: {problem}")
    return Approvals(path, stored.files, stored.outside, settings=stored.settings)


def compute_approved_digest(
    world: World, path: str, data: bytes | None = None, *, settings: bool = False
) -> str | None:
    """The SHA-256 of a file; of the settings in a pyproject.toml, that of our table. None if it can't be read."""
    try:
        content = read_limited(world, path, MAX_FILE_BYTES) if data is None else data
    except (OSError, ValueError):
        return None
    import hashlib

    own = settings and path.endswith("/pyproject.toml")
    return hashlib.sha256(_select_own_table(content) if own else content).hexdigest()


def _select_own_table(content: bytes) -> bytes:
    """Our table of a pyproject.toml; all of a file that has none."""
    try:
        table = parse_toml(content)["tool"]["overture"]
    except (ValueError, KeyError, TypeError):
        return content
    return json.dumps(table, sort_keys=True, default=str).encode("utf-8", "surrogatepass")


# A project's file -> the files that it pulls in: recipes and their texts, tools, models, the code of extensions.


MAX_PULLED_FILES = 1_000
"""Maximum number of files that one project's file pulls in."""


MODULE_SUFFIXES = (".py", ".pyc", ".so", ".pyd")
"""The ends of the names of files that Python imports: source, compiled and native modules."""


class PulledFiles(NamedTuple):
    """The files that are approved together."""

    paths: tuple[str, ...]
    problem: str = ""
    """Why they can't be approved: a part of them would be used without being covered."""


class TooManyFilesError(Exception):
    """More files or folders than an approval covers."""


def list_pulled_files(world: World, layer: ConfigLayer, home: str) -> PulledFiles:
    """The file itself, and all files that it pulls in, each once."""
    paths = {layer.origin: None}
    try:
        for path in _walk_pulled_files(world, layer, home):
            paths.setdefault(path)
            if len(paths) > MAX_PULLED_FILES:
                raise TooManyFilesError
    except TooManyFilesError:
        return PulledFiles((layer.origin,), f"it uses more than {MAX_PULLED_FILES:,} files, too many to approve")
    return PulledFiles(tuple(paths), _explain_too_large(world, paths))


def _explain_too_large(world: World, paths: Iterable[str]) -> str:
    """Which file is too large to be approved by its content; Python would import it all the same."""
    for path in paths:
        entry = find_entry(world, path, follow=True)
        if entry is not None and entry.size > MAX_FILE_BYTES:
            size = f"{entry.size:,} bytes, over the limit of {MAX_FILE_BYTES:,}"
            return f"it uses {readable_path(path)}, which has {size}"
    return ""


def _walk_pulled_files(world: World, layer: ConfigLayer, home: str) -> Iterator[str]:
    """The files that approving a layer covers: those it names, of its recipes, and of its extensions."""
    for key, value in layer.values.items():
        kind = find_key(key)
        if kind is not None and kind.paths == "text" and isinstance(value, str) and value.startswith("/"):
            yield value
            if value.endswith(".toml"):
                path = normpath(value)  # as a recipe is opened: `link/..` is the folder of the link
                yield path
                yield from _list_recipe_files(world, path, (path,))
    for table in layer.recipes.values():
        yield from _list_table_files(world, table, layer.folder, ())
    for key, value in layer.values.items():
        if key == "extensions" or key.endswith(".extensions"):
            for spec in value:
                yield from _list_extension_files(world, spec, layer.folder, home)


def _list_recipe_files(world: World, path: str, opened: tuple[str, ...]) -> Iterator[str]:
    """The files that a recipe in a file consists of."""
    try:
        table = parse_toml(read_limited(world, path, MAX_TOML_BYTES))
    except (OSError, ValueError):
        return
    yield from _list_table_files(world, table, path.rpartition("/")[0], opened)


def _list_table_files(world: World, table: Mapping[str, Any], folder: str, opened: tuple[str, ...]) -> Iterator[str]:
    """The files of a recipe's table that an approval covers: those of its sections, and of the recipe it extends."""
    rows = table.get("sections")
    for row in rows if isinstance(rows, list) else ():
        file = row.get("file") if isinstance(row, Mapping) else None
        if isinstance(file, str):
            yield file if file.startswith("/") else f"{folder}/{file}"
    base = table.get("extends")
    if isinstance(base, str) and base.endswith(".toml"):
        path = normpath(base if base.startswith("/") else f"{folder}/{base}")
        if path not in opened:
            yield path
            yield from _list_recipe_files(world, path, (*opened, path))


def _list_extension_files(world: World, spec: str, folder: str, home: str) -> Iterator[str]:
    """The files to approve for an extension: its own, or all of its package."""
    where = spec.rpartition(":")[0].strip()
    if where.endswith(".py") or "/" in where:
        yield normpath(expand_path(where, folder, home))
        return
    top = f"{folder.rstrip('/')}/{where.partition('.')[0]}"
    module = find_entry(world, f"{top}.py", follow=True)
    yield from (f"{top}.py",) if module and module.kind == "file" else ()
    yield from _list_package_files(world, top)


def _list_package_files(world: World, top: str) -> Iterator[str]:
    """The files of a package that Python can import, also behind links; each folder once."""
    folders, listed = [top] if is_folder(world, top) else [], set[str]()
    while folders:
        folder = folders.pop()
        if (real := real_path_or_same(world, folder)) in listed:
            continue
        listed.add(real)
        if len(listed) > MAX_PULLED_FILES:
            raise TooManyFilesError
        for name, kind in list_folder(world, folder):
            path = f"{folder}/{name}"
            target = find_entry(world, path, follow=True) if kind == "link" else None
            kind = target.kind if target else kind
            if kind == "file" and name.endswith(MODULE_SUFFIXES):
                yield path
            elif kind == "dir" and name.isidentifier() and name != "__pycache__":
                folders.append(path)


def make_outside_approval(location: Location, config: Config) -> OutsideApproval:
    """The check for files outside the project: approved by path and content, or by trusting the project's folder.

    Nothing is read before the first check.
    """
    world, cwd = location.world, location.cwd

    @cache
    def read_approved() -> Mapping[str, Approval] | None:
        here = real_path_or_same(world, cwd)
        if any(contains_path(real_path_or_same(world, folder), here) for folder in config.get("trusted").value):
            return None  # everything is approved
        return read_approvals(world, location.home).outside.get(find_project_folder(world, cwd), {})

    def find_approved_digest(real: str) -> str | None:
        approved = read_approved()
        if approved is None:
            return ANY_CONTENT
        if real in approved:
            return approved[real].sha256
        # A folder with approved files is looked into; each file in it is checked by itself.
        return ANY_CONTENT if any(contains_path(real, each) for each in approved) else None

    return find_approved_digest
