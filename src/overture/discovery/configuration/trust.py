"""Trust: which settings of a project apply, and which files the user approved, by path and content.

A project's own settings apply inside the project. What reaches further applies once the user approves the file and all
that it pulls in, as they are then. The user's own settings always apply.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from posixpath import dirname, join, normpath
from shlex import quote
from typing import Annotated, Any, Literal, NamedTuple, Self

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
from .config import Config, ConfigLayer, FilePurpose, ProjectRequests, TrustRequest, format_setting
from .keys import KEYS, ConfigKey, find_key, leads_out_of_folder

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

    def require(self) -> Self:
        """The same; stored approvals that can't be used are an error."""
        if self.problem:
            raise ConfigError(f"{self.path}: {self.problem}.", hint="Fix it, or delete it and trust again.")
        return self

    def status(self, file: FilePurpose, digest: str | None) -> ApprovalStatus:
        known = self.known.get(file)
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
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError) as problem:
        return Approvals(path, problem=f"it can't be used: {problem}")
    return Approvals(path, {(purpose, name): each for purpose, own in tables.items() for name, each in own.items()})


def change_approvals(world: World, home: str, change: Callable[[dict[FilePurpose, Approval]], object]) -> None:
    """Change the current file, and nothing that another process writes meanwhile."""
    path, stored = approvals_path(world, home), dict[str, Any](version=1)
    with explain_write_errors(path), lock_folder(path, folders=0o700):
        known = dict(read_approvals(world, home).require().known)
        change(known)
        for (purpose, name), each in sorted(known.items()):
            stored.setdefault(purpose, {})[name] = msgspec.to_builtins(each)
        write_file(path, json.dumps(stored, indent=1).encode() + b"\n", mode=0o600)


def approve(world: World, home: str, digests: Mapping[FilePurpose, str]) -> None:
    """Remember the files as they were shown. One that changed since is an error."""
    for file, digest in digests.items():
        if compute_digest(world, file) != digest:
            raise ConfigError(f"{file[1]!r} changed during the review.", hint="Run `overture trust` again.")
    when = world.machine.now().isoformat()
    new = {file: Approval(digest, when) for file, digest in digests.items()}
    change_approvals(world, home, lambda known: known.update(new))


def forget(world: World, home: str, path: str) -> list[str]:
    """Take back what was trusted at a path and below it, and what a project there may reach outside."""
    known = read_approvals(world, home).known
    gone = [file for file in known if any(contains_path(path, part) for part in file)]
    if gone:
        change_approvals(world, home, lambda known: [known.pop(file, None) for file in gone])
    return sorted({real for _, real in gone} - {file[1] for file in known if file not in gone})


def compute_digest(world: World, file: FilePurpose, data: bytes | None = None) -> str | None:
    """The SHA-256 of a file; of the settings in a pyproject.toml, that of our table. None if it can't be read."""
    purpose, path = file
    with suppress(OSError, ValueError):
        content = read_limited(world, path, MAX_FILE_BYTES) if data is None else data
        if purpose == SETTINGS and path.endswith("/pyproject.toml"):
            with suppress(ValueError, KeyError, TypeError):  # without a table, all of it counts
                table = parse_toml(content)["tool"]["overture"]
                content = json.dumps(table, sort_keys=True, default=str).encode("utf-8", "surrogatepass")
        return hashlib.sha256(content).hexdigest()
    return None


def compute_digests(world: World, files: Mapping[FilePurpose, bytes | None]) -> dict[FilePurpose, str]:
    """The SHA-256 of each file that can be read, of its content if that is known."""
    return {file: digest for file, data in files.items() if (digest := compute_digest(world, file, data))}


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
        skills = (list_walk_folders(real, None) for real in files if real.endswith("/SKILL.md"))
        return dict.fromkeys([*map(dirname, files), *(top for tops in skills for top in tops)], ANY_CONTENT) | files

    return lambda real: ANY_CONTENT if (approved := read_approved()) is None else approved.get(real)


# What a project's settings ask for.


