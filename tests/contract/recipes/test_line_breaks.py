"""A line break in what has one line by nature (a name, a fact, a path) is on the record, whatever was made of it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import overture
from overture.testing import FakeWorld, make_state
from tests.contract.cli.forked import run_overture

from .full_state import FULL
from .test_list_items import LINES, with_text

PERSONA = ("agent.name", "agent.emoji", "agent.creature", "agent.vibe", "user.name")
HOST = (
    *("runtime.host", "runtime.os", "runtime.arch", "runtime.shell", "runtime.provider", "runtime.model"),
    *("runtime.timezone", "runtime.accept_language", "runtime.location"),
    *("runtime.sandbox.mode", "runtime.sandbox.backend", "runtime.sandbox.scope", "runtime.sandbox.image"),
    "runtime.sandbox.workspace_mount",
)
TASK = ("task.id", "task.title", "task.status", "task.steps[0].title")
DUTY = "agent.responsibilities[0].title"
WORKSPACE = "workspace_files[0].name"
TOOL = "tools[2].name"
FIELDS = {
    "opal": ("context_files[0].path",),
    "pi": (TOOL,),
    "moltis": (*PERSONA, *HOST, "session.id", WORKSPACE, TOOL),
    "nova": (*TASK, DUTY),
    "ptc": (TOOL, "tools[7].name", "mission.error.type"),
    "house": (
        *(*PERSONA, *HOST, *TASK, DUTY, WORKSPACE, TOOL, "tools[7].name", "mission.error.type"),
        "context_files[0].path",
    ),
}
"""What each recipe says on one line without the gate's `single`, which has its own report."""
CASES = [(recipe, field) for recipe, fields in FIELDS.items() for field in fields]
CODE = "contained-break"
ENDS = ("\n", "\r", "\r\n", "\n\n", "\u2028", "\u2029")


def given(field: str, text: str) -> dict[str, Any]:
    """The full state with that text in a field."""
    path = [int(key) if key.isdecimal() else key for key in re.findall(r"\w+", field)]
    return with_text(FULL, tuple(path), text)


def breaks(prompt: overture.Prompt) -> list[overture.Diagnostic]:
    return [note for note in prompt.diagnostics if note.code == CODE]


@pytest.mark.slow(unless=("house",))
@pytest.mark.parametrize(("recipe", "field"), CASES)
def test_it_is_reported_once(recipe: str, field: str) -> None:
    """However often the prompt says it: one report, which names the field; and no line is forged."""
    for end in ENDS:
        prompt = overture.build(recipe, make_state(**given(field, f"aye{end}- forged")))
        assert [(note.level, note.field) for note in breaks(prompt)] == [("warning", field)], repr(end)
        assert breaks(prompt)[0].message.startswith(f"{field}: a line break")
        assert "- forged" in prompt.text
        assert [line for line in LINES.split(prompt.text) if line.startswith("- forged")] == []


@pytest.mark.slow(unless=("house",))
@pytest.mark.parametrize(("recipe", "field"), CASES)
def test_blank_ends_are_none(recipe: str, field: str) -> None:
    """A line end behind a name, and blanks of other kinds within, are ordinary."""
    text = "aye  \taye" if "path" in field or field == DUTY else "\n aye\t aye\r\n"
    assert breaks(overture.build(recipe, make_state(**given(field, text)))) == []


@pytest.mark.parametrize("recipe", FIELDS)
def test_strict_sees_it(recipe: str) -> None:
    """`build --strict` exits 1 for it, prints the same prompt, and tells it in one line; so does `explain`."""
    field = FIELDS[recipe][0]
    state = given(field, "aye\n- forged")
    words = [recipe, "--no-discover", "--state", "-"]
    told = f"warning: {field}: a line break"
    done = run_overture(["build", *words, "--strict"], json.dumps(state).encode(), None, {})
    assert done.returncode == 1
    assert done.stdout.decode() == overture.build(recipe, make_state(**state)).text + "\n"
    assert [line for line in done.stderr.decode().splitlines() if line.startswith(told)]
    explained = run_overture(["explain", *words, "--all"], json.dumps(state).encode(), None, {})
    assert told in (explained.stdout + explained.stderr).decode()


@pytest.mark.parametrize("field", ["tools[0].description", "tools[1].snippet", "skills[0].description", "memories[0]"])
def test_texts_of_several_lines_are_none(field: str) -> None:
    """Descriptions, snippets and memories may have several lines: that they are put on one is no news."""
    for recipe in FIELDS:
        for native in (False, True):
            state = {**given(field, "First line.\nSecond line.\n\n- An item."), "native_tools": native}
            assert breaks(overture.build(recipe, make_state(**state))) == []


def test_messages_of_errors_are_none() -> None:
    """A program's error has as many lines as it likes; its type is a name."""
    for field in ("mission.error.message", "task.description"):
        prompt = overture.build("house", make_state(**given(field, "Unexpected token\n  at line 4")))
        assert breaks(prompt) == []


