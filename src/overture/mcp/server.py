"""The MCP server: six tools that only read, recipes as prompts, all about one folder and its subfolders.

Each call runs a command in a process of its own: the answer is the command's output for the files as they are now,
and the server survives any failure of it.
"""

import os
import sys
from subprocess import DEVNULL
from typing import Any

import anyio
import mcp_types as types
import msgspec
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from ..errors import ConfigError, OvertureError, explain_unknown
from ..model.struct import convert_data, explain_error
from ..version import __version__
from .tool_calls import OUTPUT_TYPES, TOOL_CALLS, BuildCall, ToolCall, WhyCall, make_object_schema

INSTRUCTIONS = (
    "Answers questions about the files that steer coding agents in this repository (AGENTS.md, CLAUDE.md, rules, "
    "skills): which agent loads them, why one does not, which problems they have, and how many tokens they use. "
    "Nothing is written."
)
READ_ONLY = types.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
NOT_FOUND_NOTE = "No file or skill with that name here."
CWD = types.PromptArgument(name="cwd", description="a folder below the server's start folder")
Context = ServerRequestContext[Any]
Page = types.PaginatedRequestParams | None


MAX_COMMAND_SECONDS = 120

MAX_PROCESSES = 2
"""Commands that run at the same time."""

MAX_RESULT_CHARS = 60_000
"""Characters of JSON in one result: some 20,000 tokens, about what clients take."""

FIRST_LIMIT = 4096
"""Items of a list, and four times as many characters of a text: halved until the result fits."""


CommandResult = tuple[Any, int]
"""The JSON that a command printed, or its text; and its exit code."""


def serve_mcp(folder: str) -> None:
    """Answer on standard input and output until the input ends."""

    async def run() -> None:
        server = make_server(folder)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(run)


def make_server(folder: str) -> Server[Any]:
    """The server for a folder, by its real path."""
    requests = FolderRequests(folder)
    return Server(
        "overture", version=__version__, instructions=INSTRUCTIONS,
        on_list_tools=requests.list_tools, on_call_tool=requests.call_tool,
        on_list_prompts=requests.list_prompts, on_get_prompt=requests.get_prompt,
    )  # fmt: skip


class FolderRequests:
    """The requests that the server takes, each answered by a command that runs in the folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.limiter = anyio.CapacityLimiter(MAX_PROCESSES)

    async def list_tools(self, context: Context, params: Page) -> types.ListToolsResult:
        """The six tools, in the same order each time."""
        tools = [
            types.Tool(
                name=name,
                description=call.about,
                input_schema=make_object_schema(call),
                output_schema=make_object_schema(*OUTPUT_TYPES[name]),
                annotations=READ_ONLY,
            )
            for name, call in TOOL_CALLS.items()
        ]
        return types.ListToolsResult(tools=tools)

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """The JSON of the command; a failure is a text."""
        try:
            if params.name not in TOOL_CALLS:
                raise ConfigError(explain_unknown("Tool", params.name, TOOL_CALLS))
            call = convert_call(TOOL_CALLS[params.name], params.arguments or {})
            result = await self.run(call, call.make_words())
        except OvertureError as problem:
            return types.CallToolResult(content=[types.TextContent(text=str(problem))], is_error=True)
        return make_result(call, result)

    async def list_prompts(self, context: Context, params: Page) -> types.ListPromptsResult:
        """The recipes of the folder, without the agents, which `get_prompt` knows too."""
        try:
            rows, _ = await run_command_for_tool(["recipes", "--json"], self.folder, self.limiter)
        except OvertureError as problem:
            raise MCPError(types.INTERNAL_ERROR, str(problem)) from None
        recipes = [row for row in rows if not row["agent"]]
        return types.ListPromptsResult(
            prompts=[types.Prompt(name=row["name"], description=row["about"], arguments=[CWD]) for row in recipes]
        )

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """The system prompt that a recipe builds here."""
        try:
            call = convert_call(BuildCall, {**(params.arguments or {}), "recipe": params.name})
            printed, _ = await self.run(call, ["build", "--", params.name], text=True)
        except OvertureError as problem:
            raise MCPError(types.INVALID_PARAMS, str(problem)) from None
        text = printed.rstrip("\n")
        if len(text) > MAX_RESULT_CHARS:
            text = f"{text[:MAX_RESULT_CHARS]}\n[Truncated: `overture build {params.name}` prints all of it.]"
        content = types.TextContent(text=text)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    async def run(self, call: ToolCall, words: list[str], *, text: bool = False) -> CommandResult:
        """Run the command of a call in its folder; a value that names a file outside is an error, and is not read."""
        folder = self.find_folder(call.cwd)
        for value in call.list_paths():
            if not self.holds(_resolve_real_path(folder, os.path.expanduser(value))):
                raise ConfigError(f"{value!r} is outside {self.folder}.", hint="Pass a recipe, or a file below it.")
        return await run_command_for_tool(words, folder, self.limiter, text=text)

    def find_folder(self, name: str) -> str:
        """The real path of a folder at or below the server's."""
        path = _resolve_real_path(self.folder, name)
        if not self.holds(path):
            raise ConfigError(f"{name!r} is outside {self.folder}.", hint="Pass a folder below it.")
        if not os.path.isdir(path):
            raise ConfigError(f"{name!r} is not a folder in {self.folder}.", hint="Pass a folder that exists.")
        return path

    def holds(self, path: str) -> bool:
        """Whether a real path is the folder or is below it."""
        return os.path.commonpath((self.folder, path)) == self.folder