def judge_project(
    world: World, layer: ConfigLayer, others: Sequence[ConfigLayer], user_file: str, home: str
) -> tuple[ConfigLayer, list[Diagnostic], ProjectRequests | None]:
    """What applies of a project's own file, notes on the rest, and what it asks for; `others` are the user's layers."""
    entry, real = world.find(layer.origin), world.real_or_same(layer.origin)
    # A link to the user's own file is the project's: its paths would begin there.
    is_own = entry is not None and entry.kind != "link" and real == world.find_real(user_file)
    if is_own or layer.origin == user_file:
        return layer, [], None
    kept, allowed, asked, notes = _split_settings(world, layer, others, user_file)
    trusted = [top for each in others for top in each.values.get("trusted", ())]
    if trusts_folder(world, trusted, layer.folder):
        return kept, notes, ProjectRequests(asked, {}, "folder")
    # A recipe inside the project may ask for more than its settings do.
    files, problem = list_pulled_files(world, kept, home)
    approvals = read_approvals(world, home)
    if approvals.problem:
        message = f"it has no effect: {approvals.problem}. Fix it, or delete it and run `overture trust` again"
        notes.append(warning("trust-unreadable", message, approvals.path))
    status: ApprovalStatus = "unknown"
    if (SETTINGS, real) in approvals.known:  # a missing file can't be used either: the code that needs it reports it
        same = all(approvals.status(*each) == "trusted" for each in compute_digests(world, files).items())
        status = "trusted" if same and not problem else "changed"
    if status == "trusted":
        return kept, notes, ProjectRequests(asked, files, status)
    top, state = world.real_or_same(layer.folder), "it has changed since it was approved" if status == "changed" else ""
    listed = json.dumps([*dict.fromkeys((*trusted, top))], ensure_ascii=False)
    for each in asked:
        kind, what, why = find_key(each.key), f"{each.key} = {format_setting(each.value)}", problem or state or each.why
        code, how = kind.untrusted if kind else "config-untrusted", f"or set it in {user_file} or with -c"
        if code != "config-untrusted":
            what, why = repr(each.key), problem or state or f"{top} is not trusted"
            how = f"or, to trust everything in that folder, write at the top of {user_file}: trusted = {listed}"
        message = f"{what} has no effect: {why}. Review and approve it: overture trust {quote(layer.folder)}; {how}"
        notes.append(warning(code, message, layer.origin, each.line))
    return allowed, notes, ProjectRequests(asked, files, status, problem)


def _split_settings(
    world: World, layer: ConfigLayer, others: Sequence[ConfigLayer], user_file: str
) -> tuple[ConfigLayer, ConfigLayer, tuple[TrustRequest, ...], list[Diagnostic]]:
    """A project's layer if it is trusted and if it is not, what the difference is, and what nobody can allow."""
    within, asked, notes = find_project_folder(world, layer.folder), list[TrustRequest](), list[Diagnostic]()
    kept, allowed, recipes = dict(layer.values), dict(layer.values), dict(layer.recipes)
    for key, value in layer.values.items():
        kind = find_key(key)
        if kind is None:  # a recipe's own setting is a plain name
            continue
        rest, refused, why = _split_value(world, kind, value, within)
        if refused is None:
            continue
        forever = kind.project == "never" or kind.paths == "names"
        for values in (kept, allowed) if forever else (allowed,):
            del values[key]
            values |= {key: rest} if rest else {}
        line = layer.find_line(key)
        if forever:
            message = f"{key} = {format_setting(refused)} has no effect: {why}. Set it in {user_file} instead"
            notes.append(warning("config-untrusted", message, layer.origin, line))
        # Saying what counts anyway is no matter.
        elif refused not in ((), {}, next((each.values[key] for each in others if key in each.values), kind.default)):
            asked.append(TrustRequest(key, refused, why, line))
    for name in layer.recipes:
        if winner := next((each.origin for each in others if name in each.recipes), ""):
            recipes.pop(name)
            key, why = f"recipes.{name}", f"{winner} has a recipe of that name"
            asked.append(TrustRequest(key, None, why, layer.find_line(key)))
    limited = layer._replace(values=allowed, recipes=recipes, within=within)
    return layer._replace(values=kept), limited, tuple(asked), notes


