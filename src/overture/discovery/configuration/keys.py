"""Every key of the configuration with its type and default, the values of one layer, and how to write a line."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from posixpath import normpath, relpath
from typing import Annotated, Any, Literal, NamedTuple, get_origin

import msgspec

from ...errors import ConfigError, find_similar
from ...model.state.state import Audience, Secrets
from ...model.struct import Frozen, note
from ..parse_json_and_toml import find_toml_line
from ..paths import contains_path, expand_path


class Features(Frozen, frozen=True):
    """What discovery may look for: the keys `features.…` of the table below."""

    context_enabled: bool = True
    context_filenames: tuple[str, ...] | None = None
    context_nested: bool | None = None
    skills_enabled: bool = True
    skills_extra_dirs: tuple[str, ...] = ()
    git_enabled: bool = False
    sudo_enabled: bool = False
    links_outside: bool = False
    extensions_enabled: bool = True
    context_within: str | None = None  # the folder below which those names apply: the project's own


class McpServer(Frozen, frozen=True):
    """A server of the Model Context Protocol: a program to start, or a URL to open."""

    command: Annotated[str | None, note("the program to start")] = None
    args: tuple[str, ...] = ()
    env: Annotated[dict[str, str], note("variables for the program, in addition to PATH, HOME and similar ones")] = {}
    cwd: Annotated[str | None, note("its working directory; none: the folder of the file, or of the session")] = None
    url: Annotated[str | None, note("the URL of a server over streamable HTTP")] = None
    headers: Annotated[dict[str, str], note("headers of each request to the URL")] = {}
    prompts: Annotated[bool, note("use its prompts as templates: /name in a user message")] = False
    resources: Annotated[tuple[str, ...], note("URIs of its resources that are loaded as instruction files")] = ()
    timeout: Annotated[float, msgspec.Meta(gt=0), note("timeout in seconds for connecting, and for each call")] = 30

    def __post_init__(self) -> None:
        if self.command and self.url:
            raise ValueError("set either command or url, not both")
        if not self.command and not self.url:
            raise ValueError("set command, the program to start, or url, the address of the server")


def locate_server(server: McpServer, start: str | None, folder: str, home: str) -> McpServer:
    """A server with the folder in which it runs, from that of the file that names it."""
    cwd = start if server.cwd is None else normpath(expand_path(server.cwd, folder, home))
    return msgspec.structs.replace(server, cwd=cwd)


class ConfigKey(NamedTuple):
    """One thing that can be configured."""

    type: Any
    default: Any
    about: str
    paths: Literal["", "text", "list", "place", "names"] = ""
    """Whether a text, or each text of a list, is a path, relative to the file that sets it; a place may be a URL.
    Names are of files below any folder."""
    project: Literal["yes", "ask", "never"] = "yes"
    """Whether a project's own file may set it: its paths inside the project at once, or only what the user approves."""
    risk: str = ""  # why the user has to approve a value of a project
    harmless: Any = None  # the value that needs no approval: the one that allows least
    untrusted: str = "config-untrusted"  # the code of the note on a value that is not approved


