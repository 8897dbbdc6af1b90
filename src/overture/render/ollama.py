"""Ollama: one system message of one text. Its cache goes by the bytes of the prefix."""

from typing import Any

from ..model.tokens import JOIN
from .ask import Ask, Laid
from .messages import conversation, last_user, text_of
from .tools import described


def lay(ask: Ask) -> Laid:
    """`ollama.chat(model=…, **body)`."""
    body: dict[str, Any] = {"model": ask.model} if ask.model else {}
    messages = conversation(ask.messages, takes_system=True)
    text = ask.prompt.text
    if text:
        messages.insert(0, {"role": "system", "content": text})
    where, start = "", 0
    if ask.sections:
        at = last_user(messages)
        if at is None:
            messages.append({"role": "user", "content": ""})
            at = len(messages) - 1
        said = text_of(messages[at].get("content"))
        before = f"{said}{JOIN}" if said else ""
        messages[at] = {**messages[at], "content": before + ask.sections}
        where, start = f"messages[{at}].content", len(before)
    if messages:
        body["messages"] = messages
    if ask.tools:
        body["tools"] = [{"function": described(tool, "parameters"), "type": "function"} for tool in ask.tools]
    return Laid(body, ("messages[0].content",) if text else (), where, start)
