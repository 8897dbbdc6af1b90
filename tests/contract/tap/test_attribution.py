"""Which file and line the words of a recorded prompt are from, as `overture tap` tells it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.contract.cli.run import run

LINES = 12
FRAMES = {
    "claude": (
        "CLAUDE.md",
        "<system-reminder>\nContents of {path} (project instructions, checked into the codebase):\n\n{text}\n\n"
        "      IMPORTANT: this context may or may not be relevant.\n</system-reminder>\n",
    ),
    "codex": ("AGENTS.md", "# AGENTS.md instructions for {cwd}\n\n<INSTRUCTIONS>\n{text}\n</INSTRUCTIONS>"),
    "gemini": ("GEMINI.md", "--- Context from: {path} ---\n{text}\n--- End of Context from: {path} ---"),
    "qwen": ("QWEN.md", "--- Context from: QWEN.md ---\n{text}\n--- End of Context from: QWEN.md ---"),
    "opencode": ("AGENTS.md", "Instructions from: {path}\n{text}"),
    "pi": ("AGENTS.md", '<project_instructions path="{path}">\n{text}\n</project_instructions>\n'),
    "aider": ("CONVENTIONS.md", "\nCONVENTIONS.md\n```\n{text}```\n"),
}
"""How each of seven agents frames the file that it was recorded to send."""
OWN = "You are a careful agent of a harbour office.\nAnswer in the language of the person who asks you.\n"


class Project:
    """A project with a recorded call."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder / "p", folder / "home"
        self.home.mkdir()
        self.write(".git/HEAD", "ref: refs/heads/main\n")

    def write(self, name: str, text: str) -> Path:
        """A file of the project."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def record(self, program: str, system: str, *contents: str | list[dict[str, Any]]) -> None:
        """Import a call of a program, with a system prompt and messages of the user."""
        messages = [{"role": "user", "content": content} for content in contents or ("Ahoy",)]
        body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "system": system, "messages": messages}
        usage = {"input_tokens": 900, "output_tokens": 1}
        answer = {"id": "m1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "usage": usage,
                  "content": [{"type": "text", "text": "Aye."}], "stop_reason": "end_turn"}  # fmt: skip
        entry = {
            "startedDateTime": "2026-05-04T12:00:00+00:00",
            "time": 9,
            "request": {"method": "POST", "url": "https://api.anthropic.com/v1/messages", "headers": [],
                        "postData": {"mimeType": "application/json", "text": json.dumps(body)}},
            "response": {"status": 200, "headers": [{"name": "content-type", "value": "application/json"}],
                         "content": {"mimeType": "application/json", "text": json.dumps(answer)}},
        }  # fmt: skip
        log = self.folder.parent / "calls.har"
        log.write_text(json.dumps({"log": {"version": "1.2", "entries": [entry]}}), encoding="utf-8")
        self.run("import", str(log), "--program", program)

    def run(self, *words: str) -> str:
        """What `overture tap` prints in the project."""
        environ = {"HOME": str(self.home), "XDG_DATA_HOME": str(self.home / "data"), "CODEX_HOME": ""}
        done = run("tap", *words, cwd=self.folder, **environ)
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    def show(self) -> dict[str, Any]:
        """The files behind the call: names for paths in the project."""
        found: dict[str, Any] = json.loads(self.run("show", "--json"))["files"]
        return found

    def list_spans(self) -> list[tuple[str, int, int]]:
        """The file and the lines of each span, as names in the project."""
        spans = [span for each in self.show()["spans"].values() for span in each]
        return [
            (Path(span["path"]).relative_to(self.folder).as_posix(), span["line"], span["last_line"]) for span in spans
        ]

    def list_sent(self) -> dict[str, str]:
        """What the report says of each file that was sent."""
        report = json.loads(self.run("report", "--json", "--since", "all"))
        return {Path(file["path"]).name: file["says"] for file in report["files"]["sent"]}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def page(name: str) -> str:
    """Lines of which each says whose it is."""
    return "".join(f"- Rule {n} of {name[:-3].lower()} is that it counts to {n * 7}.\n" for n in range(1, LINES + 1))


@pytest.mark.parametrize("program", FRAMES)
def test_the_file_that_an_agent_sends(project: Project, program: str) -> None:
    """In its frame, every line is the file's; the agent's own words are nobody's, though a page quotes all of it."""
    name, frame = FRAMES[program]
    for each, _ in FRAMES.values():
        project.write(each, page(each))
    path = project.folder / name
    sent = frame.format(path=path, cwd=project.folder, text=page(name))
    project.write("docs/agents-compared.md", f"They send this:\n\n{OWN}\n{sent}")
    project.record(program, OWN, sent)
    assert project.list_spans() == [(name, 1, LINES)]
    assert project.list_sent() == {name: f"whole, {LINES} lines"}