def _split_value(world: World, kind: ConfigKey, value: Any, within: str) -> tuple[Any, Any, str]:
    """What an untrusted project may set of a value, what it may not, or None, and why."""
    if kind.project == "never":
        return None, value, "a project can't trust itself"
    if kind.project == "ask" and value != kind.harmless:
        return None, value, kind.risk
    if not kind.paths or not value:
        return value, None, ""
    items, faults = (value,) if isinstance(value, str) else value, dict[str, str]()
    for item in items:
        if kind.paths == "names":
            faults[item] = "it is not a plain file name such as 'TEAM.md'" if leads_out_of_folder(item) else ""
        elif item.startswith("/"):  # a text may also be a name
            faults[item] = find_path_fault(world, item, within, folder=kind.paths == "list")
    refused = tuple(normpath(item) for item in items if faults.get(item))
    rest, why = tuple(item for item in items if not faults.get(item)), next(filter(None, faults.values()), "")
    return rest, (refused[0] if isinstance(value, str) else refused) if refused else None, why


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


def list_pulled_files(world: World, layer: ConfigLayer, home: str) -> tuple[dict[FilePurpose, bytes | None], str]:
    """The file itself, with its content, and all that it pulls in; and why they can't be approved, if they can't."""
    own = {(SETTINGS, world.real_or_same(layer.origin)): layer.data}
    files, problem, seen, todo = dict[FilePurpose, bytes | None](own), "", set[str](), list[str]()
    for key, value in layer.values.items():
        kind = find_key(key)
        if kind and kind.paths == "text" and isinstance(value, str) and value.startswith("/"):
            todo += [value, normpath(value)]  # a recipe is opened so
        for spec in value if kind is KEYS["extensions"] else ():
            where = spec.rpartition(":")[0].strip()
            is_path = where.endswith(".py") or "/" in where
            top = normpath(expand_path(where if is_path else where.partition(".")[0], layer.folder, home))
            todo += [top] if is_path else [f"{top}.py", top]
    for table in layer.recipes.values():
        todo += _list_recipe_files(table, layer.folder)
    for path in todo:  # it grows
        entry = world.find(path, follow=True)
        is_folder = entry is not None and entry.kind == "dir"
        name = world.real_or_same(path) if is_folder else path  # a package may hold itself, by a link
        if name in seen:
            continue
        seen.add(name)
        if len(seen) > MAX_PULLED_FILES:
            return {**own}, f"it uses more than {MAX_PULLED_FILES:,} files, too many to approve"
        if is_folder:
            folders = (each for each, kind in world.list(name) if kind != "file" and each.isidentifier())
            modules = (each for each, _ in world.list(name) if each.endswith(MODULE_SUFFIXES))
            todo += [f"{name}/{each}" for each in (*folders, *modules) if each != "__pycache__"]
            continue
        files.setdefault((TEXTS, world.real_or_same(path)))
        if entry is not None and entry.size > MAX_FILE_BYTES and not problem:  # Python would import it all the same
            problem = f"it uses {readable_path(path)}, which has {entry.size:,} bytes, over the limit of "
            problem += f"{MAX_FILE_BYTES:,}"
        if path.endswith(".toml"):
            with suppress(OSError, ValueError):
                todo += _list_recipe_files(parse_toml(read_limited(world, path, MAX_TOML_BYTES)), dirname(path))
    return files, problem


def _list_recipe_files(table: Mapping[str, Any], folder: str) -> list[str]:
    """The files that a recipe's table names: those of its sections, and the recipe that it extends."""
    rows, base = table.get("sections"), table.get("extends")
    files = [row.get("file") for row in (rows if isinstance(rows, list) else ()) if isinstance(row, Mapping)]
    paths = [join(folder, file) for file in files if isinstance(file, str)]
    # As a recipe is opened: `link/..` is the folder of the link.
    return [*paths, normpath(join(folder, base))] if isinstance(base, str) and base.endswith(".toml") else paths
