"""What is built, by us and by others: 20 tools, 10 files and 200 skills. Programs of others can import it."""

import random
from html import escape
from pathlib import Path
from typing import Any

LINE = "- Run `make test` before you commit, and say in the message why the change is needed.\n"
PAGE = "## Conventions\n\n" + LINE * 8 + "\nSee <https://example.org> and `<name>` below.\n\n"
TOOLS = ["read", "bash", "edit", "write", "read_file", "edit_file", "write_file", "shell", "use_skill"]
TOOLS += [f"tool_{number}" for number in range(20 - len(TOOLS))]
TEXT = """the agent reads a file before it writes one and says in a line what it has changed so that nobody has to guess
which test failed why it failed and what was done about it in the end by whom and at what time of the day"""
WORDS = TEXT.split()


def make_data(number: int) -> dict[str, Any]:
    """A state as a dict; its texts are others for each number."""
    page = PAGE * 4 + f"\nrun {number}\n"
    return {
        "tools": [{"name": name, "snippet": f"Does what {name} does"} for name in TOOLS],
        "context_files": [{"path": f"/p/{'d/' * i}AGENTS.md", "content": page + str(i)} for i in range(10)],
        "skills": [
            {
                "name": f"skill-{i:03}",
                "description": f"Use when a form {number} has to be filled in or a table {i} read.",
                "location": f"/p/.agents/skills/skill-{i:03}/SKILL.md",
            }
            for i in range(200)
        ],
        "runtime": {"cwd": "/p", "timezone": "America/Chicago", "home": "/home/user"},
        "now": "2026-03-07T08:55:05-06:00",
        "session": {"id": "bench"},
    }


def build_plain(data: dict[str, Any]) -> str:
    """The lines of such a prompt, as anybody would write it: no record of sources, nothing made safe but the XML."""
    out = ["You are an expert coding assistant.", "Available tools:"]
    out += [f"- {tool['name']}: {tool['snippet']}" for tool in data["tools"]]
    out.append("# Project Context\n")
    out += [f"## {file['path']}\n\n{file['content']}\n" for file in data["context_files"]]
    out.append("<available_skills>")
    for skill in data["skills"]:
        out += [
            "  <skill>",
            f"    <name>{escape(skill['name'])}</name>",
            f"    <description>{escape(skill['description'])}</description>",
            f"    <location>{escape(skill['location'])}</location>",
            "  </skill>",
        ]
    out += ["</available_skills>", f"Current date and time: {data['now']}", data["runtime"]["cwd"]]
    return "\n".join(out)


def make_sentence(number: int, words: int) -> str:
    """So many words, always the same for one number."""
    return " ".join(random.Random(number).choices(WORDS, k=words))


def write_project(folder: Path, number: int) -> tuple[Path, Path]:
    """Ten nested folders with an AGENTS.md each, and a home with 200 skills: the current folder, and home."""
    here, data = folder / "p", make_data(number)
    for level, file in enumerate(data["context_files"]):
        here.mkdir(parents=True)
        (here / "AGENTS.md").write_text(file["content"], encoding="utf-8")
        here = here / f"d{level}"
    for skill in data["skills"]:
        place = folder / "home/.agents/skills" / skill["name"]
        place.mkdir(parents=True)
        front = f"---\nname: {skill['name']}\ndescription: {skill['description']}\nlicense: MIT\n---\n"
        (place / "SKILL.md").write_text(front + LINE * 20, encoding="utf-8")
    return here.parent, folder / "home"