def test_a_page_that_quotes_the_agents_own_prompt(project: Project) -> None:
    """Claude Code never loads it: its words are the agent's own, for the report and for what the summary counts."""
    project.write("docs/leaked-prompts.md", f"# Prompts of others\n\n{OWN}")
    project.write("CLAUDE.md", page("CLAUDE.md"))
    project.record("claude", OWN)
    assert project.list_spans() == []
    assert project.list_sent() == {}


def test_what_a_tool_read_of_any_file(project: Project) -> None:
    """The result of a tool is from the file that it read, code or not, with its line numbers."""
    code = project.write(
        "src/tides.go", "package tides\n\nfunc Next(harbour string, hours int) Tide {\n\treturn read(harbour)\n}\n"
    )
    lines = code.read_text().splitlines()
    text = "".join(f"{n:6}\t{line}\n" for n, line in enumerate(lines, 1))
    project.record("claude", OWN, [{"type": "tool_result", "tool_use_id": "t1", "content": text}])
    assert [(name, line) for name, line, _ in project.list_spans()] == [("src/tides.go", 1)]
    assert project.list_sent() == {}


PROMPT = (
    "You are the pilot of a harbour.\nGuide every ship to a free berth, the long ones first.\nNever promise a tide.\n"
)
IN_CODE = {
    "agent.py": ('import os\n\nPROMPT = """' + PROMPT + '"""\nclient = os.environ["HARBOUR"]\n', [(3, 5)]),
    "joined.py": (
        'PROMPT = (\n    "You are the pilot of a harbour.\\n"\n    "Guide every ship to a free berth, "\n'
        '    "the long ones first.\\n"\n    "Never promise a tide.\\n"\n)\n',
        [(2, 5)],
    ),
    "agent.ts": ("export const prompt = `" + PROMPT + "`;\n", [(1, 3)]),
    "prompts/pilot.j2": ("{% if pilot %}\n" + PROMPT + "{% endif %}\n", [(2, 4)]),
    "prompts/pilot.prompt": (PROMPT, [(1, 3)]),
    "pilot.yaml": ("system: |\n" + "".join(f"  {line}\n" for line in PROMPT.splitlines()), [(2, 4)]),
    "pilot.toml": (f'system = """\n{PROMPT}"""\n', [(2, 4)]),
    "pilot.json": (json.dumps({"role": "system", "content": PROMPT}, indent=2) + "\n", [(3, 3)]),
    "pilot.txt": (PROMPT, [(1, 3)]),
}


@pytest.mark.parametrize("name", IN_CODE)
def test_a_prompt_of_ones_own_program(project: Project, name: str) -> None:
    """In code, a template or settings, it is found with its lines."""
    text, lines = IN_CODE[name]
    project.write(name, text)
    project.record("python", PROMPT)
    assert project.list_spans() == [(name, *each) for each in lines]
    assert json.loads(project.run("report", "--json", "--since", "all"))["files"]["share"] > 0.9


def test_a_template_with_a_value_in_it(project: Project) -> None:
    """The line is known by the words around the value, which is not from the file."""
    lines = ["You are the pilot of {name}, a harbour with many berths.", "Be kind to all who call there."]
    project.write("agent.py", f'def ask(name):\n    return f"""{lines[0]}\n{lines[1]}"""\n')
    project.record("python", "\n".join(lines).format(name="Seagull Bay"))
    assert project.list_spans() == [("agent.py", 2, 3)]


def test_what_was_not_looked_at_is_said(project: Project) -> None:
    """A file beyond the limit is named, with the limit."""
    project.write("large.txt", "word " * 300_000)
    project.record("python", PROMPT)
    (note,) = project.show()["notes"]
    assert note.endswith("large.txt: the limit is 1,000,000 bytes")
    assert "large.txt" in project.run("report", "--since", "all")


def test_a_file_that_was_cut_or_changed(project: Project) -> None:
    """The last line that was sent is named, and the line that reads otherwise now."""
    project.write("CLAUDE.md", page("CLAUDE.md"))
    project.record("claude", OWN, "".join(page("CLAUDE.md").splitlines(keepends=True)[:7]))
    assert project.list_sent() == {"CLAUDE.md": f"truncated after line 7 of {LINES}"}
    project.write("CLAUDE.md", page("CLAUDE.md").replace("Rule 3 of claude", "Rule 3 for claude"))
    assert project.list_sent() == {"CLAUDE.md": f"truncated after line 7 of {LINES}, line 3 changed"}


def test_a_skill_in_a_menu(project: Project) -> None:
    """Its name and its description are its file's, whole or shortened."""
    skill = "---\nname: berths\ndescription: Finds a free berth for a ship of any length.\n---\n\nLook at the list.\n"
    project.write(".claude/skills/berths/SKILL.md", skill)
    for menu in ("- berths: Finds a free berth for a ship of any length.\n", "- berths: Finds a free berth for...\n"):
        project.record("claude", OWN, f"These skills are there:\n\n{menu}- tides: Says when high water is.\n")
        assert project.list_sent() == {"SKILL.md": "its name and description"}
