"""The Claude Agent SDK: its own Claude Code, against a server on loopback that answers from a script."""

import asyncio
import os
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

from claude_agent_sdk import AssistantMessage, ClaudeSDKClient, ResultMessage, TextBlock

from overture import Session
from overture.integrations.claude_agent_sdk import note_usage, options

from ..contract import Run, SeenMessage, SeenRequest, SeenTool, Step
from .anthropic_server import Answers, serve

MODEL = "claude-opus-5"
KEEPS_INSTRUCTIONS = True
FIXED = "Claude Code writes the requests: the prompt is fixed for a connection"
OWN_TOOLS = ("DeferredToolPlaceholder",)
OWN_TEXTS = "<total_tokens>"
"""What Claude Code adds by itself."""
CANNOT = {
    "test_a_file_that_is_edited_is_in_the_next_request": f"{FIXED}; a change is told with the user's next prompt",
    "test_a_change_that_is_told_keeps_the_prefix": f"{FIXED}; a change is told with the user's next prompt",
    "test_a_request_is_one_span": "Claude Code writes the requests; a connection and a prompt of the user are one each",
    "test_every_character_has_a_source": f"{FIXED}; last_request holds the prompt and the user's last words",
    "test_a_hook_edits_the_prompt_until_the_user_s_next_words": f"{FIXED}; an edit is told with the user's prompt",
    "test_two_conversations_have_their_own_edits": f"{FIXED}; an edit is told with the user's prompt",
    "test_a_context_hook_changes_what_is_sent": "Claude Code keeps the messages, and shows them to nobody",
    "test_a_context_hook_drops_messages": "Claude Code keeps the messages, and shows them to nobody",
    "test_async_hooks_run_on_the_framework_s_loop": "hooks run once for a prompt of the user's",
    "test_templates_and_skills_of_the_user_are_filled": "Claude Code reads what begins with a slash itself",
    "test_usage_comes_back": "the record has one entry for a prompt of the user's, not one for each request",
}


def read_text(content: Any) -> str:
    """The text of a message's content."""
    if isinstance(content, str):
        return content
    return "".join(read_text(each.get("text") or each.get("content") or "") for each in content)


def read_request(body: dict[str, Any]) -> SeenRequest:
    """A request as Anthropic would get it."""
    rows: list[SeenMessage] = []
    for message in body["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            role = "tool" if block["type"] == "tool_result" else message["role"].replace("system", "user")
            if not read_text([block]).startswith(OWN_TEXTS):
                rows.append(SeenMessage(role, read_text([block])))
    own = [each for each in body["tools"] if each["name"] not in OWN_TOOLS]
    tools = tuple(SeenTool(each["name"], each["description"], each["input_schema"]) for each in own)
    return SeenRequest("\n\n".join(each["text"] for each in body["system"]), tuple(rows), tools)


async def ask(session: Session, user: str, address: str, functions: Sequence[Any], **more: Any) -> tuple[str, str]:
    """The answer of a client, and the id of its conversation."""
    home = more.pop("home")
    env = {
        "ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "none", "HOME": home, "CLAUDE_CONFIG_DIR": home,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "PATH": os.environ["PATH"],
    }  # fmt: skip
    made = options(session, functions=functions, model=MODEL, env=env, cwd=home, **more)
    texts: list[str] = []
    conversation = ""
    async with ClaudeSDKClient(made) as client:
        await client.query(user)
        async for message in note_usage(session, client.receive_response()):
            if isinstance(message, AssistantMessage):
                texts = [block.text for block in message.content if isinstance(block, TextBlock)]
            elif isinstance(message, ResultMessage):
                conversation = message.session_id
    return "".join(texts), conversation


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
    """Run a client with the session's options."""
    answers = Answers(steps, MODEL)
    more: dict[str, Any] = {"include_partial_messages": stream}
    more["home"] = history[0] if history else tempfile.mkdtemp(prefix="overture-claude-")
    more |= {"resume": history[1]} if history else {}
    more |= {"system_prompt": instructions} if instructions else {}
    with serve(answers) as address:
        answer, conversation = asyncio.run(asyncio.wait_for(ask(session, user, address, tools, **more), 60))
    return Run(tuple(read_request(body) for body in answers.bodies), answer, (more["home"], conversation))