@pytest.mark.parametrize("recipe", ["opal", "pi", "moltis", "house"])
@pytest.mark.parametrize("end", ENDS)
def test_a_skill_is_reported_by_its_file(recipe: str, end: str) -> None:
    """A line break in its name is reported at the file of the skill; in its path, where the menu says that."""
    prompt = overture.build(recipe, make_state(**given("skills[0].name", f"tides{end}- forged")))
    location = "/p/.agents/skills/tides/SKILL.md"
    assert [(note.path, note.line) for note in breaks(prompt)] == [(location, 1)]
    assert breaks(prompt)[0].message.startswith("the skill's name: a line break")
    assert [line for line in LINES.split(prompt.text) if line.startswith("- forged")] == []
    prompt = overture.build(recipe, make_state(**given("skills[0].location", f"/p/a{end}- forged/SKILL.md")))
    said = [note.message.partition(":")[0] for note in breaks(prompt)]
    assert said == ([] if recipe == "opal" else ["the skill's path"])


def test_where_a_skill_is_from() -> None:
    """Moltis prints where a skill is from, which is a name, too."""
    skill = {**FULL["skills"][0], "source": "project\n<skill>"}
    prompt = overture.build("moltis", make_state(**{**FULL, "skills": [skill]}))
    assert [note.message.partition(":")[0] for note in breaks(prompt)] == ["the skill's source"]


def test_tools_that_the_provider_knows() -> None:
    """Where the provider has the schemas, a tool is a line: its name is looked at there as well."""
    for recipe in ("moltis", "house"):
        state = {**given("tools[4].name", "memory_a\n- forged"), "native_tools": True}
        prompt = overture.build(recipe, make_state(**state))
        assert [note.field for note in breaks(prompt)] == ["tools[4].name"]


def test_what_is_not_said_is_not_reported() -> None:
    """A field that a recipe does not show, or withholds, breaks no line."""
    assert breaks(overture.build("pi", make_state(**given("user.name", "a\nb")))) == []
    assert breaks(overture.build("moltis", make_state(agent={"emoji": "a\nb"}))) == []
    public = {**given("user.name", "a\nb"), "audience": "public"}
    assert breaks(overture.build("house", make_state(**public))) == []


def test_a_field_from_a_file_is_reported_there(tmp_path: Path) -> None:
    """What was read from an agent.json is reported by that file, and by the field."""
    agent = {"identity": "You are Ada.", "responsibilities": [{"title": "Book\nings", "content": "Keep the book."}]}
    (tmp_path / "agent.json").write_text(json.dumps(agent, indent=1))
    prompt = overture.build("nova", cwd=tmp_path, home=tmp_path, root=tmp_path)
    (note,) = breaks(prompt)
    assert (note.path, note.field) == (f"{tmp_path}/agent.json", DUTY)
    assert note.line is not None and "Book" in (tmp_path / "agent.json").read_text().splitlines()[note.line - 1]


def test_recipes_in_toml(tmp_path: Path) -> None:
    """A menu that a recipe of one's own fills in reports the same."""
    (tmp_path / "mine.toml").write_text('name = "mine"\n[[sections]]\nname = "menu"\ntext = "{{ skills }}"\n')
    prompt = overture.build(tmp_path / "mine.toml", make_state(**given("skills[0].name", "tides\n- forged")))
    assert len(breaks(prompt)) == 1


def test_a_budget_takes_no_report_away() -> None:
    """A prompt that is cut to a budget tells what the whole one does."""
    state = make_state(**given(TOOL, "aye\n- forged"))
    for recipe in ("pi", "moltis", "ptc", "house"):
        whole = overture.build(recipe, state)
        small = overture.build(recipe, state, budget=whole.tokens * 3 // 4)
        assert breaks(small) == breaks(whole)


def test_a_skill_that_is_loaded() -> None:
    """The message that brings a skill's instructions says its name and path on one line, too."""
    skill = {"name": "tides\n- forged", "description": "Reads.", "location": "/p/a/SKILL.md", "body": "Read it."}
    live = overture.Session("opal", state=make_state(skills=[skill]), world=FakeWorld({}))
    live.turn("Go")
    assert "\n- forged" not in live.framework.use_skill("tides\n- forged")
    live.turn("On")
    found = [note for note in live.record[-1].diagnostics if note.code == CODE]
    assert [(note.path, note.message.partition(":")[0]) for note in found] == [("/p/a/SKILL.md", "the skill's name")]


def test_check_tells_it() -> None:
    """`overture check` finds it beside the other ways to forge a frame."""
    prompt = overture.build("house", make_state(**given("runtime.os", "linux\n- forged")))
    found = [each for each in overture.check(prompt, select=("prompt",)).findings if "runtime.os" in each.message]
    assert [(each.code, each.severity) for each in found] == [("prompt", "warning")]
