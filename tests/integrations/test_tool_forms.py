"""Tools of agent frameworks are read as the framework itself sends them to a model; runs where a framework is there."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NotRequired, TypedDict

import pytest

from overture import Session, State, StateError, build, render, tools_from
from overture.testing import FakeWorld

Sent = dict[str, Any]
"""Name, description and schema of a tool in a request."""


def search(query: str, limit: int = 5, tags: list[str] | None = None) -> str:
    """Search the docs.

    Args:
        query: What to look for.
        limit: How many.
        tags: Only these.

    """
    raise AssertionError("a tool is called while it is described")


def check_taken(tool: Any, sent: Sent) -> None:
    """Every way into Overture has the name, the description and the schema that the framework sends."""
    (taken,) = tools_from([tool])
    assert {"name": taken.name, "description": taken.description, "parameters": taken.parameters} == sent
    assert State(tools=(tool,)).tools == State.from_dict({"tools": [tool]}).tools == (taken,)
    live = Session("house", tools=[tool], world=FakeWorld({"/p/AGENTS.md": "Rules."}), cwd="/p", home="/h")
    other = Session("house", tools=[], world=FakeWorld({"/p/AGENTS.md": "Rules."}), cwd="/p", home="/h")
    other.register(tool)
    body = render("openai-chat", build("house", State()), tools=[tool])
    assert live.turn("Go").tools == other.turn("Go").tools == (taken,)
    function = body["tools"][0]["function"]
    assert [function[key] for key in ("name", "parameters")] == [sent["name"], sent["parameters"]]


# openai-agents


def agents_sends(tool: Any) -> Sent:
    """What the Responses model of the framework puts into a request."""
    from agents.models.openai_responses import Converter

    (form,) = Converter.convert_tools([tool], []).tools
    return {key: dict(form)[key] for key in ("name", "description", "parameters")}


@pytest.mark.parametrize("strict", [True, False])
def test_openai_agents_function_tools(strict: bool) -> None:
    """A FunctionTool is what the Responses model sends, with its `strict`."""
    agents = pytest.importorskip("agents.tool")
    tool = agents.function_tool(search, strict_mode=strict)
    check_taken(tool, agents_sends(tool))
    assert tools_from([tool])[0].strict is (True if strict else None)


def test_openai_agents_hosted_tools_are_refused() -> None:
    """A tool that the provider runs has no schema, and is refused by its index."""
    agents = pytest.importorskip("agents.tool")
    with pytest.raises(StateError, match=r"\[0\]: expected an object that describes a tool"):
        tools_from([agents.WebSearchTool()])


# pydantic-ai


def pydantic_ai_sends(tool: Any) -> Sent:
    """What the framework's own test model is given."""
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    seen: list[Any] = []

    def answer(messages: list[Any], info: AgentInfo) -> ModelResponse:
        seen.extend(info.function_tools)
        return ModelResponse(parts=[TextPart("done")])

    asyncio.run(Agent(FunctionModel(answer), tools=[tool]).run("Go"))
    (form,) = seen
    return {"name": form.name, "description": form.description, "parameters": form.parameters_json_schema}


@pytest.mark.parametrize("options", [{}, {"include_return_schema": True}, {"name": "find", "description": "Finds."}])
def test_pydantic_ai_tools(options: dict[str, Any]) -> None:
    """A Tool and its ToolDefinition are what a model of the framework is given."""
    pydantic_ai = pytest.importorskip("pydantic_ai")
    tool = pydantic_ai.Tool(search, **options)
    sent = pydantic_ai_sends(tool)
    check_taken(tool, sent)
    check_taken(tool.tool_def, sent)


# Claude Agent SDK


class Inner(TypedDict):
    port: str


class Arguments(TypedDict):
    query: Annotated[str, "What to look for."]
    limit: NotRequired[int]
    tags: list[str] | None
    where: Inner
    either: int | str
    map: dict[str, int]


SDK_SCHEMAS: dict[str, Any] = {
    "json": {"type": "object", "properties": {"query": {"type": "string"}}, "additionalProperties": False},
    "types": {"query": str, "limit": int, "share": float, "deep": bool, "tags": list[str], "any": list, "map": dict},
    "notes": {"query": Annotated[str, "What."], "type": str, "when": object},
    "typed dict": Arguments,
    "empty": {},
    "class": str,
}


@pytest.mark.parametrize("schema", SDK_SCHEMAS.values(), ids=SDK_SCHEMAS)
def test_claude_agent_sdk_tools(schema: Any) -> None:
    """An SdkMcpTool is what the SDK's in-process server lists, whatever its schema is written as."""
    sdk = pytest.importorskip("claude_agent_sdk")
    mcp = pytest.importorskip("mcp")

    async def handle(args: Any) -> Any:
        raise AssertionError("called")

    tool = sdk.tool("search", "Search the docs.", schema)(handle)
    server = sdk.create_sdk_mcp_server("docs", tools=[tool])

    async def listed() -> Any:
        async with mcp.Client(server["instance"]) as client:
            return (await client.list_tools()).tools[0]

    form = asyncio.run(listed())
    check_taken(tool, {"name": form.name, "description": form.description, "parameters": form.input_schema})


# LangChain


