"""Trust: which settings of a project apply, and which files the user approved, by path and content.

A project's own settings apply inside the project. What reaches further applies once the user approves the file and all
that it pulls in, as they are then. The user's own settings always apply.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from posixpath import dirname, normpath
from shlex import quote
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from ...errors import ConfigError, explain_write_errors
from ...model.diagnostic import Diagnostic, warning
from ...model.struct import Frozen, note
from ...text.path_printer import readable_path
from ..allowed import ANY_CONTENT, OutsideApproval
from ..files import MAX_FILE_BYTES
from ..parse_json_and_toml import MAX_TOML_BYTES, parse_toml
from ..paths import choose_user_folder, contains_path, expand_path, fixed_prefix, list_walk_folders
from ..place import Location
from ..repository import find_project_folder
from ..world import World, make_absolute, read_limited, resolve_existing_prefix
from ..write_file import lock_folder, write_file
from .config import Config, ConfigLayer, ProjectRequests, RecipeTable, TrustRequest, format_setting
from .keys import KEYS, find_key

MAX_APPROVALS_BYTES = 8 * 1024 * 1024
MAX_PULLED_FILES = 1_000
"""Maximum number of files that one project's file pulls in, with the folders of its packages."""
MODULE_SUFFIXES = (".py", ".pyc", ".so", ".pyd")
"""The ends of the names of files that Python imports: source, compiled and native modules."""
SETTINGS, TEXTS = "settings", "files"
"""What a file is approved as: settings that were shown, or a text, tools or code that settings pull in.

A file outside a project is approved for that project: by the project's real path.
"""
ApprovalStatus = Literal["trusted", "changed", "unknown"]
FilePurpose = tuple[str, str]
"""What a file is approved as, and its real path."""


# What the user approved.


class Approval(Frozen, frozen=True):
    """One file as it was when it was approved."""

    sha256: str
    when: Annotated[str, note("ISO 8601")] = ""


class Approvals(NamedTuple):
    """What is approved, and the file that records it."""

    path: str
    known: Mapping[FilePurpose, Approval] = {}
    problem: str = ""
    """Why the stored approvals have no effect."""

    def status(self, purpose: str, real: str, digest: str | None) -> ApprovalStatus:
        known = self.known.get((purpose, real))
        return "unknown" if known is None else "trusted" if known.sha256 == digest else "changed"


def approvals_path(world: World, home: str) -> str:
    """The file of approvals: in XDG_STATE_HOME, or else in ~/.local/state."""
    folder = choose_user_folder(world.machine.environment(), home, ".local/state", "XDG_STATE_HOME")
    return f"{folder}/overture/trust.json"


def read_approvals(world: World, home: str) -> Approvals:
    """All approvals. A file that can't be used approves nothing, and `problem` explains why."""
    path = approvals_path(world, home)
    try:
        # The standard library reads and writes also paths that are not UTF-8.
        stored = json.loads(read_limited(world, path, MAX_APPROVALS_BYTES))
        if not isinstance(stored, dict) or stored.pop("version", None) != 1:
            raise ValueError("its version is unknown")
        tables = msgspec.convert(stored, dict[str, dict[str, Approval]])
    except (FileNotFoundError, NotADirectoryError):
        return Approvals(path)
    except OSError as problem:
        return Approvals(path, problem=(problem.strerror or str(problem)).lower())
    except (msgspec.MsgspecError, ValueError, RecursionError) as problem:
        return Approvals(path, problem=f"it was not written by `overture trust`: {problem}")
    return Approvals(path, {(purpose, name): each for purpose, own in tables.items() for name, each in own.items()})


def change_approvals(
    world: World, home: str, change: Callable[[Mapping[FilePurpose, Approval]], Mapping[FilePurpose, Approval]]
) -> None:
    """Change the current file, and nothing that another process writes meanwhile."""
    path = approvals_path(world, home)
    with explain_write_errors(path), lock_folder(path, folders=0o700):
        before = read_approvals(world, home)
        if before.problem:
            raise ConfigError(f"{path}: {before.problem}.", hint="Fix it, or delete it and run `overture trust` again.")
        stored: dict[str, Any] = {"version": 1}
        for (purpose, name), each in sorted(change(before.known).items()):
            stored.setdefault(purpose, {})[name] = msgspec.to_builtins(each)
        write_file(path, json.dumps(stored, indent=1).encode() + b"\n", mode=0o600)


