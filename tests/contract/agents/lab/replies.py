"""What the upstream answers: "ok", the JSON that is asked for, or the next call of a script."""

import json
from collections.abc import Sequence

from .speech import Call, Protocol, Reply, Say
from .speech.protocol import Json

READERS = ("Read", "read", "read_file", "view_file", "ReadFile", "view", "View", "read_files")
SHELLS = (
    *("Bash", "bash", "shell", "exec_command", "run_shell_command", "shell_command", "Execute", "execute", "terminal"),
    *("execute_command", "run_commands", "run_terminal_command", "Shell"),
)
EDITORS = ("file_editor", "str_replace_editor")
PATHS = ("file_path", "absolute_path", "filePath", "filepath", "path", "paths", "files", "file")
COMMANDS = ("command", "cmd", "commands", "script")
ANY_VALUE: Json = {"string": "look", "integer": 1, "number": 1, "boolean": False, "array": [], "object": {}}


def reply_to(protocol: Protocol, body: Json, reads: Sequence[str]) -> Reply:
    """The next file of the script is read through whatever tool the request offers; else there are words."""
    done = protocol.results(body)
    tools = protocol.tools(body)
    if tools and done < len(reads) and (call := reading(tools, reads[done])):
        return call
    schema = protocol.schema(body)
    return Say(json.dumps(fitting(schema))) if schema else Say()


def reading(tools: dict[str, Json], path: str) -> Call | None:
    """A call that reads a file: with a tool for that, else through a shell."""
    for name in EDITORS:
        if name in tools:
            return Call(name, {"command": "view", "path": path})
    for names, fields, value in ((READERS, PATHS, path), (SHELLS, COMMANDS, f"cat '{path}'")):
        for name in names:
            if name in tools and (arguments := filled(tools[name], fields, value)):
                return Call(name, arguments)
    return None


def filled(schema: Json, fields: Sequence[str], value: str) -> Json:
    """Arguments with the value in the first known field, and something in each other that is required."""
    known: Json = schema.get("properties") or {}
    main = next((field for field in fields if field in known), None)
    if main is None:
        return {}
    others = [field for field in schema.get("required") or [] if field in known and field != main]
    return {main: _shaped(known[main], fields, value), **{field: _any(known[field]) for field in others}}


def _shaped(spec: Json, fields: Sequence[str], value: str) -> object:
    """The value as the field takes it: alone, in a list, or in a list of objects."""
    if spec.get("type") != "array":
        return value
    items = spec.get("items") or {}
    return [filled(items, fields, value) if items.get("properties") else value]


def _any(spec: Json) -> object:
    return spec["enum"][0] if spec.get("enum") else ANY_VALUE.get(str(spec.get("type")), "look")


def fitting(schema: Json) -> object:
    """A small value that follows a schema."""
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type") or "object"
    kind = str(kind[0] if isinstance(kind, list) else kind).lower()
    if kind == "object":
        return {name: fitting(each) for name, each in (schema.get("properties") or {}).items()}
    return {"array": [], "integer": 1, "number": 1, "boolean": True}.get(kind, "ok")
