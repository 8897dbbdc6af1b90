"""Decides which settings of a project apply only after the user trusts it."""

import json
from collections.abc import Iterator, Sequence
from shlex import quote
from typing import Any, NamedTuple

from ...model.diagnostic import Diagnostic, warning
from ..disk.paths import contains_path, find_real_path, real_path_or_same
from ..disk.repository import find_project_folder
from ..disk.world import World
from .approvals import Approvals, ApprovalStatus, compute_digest, read_approvals
from .keys import find_key
from .untrusted_config import (
    filter_untrusted_layer,
    find_setting_line,
    format_setting,
    list_pulled_files,
)
from .values import PROJECT, USER, ConfigLayer, ConfigTrustRequest, ConfigValue, Extension, RequestedSetting

ADDED_KEYS = ("extensions", "trusted")
"""The keys whose values add up: a project takes nothing away of what the user gave."""
SERVERS_KEY = "mcp.servers"
"""Another such key: of two servers of one name, the nearest counts."""
EXTENSIONS_SWITCH = "features.extensions.enabled"
Layers = Sequence[ConfigLayer]


class TrustVerdict(NamedTuple):
    """The layers without what a project may not say, and what became of that."""

    layers: list[ConfigLayer]
    notes: list[Diagnostic]
    untrusted: list[Diagnostic]
    requests: list[ConfigTrustRequest]


def judge_layers(world: World, layers: Sequence[ConfigLayer], user_file: str, home: str) -> TrustVerdict:
    """Take from a project's layer what it may not say of itself, and what it may not say until somebody trusts it."""
    result = TrustVerdict([], [], [], [])
    for layer in layers:
        if layer.rank == PROJECT and not _is_user_file(world, layer, user_file):
            layer = _drop_outside_names(_drop_self_trust(layer, user_file, result), result)
            if any(map(_needs_trust, layer.values)) or layer.recipes:
                layer = _judge_layer(world, layer, layers, user_file, home, result)
        result.layers.append(layer)
    return result


def _judge_layer(
    world: World, layer: ConfigLayer, layers: Layers, user_file: str, home: str, result: TrustVerdict
) -> ConfigLayer:
    """A project's layer as it counts: whole where it is trusted, and else without what waits."""
    trusted = tuple(folder for each in layers if each.rank != PROJECT for folder in each.values.get("trusted", ()))
    filtered = filter_untrusted_layer(world, layer, find_project_folder(world, layer.folder))
    requested = tuple(setting for setting in filtered.requested if _changes_setting(setting.key, setting.value, layers))
    if trusts_folder(world, trusted, layer.folder):
        result.requests.append(ConfigTrustRequest(layer.origin, layer.folder, requested, (), "folder"))
        return layer
    files = list_pulled_files(world, layer, home) if requested or layer.recipes else (layer.origin,)
    approvals = read_approvals(world, home)
    if approvals.problem:
        message = f"it has no effect: {approvals.problem}. Fix it, or delete it and run `overture trust` again"
        result.notes.append(warning("trust-unreadable", message, approvals.path))
    status = _find_layer_approval(world, layer, files, approvals)
    result.requests.append(ConfigTrustRequest(layer.origin, layer.folder, requested, files, status))
    if status == "trusted":
        return layer
    _report(world, layer, requested, trusted, status, user_file, result)
    return filtered.layer


def _find_layer_approval(
    world: World, layer: ConfigLayer, files: Sequence[str], approvals: Approvals
) -> ApprovalStatus:
    """Whether a project's file is approved, with all that it pulls in, as it is now."""
    if find_real_path(world, layer.origin) not in approvals.files:
        return "unknown"
    for path in files:
        digest = compute_digest(world, path, layer.data if path == layer.origin else None)
        # What is not there can't be used either: it is reported where it is missed.
        if digest is not None and approvals.standing(real_path_or_same(world, path), digest) != "trusted":
            return "changed"
    return "trusted"