def compute_digest(world: World, path: str, purpose: str, data: bytes | None = None) -> str | None:
    """The SHA-256 of a file; of the settings in a pyproject.toml, that of our table. None if it can't be read."""
    try:
        content = read_limited(world, path, MAX_FILE_BYTES) if data is None else data
    except (OSError, ValueError):
        return None
    if purpose == SETTINGS and path.endswith("/pyproject.toml"):
        try:
            table = parse_toml(content)["tool"]["overture"]
            content = json.dumps(table, sort_keys=True, default=str).encode("utf-8", "surrogatepass")
        except (ValueError, KeyError, TypeError):
            pass  # it has no table: all of it counts
    import hashlib

    return hashlib.sha256(content).hexdigest()


def trusts_folder(world: World, trusted: Sequence[str], folder: str) -> bool:
    """Whether the user's setting `trusted` lists a folder, or one above it."""
    real, tops = world.find_real(folder), map(world.find_real, trusted)
    return real is not None and any(top is not None and contains_path(top, real) for top in tops)


def make_outside_approval(location: Location, config: Config) -> OutsideApproval:
    """The check for files outside the project: approved by path and content, or by trusting the project's folder."""
    world, cwd = location.world, location.cwd

    @cache
    def read_approved() -> Mapping[str, str] | None:
        """What is approved, read for the first check; None: everything."""
        if trusts_folder(world, config.get("trusted").value, cwd):
            return None
        project, known = find_project_folder(world, cwd), read_approvals(world, location.home).known
        files = {real: each.sha256 for (purpose, real), each in known.items() if purpose == project}
        # A folder with approved files or skills is looked into; each file in it is checked by itself.
        folders = {dirname(real) for real in files}
        for real in files:
            folders |= set(list_walk_folders(real, None)) if real.endswith("/SKILL.md") else set()
        return dict.fromkeys(folders, ANY_CONTENT) | files

    return lambda real: ANY_CONTENT if (approved := read_approved()) is None else approved.get(real)


# What a project's settings ask for.


class ProjectVerdict(NamedTuple):
    """The settings of a project that apply, and what is said of the others."""

    layer: ConfigLayer
    notes: Sequence[Diagnostic] = ()
    untrusted: Sequence[Diagnostic] = ()
    """Notes of code that is not loaded."""
    requests: ProjectRequests | None = None


def judge_project(
    world: World, layer: ConfigLayer, others: Sequence[ConfigLayer], user_file: str, home: str
) -> ProjectVerdict:
    """What applies of a project's own file; `others` are the layers of the user."""
    entry, real = world.find(layer.origin), world.find_real(layer.origin)
    # A link to the user's own file is the project's: its paths would begin there.
    is_own = entry is not None and entry.kind != "link" and real == world.find_real(user_file)
    if is_own or layer.origin == user_file:
        return ProjectVerdict(layer)
    layer, allowed, asked, notes = _split_settings(world, layer, others, user_file)
    kinds = [find_key(key) for key in layer.values]
    if not layer.recipes and not any(kind is None or kind.paths or kind.project == "ask" for kind in kinds):
        return ProjectVerdict(layer, notes)
    trusted = [top for each in others for top in each.values.get("trusted", ())]
    if trusts_folder(world, trusted, layer.folder):
        return ProjectVerdict(layer, notes, (), ProjectRequests(asked, (), b"", "folder"))
    # A recipe inside the project may ask for more than its settings do.
    files, problem = list_pulled_files(world, layer, home)
    approvals = read_approvals(world, home)
    if approvals.problem:
        message = f"it has no effect: {approvals.problem}. Fix it, or delete it and run `overture trust` again"
        notes.append(warning("trust-unreadable", message, approvals.path))
    status: ApprovalStatus = "unknown"
    if (SETTINGS, real) in approvals.known:
        status = "changed" if problem or _has_changed(world, layer, files, approvals) else "trusted"
    requests = ProjectRequests(asked, files, layer.data, status, problem)
    if status == "trusted":
        return ProjectVerdict(layer, notes, (), requests)
    top = world.real_or_same(layer.folder)
    listed = json.dumps([*dict.fromkeys((*trusted, top))], ensure_ascii=False)
    state = problem or ("it has changed since it was approved" if status == "changed" else "")
    allow = f"Review and approve it: overture trust {quote(layer.folder)}"
    untrusted: list[Diagnostic] = []
    for each in asked:
        code = kind.untrusted if (kind := find_key(each.key)) else ""
        if code == "config-untrusted":
            message = f"{each.key} = {format_setting(each.value)} has no effect: {state or each.why}. {allow}"
            notes.append(warning(code, f"{message}; or set it in {user_file} or with -c", layer.origin, each.line))
        else:
            message = (
                f"{each.key!r} has no effect: {state or f'{top} is not trusted'}. {allow}; or, to trust everything in"
            )
            message += f" that folder, write at the top of {user_file}: trusted = {listed}"
            untrusted.append(warning(code, message, layer.origin, each.line))
    return ProjectVerdict(allowed, notes, untrusted, requests)


