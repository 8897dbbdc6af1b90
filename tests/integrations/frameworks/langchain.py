"""LangChain, with a chat model that answers from a script."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from overture import Session
from overture.integrations.langchain import OvertureMiddleware

from ..contract import Run, SeenMessage, SeenRequest, SeenTool, Step

MODEL = "claude-opus-5"
KEEPS_INSTRUCTIONS = True


class Script(BaseChatModel):
    """A chat model that answers step by step, and keeps what it was sent."""

    steps: list[Any]
    seen: list[Any] = []
    raw: list[Any] = []
    vendor: str = "anthropic"

    @property
    def _llm_type(self) -> str:
        return "script"

    def _get_ls_params(self, stop: Any = None, **more: Any) -> Any:
        return {"ls_provider": self.vendor, "ls_model_name": MODEL}

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        """The model with tools, in the form that most providers take."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _answer(self, messages: list[BaseMessage], tools: list[Any]) -> AIMessage:
        forms = [tool["function"] for tool in tools]
        offered = tuple(SeenTool(form["name"], form["description"], form["parameters"]) for form in forms)
        system = "".join(read_text(each) for each in messages if isinstance(each, SystemMessage))
        rows = [SeenMessage(ROLES[type(each)], read_text(each)) for each in messages if type(each) in ROLES]
        self.raw.append(messages)
        self.seen.append(SeenRequest(system, tuple(rows), offered))
        step = self.steps[len(self.seen) - 1]
        if isinstance(step, Exception):
            raise step
        into, out, cached, written = step.usage
        return AIMessage(
            content=step.text,
            tool_calls=[
                {"name": name, "args": args, "id": f"call-{len(self.seen)}-{index}"}
                for index, (name, args) in enumerate(step.calls)
            ],
            usage_metadata={
                "input_tokens": into,
                "output_tokens": out,
                "total_tokens": into + out,
                "input_token_details": {
                    "cache_read": cached,
                    "cache_creation": 0,
                    "ephemeral_5m_input_tokens": written,
                },
            },
            response_metadata={"model_name": MODEL},
        )

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **more: Any) -> Any:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages, more.get("tools", [])))])

    def _stream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **more: Any
    ) -> Iterator[ChatGenerationChunk]:
        whole = self._answer(messages, more.get("tools", []))
        for letter in str(whole.content):
            yield ChatGenerationChunk(message=AIMessageChunk(content=letter))
        last = AIMessageChunk(
            content="", usage_metadata=whole.usage_metadata, response_metadata=whole.response_metadata
        )
        yield ChatGenerationChunk(message=last)


ROLES = {HumanMessage: "user", AIMessage: "assistant", ToolMessage: "tool"}


def read_text(message: BaseMessage) -> str:
    """All texts of a message, as they stand side by side."""
    if isinstance(message.content, str):
        return message.content
    return "".join(each if isinstance(each, str) else each.get("text", "") for each in message.content)


def make_agent(
    session: Session, model: Any, tools: Sequence[Callable[..., Any]] = (), instructions: str = "", **more: Any
) -> Any:
    """An agent with the middleware."""
    return create_agent(
        model,
        [StructuredTool.from_function(tool) for tool in tools],
        system_prompt=instructions or None,
        middleware=[OvertureMiddleware(session)],
        **more,
    )


def run(
    session: Session,
    user: str,
    steps: Sequence[Step],
    tools: Sequence[Callable[..., Any]] = (),
    *,
    instructions: str = "",
    history: Any = None,
    stream: bool = False,
) -> Run:
    """Run an agent with the middleware."""
    script = Script(steps=list(steps))
    agent = make_agent(session, script, tools, instructions)
    state = {"messages": [*(history or ()), HumanMessage(user)]}
    if stream:
        pieces = [piece.text for piece, _ in agent.stream(state, stream_mode="messages")]
        return Run(tuple(script.seen), "".join(pieces))
    result = asyncio.run(agent.ainvoke(state))
    return Run(tuple(script.seen), result["messages"][-1].text, result["messages"])
