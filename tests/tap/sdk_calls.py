"""The real SDKs, asked to call a model: whole and as a stream."""

import warnings
from collections.abc import Callable
from typing import Any

with warnings.catch_warnings():  # of the SDKs themselves, while they are loaded
    warnings.simplefilter("ignore")
    import anthropic
    import boto3
    import ollama
    import openai
    from botocore.config import Config
    from google import genai


FAMILY = {
    "openai-chat": "openai", "openai-responses": "openai", "anthropic": "anthropic", "gemini": "gemini",
    "ollama": "ollama", "bedrock": "bedrock",
}  # fmt: skip
TOOL = {
    "name": "read_file",
    "description": "Reads.",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
}
ASKED = [{"role": "user", "content": "Wie spät? ☀"}]


def _openai_chat(url: str, stream: bool) -> list[Any]:
    with openai.OpenAI(api_key="sk-test-0123456789", base_url=url, max_retries=0) as client:
        tools: Any = [{"type": "function", "function": TOOL}]
        asked: Any = {"model": "m", "messages": ASKED, "tools": tools}
        return _items(client.chat.completions.create(**asked, stream=stream), stream)


def _openai_responses(url: str, stream: bool) -> list[Any]:
    with openai.OpenAI(api_key="sk-test-0123456789", base_url=url, max_retries=0) as client:
        asked: Any = {"model": "m", "input": ASKED, "tools": [{"type": "function", "strict": False, **TOOL}]}
        return _items(client.responses.create(**asked, stream=stream), stream)


def _anthropic(url: str, stream: bool) -> list[Any]:
    with anthropic.Anthropic(api_key="sk-test-0123456789", base_url=url, max_retries=0) as client:
        tool = {"name": "read_file", "input_schema": TOOL["parameters"]}
        asked: Any = {"model": "m", "max_tokens": 9, "messages": ASKED, "tools": [tool]}
        return _items(client.messages.create(**asked, stream=stream), stream)


def _gemini(url: str, stream: bool) -> list[Any]:
    client = genai.Client(api_key="sk-test-0123456789", http_options=genai.types.HttpOptions(base_url=url))
    try:
        asked: Any = {"model": "m", "contents": "Wie spät? ☀", "config": {"tools": [{"function_declarations": [TOOL]}]}}
        ask: Any = client.models.generate_content_stream if stream else client.models.generate_content
        return _items(ask(**asked), stream)
    finally:
        client.close()


def _ollama(url: str, stream: bool) -> list[Any]:
    with ollama.Client(host=url, headers={"Authorization": "Bearer sk-test-0123456789"}) as client:
        asked: Any = {"model": "m", "messages": ASKED, "tools": [{"type": "function", "function": TOOL}]}
        return _items(client.chat(**asked, stream=stream), stream)


def _bedrock(url: str, stream: bool) -> list[Any]:
    client = boto3.client(
        "bedrock-runtime", region_name="us-east-1", endpoint_url=url, aws_access_key_id="none",
        aws_secret_access_key="none", config=Config(retries={"max_attempts": 0}),
    )  # fmt: skip
    asked: Any = {"modelId": "m", "messages": [{"role": "user", "content": [{"text": "Wie spät? ☀"}]}]}
    try:
        if not stream:
            return [client.converse(**asked)["output"]]
        return _items(client.converse_stream(**asked)["stream"], stream)
    finally:
        client.close()


def _items(answer: Any, stream: bool) -> list[Any]:
    """The answer, or the items of the stream."""
    return list(answer) if stream else [answer]


ASK: dict[str, Callable[[str, bool], list[Any]]] = {
    "openai-chat": _openai_chat, "openai-responses": _openai_responses, "anthropic": _anthropic, "gemini": _gemini,
    "ollama": _ollama, "bedrock": _bedrock,
}  # fmt: skip