def _has_changed(world: World, layer: ConfigLayer, files: Sequence[str], approvals: Approvals) -> bool:
    """Whether a project's file, or one that it pulls in, is not approved with its current content."""
    for path in files:
        purpose, data = (SETTINGS, layer.data) if path == layer.origin else (TEXTS, None)
        digest = compute_digest(world, real := world.real_or_same(path), purpose, data)
        # A missing file can't be used either: it is reported by the code that needs it.
        if digest is not None and approvals.status(purpose, real, digest) != "trusted":
            return True
    return False


def report_taken_recipe(recipe: RecipeTable, winner: str) -> Diagnostic:
    """The warning about a project's recipe whose name is already taken."""
    allow = f"Rename it, or approve it: overture trust {quote(recipe.folder)}"
    message = f"[recipes.{recipe.name}] has no effect: {winner} has a recipe of that name. {allow}"
    return warning("config-untrusted", message, recipe.origin, recipe.line)


def _split_settings(
    world: World, layer: ConfigLayer, others: Sequence[ConfigLayer], user_file: str
) -> tuple[ConfigLayer, ConfigLayer, tuple[TrustRequest, ...], list[Diagnostic]]:
    """A project's layer if it is trusted and if it is not, what the difference is, and what nobody can allow."""
    within = find_project_folder(world, layer.folder)
    kept, allowed, asked, notes = dict[str, Any](), dict[str, Any](), list[TrustRequest](), list[Diagnostic]()
    for key, value in layer.values.items():
        kind, faults = find_key(key), list[str]()
        if kind and kind.project == "never":
            faults = [f"{key!r} has no effect: a project can't trust itself. Set it in {user_file} instead"]
            value = None
        elif kind and kind.paths == "names" and (wrong := tuple(filter(leads_out_of_folder, value))):
            why = "has no effect: it is not a plain file name such as 'TEAM.md'"
            faults = [f"{key}: {name!r} {why}" for name in wrong]
            value = tuple(name for name in value if name not in wrong) or None
        notes += [warning("config-untrusted", each, layer.origin, layer.find_line(key)) for each in faults]
        if value is None:
            continue
        kept[key] = value
        rest, removed, why = value, None, ""
        if kind and kind.project == "ask" and value != kind.harmless:
            counts = next((each.values[key] for each in others if key in each.values), kind.default)
            # Saying what counts anyway is no matter.
            rest, removed, why = None, None if value in ((), {}, counts) else value, kind.risk
        elif kind and kind.paths in ("text", "list", "place"):
            rest, removed, why = _split_paths(world, value, within)
        if rest is not None:
            allowed[key] = rest
        if removed is not None:
            asked.append(TrustRequest(key, removed, why, layer.find_line(key)))
    return layer._replace(values=kept), layer._replace(values=allowed, within=within), tuple(asked), notes


def _split_paths(world: World, value: Any, within: str) -> tuple[Any, Any, str]:
    """The paths that an untrusted project may set, those that it may not, and why."""
    if isinstance(value, str):
        why = find_path_fault(world, value, within) if value.startswith("/") else ""
        return (None, normpath(value), why) if why else (value, None, "")
    faults = {path: find_path_fault(world, path, within, folder=True) if "/" in path else "" for path in value}
    removed = tuple(normpath(path) for path in value if faults[path])
    return tuple(path for path in value if not faults[path]), removed or None, next(filter(None, faults.values()), "")


