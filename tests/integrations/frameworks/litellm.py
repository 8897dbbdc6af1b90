"""LiteLLM, with a CustomLLM as its model, and the loop that LiteLLM leaves to its users."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import litellm
from litellm.types.utils import GenericStreamingChunk, ModelResponse

from overture import Session
from overture.integrations.litellm import completion
from overture.session.change_session import unregister_tools
from overture.session.session import get_parts

from ..contract import Run, SeenMessage, SeenRequest, SeenTool, Step

MODEL = "claude-opus-5"
KEEPS_INSTRUCTIONS = False
CANNOT = {"test_async_hooks_run_on_the_framework_s_loop": "the loop of the test is not async"}


class Script(litellm.CustomLLM):
    """A model that answers step by step, and keeps what it was sent."""

    def __init__(self, steps: Sequence[Step]) -> None:
        super().__init__()
        self.steps = list(steps)
        self.seen: list[SeenRequest] = []

    def _take(self, keywords: dict[str, Any]) -> Step:
        messages = keywords["messages"]
        rows = [SeenMessage(m["role"], _join(m.get("content"))) for m in messages]
        tools = [each["function"] for each in keywords["optional_params"].get("tools") or ()]
        seen_tools = [SeenTool(each["name"], each["description"], each["parameters"]) for each in tools]
        self.seen.append(SeenRequest(rows[0].text, tuple(rows[1:]), tuple(seen_tools)))
        return self.steps[len(self.seen) - 1]

    def completion(self, *_: Any, **keywords: Any) -> ModelResponse:
        """A whole answer."""
        step = self._take(keywords)
        into, out, cached, written = step.usage
        calls = [
            {
                "id": f"call-{len(self.seen)}-{i}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(args)},
            }
            for i, (name, args) in enumerate(step.calls)
        ]
        message = {"role": "assistant", "content": step.text or None, **({"tool_calls": calls} if calls else {})}
        return ModelResponse(
            model=MODEL,
            choices=[{"index": 0, "finish_reason": "stop", "message": message}],
            usage={
                "prompt_tokens": into,
                "completion_tokens": out,
                "total_tokens": into + out,
                "prompt_tokens_details": {"cached_tokens": cached, "cache_creation_tokens": written},
            },
        )

    def streaming(self, *_: Any, **keywords: Any) -> Iterator[GenericStreamingChunk]:
        """The same in pieces."""
        step = self._take(keywords)
        into, out, *_rest = step.usage
        usage = {"prompt_tokens": into, "completion_tokens": out, "total_tokens": into + out}
        yield GenericStreamingChunk(
            text=step.text, tool_use=None, is_finished=True, finish_reason="stop", usage=usage, index=0
        )


def _join(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block["text"] for block in content or ())


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
    """Answer the user with the model and these tools."""
    script = Script(steps)
    litellm.custom_provider_map = [{"provider": "script", "custom_handler": script}]
    functions = {each.__name__: each for each in tools}
    for tool in session.prompt.state.tools:
        if tool.name not in functions and tool.name != "use_skill":
            unregister_tools(get_parts(session), [tool.name])
    known = {tool.name for tool in session.prompt.state.tools if tool.parameters is None}  # given with the session
    session.register(*(each for each in tools if each.__name__ not in known))
    prompt: str | None = user
    model = f"script/{MODEL}"
    while True:
        response = completion(session, prompt, model=model, stream=stream)
        if stream:
            answer = "".join(chunk.choices[0].delta.content or "" for chunk in response)
            return Run(tuple(script.seen), answer)
        prompt, calls = None, session.messages[-1].calls
        if not calls:
            return Run(tuple(script.seen), session.messages[-1].text, session)
        for call in calls:
            if not session.answer(call):
                session.result(call, functions[call.name](**call.arguments))