Names = tuple[str, ...]
Amount = Annotated[float, msgspec.Meta(ge=0)] | None
LESS = "a project can only hide more, not less"
KEYS = {
    "recipe": ConfigKey(str, None, "the default recipe", "text"),
    "agents": ConfigKey(
        Names, (), "the coding agents in use here, in place of those whose files, folders or programs are found"),
    "tools": ConfigKey(Names | str, None, "the active tools: names of tools of the recipe, or a JSON file", "text"),
    "models": ConfigKey(
        str, None, "a TOML file with limits and prices of models; it overrides the built-in table", "text"),
    "extensions": ConfigKey(
        Names, (), "functions that set up a session: module:function, or file.py:function",
        project="ask", risk="it would run code", untrusted="extension-untrusted"),
    "trusted": ConfigKey(Names, (), "folders whose projects are fully trusted", "list", "never"),
    "audience": ConfigKey(
        Audience, "private",
        "who may read the prompt: public omits memories, user, soul, facts about the machine and workspace files",
        project="ask", risk=LESS, harmless="public"),
    "secrets": ConfigKey(
        Secrets, "redact", "keys and tokens: redact replaces them by `[secret: kind]`, show keeps them",
        project="ask", risk=LESS, harmless="redact"),
    "features.context.enabled": ConfigKey(bool, True, "load instruction files such as AGENTS.md"),
    "features.context.filenames": ConfigKey(
        Names | None, None, "names of instruction files, instead of the recipe's; all that exist are loaded", "names"),
    "features.context.nested": ConfigKey(
        bool | None, None, "also load instruction files below cwd, when a session works on files there"),
    "features.skills.enabled": ConfigKey(bool, True, "load skills"),
    "features.skills.extra_dirs": ConfigKey(Names, (), "more folders with skills, searched last", "list"),
    "features.git.enabled": ConfigKey(
        bool, False, "run git for the branch, the status and the last commits",
        project="ask", risk="it would run git in a project that is not trusted", harmless=False),
    "features.sudo.enabled": ConfigKey(
        bool, False, "start sudo to learn whether it works without a password, for recipes that say so",
        project="never"),
    "features.links.outside": ConfigKey(
        bool, False, "read files outside the project that its settings, symlinks and imports name, like --read-outside",
        project="never"),
    "features.extensions.enabled": ConfigKey(
        bool, True, "load extensions from the configuration and from installed packages",
        project="ask", risk="only you can set it", untrusted="extension-untrusted"),
    "runtime.docs.main": ConfigKey(str, None, "the agent's own documentation: a path or a URL", "place"),
    "runtime.docs.additional": ConfigKey(str, None, "more of that documentation: a path or a URL", "place"),
    "runtime.docs.examples": ConfigKey(str, None, "examples for it: a path or a URL", "place"),
    "mcp.servers": ConfigKey(
        dict[str, McpServer], {}, "MCP servers whose tools a session offers",
        project="ask", risk="it would start processes or open URLs", untrusted="mcp-untrusted"),
    "check.select": ConfigKey(Names, (), "checks to run: codes, or the beginning of codes; empty: all"),
    "check.ignore": ConfigKey(Names, (), "checks to skip"),
    "check.severity": ConfigKey(
        dict[str, Literal["error", "warning", "note"]], {},
        "severity of the findings of a check, instead of its default"),
    "check.exclude": ConfigKey(Names, (), "files to skip: paths below the project; `*` matches any characters"),
    "tap.days": ConfigKey(
        Amount, None, "delete recorded calls that are older than this, after each run of the tap", project="never"),
    "tap.megabytes": ConfigKey(
        Amount, None, "then delete the oldest calls until the store is smaller than this", project="never"),
}  # fmt: skip
OUTSIDE_READ = {"features.links.outside": True}  # the setting that `--read-outside` stands for
SWITCH_TYPES = (bool, bool | None)
SWITCH_WORDS = {"1": True, "yes": True, "on": True, "true": True, "0": False, "no": False, "off": False, "false": False}


def find_key(key: str) -> ConfigKey | None:
    """The key of the table above for a dotted key, also under `recipes.NAME.`; None: a setting of the recipe's own."""
    return KEYS.get(key.split(".", 2)[2] if key.startswith("recipes.") and key.count(".") >= 2 else key)


def parse_value(text: str, key: ConfigKey) -> Any:
    """The value in a text of the environment or the command line, in the type of its key."""
    if key.type is str or get_origin(key.type) is Literal:
        return text
    if key.type in SWITCH_TYPES and text.lower() in SWITCH_WORDS:
        return SWITCH_WORDS[text.lower()]
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):  # half a surrogate pair: bytes that are not UTF-8
        value = text
    takes_list = key.type not in (*SWITCH_TYPES, Amount)
    if takes_list and isinstance(value, str) and not value.endswith(".json"):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


def leads_out_of_folder(name: str) -> bool:
    """Whether a name of a file or folder leads anywhere but down."""
    return not name or name.startswith(("/", "~")) or ".." in name.split("/")


# What a file of settings holds, and what of it a project has to ask for.


PROJECT, USER = 2, 3
"""The rank of a project file's layer, and of the user file's."""


