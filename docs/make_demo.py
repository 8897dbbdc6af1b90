"""Write src/overture/tap/demo.har, the conversation that `overture tap --demo` plays: `make demo-calls`.

Five calls of an agent that we made up. The clock moves before the third, and a tool arrives before the fifth: both cost
it the cache. The counts are what Anthropic would have counted.
"""

import json
import sys
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent.parent / "src/overture/tap/demo.har"
RULES = (
    "Read a file before you change it.", "Change as little as the task needs.", "Run the tests after each change.",
    "Never commit a key or a password.", "Prices are integers, in cents.", "Dates are written as in ISO 8601.",
    "A function does one thing, and its name says which.", "An error names the value that caused it.",
    "Ask before you delete a file.", "Explain a change in one sentence.",
)  # fmt: skip
TOOLS = {
    "read_file": "Read a file of the project.",
    "edit_file": "Replace a text in a file.",
    "run_tests": "Run the tests of a folder.",
}
STEPS = ("Fix the failing test.", "Now fix the other one.", "Rename the function, too.", "Write a changelog line.")
REPLIES = ("The price was a float: fixed.", "Fixed as well.", "Renamed in three files.", "Done.", "All tests pass.")
CLOCKS = ("08:55", "08:55", "08:56", "08:56", "08:56")
USAGE = ((12, 1650, 0), (9, 24, 1650), (9, 1707, 0), (9, 24, 1707), (9, 1791, 0))
"""Of each call: new tokens, tokens written to the cache, tokens read from it."""


def make_log() -> dict[str, Any]:
    """All calls, as a browser or a proxy would have kept them."""
    return {
        "log": {
            "version": "1.2",
            "creator": {"name": "overture", "version": "demo"},
            "entries": [*map(_entry, range(5))],
        }
    }


def _entry(number: int) -> dict[str, Any]:
    new, written, read = USAGE[number]
    usage = {"input_tokens": new, "cache_creation_input_tokens": written, "cache_read_input_tokens": read}
    answer = {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
        "stop_reason": "end_turn",
        "content": [{"type": "text", "text": REPLIES[number]}], "usage": {**usage, "output_tokens": 40},
    }  # fmt: skip
    head = [{"name": "content-type", "value": "application/json"}]
    body = {"mimeType": "application/json", "text": json.dumps(_request(number))}
    return {
        "startedDateTime": f"2026-11-02T09:0{number}:00.000Z",
        "time": 1800,
        "request": {
            "method": "POST",
            "url": "https://api.anthropic.com/v1/messages",
            "headers": head,
            "postData": body,
        },
        "response": {"status": 200, "headers": head, "content": {**body, "text": json.dumps(answer)}},
    }


def _request(number: int) -> dict[str, Any]:
    names = [*TOOLS, "search_issues"] if number == 4 else [*TOOLS]
    said = [("user", STEPS[0])]
    for step in range(number):
        said += [("assistant", REPLIES[step]), ("user", STEPS[min(step + 1, 3)])]
    messages: list[dict[str, Any]] = [
        {"role": role, "content": [{"type": "text", "text": text}]} for role, text in said
    ]
    messages[-1]["content"][0]["cache_control"] = {"type": "ephemeral"}
    system = {"type": "text", "text": _system(number), "cache_control": {"type": "ephemeral"}}
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 1024,
        "tools": [*map(_tool, names)],
        "system": [system],
        "messages": messages,
    }


def _tool(name: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    return {"name": name, "description": TOOLS.get(name, "Search the issues of the project."), "input_schema": schema}


def _system(number: int) -> str:
    rules = "\n".join(f"{place}. {rule}" for place, rule in enumerate(RULES * 12, 1))
    return f"# Identity\n\nYou help with the shop.\n\n# Clock\n\nIt is {CLOCKS[number]}.\n\n# Rules\n\n{rules}\n"


def make_text() -> str:
    """The file's text."""
    return json.dumps(make_log(), indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(make_text(), "utf-8")
    sys.stdout.write("src/overture/tap/demo.har\n")
