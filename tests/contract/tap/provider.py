"""A provider on loopback that answers as Anthropic and OpenAI do, and a program that asks it with the real SDKs."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .upstream import Line, Upstream, upstream

KEY = "sk-ant-api03-" + "A1b2C3d4E5f6G7h8" * 5
SAID = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
"""A token that somebody pasted into a message."""
USAGE = {"input_tokens": 40, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 2000, "output_tokens": 7}


def _events() -> bytes:
    message: dict[str, object] = {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [],
    }
    events: list[dict[str, object]] = [
        {"type": "message_start", "message": {**message, "usage": USAGE}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "All is well."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
    ]
    return b"".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode() for each in events)


WHOLE = {
    "id": "m0", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "end_turn",
    "content": [{"type": "text", "text": "All is well."}], "usage": USAGE,
}  # fmt: skip
CHAT = {
    "id": "c0", "object": "chat.completion", "created": 0, "model": "gpt-5",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Aye."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 30, "completion_tokens": 2, "total_tokens": 32},
}  # fmt: skip


def _answer(line: Line) -> None:
    """Answer until the client goes."""
    while True:
        request = line.request()
        head, _, body = request.partition(b"\r\n\r\n")
        chat, stream = b"/chat/completions" in head, json.loads(body).get("stream")
        made = _events() if stream else json.dumps(CHAT if chat else WHOLE).encode()
        kind = "text/event-stream" if stream else "application/json"
        line.send(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(made)}\r\n\r\n".encode() + made)


@contextmanager
def provider() -> Iterator[Upstream]:
    """Such a provider."""
    with upstream(_answer) as there:
        yield there


PROGRAM = f'''
import sys, anthropic
client = anthropic.Anthropic(api_key="{KEY}", max_retries=0)
print("base", client.base_url)
tool = {{"name": "read_file", "description": "Reads a file.", "input_schema": {{"type": "object", "properties": {{}}}}}}
said = [{{"role": "user", "content": "Look after the garden. My token is {SAID}"}}]
for turn in range(int(sys.argv[1]) if len(sys.argv) > 1 else 2):
    today = f"You are Ada.\\n\\n# Today\\nIt is 2026-11-{{turn + 10}}.\\n\\n"
    system = today + "# Rules\\n" + "Water the roses at dusk. " * 400
    asked = dict(model="claude-sonnet-4-5", max_tokens=9, tools=[tool], messages=said,
                 system=[{{"type": "text", "text": system, "cache_control": {{"type": "ephemeral"}}}}])
    if turn % 2:
        with client.messages.stream(**asked) as stream:
            text = "".join(stream.text_stream)
    else:
        text = client.messages.create(**asked).content[0].text
    print(text)
    said += [{{"role": "assistant", "content": text}}, {{"role": "user", "content": f"And now? {{turn}}"}}]
'''
LIGHT = f'''
import json, os, sys
from urllib.request import Request, urlopen
for turn in range(int(sys.argv[1]) if len(sys.argv) > 1 else 2):
    asked = dict(model="claude-sonnet-4-5", max_tokens=9, system="You are Ada.",
                 messages=[dict(role="user", content="Ahoy")] * (2 * turn + 1))
    url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
    headers = {{"x-api-key": "{KEY}", "content-type": "application/json"}}
    with urlopen(Request(url, json.dumps(asked).encode(), headers)) as answer:
        print(json.load(answer)["content"][0]["text"], flush=True)
'''
"""The same without an SDK, which takes a second to load."""
OPENAI = f'''
import openai
client = openai.OpenAI(api_key="{KEY}", max_retries=0)
said = [{{"role": "system", "content": "You are Bo."}}, {{"role": "user", "content": "Ahoy"}}]
print(client.chat.completions.create(model="gpt-5", messages=said).choices[0].message.content)
'''


def written(folder: Path, text: str = PROGRAM) -> tuple[str, str]:
    """A program in a folder, as it is started."""
    path = folder / "prog.py"
    path.write_text(text, encoding="utf-8")
    return sys.executable, str(path)
