"""The same text by other libraries, in the fewest steps that each allows: `python bench/peers.py NAME` reads data.

Each function is given the data of `data.py` and hands out a function that builds its text. No library keeps a record of
where a text is from, and none is asked to.
"""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Callable
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

Build = Callable[[dict[str, Any]], str]
TEMPLATE = """You are an expert coding assistant.
Available tools:
{% for tool in tools %}- {{ tool.name }}: {{ tool.snippet }}
{% endfor %}# Project Context

{% for file in context_files %}## {{ file.path }}

{{ file.content }}

{% endfor %}<available_skills>
{% for skill in skills %}  <skill>
    <name>{{ skill.name | e }}</name>
    <description>{{ skill.description | e }}</description>
    <location>{{ skill.location | e }}</location>
  </skill>
{% endfor %}</available_skills>
Current date and time: {{ now }}
{{ runtime.cwd }}"""


def jinja2() -> Build:
    from jinja2 import Environment

    template = Environment(autoescape=False).from_string(TEMPLATE)
    return lambda data: template.render(data)


def banks() -> Build:
    from banks import Prompt

    prompt = Prompt(TEMPLATE)
    return lambda data: prompt.text(data)


def haystack_ai() -> Build:
    from haystack.components.builders import PromptBuilder

    builder = PromptBuilder(TEMPLATE, required_variables=[])
    return lambda data: builder.run(**data)["prompt"]


def write_lists(data: dict[str, Any]) -> dict[str, str]:
    """The three lists as text, for those whose templates have no loops."""
    skills = [
        f"  <skill>\n    <name>{escape(each['name'])}</name>\n    <description>{escape(each['description'])}"
        f"</description>\n    <location>{escape(each['location'])}</location>\n  </skill>"
        for each in data["skills"]
    ]
    return {
        "tools": "\n".join(f"- {each['name']}: {each['snippet']}" for each in data["tools"]),
        "files": "\n".join(f"## {each['path']}\n\n{each['content']}\n" for each in data["context_files"]),
        "skills": "\n".join(skills),
        "now": data["now"],
        "cwd": data["runtime"]["cwd"],
    }


FLAT = """You are an expert coding assistant.
Available tools:
{tools}
# Project Context

{files}
<available_skills>
{skills}
</available_skills>
Current date and time: {now}
{cwd}"""


def langchain_core() -> Build:
    from langchain_core.prompts import PromptTemplate

    template = PromptTemplate.from_template(FLAT)
    return lambda data: template.format(**write_lists(data))


def prompt_poet() -> Build:
    from prompt_poet import Prompt

    content = json.dumps(FLAT.replace("{", "{{ ").replace("}", " }}"))
    path = Path(tempfile.mkdtemp(), "all.yml.j2")
    path.write_text(f"- name: all\n  role: system\n  content: {content}\n", encoding="utf-8")

    def build(data: dict[str, Any]) -> str:
        texts = {name: json.dumps(text)[1:-1] for name, text in write_lists(data).items()}
        prompt = Prompt(template_data=texts, template_path=str(path), from_cache=True)
        return str(prompt.messages[0]["content"])

    return build


def priomptipy() -> Build:
    import tiktoken
    from priomptipy import Scope, SystemMessage, render

    class Words:
        """Counts words: the real vocabulary is fetched from the network, and its time would be no part of building."""

        encode = staticmethod(str.split)

    setattr(tiktoken, "get_encoding", lambda _: Words)  # noqa: B010
    options = {"token_limit": 1_000_000, "tokenizer": "o200k_base"}

    def build(data: dict[str, Any]) -> str:
        text = SystemMessage([Scope([FLAT.format(**write_lists(data))], absolute_priority=1)])
        return str(asyncio.run(render(text, options))["prompt"]["messages"][0]["content"])

    return build


def main(name: str) -> None:
    """Build what each line holds, and say how long it took."""
    build: Build = globals()[name.replace("-", "_")]()
    for line in sys.stdin:
        data = json.loads(line)
        start = time.process_time_ns()
        text = build(data)
        took = time.process_time_ns() - start
        same = (
            {} if data["context_files"][0]["content"].find("run -1\n") < 0 else {"text": text, "version": version(name)}
        )
        print(json.dumps({"took": took, **same}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
