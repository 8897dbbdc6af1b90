"""Trust: which settings of a project apply, and which files the user approved, by path and content.

A project's own settings apply inside the project. What reaches further applies once the user approves the file and all
that it pulls in, as they are then. The user's own settings always apply.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain
from posixpath import dirname, join, normpath
from shlex import quote
from typing import Annotated, Any, Literal

import msgspec

from ...errors import ConfigError, explain_write_errors
from ...model.diagnostic import Diagnostic, warning
from ...model.struct import Frozen, note
from ...text.path_printer import readable_path
from ..files import MAX_FILE_BYTES
from ..parse_json_and_toml import MAX_TOML_BYTES, parse_toml
from ..paths import choose_user_folder, contains_path, expand_path, fixed_prefix, list_walk_folders
from ..place import Location, find_project_folder
from ..reader import ANY_CONTENT, OutsideApproval
from ..world import World, make_absolute, read_limited, resolve_existing_prefix
from ..write_file import lock_folder, write_file
from .keys import (
    KEYS,
    ConfigKey,
    ConfigLayer,
    FilePurpose,
    ProjectRequests,
    TrustRequest,
    find_key,
    format_setting,
    leads_out_of_folder,
)  # fmt: skip

MAX_APPROVALS_BYTES = 8 * 1024 * 1024
MAX_PULLED_FILES = 1_000  # maximum number of files that one project's file pulls in, with the folders of its packages
MODULE_SUFFIXES = (".py", ".pyc", ".so", ".pyd")
"""The ends of the names of files that Python imports: source, compiled and native modules."""
SETTINGS, TEXTS = "settings", "files"
"""What a file is approved as: settings that were shown, or a text, tools or code that settings pull in.

A file outside a project is approved for that project: by the project's real path.
"""
FileStatus = tuple[str, Literal["trusted", "changed", "unknown"]]  # the SHA-256 of a file, and whether that is approved


class Approval(Frozen, frozen=True):
    """One file as it was when it was approved."""

    sha256: str
    when: Annotated[str, note("ISO 8601")] = ""


# What the user approved.


def approvals_path(world: World, home: str) -> str:
    """The file of approvals: in XDG_STATE_HOME, or else in ~/.local/state."""
    folder = choose_user_folder(world.machine.environment(), home, ".local/state", "XDG_STATE_HOME")
    return f"{folder}/overture/trust.json"


def read_approvals(
    world: World, home: str, notes: list[Diagnostic] | None = None
) -> dict[FilePurpose, Approval]:  # fmt: skip
    """All approvals. A file that can't be used is an error; with `notes` it is noted, and approves nothing."""
    path = approvals_path(world, home)
    try:
        # The standard library reads and writes also paths that are not UTF-8.
        stored = json.loads(read_limited(world, path, MAX_APPROVALS_BYTES))
        if not isinstance(stored, dict) or stored.pop("version", None) != 1:
            raise ValueError("its version is unknown")
        tables = msgspec.convert(stored, dict[str, dict[str, Approval]])
        return {(purpose, name): each for purpose, own in tables.items() for name, each in own.items()}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError) as problem:
        why = getattr(problem, "strerror", None) or problem
        message = f"it has no effect: {why}. Fix it, or delete it and run `overture trust` again"
        if notes is None:
            raise ConfigError(f"{path}: {message}.") from None
        notes.append(warning("trust-unreadable", message, path))
        return {}


def change_approvals(world: World, home: str, digests: Mapping[FilePurpose, str], forgotten: str = "") -> list[str]:
    """Remember files as they were shown; forget what was trusted at a path and below it, and for a project there.

    A file that changed since is an error. It returns the paths that are trusted no longer.
    """
    path, stored, when = approvals_path(world, home), dict[str, Any](version=1), world.machine.now().isoformat()
    for file, digest in digests.items():
        if compute_digest(world, file) != digest:
            raise ConfigError(f"{file[1]!r} changed during the review.", hint="Run `overture trust` again.")
    with explain_write_errors(path), lock_folder(path, folders=0o700):  # so nothing of another process is lost
        known = read_approvals(world, home)
        gone = [file for file in known if forgotten and any(contains_path(forgotten, part) for part in file)]
        rest = {file: each for file, each in known.items() if file not in gone}
        rest |= {file: Approval(digest, when) for file, digest in digests.items()}
        for (purpose, name), each in sorted(rest.items()):
            stored.setdefault(purpose, {})[name] = msgspec.to_builtins(each)
        write_file(path, json.dumps(stored, indent=1).encode() + b"\n", mode=0o600)
    return sorted({real for _, real in gone} - {real for _, real in rest})


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