def _resolve_real_path(folder: str, name: str) -> str:
    try:
        return os.path.realpath(os.path.join(folder, name))
    except (OSError, ValueError) as problem:
        raise ConfigError(f"{name!r:.80} is not a path: {problem}.") from None


def convert_call(kind: type[ToolCall], arguments: dict[str, Any]) -> ToolCall:
    """Arguments in the type of their tool."""
    try:
        return convert_data(arguments, kind)
    except msgspec.ValidationError as problem:
        raise ConfigError(explain_error(problem, kind, arguments)) from None


def make_result(call: ToolCall, result: CommandResult) -> types.CallToolResult:
    """The command's JSON, as data and as text; a list, which the protocol does not take, under `result`."""
    data, code = result
    shown, is_short = shorten_data({"result": data} if isinstance(data, list) else data)
    notes = [f"Shortened: lists and texts of this result are incomplete. {call.more}"] if is_short else []
    notes += [NOT_FOUND_NOTE] if isinstance(call, WhyCall) and code else []
    texts = [*notes, msgspec.json.encode(shown).decode()]
    content: list[types.ContentBlock] = [types.TextContent(text=text) for text in texts]
    return types.CallToolResult(content=content, structured_content=shown)


async def run_command_for_tool(
    words: list[str], folder: str, limiter: anyio.CapacityLimiter, *, text: bool = False
) -> CommandResult:
    """The JSON that a command prints in this folder, or its text. What it complains of is a ConfigError."""
    # -P: modules in the working directory are not imported.
    command = [sys.executable, "-P", "-m", "overture", *words]
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONUTF8": "1"}
    try:
        async with limiter:
            with anyio.fail_after(MAX_COMMAND_SECONDS):
                done = await anyio.run_process(command, cwd=folder, stdin=DEVNULL, check=False, env=environment)
    except TimeoutError:
        raise ConfigError(f"No response within {MAX_COMMAND_SECONDS} seconds.", hint="Use a smaller folder.") from None
    except (OSError, ValueError) as problem:
        raise ConfigError(f"The command can't be run: {problem}.", hint="Pass shorter, printable values.") from None
    try:
        if done.stdout:  # also of a path that does not exist: exit code 2, with data
            data = done.stdout.decode() if text else msgspec.json.decode(done.stdout)
            return data, done.returncode
    except ValueError:
        pass
    raise ConfigError(explain_failure(done.stderr.decode("utf-8", "replace"), done.returncode))


def explain_failure(stderr: str, code: int) -> str:
    """Why a tool call failed: what its command printed on standard error, without warnings; never a traceback."""
    lines = [line for line in stderr.splitlines() if not line.startswith(("warning: ", "info: "))]
    start = next((index for index, line in enumerate(lines) if line.startswith("error: ")), None)
    if start is None:
        return f"The command ended with exit code {code} and without a result."
    return "\n".join(lines[start:]).removeprefix("error: ")[:MAX_RESULT_CHARS]


def shorten_data(data: Any) -> tuple[Any, bool]:
    """The data, with shorter lists and texts if it is too long for one result; and whether it is."""
    limit, shown = FIRST_LIMIT, data
    while len(msgspec.json.encode(shown)) > MAX_RESULT_CHARS and limit > 1:
        limit //= 2
        shown = _limit_items(data, limit)
    return shown, shown is not data


def _limit_items(value: Any, limit: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= 4 * limit else f"{value[: 4 * limit]}…"
    if isinstance(value, list):
        return [_limit_items(item, limit) for item in value[:limit]]
    return {key: _limit_items(item, limit) for key, item in value.items()} if isinstance(value, dict) else value
