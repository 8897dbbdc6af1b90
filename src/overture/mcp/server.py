"""The MCP server: six tools that only read, recipes as prompts, all about one folder and what lies below it."""

import os
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
from .run_command import MAX_PROCESSES, MAX_RESULT_CHARS, CommandResult, run_command, shorten_data
from .tools import OUTPUT_TYPES, TOOL_CALLS, BuildCall, ToolCall, WhyCall, make_object_schema

INSTRUCTIONS = (
    "Answers questions about the files that steer coding agents in this repository (AGENTS.md, CLAUDE.md, rules, "
    "skills): which agent loads them, why one does not, which problems they have, and how many tokens they use. "
    "Nothing is written."
)
READ_ONLY = types.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
NOT_THERE = "No file or skill with that name here."
CWD = types.PromptArgument(name="cwd", description="a folder below the server's start folder")
Context = ServerRequestContext[Any]
Page = types.PaginatedRequestParams | None


def serve(folder: str) -> None:
    """Answer on standard input and output until the input ends."""

    async def run() -> None:
        server = make_server(folder)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(run)


def make_server(folder: str) -> Server[Any]:
    """The server for a folder, given by its real path."""
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
        return types.ListToolsResult(tools=[make_tool(name) for name in TOOL_CALLS])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """The JSON of the command; what goes wrong is a text."""
        try:
            call = read_call(params.name, params.arguments or {})
            result = await self.run(call, call.make_words())
        except OvertureError as problem:
            return types.CallToolResult(content=[types.TextContent(text=str(problem))], is_error=True)
        return make_result(call, result)

    async def list_prompts(self, context: Context, params: Page) -> types.ListPromptsResult:
        """The recipes of the folder, without the agents, which `get_prompt` knows too."""
        try:
            rows = (await run_command(["recipes", "--json"], self.folder, self.limiter)).data
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
            text = (await self.run(call, ["build", "--", params.name], text=True)).data.rstrip("\n")
        except OvertureError as problem:
            raise MCPError(types.INVALID_PARAMS, str(problem)) from None
        if len(text) > MAX_RESULT_CHARS:
            text = f"{text[:MAX_RESULT_CHARS]}\n[Truncated: `overture build {params.name}` prints all of it.]"
        content = types.TextContent(text=text)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    async def run(self, call: ToolCall, words: list[str], *, text: bool = False) -> CommandResult:
        """Run the command of a call in its folder."""
        folder = self.find_folder(call.cwd)
        for value in call.list_paths():
            self.check_path(folder, value)
        return await run_command(words, folder, self.limiter, text=text)

    def find_folder(self, name: str) -> str:
        """The real path of a folder at or below the server's."""
        path = _resolve_real_path(self.folder, name)
        if not self.holds(path):
            raise ConfigError(f"{name!r} is outside {self.folder}.", hint="Pass a folder below it.")
        if not os.path.isdir(path):
            raise ConfigError(f"{name!r} is not a folder in {self.folder}.", hint="Pass a folder that exists.")
        return path

    def check_path(self, folder: str, value: str) -> None:
        """A value that names a file outside is an error: it is not read."""
        if not self.holds(_resolve_real_path(folder, os.path.expanduser(value))):
            raise ConfigError(f"{value!r} is outside {self.folder}.", hint="Pass a recipe, or a file below it.")

    def holds(self, path: str) -> bool:
        """Whether a real path is the folder or lies below it."""
        return os.path.commonpath((self.folder, path)) == self.folder


def _resolve_real_path(folder: str, name: str) -> str:
    try:
        return os.path.realpath(os.path.join(folder, name))
    except (OSError, ValueError) as problem:
        raise ConfigError(f"{name!r:.80} is not a path: {problem}.") from None


def make_tool(name: str) -> types.Tool:
    """A tool with the schemas of its arguments and of its result."""
    call = TOOL_CALLS[name]
    return types.Tool(
        name=name,
        description=call.about,
        input_schema=make_object_schema(call),
        output_schema=make_object_schema(*OUTPUT_TYPES[name]),
        annotations=READ_ONLY,
    )


def read_call(name: str, arguments: dict[str, Any]) -> ToolCall:
    """The call of a tool; an unknown tool, and arguments that do not fit, are errors."""
    if name not in TOOL_CALLS:
        raise ConfigError(explain_unknown("Tool", name, TOOL_CALLS))
    return convert_call(TOOL_CALLS[name], arguments)


def convert_call(kind: type[ToolCall], arguments: dict[str, Any]) -> ToolCall:
    """Arguments in the type of their tool."""
    try:
        return convert_data(arguments, kind)
    except msgspec.ValidationError as problem:
        raise ConfigError(explain_error(problem, kind, arguments)) from None


def make_result(call: ToolCall, result: CommandResult) -> types.CallToolResult:
    """The command's JSON, as data and as text; a list, which the protocol does not take, under `result`."""
    data = {"result": result.data} if isinstance(result.data, list) else result.data
    shown, is_short = shorten_data(data)
    notes = [f"Shortened: lists and texts of this result are incomplete. {call.more}"] if is_short else []
    notes += [NOT_THERE] if isinstance(call, WhyCall) and result.code else []
    texts = [*notes, msgspec.json.encode(shown).decode()]
    content: list[types.ContentBlock] = [types.TextContent(text=text) for text in texts]
    return types.CallToolResult(content=content, structured_content=shown)
