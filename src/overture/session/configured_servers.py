"""Finds the MCP servers of a session: those of the configuration, and those of a `.mcp.json` that is trusted."""

import re
from collections.abc import Mapping
from shlex import quote
from typing import Any, NamedTuple

import msgspec

from ..discovery.configuration.config import Config
from ..discovery.configuration.keys import McpServer, locate_server
from ..discovery.configuration.trust import SETTINGS, compare_files, read_approvals, trusts_folder
from ..discovery.files import describe_os_error
from ..discovery.paths import contains_path, list_walk_folders
from ..discovery.place import find_project_folder
from ..discovery.world import World, read_limited
from ..model.diagnostic import Diagnostic, warning
from ..model.struct import explain_error

MAX_SERVERS_BYTES = 1_000_000
VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
TRANSPORTS = ("stdio", "http", "streamable-http")


class ConfiguredServers(NamedTuple):
    """Servers that may be started, and why others are not; those of a project's file with its path and content."""

    servers: dict[str, McpServer]
    notes: tuple[Diagnostic, ...] = ()
    path: str = ""
    data: bytes = b""  # so that what is approved is what was read


def find_configured_servers(world: World, cwd: str, home: str, config: Config) -> ConfiguredServers:
    """The servers of the configuration, and those of the project's file as far as the user trusts it."""
    servers, ready = dict[str, McpServer](config.get("mcp.servers").value), dict[str, McpServer]()
    file = read_servers_file(world, cwd, home) or ConfiguredServers({})
    notes, folder = [*file.notes], file.path.rpartition("/")[0] or "/"
    if new := {name: server for name, server in file.servers.items() if name not in servers}:
        own, known = (SETTINGS, world.real_or_same(file.path)), read_approvals(world, home, notes)
        is_approved = compare_files(world, known, {own: file.data})[own][1] == "trusted"
        if is_approved or trusts_folder(world, config.get("trusted").value, folder):
            servers |= new
        else:
            message = f"the MCP servers {', '.join(map(repr, new))} are not started: the file has not been approved. "
            message += f"Review and approve it: overture trust {quote(folder)}"
            notes.append(warning("mcp-untrusted", message, file.path))
    for name, server in servers.items():
        try:
            ready[name] = fill_variables(server, world.machine.environment())
        except KeyError as problem:
            message = f"the MCP server {name!r} is not started: the variable {problem.args[0]} is not set"
            notes.append(warning("mcp-failed", message))
    return ConfiguredServers(ready, tuple(notes))


def read_servers_file(world: World, cwd: str, home: str) -> ConfiguredServers | None:
    """The nearest `.mcp.json` from the working directory up to the project's folder; None if there is none."""
    project = find_project_folder(world, cwd)
    for folder in reversed(list_walk_folders(cwd, None)):
        path = f"{folder.rstrip('/')}/.mcp.json"
        try:
            if not contains_path(project, world.real_or_same(folder)) or world.look(path) is None:
                continue
            # Through a link, the approval of another project's file would start programs of this one.
            if not contains_path(own := find_project_folder(world, folder), world.real_or_same(path)):
                raise ValueError(f"it is a symlink that leaves {own}. Put the file itself there")
            data = read_limited(world, path, MAX_SERVERS_BYTES)
            table = msgspec.json.decode(data)
            servers = table.get("mcpServers") if isinstance(table, dict) else None
            if not isinstance(servers, dict):
                raise ValueError("it has no object `mcpServers`")
        except (OSError, ValueError, RecursionError) as problem:
            why = describe_os_error(problem) if isinstance(problem, OSError) else problem
            return ConfiguredServers({}, (warning("mcp-config", f"skipped: {why}", path),), path)
        return _read_servers(path, servers, folder, home)._replace(data=data)
    return None


def _read_servers(path: str, table: Mapping[str, Any], folder: str, home: str) -> ConfiguredServers:
    """The servers of a `.mcp.json`; one that can't be started is reported."""
    servers, notes = dict[str, McpServer](), list[Diagnostic]()
    for name, value in table.items():
        fields, kind = value, "stdio"
        if isinstance(value, dict):
            fields = {key: item for key, item in value.items() if key in McpServer.__struct_fields__}
            kind = value.get("type", "stdio" if "command" in value else "http")
        try:
            if kind not in TRANSPORTS:
                raise msgspec.ValidationError(f"the transport {kind!r:.40} is not supported; use http")
            servers[name] = locate_server(msgspec.convert(fields, McpServer), folder, folder, home)
        except msgspec.ValidationError as problem:
            why = explain_error(problem, McpServer, fields, f"mcpServers.{name}")
            notes.append(warning("mcp-config", f"not started: {why.rstrip('.')}", path))
    return ConfiguredServers(servers, tuple(notes), path)


def fill_variables(server: McpServer, environment: Mapping[str, str]) -> McpServer:
    """The server with `${NAME}` and `${NAME:-default}` filled in; a variable that is not set is a KeyError."""

    def fill(value: Any) -> Any:
        if isinstance(value, str):
            return VARIABLE.sub(lambda m: environment[m[1]] if m[1] in environment or m[2] is None else m[2], value)
        if isinstance(value, dict):
            return {key: fill(item) for key, item in value.items()}
        return tuple(map(fill, value)) if isinstance(value, tuple) else value

    names = ("command", "args", "env", "cwd", "url", "headers")
    return msgspec.structs.replace(server, **{name: fill(getattr(server, name)) for name in names})