def langchain_tools() -> dict[str, Callable[[], Any]]:
    """Tools as LangChain makes them: of a function, a model, a dict, a class, and of one text."""

    def of_function() -> Any:
        from langchain_core.tools import tool

        return tool(search)

    def of_model() -> Any:
        from langchain_core.tools import StructuredTool
        from pydantic import BaseModel, Field

        class Port(BaseModel):
            """A port."""

            title: str = Field(description="Its name.")
            near: "list[Port] | None" = None

        class Query(BaseModel):
            """What to look for."""

            port: Port
            others: list[Port] = []

        return StructuredTool.from_function(search, name="find", description="Finds.", args_schema=Query)

    def of_dict() -> Any:
        from langchain_core.tools import StructuredTool

        schema = {"title": "Find", "type": "object", "properties": {"title": {"type": "string", "title": "T"}}}
        return StructuredTool.from_function(search, name="find", description="Finds.", args_schema=schema)

    def of_class() -> Any:
        from langchain_core.tools import BaseTool

        class Find(BaseTool):  # type: ignore[misc]
            name: str = "find"
            description: str = "Finds."

            def _run(self, query: str) -> str:
                raise AssertionError("called")

        return Find()

    def of_one_text() -> Any:
        from langchain_core.tools import Tool

        return Tool("find", search, "Finds.")

    return {"function": of_function, "model": of_model, "dict": of_dict, "class": of_class, "text": of_one_text}


@pytest.mark.parametrize("make", langchain_tools().values(), ids=langchain_tools())
def test_langchain_tools(make: Callable[[], Any]) -> None:
    """A BaseTool is what a chat model of LangChain binds."""
    pytest.importorskip("langchain_core")
    from langchain_core.utils.function_calling import convert_to_openai_tool

    tool = make()
    check_taken(tool, convert_to_openai_tool(tool)["function"])


# MCP


def test_mcp_tools() -> None:
    """A Tool, a page of them, and what the official client lists are what the server says."""
    mcp = pytest.importorskip("mcp")
    mcp_server = pytest.importorskip("mcp.server.mcpserver")
    server = mcp_server.MCPServer("docs")
    server.tool(structured_output=False)(search)

    async def listed() -> Any:
        async with mcp.Client(server) as client:
            return await client.list_tools()

    page = asyncio.run(listed())
    (tool,) = page.tools
    check_taken(tool, {"name": tool.name, "description": tool.description, "parameters": tool.input_schema})
    assert tools_from(page) == tools_from([tool])
    with pytest.raises(StateError, match="nextCursor"):
        tools_from(page.model_copy(update={"next_cursor": "c"}))


# Google ADK and google-genai


def adk_sends(tool: Any) -> Any:
    """The declaration in the request that a model of the framework gets."""
    from google.adk.agents import LlmAgent
    from google.adk.models import BaseLlm, LlmResponse
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    seen: list[Any] = []

    class Fake(BaseLlm):  # type: ignore[misc]
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
            seen.extend(llm_request.config.tools)
            yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text="done")]))

    agent = LlmAgent(name="a", model=Fake(model="fake"), tools=[tool])
    asyncio.run(InMemoryRunner(agent=agent, app_name="x").run_debug("hi", quiet=True))
    return seen[0]


@pytest.mark.filterwarnings("ignore")
def test_google_adk_tools() -> None:
    """A FunctionTool is what the request of ADK declares; google-genai's Tool and FunctionDeclaration are the same."""
    adk = pytest.importorskip("google.adk.tools")
    tool = adk.FunctionTool(search)
    wrapped = adk_sends(tool)
    (form,) = wrapped.function_declarations
    sent = {"name": form.name, "description": form.description, "parameters": form.parameters_json_schema}
    for each in (tool, wrapped, form):
        check_taken(each, sent)


@pytest.mark.filterwarnings("ignore")
def test_google_adk_tools_without_a_declaration() -> None:
    """A tool that Google runs is refused by its name."""
    adk = pytest.importorskip("google.adk.tools")
    with pytest.raises(StateError, match="'google_search' has no function"):
        tools_from([adk.google_search])


def test_google_genai_schemas_are_json_schema() -> None:
    """A declaration in Gemini's own words is the JSON Schema that they stand for."""
    types = pytest.importorskip("google.genai.types")
    words = types.Schema(type="OBJECT", properties={"q": types.Schema(type="STRING")}, required=["q"])
    form = types.FunctionDeclaration(name="find", description="Finds.", parameters=words)
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    for each in (form, types.Tool(function_declarations=[form])):
        check_taken(each, {"name": "find", "description": "Finds.", "parameters": schema})
    two = types.Tool(function_declarations=[form, form.model_copy(update={"name": "get"})])
    assert [tool.name for tool in State.from_dict({"tools": [two]}).tools] == ["find", "get"]


def test_a_mixed_list_keeps_its_order() -> None:
    """Tools of several frameworks, functions and dicts may stand in one list."""
    pydantic_ai = pytest.importorskip("pydantic_ai")
    langchain = pytest.importorskip("langchain_core.tools")
    mcp: Mapping[str, Any] = {"name": "m", "inputSchema": {"type": "object"}}
    mixed = [mcp, pydantic_ai.Tool(search, name="p"), search, langchain.tool("l")(search)]
    assert [tool.name for tool in tools_from(mixed)] == ["m", "p", "search", "l"]
    assert json.dumps(State(tools=tuple(mixed)).to_dict())