def compare_files(
    world: World, known: Mapping[FilePurpose, Approval], files: Mapping[FilePurpose, bytes | None]
) -> dict[FilePurpose, FileStatus]:
    """The SHA-256 of each file that can be read, of its content if that is given, and whether that is approved."""
    found: dict[FilePurpose, FileStatus] = {}
    for file, data in files.items():
        if digest := compute_digest(world, file, data):
            same = file in known and known[file].sha256 == digest
            found[file] = digest, "trusted" if same else "changed" if file in known else "unknown"
    return found


def trusts_folder(world: World, trusted: Sequence[str], folder: str) -> bool:
    """Whether the user's setting `trusted` lists a folder, or one above it."""
    real = world.find_real(folder)
    return real is not None and any(contains_path(top, real) for top in map(world.find_real, trusted) if top)


def make_outside_approval(location: Location, trusted: Sequence[str]) -> OutsideApproval:
    """The check for files outside the project: approved by path and content, or by trusting the project's folder."""
    world, cwd = location.world, location.cwd

    @cache
    def read_approved() -> Mapping[str, str] | None:
        """What is approved, read for the first check; None: everything."""
        if trusts_folder(world, trusted, cwd):
            return None
        project, known = find_project_folder(world, cwd), read_approvals(world, location.home, [])
        files = {real: each.sha256 for (purpose, real), each in known.items() if purpose == project}
        # A folder with approved files or skills is looked into; each file in it is checked by itself.
        tops = [list_walk_folders(real, None) if real.endswith("/SKILL.md") else [dirname(real)] for real in files]
        return dict.fromkeys(chain(*tops), ANY_CONTENT) | files

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
    known = read_approvals(world, home, notes)
    is_known = (SETTINGS, real) in known
    # A missing file can't be used either: it is reported by the code that needs it.
    if (
        is_known
        and not problem
        and all(status == "trusted" for _, status in compare_files(world, known, files).values())
    ):
        return kept, notes, ProjectRequests(asked, files, "trusted")
    top, state = world.real_or_same(layer.folder), "it has changed since it was approved" if is_known else ""
    listed = json.dumps([*dict.fromkeys((*trusted, top))], ensure_ascii=False)
    for each in asked:
        code = kind.untrusted if (kind := find_key(each.key)) else "config-untrusted"
        what, why, how = format_setting(each.key, each.value), each.why, f" set it in {user_file} or with -c"
        if code != "config-untrusted":
            what, why = repr(each.key), f"{top} is not trusted"
            how = f", to trust everything in that folder, write at the top of {user_file}: trusted = {listed}"
        message = f"{what} has no effect: {problem or state or why}. "
        message += f"Review and approve it: overture trust {quote(layer.folder)}; or{how}"
        notes.append(warning(code, message, layer.origin, each.line))
    return allowed, notes, ProjectRequests(asked, files, "changed" if is_known else "unknown", problem)


def _split_settings(
    world: World, layer: ConfigLayer, others: Sequence[ConfigLayer], user_file: str
) -> tuple[ConfigLayer, ConfigLayer, tuple[TrustRequest, ...], list[Diagnostic]]:
    """A project's layer if it is trusted and if it is not, what the difference is, and what nobody can allow."""
    within, asked, notes = find_project_folder(world, layer.folder), list[TrustRequest](), list[Diagnostic]()
    kept, allowed, recipes = dict(layer.values), dict(layer.values), dict(layer.recipes)
    for key, value in layer.values.items():
        kind = find_key(key)  # None: a recipe's own setting, which is a plain name
        rest, refused, why = _split_value(world, kind, value, within) if kind else (value, None, "")
        if kind is None or refused is None:
            continue
        never = kind.project == "never" or kind.paths == "names"
        for values in (kept, allowed) if never else (allowed,):
            del values[key]
            values |= {key: rest} if rest else {}
        counts = next((each.values[key] for each in others if key in each.values), kind.default)
        if never:
            message = f"{format_setting(key, refused)} has no effect: {why}. Set it in {user_file} instead"
            notes.append(warning("config-untrusted", message, layer.origin, layer.find_line(key)))
        elif refused not in ((), {}, counts):  # saying what counts anyway is no matter
            asked.append(TrustRequest(key, refused, why, layer.find_line(key)))
    for user in others:
        for name in [name for name in recipes if name in user.recipes]:
            del recipes[name]
            line = layer.find_line(f"recipes.{name}")
            asked.append(TrustRequest(f"recipes.{name}", None, f"{user.origin} has a recipe of that name", line))
    limited = layer._replace(values=allowed, recipes=recipes, within=within)
    return layer._replace(values=kept), limited, tuple(asked), notes