def _report(
    world: World,
    layer: ConfigLayer,
    requested: Sequence[RequestedSetting],
    trusted: tuple[str, ...],
    status: ApprovalStatus,
    user_file: str,
    result: TrustVerdict,
) -> None:
    """A line for each thing that waits, with the command that allows it."""
    folder = real_path_or_same(world, layer.folder)
    state = "it has changed since it was approved" if status == "changed" else ""
    allow = f"Review and approve it: overture trust {quote(layer.folder)}"
    for setting in requested:
        if _is_code(setting.key):
            continue
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
    """A recipe that a project defines, and that somebody else has defined before it."""
    allow = f"Rename it, or approve it: overture trust {quote(folder)}"
    return warning("config-untrusted", f"[recipes.{name}] has no effect: {winner} has a recipe of that name. {allow}",
                   origin, line)  # fmt: skip


def _drop_self_trust(layer: ConfigLayer, user_file: str, result: TrustVerdict) -> ConfigLayer:
    """A project's layer without the trust that it gives itself."""
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
    """Whether it is another value than without the project: a list that gives something, or the other switch."""
    if not _is_switch(key):
        return bool(value)
    values = [layer.values[key] for layer in others if layer.rank != PROJECT and key in layer.values]
    return bool(value != (values[0] if values else True))


def trusts_folder(world: World, trusted: Sequence[str], folder: str) -> bool:
    """Whether the user's setting `trusted` lists a folder, or one above it."""
    real = find_real_path(world, folder)
    tops = (find_real_path(world, top) for top in trusted)
    return real is not None and any(top is not None and contains_path(top, real) for top in tops)


def _is_user_file(world: World, layer: ConfigLayer, user_file: str) -> bool:
    """Whether a project's file is the user's own. A link to it is not: its paths would begin in the project."""
    real = find_real_path(world, layer.origin)
    name = layer.origin.rpartition("/")[2]
    in_place = real is not None and real == f"{(find_real_path(world, layer.folder) or '').rstrip('/')}/{name}"
    return layer.origin == user_file or (in_place and real == find_real_path(world, user_file))


def merge_added_keys(layers: Sequence[ConfigLayer]) -> Iterator[tuple[str, ConfigValue]]:
    """The keys whose values add up, each with what all layers say, the farthest first."""
    for key in ADDED_KEYS:
        rows = [(item, layer) for layer in reversed(layers) for item in layer.values.get(key, ())]
        if rows:
            origins = dict.fromkeys(layer.origin for _, layer in rows)
            values: tuple[Any, ...] = tuple(dict.fromkeys(item for item, _ in rows))
            yield key, ConfigValue(values, ", ".join(origins), min(layer.rank for _, layer in rows))
    giving = [layer for layer in reversed(layers) if layer.values.get(SERVERS_KEY)]
    if giving:
        servers = {name: server for layer in giving for name, server in layer.values[SERVERS_KEY].items()}
        yield SERVERS_KEY, ConfigValue(servers, ", ".join(layer.origin for layer in giving), giving[-1].rank)


def list_configured_extensions(layers: Sequence[ConfigLayer]) -> tuple[Extension, ...]:
    """The extensions that the layers give, the farthest first; a recipe's own behind those for all."""
    return tuple(
        Extension(spec, layer.origin, layer.folder, layer.rank in (PROJECT, USER), _find_recipe_name(key))
        for layer in reversed(layers)
        for key in sorted(layer.values, key=lambda key: (key != "extensions", key))
        if _is_extensions(key)
        for spec in layer.values[key]
    )


def _needs_trust(key: str) -> bool:
    """Whether something that a project says of a key may have to wait, or has to lie inside it."""
    kind = find_key(key)
    return kind is None or kind.project in ("inside", "strict", "trusted")


def _is_switch(key: str) -> bool:
    return key == EXTENSIONS_SWITCH or key.endswith(f".{EXTENSIONS_SWITCH}")


def _is_code(key: str) -> bool:
    """Whether a key says which code is run."""
    return _is_extension_key(key) or key == SERVERS_KEY


def _is_extension_key(key: str) -> bool:
    return _is_switch(key) or _is_extensions(key)


def _is_extensions(key: str) -> bool:
    return key == "extensions" or (key.startswith("recipes.") and key.endswith(".extensions") and key.count(".") == 2)


def _find_recipe_name(key: str) -> str | None:
    return key.split(".")[1] if key.startswith("recipes.") else None
