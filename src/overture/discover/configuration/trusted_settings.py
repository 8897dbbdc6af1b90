"""Decides which settings of a project apply only after the user trusts it."""

import json
from collections.abc import Sequence
from posixpath import normpath
from shlex import quote
from typing import Any, NamedTuple

from ...model.diagnostic import Diagnostic, warning
from ..paths import contains_path, fixed_prefix
from ..repository import find_project_folder
from ..world import World, make_absolute, resolve_existing_prefix
from .approvals import SETTINGS, TEXTS, Approvals, ApprovalStatus, compute_approved_digest, read_approvals
from .config import (
    PROJECT,
    SERVERS_KEY,
    ConfigLayer,
    ConfigTrustRequest,
    RequestedSetting,
    find_setting_line,
    format_setting,
    gives_extensions,
)
from .config_keys import find_key
from .pulled_files import list_pulled_files

EXTENSIONS_SWITCH = "features.extensions.enabled"
Layers = Sequence[ConfigLayer]


class TrustVerdict(NamedTuple):
    """The layers without settings that a project may not make, and what happened to those settings."""

    layers: list[ConfigLayer]
    notes: list[Diagnostic]
    untrusted: list[Diagnostic]
    requests: list[ConfigTrustRequest]


def judge_layers(world: World, layers: Sequence[ConfigLayer], user_file: str, home: str) -> TrustVerdict:
    """Remove from a project's layer trust in itself, and what needs the user's trust."""
    result = TrustVerdict([], [], [], [])
    for layer in layers:
        if layer.rank == PROJECT and not _is_user_file(world, layer, user_file):
            layer = _drop_outside_names(_drop_self_trust(layer, user_file, result), result)
            if any(map(_needs_trust, layer.values)) or layer.recipes:
                layer = _apply_trust(world, layer, layers, user_file, home, result)
        result.layers.append(layer)
    return result


def _apply_trust(
    world: World, layer: ConfigLayer, layers: Layers, user_file: str, home: str, result: TrustVerdict
) -> ConfigLayer:
    """The settings of a project that apply: all if it is trusted, else those that need no trust."""
    trusted = tuple(folder for each in layers if each.rank != PROJECT for folder in each.values.get("trusted", ()))
    allowed, refused = _filter_untrusted_layer(world, layer, find_project_folder(world, layer.folder))
    requested = tuple(setting for setting in refused if _changes_setting(setting.key, setting.value, layers))
    if trusts_folder(world, trusted, layer.folder):
        result.requests.append(ConfigTrustRequest(layer.origin, layer.folder, requested, (), "folder"))
        return layer
    files = list_pulled_files(world, layer, home)  # a recipe inside the project may ask for more than its settings do
    approvals = read_approvals(world, home)
    if approvals.problem:
        message = f"it has no effect: {approvals.problem}. Fix it, or delete it and run `overture trust` again"
        result.notes.append(warning("trust-unreadable", message, approvals.path))
    status = _find_layer_approval(world, layer, files.paths, approvals)
    if status == "trusted" and files.problem:
        status = "changed"
    request = ConfigTrustRequest(layer.origin, layer.folder, requested, files.paths, status, files.problem)
    result.requests.append(request)
    if status == "trusted":
        return layer
    _report(world, layer, request, trusted, user_file, result)
    return allowed


def _find_layer_approval(
    world: World, layer: ConfigLayer, files: Sequence[str], approvals: Approvals
) -> ApprovalStatus:
    """Whether a project's file is approved with its current content, and so are all files that it pulls in."""
    if world.find_real(layer.origin) not in approvals.known.get(SETTINGS, {}):
        return "unknown"
    for path in files:
        own = path == layer.origin
        digest = compute_approved_digest(world, path, layer.data if own else None, settings=own)
        # A missing file can't be used either: it is reported by the code that needs it.
        if digest is None:
            continue
        if approvals.status(SETTINGS if own else TEXTS, world.real_or_same(path), digest) != "trusted":
            return "changed"
    return "trusted"


def _report(
    world: World,
    layer: ConfigLayer,
    request: ConfigTrustRequest,
    trusted: tuple[str, ...],
    user_file: str,
    result: TrustVerdict,
) -> None:
    """A line for each setting that waits for trust, with the command that allows it."""
    folder = world.real_or_same(layer.folder)
    requested = request.requested
    state = request.problem or ("it has changed since it was approved" if request.trust == "changed" else "")
    allow = f"Review and approve it: overture trust {quote(layer.folder)}"
    for setting in requested:
        if _is_extension_key(setting.key) or setting.key == SERVERS_KEY:
            continue  # it sets which code is run: reported below
        message = f"{setting.key} = {format_setting(setting.value)} has no effect: {state or setting.why}. {allow}"
        message += f"; or set it in {user_file} or with -c"
        result.notes.append(warning("config-untrusted", message, layer.origin, setting.line))
    for is_one, name in ((_is_extension_key, "extension-untrusted"), (SERVERS_KEY.__eq__, "mcp-untrusted")):
        code = [setting for setting in requested if is_one(setting.key)]
        if not code:
            continue
        listed = json.dumps([*dict.fromkeys((*trusted, folder))], ensure_ascii=False)
        keys, why = ", ".join(repr(setting.key) for setting in code), state or f"{folder} is not trusted"
        message = f"{keys} has no effect: {why}. {allow}; or, to trust everything in that folder, write at the top of"
        note = warning(name, f"{message} {user_file}: trusted = {listed}", layer.origin, code[0].line)
        result.untrusted.append(note)


def report_taken_recipe(name: str, winner: str, origin: str, folder: str, line: int | None) -> Diagnostic:
    """The warning about a project's recipe whose name is already taken."""
    allow = f"Rename it, or approve it: overture trust {quote(folder)}"
    return warning("config-untrusted", f"[recipes.{name}] has no effect: {winner} has a recipe of that name. {allow}",
                   origin, line)  # fmt: skip