def _split_value(world: World, kind: ConfigKey, value: Any, within: str) -> tuple[Any, Any, str]:
    """What an untrusted project may set of a value; what it may not, or None; and why."""
    if kind.project != "yes":
        refused = kind.project == "never" or value != kind.harmless
        return (None, value, kind.risk or "a project can't trust itself") if refused else (value, None, "")
    items, wrong, why = (value,) if isinstance(value, str) else value, list[str](), ""
    for item in items if kind.paths and value else ():
        if kind.paths == "names" and leads_out_of_folder(item):
            wrong, why = [*wrong, item], why or "it is not a plain file name such as 'TEAM.md'"
        elif item.startswith("/") and not _is_within(world, item, within):  # a text may also be a name
            wrong, why = [*wrong, item], why or f"it is outside {within}"
    if not wrong:
        return value, None, ""
    shown = tuple(dict.fromkeys(map(normpath, wrong)))
    return tuple(item for item in items if item not in wrong), shown[0] if isinstance(value, str) else shown, why


def _is_within(world: World, path: str, within: str) -> bool:
    """Whether a path, which may have patterns, is in a folder and leads to nothing outside."""
    fixed = fixed_prefix(make_absolute(world, path))
    return contains_path(within, world.find_real(fixed) or resolve_existing_prefix(world, normpath(fixed)))


# The files that settings pull in, which are approved with them: recipes and their texts, tools, models, code.


def list_pulled_files(world: World, layer: ConfigLayer, home: str) -> tuple[dict[FilePurpose, bytes | None], str]:
    """The file itself, with its content, and all that it pulls in; and why they can't be approved, if they can't."""
    own: dict[FilePurpose, bytes | None] = {(SETTINGS, world.real_or_same(layer.origin)): layer.data}
    files, problem, seen = dict(own), "", set[str]()
    todo = [path for table in layer.recipes.values() for path in _list_recipe_files(table, layer.folder)]
    for key, value in layer.values.items():
        kind = find_key(key)
        if kind and kind.paths == "text" and isinstance(value, str) and value.startswith("/"):
            todo += [value, normpath(value)]  # a recipe is opened so
        for spec in value if kind is KEYS["extensions"] else ():
            where = spec.rpartition(":")[0].strip()
            is_path = where.endswith(".py") or "/" in where
            top = normpath(expand_path(where if is_path else where.partition(".")[0], layer.folder, home))
            todo += [top] if is_path else [f"{top}.py", top]
    for path in todo:  # it grows
        entry = world.find(path, follow=True)
        is_folder = entry is not None and entry.kind == "dir"
        name = world.real_or_same(path) if is_folder else path  # a package may hold itself, by a link
        if name in seen:
            continue
        seen.add(name)
        if len(seen) > MAX_PULLED_FILES:
            return own, f"it uses more than {MAX_PULLED_FILES:,} files, too many to approve"
        if is_folder:
            folders = (each for each, kind in world.list(name) if kind != "file" and each.isidentifier())
            modules = (each for each, _ in world.list(name) if each.endswith(MODULE_SUFFIXES))
            todo += [f"{name}/{each}" for each in (*folders, *modules) if each != "__pycache__"]
            continue
        files.setdefault((TEXTS, world.real_or_same(path)))
        if entry is not None and entry.size > MAX_FILE_BYTES:  # Python would import it all the same
            size = f"{entry.size:,} bytes, over the limit of {MAX_FILE_BYTES:,}"
            problem = problem or f"it uses {readable_path(path)}, which has {size}"
        elif path.endswith(".toml"):
            with suppress(OSError, ValueError):
                todo += _list_recipe_files(parse_toml(read_limited(world, path, MAX_TOML_BYTES)), dirname(path))
    return files, problem


def _list_recipe_files(table: Mapping[str, Any], folder: str) -> list[str]:
    """The files that a recipe's table names: those of its sections, and the recipe that it extends."""
    rows, base = table.get("sections"), table.get("extends")
    files = [row.get("file") for row in (rows if isinstance(rows, list) else ()) if isinstance(row, Mapping)]
    paths = [join(folder, file) for file in files if isinstance(file, str)]
    if isinstance(base, str) and base.endswith(".toml"):
        paths.append(normpath(join(folder, base)))  # as a recipe is opened: `link/..` is the folder of the link
    return paths
