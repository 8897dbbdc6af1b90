"""Google's ADK, with a model that answers from a script."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from overture import Session
from overture.integrations.google_adk import OverturePlugin, list_declarations

from ..contract import Run, SeenMessage, SeenRequest, SeenTool, Step

MODEL = "gemini-3.1-pro-preview"
KEEPS_INSTRUCTIONS = True


class Script(BaseLlm):
    """A model that answers step by step, and keeps what it was sent."""

    model: str = MODEL
    steps: list[Any] = []
    seen: list[Any] = []
    has_ids: bool = True
    """Whether its calls have ids; Gemini's have none."""

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncIterator[LlmResponse]:
        """The next answer, in pieces where it is streamed."""
        self.seen.append(read_request(llm_request))
        step = self.steps[len(self.seen) - 1]
        if isinstance(step, Exception):
            raise step
        parts = [types.Part(text=step.text)] if step.text else []
        for index, (name, args) in enumerate(step.calls):
            id = f"call-{len(self.seen)}-{index}" if self.has_ids else None
            call = types.FunctionCall(id=id, name=name, args=args)
            parts.append(types.Part(function_call=call))
        into, out, cached, _ = step.usage
        usage = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=into, candidates_token_count=out, cached_content_token_count=cached
        )
        if stream:
            for letter in step.text:
                content = types.Content(role="model", parts=[types.Part(text=letter)])
                yield LlmResponse(content=content, partial=True, usage_metadata=usage)
        yield LlmResponse(content=types.Content(role="model", parts=parts), usage_metadata=usage)


def read_request(request: LlmRequest) -> SeenRequest:
    """A request as the model got it."""
    tools = [SeenTool(each.name, each.description or "", read_schema(each)) for each in list_declarations(request)]
    rows: list[SeenMessage] = []
    for content in request.contents:
        for part in content.parts or ():
            if part.function_response:
                value = (part.function_response.response or {}).get("result")
                rows.append(SeenMessage("tool", value if isinstance(value, str) else json.dumps(value)))
            else:
                rows.append(SeenMessage("assistant" if content.role == "model" else "user", part.text or ""))
    return SeenRequest(str(request.config.system_instruction or ""), tuple(rows), tuple(tools))


def read_schema(declaration: Any) -> dict[str, Any]:
    """The schema of a tool, in either of its forms."""
    if declaration.parameters_json_schema:
        return dict(declaration.parameters_json_schema)
    return declaration.parameters.model_dump(mode="json", exclude_none=True) if declaration.parameters else {}


def make_runner(
    session: Session, script: Script, tools: Sequence[Callable[..., Any]] = (), instructions: str = "", **more: Any
) -> InMemoryRunner:
    """A runner with the plugin."""
    agent = LlmAgent(name="lead", model=script, tools=list(tools), instruction=instructions, **more)
    return InMemoryRunner(app=App(name="contract", root_agent=agent, plugins=[OverturePlugin(session)]))


async def ask(runner: InMemoryRunner, user: str, name: str = "one", stream: bool = False) -> str:
    """The text that comes of a run, in a session of ADK's that goes on."""
    service = runner.session_service
    if await service.get_session(app_name="contract", user_id="me", session_id=name) is None:
        await service.create_session(app_name="contract", user_id="me", session_id=name)
    config = RunConfig(streaming_mode=StreamingMode.SSE if stream else StreamingMode.NONE)
    message = types.Content(role="user", parts=[types.Part(text=user)])
    texts: list[str] = []
    async for event in runner.run_async(user_id="me", session_id=name, new_message=message, run_config=config):
        if bool(event.partial) == stream and event.content:
            texts += [part.text for part in event.content.parts or () if part.text]
    return "".join(texts) if stream else (texts or [""])[-1]


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
    """Run an agent with the plugin."""
    script = history[1] if history else Script()
    before = len(script.seen)
    script.steps.extend(steps)
    runner = history[0] if history else make_runner(session, script, tools, instructions)
    answer = asyncio.run(ask(runner, user, stream=stream))
    return Run(tuple(script.seen[before:]), answer, (runner, script))