def leads_out_of_folder(name: str) -> bool:
    """Whether a name of a file leads anywhere but down."""
    return not name or name.startswith(("/", "~")) or any(step in ("", ".", "..") for step in name.split("/"))


def find_path_fault(world: World, path: str, within: str, *, folder: bool = False) -> str:
    """Why a project may not name a path: it is, or leads, outside, or can't be read. Empty if it may."""
    fixed = fixed_prefix(make_absolute(world, path))
    try:
        real = world.real(fixed)
        entry = world.look(real)
    except OSError:  # a missing path is reported by the code that needs it
        real, entry = resolve_existing_prefix(world, normpath(fixed)), None
    if not contains_path(within, real):
        return f"it is outside {within}"
    return "it is not a regular file" if entry is not None and entry.kind == "other" and not folder else ""


# The files that settings pull in, which are approved with them: recipes and their texts, tools, models, code.


def list_pulled_files(world: World, layer: ConfigLayer, home: str) -> tuple[tuple[str, ...], str]:
    """The file itself, and all that it pulls in, each once; and why they can't be approved, if they can't."""
    paths, problem = {layer.origin: None}, ""
    for path in _walk_pulled_files(world, layer, home):
        paths[path] = None
        if len(paths) > MAX_PULLED_FILES:
            return (layer.origin,), f"it uses more than {MAX_PULLED_FILES:,} files, too many to approve"
        entry = world.find(path, follow=True)
        if entry is not None and entry.size > MAX_FILE_BYTES and not problem:  # Python would import it all the same
            size = f"{entry.size:,} bytes, over the limit of {MAX_FILE_BYTES:,}"
            problem = f"it uses {readable_path(path)}, which has {size}"
    return tuple(paths), problem


def _walk_pulled_files(world: World, layer: ConfigLayer, home: str) -> Iterator[str]:
    for key, value in layer.values.items():
        kind = find_key(key)
        if kind is not None and kind.paths == "text" and isinstance(value, str) and value.startswith("/"):
            yield value
            yield from _list_recipe_files(world, {"extends": value}, "/")
    for table in layer.recipes.values():
        yield from _list_recipe_files(world, table, layer.folder)
    for key, value in layer.values.items():
        for spec in value if find_key(key) is KEYS["extensions"] else ():
            where = spec.rpartition(":")[0].strip()
            if where.endswith(".py") or "/" in where:
                yield normpath(expand_path(where, layer.folder, home))
            else:
                top = f"{layer.folder.rstrip('/')}/{where.partition('.')[0]}"
                yield f"{top}.py"
                yield from _list_package_files(world, top)


def _list_recipe_files(world: World, table: Mapping[str, Any], folder: str) -> Iterator[str]:
    """The files of a recipe's table: those of its sections, and of the recipes that it extends."""
    opened = set[str]()
    while True:
        rows, base = table.get("sections"), table.get("extends")
        for row in rows if isinstance(rows, list) else ():
            file = row.get("file") if isinstance(row, Mapping) else None
            if isinstance(file, str):
                yield file if file.startswith("/") else f"{folder}/{file}"
        if not isinstance(base, str) or not base.endswith(".toml"):
            return
        # As a recipe is opened: `link/..` is the folder of the link.
        path = normpath(base if base.startswith("/") else f"{folder}/{base}")
        if path in opened:
            return
        opened.add(path)
        yield path
        try:
            table, folder = parse_toml(read_limited(world, path, MAX_TOML_BYTES)), dirname(path)
        except (OSError, ValueError):
            return


def _list_package_files(world: World, top: str) -> Iterator[str]:
    """The folders of a package, and the files in them that Python can import, also behind links; each folder once."""
    folders, listed = [top], set[str]()
    while folders:
        folder = folders.pop()
        if (real := world.real_or_same(folder)) in listed:
            continue
        listed.add(real)
        yield folder
        for name, kind in world.list(folder):
            path = f"{folder}/{name}"
            target = world.find(path, follow=True) if kind == "link" else None
            kind = target.kind if target else kind
            if kind == "file" and name.endswith(MODULE_SUFFIXES):
                yield path
            elif kind == "dir" and name.isidentifier() and name != "__pycache__":
                folders.append(path)