def _drop_self_trust(layer: ConfigLayer, user_file: str, result: TrustVerdict) -> ConfigLayer:
    """A project's layer without trust in itself."""
    for key in [key for key in layer.values if (kind := find_key(key)) and kind.project == "never"]:
        message = f"{key!r} has no effect: a project can't trust itself. Set it in {user_file} instead"
        result.notes.append(warning("config-untrusted", message, layer.origin, find_setting_line(layer, key)))
        layer = layer._replace(values={name: value for name, value in layer.values.items() if name != key})
    return layer


def _drop_outside_names(layer: ConfigLayer, result: TrustVerdict) -> ConfigLayer:
    """A project's layer without names of files that lead out of a folder: nobody can allow them."""
    values = dict(layer.values)
    for key in [key for key in values if key.endswith("context.filenames")]:
        names = values[key] or ()
        for name in (name for name in names if leads_out_of_folder(name)):
            message = f"{key}: {name!r} has no effect: it is not a plain file name such as 'TEAM.md'"
            result.notes.append(warning("config-untrusted", message, layer.origin, find_setting_line(layer, key)))
        inside = tuple(name for name in names if not leads_out_of_folder(name))
        values[key] = inside
        if names and not inside:
            del values[key]
    return layer._replace(values=values) if values != layer.values else layer


def leads_out_of_folder(name: str) -> bool:
    """Whether a name of a file leads anywhere but down."""
    return not name or name.startswith(("/", "~")) or any(step in ("", ".", "..") for step in name.split("/"))


def _changes_setting(key: str, value: Any, others: Layers) -> bool:
    """Whether the project changes the value: with a list that adds something, or with the other switch."""
    if not _is_switch(key):
        return bool(value)
    values = [layer.values[key] for layer in others if layer.rank != PROJECT and key in layer.values]
    return bool(value != (values[0] if values else True))


def trusts_folder(world: World, trusted: Sequence[str], folder: str) -> bool:
    """Whether the user's setting `trusted` lists a folder, or one above it."""
    real = world.find_real(folder)
    tops = (world.find_real(top) for top in trusted)
    return real is not None and any(top is not None and contains_path(top, real) for top in tops)


def _is_user_file(world: World, layer: ConfigLayer, user_file: str) -> bool:
    """Whether a project's file is the user's own. A link to it is not: its paths would begin in the project."""
    real = world.find_real(layer.origin)
    name = layer.origin.rpartition("/")[2]
    in_place = real is not None and real == f"{(world.find_real(layer.folder) or '').rstrip('/')}/{name}"
    return layer.origin == user_file or (in_place and real == world.find_real(user_file))


def _needs_trust(key: str) -> bool:
    """Whether a project's value of a key needs trust, or has to be inside the project."""
    kind = find_key(key)
    return kind is None or kind.project in ("inside", "strict", "trusted")


def _is_switch(key: str) -> bool:
    return key == EXTENSIONS_SWITCH or key.endswith(f".{EXTENSIONS_SWITCH}")


def _is_extension_key(key: str) -> bool:
    return _is_switch(key) or gives_extensions(key)


WHY_TRUSTED = {"extensions": "it would run code", "servers": "it would start processes or open URLs"}
NOTHING = object()
"""Stands for a value that is removed as a whole."""


def _filter_untrusted_layer(
    world: World, layer: ConfigLayer, within: str
) -> tuple[ConfigLayer, list[RequestedSetting]]:
    """A layer of an untrusted project with only what is inside the project, and the settings that are refused."""
    allowed: dict[str, Any] = {}
    refused: list[RequestedSetting] = []
    for key, value in layer.values.items():
        rest, why = _filter_untrusted_value(world, key, value, within)
        if why:
            removed = [item for item in value if item not in rest] if isinstance(rest, tuple) else value
            refused.append(RequestedSetting(key, _tidy(removed), why, find_setting_line(layer, key)))
        if rest is not NOTHING:
            allowed[key] = rest
    return layer._replace(values=allowed, within=within), refused


def _tidy(value: Any) -> Any:
    """The paths of a setting without `..`, which show where they lead."""
    if isinstance(value, list | tuple):
        return tuple(map(_tidy, value))
    return normpath(value) if isinstance(value, str) and value.startswith("/") else value


def _filter_untrusted_value(world: World, key: str, value: Any, within: str) -> tuple[Any, str]:
    """The allowed part of a value, and why the rest waits."""
    kind = find_key(key)
    word = kind.project if kind else "yes"
    if kind is None or word in ("yes", "never"):
        return value, ""
    if word == "trusted":
        return NOTHING, WHY_TRUSTED.get(key.rpartition(".")[2], "only you can set it")
    if word == "strict":
        runs = key.endswith("git.enabled")
        why = "it would run git in a project that is not trusted" if runs else "a project can only hide more, not less"
        return (value, "") if value == kind.strict else (NOTHING, why)
    return _filter_paths_inside(world, value, within) if kind.paths else (value, "")


def _filter_paths_inside(world: World, value: Any, within: str) -> tuple[Any, str]:
    """The paths of a setting that stay inside the project, and why another does not."""
    if isinstance(value, tuple):
        checked = {path: find_path_fault(world, path, within, folder=True) if "/" in path else "" for path in value}
        return tuple(path for path in value if not checked[path]), next(filter(None, checked.values()), "")
    if not isinstance(value, str) or "://" in value or not value.startswith("/"):
        return value, ""
    why = find_path_fault(world, value, within)
    return (NOTHING if why else value), why


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
    if entry is not None and entry.kind == "other" and not folder:
        return "it is not a regular file"
    return ""