class ConfigLayer(NamedTuple):
    """Values from one place."""

    origin: str
    folder: str
    values: dict[str, Any]
    rank: int  # how near: command line 0, environment 1, project file 2, user file 3
    recipes: Mapping[str, Mapping[str, Any]] = {}
    data: bytes = b""
    within: str | None = None  # for an untrusted project: the folder that contains everything it may name

    def find_line(self, key: str) -> int | None:
        """The line on which the file sets a key."""
        top = "tool.overture" if self.origin.endswith("/pyproject.toml") else ""
        return find_toml_line(self.data.decode("utf-8-sig", "replace"), key, top)


class TrustRequest(Frozen, frozen=True, omit_defaults=False):
    """One setting in a project's own file that needs approval."""

    key: str
    value: Any
    why: Annotated[str, note("why")]
    line: int | None = None


FilePurpose = tuple[str, str]  # what a file is approved as, and its real path


class ProjectRequests(NamedTuple):
    """What a project's own file asks for and may not set by itself; `problem` is why that can't be approved."""

    asked: tuple[TrustRequest, ...]
    files: Mapping[FilePurpose, bytes | None]
    """The file, with its content as it was read, and those that it pulls in: they are trusted together."""
    trust: Literal["unknown", "changed", "trusted", "folder"]
    problem: str = ""


def format_setting(key: str, value: Any) -> str:
    """A setting as one would write it; without a value, its key."""
    text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, default=str)
    return key if value is None else f"{key} = {text}"


DEFINING = ("extends", "sections", "remove", "rules", "wants", "about", "active", "sealed")
"""A `[recipes.NAME]` table with one of these defines a recipe; otherwise it holds settings for one."""
SETTINGS = ("features", "runtime")  # tables of settings that may be in the table of a recipe which is defined there too


def flatten_table(
    table: Mapping[str, Any], origin: str, recipes: dict[str, Mapping[str, Any]], prefix: str = ""
) -> Iterator[tuple[str, Any]]:
    """A nested table as dotted keys, and its `recipes`; an unknown key is an error that names the nearest."""
    for name, value in table.items():
        key = prefix + name
        is_recipes = key.split(".")[0] == "recipes"
        if prefix == "recipes." and isinstance(value, Mapping) and not value.keys().isdisjoint(DEFINING):
            recipes[name] = {each: own for each, own in value.items() if each not in SETTINGS}
            value = {each: own for each, own in value.items() if each in SETTINGS}
        if key in KEYS or (is_recipes and key.count(".") >= 2 and not isinstance(value, Mapping)):
            yield key, value
            continue
        if not is_recipes and not any(known.startswith(f"{key}.") for known in KEYS):
            tables = (each[: dot.start()] for each in KEYS for dot in re.finditer(r"\.", each))
            tip = find_similar(key, {"recipes", *KEYS, *tables})
            text, message = f"{origin}: unknown setting {key!r}.", f"No setting named {key!r}"
            raise ConfigError(text, message=message, noun="setting", place=key, tip=tip)
        if not isinstance(value, Mapping):
            message = f"{key!r} is a table, not {value!r}"
            raise ConfigError(f"{origin}: {message}.", message=message, place=key)
        yield from flatten_table(value, origin, recipes, f"{key}.")


# The lines of overture.toml that make a recipe read more.


def make_filenames_line(names: tuple[str, ...], name: str) -> str:
    """The line that adds a name to those of the project files."""
    return f"features.context.filenames = {json.dumps([*dict.fromkeys((*names, name))], ensure_ascii=False)}"


def make_skill_folders_line(named: Iterable[str], more: Iterable[str], base: str, home: str) -> str:
    """The line that adds skill folders to those already named, for a file in `base`."""
    paths = dict.fromkeys((*named, *more))
    homely = {path: f"~{path[len(home.rstrip('/')) :]}" if contains_path(home, path) else path for path in paths}
    shown = [relpath(path, base) if contains_path(base, path) else homely[path] for path in paths]
    return f"features.skills.extra_dirs = {json.dumps(shown, ensure_ascii=False)}"
